import { Result } from "effect"
import type { DeviceBindingKind } from "../licenses/Device.ts"
import { servedUpTo } from "../terms/Overage.ts"
import type { Rules } from "../terms/Rules.ts"
import { failing, StateConflict } from "../wire/Errors.ts"
import { seatsOf } from "./Seats.ts"

type Ids = ReadonlyArray<{ readonly id: string }>

/** The seats that a license has given out, the newest first. */
export interface SeatsGivenOut {
  /** Devices with an activation seat. */
  readonly devices: ReadonlyArray<{ readonly id: string; readonly binding_kind: DeviceBindingKind }>
  /** Leases that are open and have not run out. */
  readonly leases: ReadonlyArray<{ readonly id: string; readonly device_id: string }>
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
  const ofKind = (bindingKind: DeviceBindingKind) =>
    beyond(
      `${bindingKind} seats`,
      devices.filter(({ binding_kind, id }) => binding_kind === bindingKind && !chosen.has(id)),
      { limit: seatsOf({ bindingKind, policy }), overage: rules.activation_overage },
      rule
    )
  // Without a number in the policy nobody floats, and no overage goes beyond that.
  const { floating_overage, max_floating_users } = rules
  const floating = {
    limit: max_floating_users ?? 0,
    overage: max_floating_users === undefined ? undefined : floating_overage
  }
  // Without a number in the policy, nobody has to be a user, and those who are keep their seats for terms that ask for them.
  const seated = rules.max_users === undefined
    ? Result.succeed<ReadonlyArray<string>>([])
    : beyond("seats of users", users, { limit: rules.max_users, overage: undefined }, rule)
  const seats = Result.all([ofKind("hardware"), ofKind("container"), seated])
  return Result.flatMap(seats, ([hardware, containers, removed]) => {
    const reset = [...devices.map(({ id }) => id).filter((id) => chosen.has(id)), ...hardware, ...containers]
    // A device that is reset gives its lease back with its seat.
    const left = leases.filter(({ device_id }) => !reset.includes(device_id))
    return Result.map(
      beyond("floating seats", left, floating, rule),
      (released): SeatsBeyond => ({ devices: reset, leases: released, users: removed })
    )
  })
}
