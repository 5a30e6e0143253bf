import { amountText } from "../../../client/transport/Amounts.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow, SeriesPoint } from "../../../domain/evidence/reports/Report.ts"
import type { ReportWords } from "./reportWords.ts"

/** A line of totals: what it is called, and the sum of each column that adds up. */
export interface TotalLine {
  readonly label: string
  readonly sums: ReadonlyMap<string, bigint>
  /** The decimal places of its amounts. */
  readonly decimals?: number | undefined
}

/** Columns that add up whatever the rows are about, and those that do so only within one unit. */
const counts: ReadonlySet<string> = new Set(["uses", "active_device_count"])
/** Columns of amounts, which are in the unit of a feature. */
const amounts: ReadonlySet<string> = new Set([
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
  "amount",
  "within_quota",
  "from_pools",
  "overage",
  "adjusted"
])

/** Reports whose rows are each of one feature. */
const byFeature: ReadonlySet<SnapshotHead["report_kind"]> = new Set(["usage-ledger", "statement"])

/** Reports without use: no rows of theirs add up, and no amounts are in units. */
const withoutUse: ReadonlySet<SnapshotHead["report_kind"]> = new Set([
  "license-audit",
  "purchases",
  "licenses",
  "adoption",
  "rehearsal"
])

/** Lines of totals that a reader still takes in; beyond, only what adds up over all of them is printed. */
const mostLines = 40

/**
 * Adds up the rows of a report. An amount is in the unit of its feature, and minutes do not add to tokens: amounts are
 * totalled for each feature, and over all rows only where there is one feature.
 */
export class ReportTotals {
  private readonly words: ReportWords
  private readonly kind: SnapshotHead["report_kind"]
  private readonly filter: string | undefined
  private readonly unitKey: string | undefined
  private readonly isListed: boolean
  private readonly isEmpty: boolean
  /** Usage by hours is read without its features. */
  private readonly isByHours: boolean
  private readonly over = new Map<string, bigint>()
  private readonly byUnit = new Map<string, Map<string, bigint>>()
  private readonly decimals = new Map<string, number>()

  constructor(head: SnapshotHead, words: ReportWords) {
    const { columns, filters, report_kind, row_count } = head
    this.isEmpty = row_count === 0
    this.isByHours = filters["bucket"] === "1h"
    this.words = words
    this.kind = report_kind
    this.filter = onlyFeature(head)
    this.unitKey = byFeature.has(report_kind)
      ? "feature_code"
      : filters["group_by"] === "feature_code"
      ? "group"
      : undefined
    // Without buckets of time a summary by feature has one row for each, which is its total already.
    this.isListed = byFeature.has(report_kind) || columns.some(({ key }) => key === "bucket")
    if (withoutUse.has(report_kind)) return
    for (const { key, type } of columns) if (type === "integer" && counts.has(key)) this.over.set(key, 0n)
  }

  /** The unit of a row's amounts; undefined where the row may mix several. */
  private unitOf(row: ReportRow): string | undefined {
    if (this.unitKey === undefined) return this.filter
    const unit = row[this.unitKey]
    return typeof unit === "string" ? unit : this.filter
  }

  add(row: ReportRow): void {
    if (withoutUse.has(this.kind)) return
    // In the ledger, entries of other kinds correct what was used, and count for nothing in the sum of use.
    if (this.kind === "usage-ledger" && row["action"] !== "license.usage_recorded") return
    for (const [key, sum] of this.over) this.over.set(key, sum + valueOf(row, key))
    const unit = this.unitOf(row)
    if (unit === undefined) return
    const sums = this.byUnit.get(unit) ?? new Map<string, bigint>()
    for (const key of [...counts, ...amounts]) {
      if (row[key] !== undefined) sums.set(key, (sums.get(key) ?? 0n) + valueOf(row, key))
    }
    this.byUnit.set(unit, sums)
    if (typeof row["decimals"] === "number") this.decimals.set(unit, row["decimals"])
  }

  /** The texts under the rows. */
  lines(): ReadonlyArray<TotalLine> {
    const noun = this.kind === "usage-ledger" ? this.words.totalUsage : "Total"
    const units = [...this.byUnit]
    if (units.length === 1) {
      const [unit, sums] = units[0]!
      return [{
        label: this.unitKey === undefined ? noun : `${noun} of ${unit}`,
        sums,
        decimals: this.decimals.get(unit)
      }]
    }
    const over = this.over.size === 0 ? [] : [{ label: noun, sums: this.over }]
    if (!this.isListed || units.length > mostLines) return over
    const sorted = units.toSorted(([one], [other]) => one < other ? -1 : 1)
    return [
      ...sorted.map(([unit, sums]) => ({ label: `${noun} of ${unit}`, sums, decimals: this.decimals.get(unit) })),
      ...over
    ]
  }

  /** The note that a reader needs on the amounts; undefined where they are all of one unit. */
  note(): string | undefined {
    if (withoutUse.has(this.kind) || this.byUnit.size === 1) return undefined
    if (this.unitKey !== undefined) {
      return this.byUnit.size === 0
        ? undefined
        : this.words.unitOfEach
    }
    const { mixedUnits, unknownUnits } = this.words
    if (this.isEmpty && unknownUnits !== undefined) return undefined
    return `${this.isByHours ? unknownUnits ?? mixedUnits : mixedUnits} ${
      this.words.oneUnitARow[this.kind === "customer-summary" ? "customer-summary" : "others"]
    }`
  }
}

const valueOf = (row: ReportRow, key: string): bigint => {
  const value = row[key]
  return typeof value === "number" ? BigInt(value) : 0n
}

/** The series over time, and its title. */
interface Drawn {
  readonly title: string
  readonly series: ReadonlyArray<SeriesPoint>
}

/**
 * The series of a report over time: the amounts, where all are of one unit. Otherwise the number of uses, which always
 * adds up, where `rows` are all there are to count them in; undefined where nothing can be drawn that is true.
 */
export const drawnOverTime = (
  head: SnapshotHead,
  rows: ReadonlyArray<ReportRow>,
  words: ReportWords
): Drawn | undefined => {
  const { row_count, series = [] } = head
  if (series.length === 0) return undefined
  if (hasOneUnit(head)) return { title: words.overTime, series }
  if (rows.length < row_count) return undefined
  const uses = new Map<unknown, number>()
  for (const row of rows) uses.set(row["bucket"], (uses.get(row["bucket"]) ?? 0) + Number(row["uses"]))
  return {
    title: words.overTimeOfAll,
    series: series.map(({ bucket }) => ({ bucket, value: uses.get(bucket) ?? 0 }))
  }
}

/** The feature that all amounts of a report are of: the one that was asked for, or the only one that there was. */
const onlyFeature = ({ filters, summary }: SnapshotHead): string | undefined =>
  [filters["feature_code"], summary["feature_code"]].find((code) => typeof code === "string")

/** Whether the amount in the summary of a report is of one unit. */
export const hasOneUnit = (head: SnapshotHead): boolean =>
  onlyFeature(head) !== undefined || (head.filters["group_by"] === "feature_code" && head.row_count <= 1)

/** Digits in groups of three: the same on every machine, whatever its language. */
export const grouped = (value: number | bigint | string): string => {
  const [whole = "", part] = String(value).split(".")
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")
  return part === undefined ? digits : `${digits}.${part}`
}

/** A figure of a column, or its total, as it is printed: an amount with the decimal places of its feature. */
export const figureText = (key: string, value: number | bigint, decimals: unknown): string =>
  grouped(typeof decimals === "number" && amounts.has(key) ? amountText(value, decimals) : value)

type Member = readonly [name: string, value: unknown]

/**
 * The members of an item as the table prints its own: figures with the decimal places of their feature, and none that is
 * 0; the product by its name.
 */
export const asPrinted = (
  members: ReadonlyArray<Member>,
  names: Readonly<Record<string, string>>
): ReadonlyArray<Member> => {
  const decimals = members.find(([name]) => name === "decimals")?.[1]
  return members.filter(([name, value]) => name !== "decimals" && value !== 0).map(([name, value]): Member =>
    typeof value === "number"
      ? [name, figureText(name, value, decimals)]
      : [name === "product_id" && names[String(value)] !== undefined ? "product" : name, names[String(value)] ?? value]
  )
}
