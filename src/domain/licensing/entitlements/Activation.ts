import { Result } from "effect"
import { overageOf } from "../../catalog/terms/Overage.ts"
import type { Overage } from "../../catalog/terms/Overage.ts"
import type { SelfService } from "../../catalog/terms/SelfService.ts"
import type { DeviceBindingKind } from "../licenses/Device.ts"
import { decide } from "./Decision.ts"
import type { Refusals } from "./DecisionInput.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"
import { givesSeatBack, holdsSeat, seatsOf } from "./Seats.ts"
import type { SeatsInput, SeatUse } from "./Seats.ts"
import type { Snapshot } from "./Snapshot.ts"

/** What self-service a license has, and of which kind the seat is that is wanted; none if the device holds none. */
export interface SeatOffered {
  readonly selfService: SelfService
  readonly kind: DeviceBindingKind | undefined
  /** The user whose device holds it; undefined where it is nobody's. */
  readonly ownerId?: string | undefined
  /** The instant at which what its device has for offline use ends, in Unix milliseconds; undefined where it has nothing. */
  readonly offlineUntil?: number | undefined
}

/** A seat that a device gave back and that stays taken, where the terms say so. */
export interface HeldSeat {
  readonly deviceId: string
  readonly kind: DeviceBindingKind
  /** The instant at which it becomes free, in Unix milliseconds. */
  readonly until: number
}

/** What an activation finds. */
export interface ActivationInput {
  readonly bindingKind: DeviceBindingKind
  /** How many seats of this kind are taken, that of the device included if it holds one. */
  readonly taken: number
  /** The seat of another device that it would take; undefined where it asks for none. */
  readonly offered: SeatOffered | undefined
  /** Seats of the license that stay taken. That of the device itself is the device's to take again. */
  readonly held?: ReadonlyArray<HeldSeat> | undefined
}

/** What an activation that is allowed takes. */
export interface Activation {
  /** Whether the device has its seat already. */
  readonly holds: boolean
  /** Whether the other device gives its seat to this one. */
  readonly isGiven: boolean
  readonly seats: SeatUse
  /** How many devices of the kind have a seat with it, without those seats that stay taken after they were given back. */
  readonly taken: number
  readonly overage: Overage | undefined
}

/** The seats of a kind that stay taken and are not the device's own, by the instants at which they become free. */
export const heldByOthers = (
  held: ReadonlyArray<HeldSeat>,
  bindingKind: DeviceBindingKind | undefined,
  deviceId: string | undefined
): ReadonlyArray<number> =>
  held.filter((seat) => seat.kind === bindingKind && seat.deviceId !== deviceId).map(({ until }) => until)

/** The seat that is offered, as a decision about a seat of a kind has it. */
export const selfServiceOffered = (
  { kind, offlineUntil, ownerId, selfService }: SeatOffered,
  bindingKind: DeviceBindingKind | undefined,
  { hold_offline_seats }: { readonly hold_offline_seats?: boolean | undefined }
): NonNullable<SeatsInput["selfService"]> => ({
  ...selfService,
  holdsSeat: kind === bindingKind,
  ownerId,
  heldUntil: hold_offline_seats === true ? offlineUntil : undefined
})

/** Decides an activation: it takes a seat, or that of another device, or keeps the one that the device has. */
export const activation = (
  snapshot: Snapshot,
  request: RuntimeRequest,
  { bindingKind, held = [], offered, taken }: ActivationInput
): Result.Result<Activation, Refusals["activate"]> => {
  const seating = {
    bindingKind,
    deviceStatus: snapshot.device_status ?? undefined,
    deviceFloating: snapshot.device_floating
  }
  const holds = holdsSeat(seating)
  const heldSeats = heldByOthers(held, bindingKind, snapshot.device_id ?? undefined)
  const others = {
    otherActiveDevices: holds ? taken - 1 : taken,
    heldSeats,
    selfService: offered && selfServiceOffered(offered, bindingKind, snapshot),
    user: snapshot.user
  }
  return Result.map(decide("activate", snapshot, request, others), () => {
    const isGiven = givesSeatBack({ operation: "activate", ...seating, ...others, policy: snapshot })
    const before = (isGiven ? taken - 1 : taken) + heldSeats.length
    const seats = {
      limit: seatsOf({ bindingKind, policy: snapshot }),
      before,
      used: holds ? before : before + 1,
      overage: snapshot.activation_overage
    }
    return { holds, isGiven, seats, taken: seats.used - heldSeats.length, overage: overageOf(seats) }
  })
}
