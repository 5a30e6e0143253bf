import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"

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
