import { Result } from "effect"
import type { DeviceBindingKind } from "../licenses/Device.ts"
import { overageOf } from "../terms/Overage.ts"
import type { Overage } from "../terms/Overage.ts"
import type { SelfService } from "../terms/SelfService.ts"
import { decide } from "./Decision.ts"
import type { Refusals } from "./DecisionInput.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"
import { givesSeatBack, holdsSeat, seatsOf } from "./Seats.ts"
import type { SeatUse } from "./Seats.ts"
import type { Snapshot } from "./Snapshot.ts"

/** What self-service a license has, and of which kind the seat is that is wanted; none if the device holds none. */
export interface SeatOffered {
  readonly selfService: SelfService
  readonly kind: DeviceBindingKind | undefined
  /** The user whose device holds it; undefined where it is nobody's. */
  readonly ownerId?: string | undefined
}

/** What an activation finds. */
export interface ActivationInput {
  readonly bindingKind: DeviceBindingKind
  /** How many seats of this kind are taken, that of the device included if it holds one. */
  readonly taken: number
  /** The seat of another device that it would take; undefined where it asks for none. */
  readonly offered: SeatOffered | undefined
}

/** What an activation that is allowed takes. */
export interface Activation {
  /** Whether the device has its seat already. */
  readonly holds: boolean
  /** Whether the other device gives its seat to this one. */
  readonly isGiven: boolean
  readonly seats: SeatUse
  readonly overage: Overage | undefined
}

/** Decides an activation: it takes a seat, or that of another device, or keeps the one that the device has. */
export const activation = (
  snapshot: Snapshot,
  request: RuntimeRequest,
  { bindingKind, offered, taken }: ActivationInput
): Result.Result<Activation, Refusals["activate"]> => {
  const seating = {
    bindingKind,
    deviceStatus: snapshot.device_status ?? undefined,
    deviceFloating: snapshot.device_floating
  }
  const holds = holdsSeat(seating)
  const others = {
    otherActiveDevices: holds ? taken - 1 : taken,
    selfService: offered &&
      { ...offered.selfService, holdsSeat: offered.kind === bindingKind, ownerId: offered.ownerId },
    user: snapshot.user
  }
  return Result.map(decide("activate", snapshot, request, others), () => {
    const isGiven = givesSeatBack({ operation: "activate", ...seating, ...others, policy: snapshot })
    const before = isGiven ? taken - 1 : taken
    const seats = {
      limit: seatsOf({ bindingKind, policy: snapshot }),
      before,
      used: holds ? before : before + 1,
      overage: snapshot.activation_overage
    }
    return { holds, isGiven, seats, overage: overageOf(seats) }
  })
}
