import type { Command, Holding, StopReason } from "./Command.ts"
import type { PurchaseState, Slot } from "./PurchaseState.ts"
import { isSameSaid, keptAfter, limitsOf } from "./Said.ts"
import type { Limits, Said } from "./Said.ts"

/** Stops or resumes a license, where it is not so already. */
export const stopping = ({ license, stopped }: Holding, reason: StopReason | undefined): ReadonlyArray<Command> => {
  if (license.status === "revoked" || (reason === undefined) === (stopped === undefined)) return []
  return [
    reason === undefined
      ? { type: "resume", license_id: license.id }
      : { type: "stop", license_id: license.id, reason }
  ]
}

/** The limits that are bought otherwise than was said last, and that a license does not have yet. */
export const limiting = (
  { id, overrides }: Pick<Holding["license"], "id" | "overrides">,
  says: Said,
  said?: Said
): ReadonlyArray<Command> => {
  const [limits, before] = [limitsOf(says), said === undefined ? undefined : limitsOf(said)]
  const names = Object.keys({ ...before, ...limits }) as ReadonlyArray<keyof Limits>
  const changed = names.filter((name) =>
    limits[name] !== before?.[name] && (overrides?.[name] ?? undefined) !== limits[name] &&
    // A limit of another meaning of the quantity is taken away, unless it is a person's.
    (limits[name] !== undefined || overrides?.[name] === before?.[name])
  )
  const replaces = before !== undefined && changed.some((name) => overrides?.[name] !== before[name])
  return changed.length === 0
    ? []
    : [{
      type: "limits",
      license_id: id,
      overrides: Object.fromEntries(changed.map((name) => [name, limits[name] ?? null])),
      ...(replaces ? { replaces } : {})
    }]
}

/** The policy that is bought, where that is another than was said last, and the license has not got it yet. */
export const moving = (
  { id, policy_id }: Pick<Holding["license"], "id" | "policy_id">,
  says: Said,
  said?: Said
): ReadonlyArray<Command> =>
  policy_id === says.policy_id || said?.policy_id === says.policy_id
    ? []
    : [{
      type: "policy",
      license_id: id,
      policy_id: says.policy_id,
      ...(said !== undefined && said.policy_id !== policy_id ? { replaces: true } : {})
    }]

/** A license that was issued for a slot, brought to what is bought now, as far as that is something else than before. */
export const keeping = (
  holding: Holding,
  says: Said,
  sold: { readonly state: PurchaseState; readonly slot: Slot },
  standing: { readonly isOver: boolean; readonly stopped: StopReason | undefined }
): ReadonlyArray<Command> => {
  const { license, said } = holding
  if (!holding.is_own || license.status === "revoked") return []
  if (standing.isOver) return stopping(holding, standing.stopped)
  const kept = keptAfter(says, said, sold)
  return [
    ...stopping(holding, standing.stopped),
    ...moving(license, says, said),
    ...limiting(license, says, said),
    ...(said !== undefined && isSameSaid(said, kept)
      ? []
      : [{ type: "said", license_id: license.id, said: kept } as const])
  ]
}
