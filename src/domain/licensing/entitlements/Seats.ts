import { servedUpTo } from "../../catalog/terms/Overage.ts"
import { isUsedUp } from "../../catalog/terms/SelfService.ts"
import type { SelfService } from "../../catalog/terms/SelfService.ts"
import type { DeviceBindingKind, DeviceStatus } from "../licenses/Device.ts"
import { deviceLimit, isInReach } from "../users/UserRules.ts"
import type { UserStanding } from "../users/UserStanding.ts"

/** What self-service there is, and whether the device that is named holds a seat that it may give back. */
interface SelfServiceInput extends SelfService {
  readonly holdsSeat: boolean
  /** The user whose device it is; undefined where it is nobody's. */
  readonly ownerId?: string | undefined
  /** The instant until which its seat stays taken although it gives it back, in Unix milliseconds; undefined where it does not. */
  readonly heldUntil?: number | undefined
}

/** What a decision about activation seats depends on. */
export interface SeatsInput {
  readonly bindingKind: DeviceBindingKind
  /** The device with this binding, if the license ever had one; for release, the device whose seat is given back. */
  readonly deviceStatus: DeviceStatus | undefined
  /** Whether the device is bound through a lease only, and so holds no activation seat. */
  readonly deviceFloating: boolean
  /** Devices of the same kind with an activation seat, without this one. */
  readonly otherActiveDevices: number
  /**
   * Seats of the same kind that other devices gave back and that stay taken, by the instants at which they become free, in Unix
   * milliseconds.
   */
  readonly heldSeats?: ReadonlyArray<number> | undefined
  /** Devices and release are about it, and an activation that may take the seat of another device. */
  readonly selfService?: SelfServiceInput | undefined
  /** How the user of the call stands; undefined where the terms have no users. */
  readonly user?: UserStanding | undefined
  readonly policy: {
    readonly max_activations: number
    readonly max_container_instances: number | null
    readonly max_devices_per_user?: number | undefined
  }
}

/** How a call uses the seats of a license. */
export interface SeatUse {
  readonly limit: number
  /** How many are taken without it, and with it. */
  readonly before: number
  readonly used: number
  /** What the terms say of use beyond the limit. */
  readonly overage: string | undefined
}

type SeatsRequest = SeatsInput & { readonly operation: string }

/** How many active devices of this kind the terms allow. */
export const seatsOf = ({ bindingKind, policy }: Pick<SeatsInput, "bindingKind" | "policy">): number =>
  bindingKind === "container" ? policy.max_container_instances ?? policy.max_activations : policy.max_activations

/** Whether the device has an activation seat already, so that activating it again takes none. */
export const holdsSeat = (input: Pick<SeatsInput, "deviceStatus" | "deviceFloating">): boolean =>
  input.deviceStatus === "active" && !input.deviceFloating

/** How many seats of the kind are taken by other devices, those included that stay taken after they were given back. */
const othersSeated = (
  { heldSeats = [], otherActiveDevices }: Pick<SeatsInput, "heldSeats" | "otherActiveDevices">
): number => otherActiveDevices + heldSeats.length

/** The instant at which fewer than `served` seats are taken because others became free, in Unix milliseconds; undefined where none is known. */
const freeAt = (input: SeatsInput, served: number): number | undefined =>
  (input.heldSeats ?? []).toSorted((a, b) => a - b)[othersSeated(input) - served]

/** Whether the user of a call has as many devices in use as the terms allow, one of which is the device that is named. */
const isOwnTooMany = ({ deviceStatus, policy, selfService, user }: SeatsRequest): boolean =>
  user?.id !== undefined && selfService?.ownerId === user.id &&
  deviceLimit(user, policy.max_devices_per_user, deviceStatus === "active") !== undefined

/**
 * The self-service of a call that wants the seat of the device that it names: an activation, only where none is free, or where the user
 * has no other device more. The device of a colleague holds none that could be had.
 */
export const selfServiceFor = (input: SeatsRequest): SelfServiceInput | undefined => {
  const { selfService, user } = input
  if (selfService === undefined) return undefined
  const isFree = holdsSeat(input) || othersSeated(input) < seatsOf(input)
  if (input.operation === "activate" && isFree && !isOwnTooMany(input)) return undefined
  return isInReach(user, selfService.ownerId) ? selfService : { ...selfService, holdsSeat: false }
}

/** Whether the call, if it is allowed, gives back the seat of the device that it names. */
export const givesSeatBack = (input: SeatsRequest): boolean => {
  const selfService = selfServiceFor(input)
  return selfService !== undefined && selfService.isAllowed && selfService.holdsSeat && !isUsedUp(selfService) &&
    (input.operation === "release" || selfService.heldUntil === undefined)
}

/** How the seats of a license are taken, for people, where no more than `served` may be. */
const seatsInUse = (input: SeatsRequest, served: number): string => {
  const held = input.heldSeats?.length ?? 0
  const free = freeAt(input, served)
  const offered = selfServiceFor(input)
  return [
    `${othersSeated(input)} of ${seatsOf(input)} in use`,
    ...(held === 0 ? [] : [`${held} held for offline use`]),
    ...(free === undefined ? [] : [`a seat is free at ${new Date(free).toISOString()}`]),
    ...(offered?.holdsSeat === false ? ["the device of take_seat_of holds none"] : []),
    ...(offered?.holdsSeat !== true || offered.heldUntil === undefined
      ? []
      : [`the seat of the device of take_seat_of stays taken until ${new Date(offered.heldUntil).toISOString()}`])
  ].join("; ")
}

/** How the seats of a license are taken, for people, where an activation would take one too many; undefined where it would not. */
export const seatsExceeded = (
  input: SeatsRequest & { readonly policy: { readonly activation_overage?: string | undefined } }
): string | undefined => {
  const served = servedUpTo(seatsOf(input), input.policy.activation_overage)
  const others = othersSeated(input) - (givesSeatBack(input) ? 1 : 0)
  return holdsSeat(input) || others < served ? undefined : seatsInUse(input, served)
}

/** The user of a call, with one device less where the call gives back the seat of an own one. */
export const userAfter = (input: SeatsRequest): UserStanding | undefined =>
  input.operation === "activate" && input.user !== undefined && isOwnTooMany(input) && givesSeatBack(input)
    ? { ...input.user, otherDevices: input.user.otherDevices - 1 }
    : input.user

/** How many seats were given back and until when no more may be, for people; undefined where one more may be. */
export const usedUpUntil = (input: SeatsRequest): string | undefined => {
  const selfService = selfServiceFor(input)
  return selfService?.holdsSeat === true && isUsedUp(selfService)
    ? `${selfService.used} of ${selfService.limit} used until ${new Date(selfService.periodEnd).toISOString()}`
    : undefined
}
