import { Result } from "effect"
import { servedUpTo } from "../../catalog/terms/Overage.ts"
import type { Rules } from "../../catalog/terms/Rules.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import type { DeviceBindingKind } from "../licenses/Device.ts"
import { seatsOf } from "./Seats.ts"

type Ids = ReadonlyArray<{ readonly id: string }>

/** The seats that a license has given out, the newest first. */
export interface SeatsGivenOut {
  /** Devices with an activation seat, each with the user who activated it last, if one has. */
  readonly devices: ReadonlyArray<{
    readonly id: string
    readonly binding_kind: DeviceBindingKind
    readonly user_id?: string | null
  }>
  /** Leases that are open and have not run out, each with the user of its device. */
  readonly leases: ReadonlyArray<{ readonly id: string; readonly device_id: string; readonly user_id?: string | null }>
  /** Users who have a seat. */
  readonly users: Ids
}

/** The ids of seats that the new terms do not serve, and that are given back. */
export interface SeatsBeyond {
  readonly devices: ReadonlyArray<string>
  readonly leases: ReadonlyArray<string>
  readonly users: ReadonlyArray<string>
}

/** How the caller wants seats above the new limits handled. Without it, such a change is refused. */
export type BeyondRule = "refuse" | "keep" | "reset_newest" | undefined

/** The ids beyond what is served, the newest first; none where they are kept. */
const beyond = (
  what: string,
  newestFirst: Ids,
  served: { readonly limit: number; readonly overage: string | undefined },
  rule: BeyondRule
): Result.Result<ReadonlyArray<string>, StateConflict> => {
  const over = newestFirst.slice(0, Math.max(0, newestFirst.length - servedUpTo(served.limit, served.overage)))
  if (over.length === 0 || rule === "keep") return Result.succeed([])
  if (rule === "reset_newest") return Result.succeed(over.map(({ id }) => id))
  return Result.fail(failing(
    StateConflict,
    `More ${what} are in use than the policy allows. Release some, or set devices to keep or reset_newest.`,
    { detail: `${newestFirst.length} ${what} taken, ${served.limit} in the policy` }
  ))
}

/** A machine that a user has in use: by the seat of a device, or by a lease alone. */
interface UsersMachine {
  readonly id: string
  readonly user_id?: string | null
}

/** The seats of machines beyond what a user may have in use, of each user by itself: leases first, and of each kind the newest first. */
const beyondOfUsers = (
  { devices, leases, users }: SeatsGivenOut,
  limit: number | undefined,
  rule: BeyondRule
): Result.Result<ReadonlySet<string>, StateConflict> => {
  if (limit === undefined) return Result.succeed(new Set())
  const seated = new Set(devices.map(({ id }) => id))
  const machines: ReadonlyArray<UsersMachine> = [
    ...leases.filter(({ device_id }) => !seated.has(device_id)),
    ...devices
  ]
  const ofUsers = Map.groupBy(
    machines.filter(({ user_id }) => users.some(({ id }) => id === user_id)),
    ({ user_id }) => user_id
  )
  const each = Array.from(
    ofUsers.values(),
    (theirs) => beyond("devices of a user", theirs, { limit, overage: undefined }, rule)
  )
  return Result.map(Result.all(each), (ids) => new Set(ids.flat()))
}

/**
 * The seats that a change to the new terms gives back: those of the chosen devices, and those beyond the limits; a conflict
 * where nobody said so.
 */
export const seatsBeyond = (
  { devices, leases, users }: SeatsGivenOut,
  rules: Rules,
  rule: BeyondRule,
  chosen: ReadonlySet<string> = new Set()
): Result.Result<SeatsBeyond, StateConflict> => {
  const policy = { ...rules, max_container_instances: rules.max_container_instances ?? null }
  // Without a number in the policy, nobody has to be a user, and those who are keep their seats for terms that ask for them.
  const seated = rules.max_users === undefined
    ? Result.succeed<ReadonlyArray<string>>([])
    : beyond("seats of users", users, { limit: rules.max_users, overage: undefined }, rule)
  // Without a number in the policy nobody floats, and no overage goes beyond that.
  const { floating_overage, max_devices_per_user, max_floating_users } = rules
  const floating = {
    limit: max_floating_users ?? 0,
    overage: max_floating_users === undefined ? undefined : floating_overage
  }
  return Result.flatMap(seated, (removed) => {
    // The devices of a user who is removed give their seats back, and make room for others.
    const isGone = ({ id, user_id }: SeatsGivenOut["devices"][number]) =>
      chosen.has(id) || removed.some((user) => user === user_id)
    const staying = devices.filter((device) => !isGone(device))
    const left = leases.filter(({ device_id, user_id }) =>
      !devices.some((device) => device.id === device_id && isGone(device)) && !removed.some((user) => user === user_id)
    )
    return Result.flatMap(
      beyondOfUsers({ devices: staying, leases: left, users }, max_devices_per_user, rule),
      (tooMany) => {
        const ofKind = (bindingKind: DeviceBindingKind) =>
          beyond(
            `${bindingKind} seats`,
            staying.filter(({ binding_kind, id }) => binding_kind === bindingKind && !tooMany.has(id)),
            { limit: seatsOf({ bindingKind, policy }), overage: rules.activation_overage },
            rule
          )
        return Result.flatMap(Result.all([ofKind("hardware"), ofKind("container")]), ([hardware, containers]) => {
          const over = new Set([...tooMany, ...hardware, ...containers])
          const reset = [
            ...devices.filter(isGone).map(({ id }) => id),
            ...[...tooMany].filter((id) => staying.some((device) => device.id === id)),
            ...hardware,
            ...containers
          ]
          // A device that is reset gives its lease back with its seat.
          const open = left.filter(({ device_id, id }) => !over.has(device_id) && !tooMany.has(id))
          return Result.map(
            beyond("floating seats", open, floating, rule),
            (released): SeatsBeyond => ({
              devices: reset,
              leases: [...left.filter(({ id }) => tooMany.has(id)).map(({ id }) => id), ...released],
              users: removed
            })
          )
        })
      }
    )
  })
}
