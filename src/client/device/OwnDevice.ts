import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { nodeProcess } from "./System.ts"

/** By what a person tells devices apart. */
export interface DeviceName {
  readonly hostname?: string
  readonly os?: string
}

/** The longest that the service takes, in UTF-16 code units. */
const longest = { hostname: 255, os: 128 } as const

const names: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" }

/** A name as it may be sent: without what nobody sees, and no longer than the service takes. Undefined where nothing is left. */
const sendable = (name: string | undefined, length: number): string | undefined => {
  const text = (name ?? "").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()
  // A pair of surrogates that is cut in two is no text.
  const cut = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")
  return cut === "" ? undefined : cut
}

/** The names, without those that there are not. */
export const deviceName = (hostname: string | undefined, os: string | undefined): DeviceName => {
  const [host, system] = [sendable(hostname, longest.hostname), sendable(os, longest.os)]
  return { ...(host === undefined ? {} : { hostname: host }), ...(system === undefined ? {} : { os: system }) }
}

/** The part of a browser that is used; it tells no page the name of the machine. */
interface Browser {
  readonly userAgentData?: { readonly platform?: string }
}

/** The name of this machine and its system, as far as they are known. */
export const ownName = (node: ReturnType<typeof nodeProcess>): DeviceName => {
  if (node === undefined) {
    return deviceName(undefined, (globalThis.navigator as Browser | undefined)?.userAgentData?.platform)
  }
  try {
    const { hostname, release } = node.getBuiltinModule("node:os")
    return deviceName(hostname(), `${names[node.platform] ?? node.platform} ${release()}`)
  } catch {
    // A runtime that is asked for permission, such as Deno, may refuse: nothing depends on a name.
    return {}
  }
}

/** A device that holds a seat of the license, as whoever has its key sees it. */
export interface OwnDevice {
  readonly id: string
  /** The name of the device, if it gave one. */
  readonly name: string | undefined
  readonly kind: "hardware" | "container"
  readonly lastSeenAt: Date
  /**
   * Until when its seat stays taken even if it gives it back, because it can run offline until then. `takeSeat` of such a device is refused. Undefined
   * where its seat is free at once.
   */
  readonly seatHeldUntil: Date | undefined
  /** Whether it is this device. */
  readonly isThis: boolean
}

/** One page of the list: its devices, and where the next one begins. Undefined for what is no such page. */
export const readOwnDevices = (
  text: string
): { readonly devices: ReadonlyArray<OwnDevice>; readonly next: string | undefined } | undefined => {
  let page: unknown
  try {
    page = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isMembers(page) || !Array.isArray(page["data"])) return undefined
  const info = page["page_info"]
  const next = isMembers(info) && info["has_more"] === true ? info["next_cursor"] : undefined
  return {
    devices: page["data"].filter(isMembers).map((
      { binding_kind, id, is_this, last_seen_at, name, seat_held_until }
    ) => ({
      id: String(id),
      name: typeof name === "string" && name !== "" ? name : undefined,
      kind: binding_kind === "container" ? "container" : "hardware",
      lastSeenAt: new Date(String(last_seen_at)),
      seatHeldUntil: typeof seat_held_until === "string" ? new Date(seat_held_until) : undefined,
      isThis: is_this === true
    })),
    next: typeof next === "string" ? next : undefined
  }
}
