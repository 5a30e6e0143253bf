import { groupedBy } from "../../ground/parsing/Grouped.ts"
import { lateDays } from "../../licensing/metering/LateUse.ts"
import type { EventKind } from "../../log/EventKind.ts"

/** The `schema` member of the evidence in a statement: of releases that gave no chain of a license with it, and of this one. */
export const statementEvidenceSchemas = {
  unchained: "countersign/statement-evidence/v1",
  chained: "countersign/statement-evidence/v2"
} as const

/**
 * Whether the evidence has all events of the licenses from before the period to after it. Not where the statement is of one feature,
 * where leaves of the period do not name the previous event of their license, and where there are too many.
 */
export const chainStates = ["complete", "filtered", "unlinked", "too_large"] as const
export type ChainState = typeof chainStates[number]

const dayMillis = 86_400_000

/** When no use of a period that ended can be reported any more, in Unix milliseconds. */
export const lateEnd = (to: number): number => to + lateDays * dayMillis

/** How far beyond its period the chain of a license reaches: a day more, for what is written long after its `created_at`. */
export const chainEnd = (to: number): number => lateEnd(to) + dayMillis

/** The kinds of events that the figures of a statement follow from. */
export const statedKinds = [
  "license.usage_recorded",
  "license.usage_reset",
  "license.feature_removed",
  "license.grant_given",
  "license.grant_revoked"
] as const satisfies ReadonlyArray<EventKind>
export type StatedKind = typeof statedKinds[number]

/** Whether an event is about a grant as a whole. The others change the usage of a feature. */
export const isOfGrant = (kind: StatedKind): boolean =>
  kind === "license.grant_given" || kind === "license.grant_revoked"

/** An event of a license, as far as it matters to which events a statement needs. */
export interface StatedEvent {
  readonly sequence: number
  readonly kind: StatedKind
  readonly licenseId: string
  readonly featureId: string
  /** The time at which it counts, in Unix milliseconds. */
  readonly at: number
  /** Whether it took units of grants, or gave some back. */
  readonly movesGrants: boolean
}

/**
 * The sequences of the events that a statement of a window, [from, to), needs to be computed again: all that move grants; and of
 * the usage of each feature of each license those from the first in the window to the last, with the one before and the one
 * after. Each usage event has the total after it, so that none between them can be missing.
 */
export const evidentSequences = (
  events: ReadonlyArray<StatedEvent>,
  from: number,
  to: number
): ReadonlyArray<number> => {
  const needed = new Set(
    events.filter(({ kind, movesGrants }) => movesGrants || isOfGrant(kind)).map(({ sequence }) => sequence)
  )
  const usages = groupedBy(
    events.filter(({ kind }) => !isOfGrant(kind)),
    ({ featureId, licenseId }) => `${licenseId} ${featureId}`
  )
  for (const usage of usages.values()) {
    const isInside = ({ at }: StatedEvent) => at >= from && at < to
    const first = usage.findIndex(isInside)
    if (first === -1) continue
    const last = usage.findLastIndex(isInside)
    for (const { sequence } of usage.slice(Math.max(0, first - 1), last + 2)) needed.add(sequence)
  }
  return [...needed].toSorted((a, b) => a - b)
}
