import { isOfGrant } from "../../domain/evidence/exports/StatementEvidence.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { StatedLeaf } from "./statementLeaves.ts"

/** The figures of a row of a statement. */
export const figureNames = [
  "opening",
  "told_before",
  "given",
  "carried",
  "corrected",
  "refunded",
  "used",
  "ended",
  "revoked",
  "told_after",
  "closing",
  "uses",
  "amount",
  "within_quota",
  "from_pools",
  "overage",
  "adjusted"
] as const
export type FigureName = typeof figureNames[number]
export type Figures = Record<FigureName, number>

/**
 * How balances say what a grant lacks, where late usage took units that were not there yet: as figures of their own, or, as earlier
 * releases did, below zero.
 */
export type BalanceRule = "told" | "below_zero"

/** Figures of 0. */
export const noFigures = (): Figures => ({
  opening: 0,
  told_before: 0,
  given: 0,
  carried: 0,
  corrected: 0,
  refunded: 0,
  used: 0,
  ended: 0,
  revoked: 0,
  told_after: 0,
  closing: 0,
  uses: 0,
  amount: 0,
  within_quota: 0,
  from_pools: 0,
  overage: 0,
  adjusted: 0
})

/** A window of time, half-open, in Unix milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

const numberAt = (members: JsonMembers, name: string): number => {
  const value = members[name]
  return typeof value === "number" ? value : 0
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, number) => all + number, 0)

/** The total of a feature after an event of its usage. */
const totalAfter = ({ data, kind }: StatedLeaf): number =>
  kind === "license.feature_removed" ? 0 : numberAt(data, "total_consumptions")

/** Units of one grant that an event took, or, negative, gave back. */
interface Move {
  readonly grantId: string
  readonly units: number
  readonly at: number
}

const movesOf = ({ at, data, kind, metadata }: StatedLeaf): ReadonlyArray<Move> => {
  const isUse = kind === "license.usage_recorded"
  const moves = isUse ? data["grants"] : kind === "license.usage_reset" ? metadata["grants"] : undefined
  if (!Array.isArray(moves)) return []
  return moves.filter(isMembers).map((move) => ({
    grantId: String(move["grant_id"]),
    units: (isUse ? 1 : -1) * numberAt(move, "amount"),
    at
  }))
}

const instantAt = (members: JsonMembers, name: string, otherwise: number): number =>
  typeof members[name] === "string" ? Date.parse(members[name]) : otherwise

/** Adds what happened to one grant in a period (docs/reference/reports.md, "How figures are computed from the feed"). */
const addGrant = (
  figures: Figures,
  given: StatedLeaf,
  revokedAt: number,
  moves: ReadonlyArray<Move>,
  { from, to }: Period,
  rule: BalanceRule
): void => {
  const { data } = given
  const { source } = data
  const amount = numberAt(data, "amount")
  const begins = source === "rollover" ? "starts_at" : "created_at"
  const at = instantAt(data, begins, given.createdAt)
  const ends = instantAt(data, "expires_at", Infinity)
  const balanceAt = (bound: number) => {
    const units = (at < bound ? amount : 0) - sum(moves.filter((move) => move.at < bound).map(({ units }) => units))
    const lacks = rule === "told" && amount > 0 ? Math.max(0, -units) : 0
    return { left: ends <= bound || revokedAt < bound ? 0 : units + lacks, lacks }
  }
  const [first, last] = [balanceAt(from), balanceAt(to)]
  const inside = moves.filter((move) => move.at >= from && move.at < to).map(({ units }) => units)
  const isGiven = at >= from && at < to ? amount : 0
  const used = sum(inside.filter((units) => units > 0))
  const refunded = -sum(inside.filter((units) => units < 0))
  figures.opening += first.left
  figures.told_before += first.lacks
  figures[source === "correction" ? "corrected" : source === "rollover" ? "carried" : "given"] += isGiven
  figures.used += used
  figures.refunded += refunded
  figures[revokedAt < ends ? "revoked" : "ended"] += first.left - first.lacks + isGiven + refunded - used + last.lacks -
    last.left
  figures.told_after += last.lacks
  figures.closing += last.left
}

const addUse = (figures: Figures, use: StatedLeaf): void => {
  const amount = numberAt(use.data, "amount")
  // Usage events of earlier releases have it by its former name alone.
  const overage = numberAt(use.data, "over_quota") || numberAt(use.data, "overage")
  const moves = movesOf(use)
  figures.uses += 1
  figures.amount += amount
  figures.overage += overage
  figures.within_quota += amount - overage - sum(moves.map(({ units }) => units))
  figures.from_pools += sum(moves.filter(({ grantId }) => grantId.startsWith("pool_")).map(({ units }) => units))
}

/** The figures of one feature of a license, and the gaps in its running total. */
export interface FeatureFigures {
  readonly figures: Figures
  /** Sequences of events before which usage is missing. */
  readonly gaps: ReadonlyArray<number>
  /** Whether an event after the period shows that nothing is missing at its end. */
  readonly isClosed: boolean
  /** Corrections in the period that set the total: their amount does not show whether a use before them is missing. */
  readonly resets: number
  /** Whether the first of them follows usage from before the period, which its amount is counted from. */
  readonly beginsByReset: boolean
}

/** Computes the figures of one feature of a license again from its events, in the order of the log. */
export const figuresOf = (
  leaves: ReadonlyArray<StatedLeaf>,
  period: Period,
  rule: BalanceRule = "told"
): FeatureFigures => {
  const figures = noFigures()
  const moves = leaves.flatMap(movesOf)
  const revocations = new Map(
    leaves.filter(({ kind }) => kind === "license.grant_revoked").map(({ createdAt, data }) => [data["id"], createdAt])
  )
  for (const leaf of leaves) {
    if (leaf.kind !== "license.grant_given") continue
    const { id } = leaf.data
    addGrant(
      figures,
      leaf,
      revocations.get(id) ?? Infinity,
      moves.filter(({ grantId }) => grantId === id),
      period,
      rule
    )
  }
  const usage = leaves.filter(({ kind }) => !isOfGrant(kind))
  const isInside = ({ at }: StatedLeaf) => at >= period.from && at < period.to
  const [first, last] = [usage.findIndex(isInside), usage.findLastIndex(isInside)]
  const gaps: Array<number> = []
  let resets = 0
  let beginsByReset = false
  const continued = first === -1 ? [] : usage.slice(first, last + 2)
  for (const [index, leaf] of continued.entries()) {
    const previous = usage[first + index - 1]
    const before = previous === undefined ? 0 : totalAfter(previous)
    const change = totalAfter(leaf) - before
    const isUse = leaf.kind === "license.usage_recorded"
    const expected = isUse
      ? numberAt(leaf.data, "amount")
      : leaf.metadata["refund_of"] === undefined
      ? undefined
      : -numberAt(leaf.metadata, "counted")
    if (expected !== undefined && expected !== change) gaps.push(leaf.sequence)
    if (!isInside(leaf)) continue
    if (expected === undefined) {
      resets += 1
      beginsByReset ||= index === 0 && previous !== undefined
    }
    if (isUse) addUse(figures, leaf)
    else figures.adjusted += change
  }
  return {
    figures,
    gaps,
    resets,
    beginsByReset,
    isClosed: first === -1 || usage[last + 1]?.kind === "license.usage_recorded"
  }
}
