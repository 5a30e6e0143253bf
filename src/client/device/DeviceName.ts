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
