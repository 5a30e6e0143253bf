import { Predicate } from "effect"
import type { EventKind } from "../../log/EventKind.ts"

/**
 * How an event moves what can be used: more of it may be left, so that a warning is given again later, or less, so that one is due now. An
 * event that may do either counts as the second.
 */
type Movement = "rises" | "falls"

/** The events of licenses, customers and policies that move what can be used beyond what their own transaction judges. */
const movements: Partial<Readonly<Record<EventKind, Movement>>> = {
  "license.feature_assigned": "falls",
  "license.feature_removed": "falls",
  "license.policy_changed": "falls",
  "license.transferred": "falls",
  "license.reinstated": "falls",
  "license.renewed": "falls",
  "license.usage_reset": "rises",
  "license.grant_given": "rises",
  "license.grant_revoked": "falls",
  "customer.pool_given": "rises",
  "customer.pool_revoked": "falls",
  // Another parent has other pools.
  "customer.updated": "falls",
  "policy.feature_assigned": "falls",
  "policy.feature_removed": "falls"
}

/** A license, a customer, a policy or a pool of which what can be used was moved. */
export interface MovedLimit {
  readonly id: string
  /** Whether less may be left. */
  readonly fell: boolean
}

/** An event as it is appended. */
interface Appended {
  readonly type: EventKind
  readonly resourceId: string
  readonly data: object
  readonly metadata?: object
}

/** The pools among the grants that a use took units of, or that a refund gave some back to. */
const poolsIn = (source: object | undefined): ReadonlyArray<string> =>
  !Predicate.hasProperty(source, "grants") || !Array.isArray(source.grants)
    ? []
    : source.grants.flatMap((units: unknown) =>
      Predicate.hasProperty(units, "grant_id") && typeof units.grant_id === "string" &&
        units.grant_id.startsWith("pool_")
        ? [units.grant_id]
        : []
    )

/** Whether a use brings no news itself: it is judged by the terms of another time, and counts now all the same. */
const isUntold = ({ data, metadata }: Appended): boolean =>
  Predicate.hasProperty(data, "is_late") || Predicate.hasProperty(metadata, "owner")

const takesAway = (data: object): boolean =>
  Predicate.hasProperty(data, "amount") && typeof data.amount === "number" && data.amount < 0

const movedBy = (event: Appended): ReadonlyArray<MovedLimit> => {
  const { data, metadata, resourceId, type } = event
  if (type === "license.usage_recorded") {
    const pools = poolsIn(data).map((id) => ({ id, fell: true }))
    return isUntold(event) ? [{ id: resourceId, fell: true }, ...pools] : pools
  }
  const movement = movements[type]
  if (movement === undefined) return []
  const fell = movement === "falls" || (type === "license.grant_given" && takesAway(data))
  return [{ id: resourceId, fell }, ...poolsIn(metadata).map((id) => ({ id, fell: false }))]
}

/** What events move, each resource once. Licenses, customers and policies move what is theirs, and pools what their customer's licenses share. */
export const movedLimits = (events: ReadonlyArray<Appended>): ReadonlyArray<MovedLimit> => {
  const moved = new Map<string, boolean>()
  for (const event of events) {
    for (const { fell, id } of movedBy(event)) moved.set(id, fell || moved.get(id) === true)
  }
  return [...moved].map(([id, fell]) => ({ id, fell }))
}
