import type { StatementReport } from "../../../client/api/index.ts"

type Sums = StatementReport["summary"]["features"][number]

/** A figure of a statement, whether it may be left out where it is 0 throughout, and its title. */
const columns = {
  balance: [
    ["opening", "Opening", false],
    ["told_before", "Late before", true],
    ["given", "Given", false],
    ["carried", "Carried over", true],
    ["corrected", "Corrected", true],
    ["refunded", "Refunded", true],
    ["used", "Used", false],
    ["ended", "Ended", false],
    ["revoked", "Revoked", true],
    ["told_after", "Late after", true],
    ["closing", "Closing", false]
  ],
  usage: [
    ["uses", "Usage events", false],
    ["amount", "Amount", false],
    ["within_quota", "Within quota", false],
    ["used", "From grants", false],
    ["from_pools", "From pools", true],
    ["overage", "Overage", true],
    ["adjusted", "Correction", true]
  ]
} as const

/** The columns of a part of a statement: those that have a figure, and those that a reader misses without one. */
export const statementColumns = (features: ReadonlyArray<Sums>, part: keyof typeof columns) =>
  columns[part]
    .filter(([name, , isOptional]) => !isOptional || features.some((sums) => (sums[name] ?? 0) !== 0))
    .map(([name, title]) => ({ name, title }))
