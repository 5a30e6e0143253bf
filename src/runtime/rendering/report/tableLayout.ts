import type { TextSetter } from "countersign-pdf"
import { newestEdition } from "../../../domain/evidence/exports/Edition.ts"
import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportColumn, ReportRow } from "../../../domain/evidence/reports/Report.ts"

/** A column as it is printed. */
export interface PrintedColumn extends ReportColumn {
  /** Identifiers are for looking things up: small, and after what a person reads. */
  readonly isIdentifier: boolean
  /** Rows have identifiers here whose names are known: the name stands above each, where a reader looks. */
  readonly isNamed: boolean
  /** A day is printed without a time of day. */
  readonly isDay: boolean
  /** The name of an entry of the ledger. */
  readonly entryOf: Edition | undefined
}

const identifiers = /^(?:id|.*_id)$/

/** Where a reader looks first: when, who and what, in which state, how much, since when; identifiers come last. */
const ranks: ReadonlyArray<string> = [
  "bucket",
  "occurred_at",
  "began_at",
  "owner",
  "email",
  "label",
  "product_name",
  "policy_name",
  "key",
  "group",
  "action",
  "result_class",
  "code",
  "feature_code",
  "state",
  "status",
  "refund",
  "dispute",
  "ownership",
  "quantity",
  "app_version",
  "os",
  "devices",
  "licenses",
  "customers",
  "active_device_count",
  "paid",
  "refunded",
  "currency",
  "paid_through",
  "ends_at",
  "uses",
  "amount",
  "overage",
  "adjusted",
  "total_consumptions",
  "first_at",
  "last_at",
  "expires_at",
  "actor_type"
]

const rankOf = ({ isIdentifier, isNamed, key }: PrintedColumn): number => {
  if (isNamed) return ranks.length
  const rank = ranks.indexOf(key)
  return rank !== -1 && !isIdentifier ? rank : rank === -1 && !isIdentifier ? ranks.length : ranks.length + 1
}

/** The columns that say what an id of another column is of, so that its name need not stand there again. */
const saidBy: Readonly<Record<string, string>> = {
  customer_id: "owner",
  license_id: "key",
  policy_id: "policy_name",
  product_id: "product_name"
}

/** A name is what it names, and its identifier says so; what is an event or a row anyway needs no "ID". */
const printedTitle = (key: string, title: string, isIdentifier: boolean): string => {
  if (key === "label" || key === "product_name") return title.replace(/ name$/, "")
  return isIdentifier && key !== "id" && key !== "event_id" ? `${title} ID` : title
}

/**
 * The columns of a report in the order in which they are printed. Where all rows are at hand, columns without a single
 * value are left out.
 */
export const printedColumns = (
  { columns, filters, presentation, report_kind, row_count }: SnapshotHead,
  sample: ReadonlyArray<ReportRow>,
  edition: Edition = newestEdition
): ReadonlyArray<PrintedColumn> => {
  const hasNames = columns.some(({ key }) => key === "label")
  const isEmpty = ({ key }: ReportColumn): boolean =>
    row_count > 0 && sample.length === row_count && sample.every((row) => row[key] === undefined)
  return columns
    // Amounts are printed with their places.
    .filter((column) => column.key !== "decimals" && !isEmpty(column))
    .map(({ key, title, type }): PrintedColumn => {
      const isIdentifier = identifiers.test(key) || (hasNames && key === "group")
      const isSaid = edition >= 6 && columns.some((other) => other.key === saidBy[key])
      const isNamed = isIdentifier && !isSaid &&
        sample.some((row) => presentation?.names?.[String(row[key])] !== undefined)
      const isDay = key === "bucket" && filters["bucket"] !== "1h"
      const day = filters["bucket"] === "1d" ? "Day (UTC)" : "From day (UTC)"
      const isEntry = key === "action" && report_kind === "usage-ledger"
      const printed = isDay ? day : isEntry ? "Entry" : printedTitle(key, title, isIdentifier && !isNamed)
      return { key, type, title: printed, isIdentifier, isNamed, isDay, entryOf: isEntry ? edition : undefined }
    })
    // A statement adds up from left to right, and has its identifiers last.
    .toSorted((one, other) => report_kind === "statement" ? 0 : rankOf(one) - rankOf(other))
}

/** How the table of an edition is laid out. */
export interface TableLayout {
  /** Room between the text of a cell and its edges, in points. */
  readonly padding: { readonly x: number; readonly y: number }
  /** Text on a page is this large with so many columns, in points. */
  readonly size: (columns: number) => number
  /**
   * Whether a row has a line where its texts fit: names stand without their ids, which follow in a list behind the table, and of an
   * id that is not the row's own the end.
   */
  readonly isOfLines: boolean
}

/** The layout of tables up to edition 5: 14 rows of a usage ledger on a page. */
const roomy: TableLayout = {
  padding: { x: 4.5, y: 2.2 },
  size: (columns) => columns <= 6 ? 8 : columns <= 9 ? 7.2 : columns <= 12 ? 6.6 : 6,
  isOfLines: false
}

/** 40 rows on a page, where no text is too long for its line. */
const ofLines: TableLayout = {
  padding: { x: 3, y: 1.2 },
  size: (columns) => columns <= 6 ? 8 : columns <= 12 ? 6.6 : 6,
  isOfLines: true
}

export const tableLayout = (edition: Edition): TableLayout => edition < 6 ? roomy : ofLines

/** An identifier as a line has room for it: what is too long begins with `…`. Those of the service end in eight random characters. */
export const shortened = (id: string): string => {
  if (id.length <= 16) return id
  const end = /^[a-z]+_[0-9a-z]{26}$/.test(id) ? 8 : 12
  return `…${[...id].slice(-end).join("")}`
}

/** The distance of lines, as a multiple of the font size: room for scripts with marks above and below. */
export const lineHeight = 1.32

/** Identifiers are this much smaller than what is read. */
export const identifierScale = 0.82

const widest = 190

/** A cell before it is broken into lines: a text, and the name of the thing that it identifies, above it or in its place. */
export interface PrintedCell {
  readonly name?: string
  readonly text: string
}

/** The measures that decide the widths of columns. */
interface Measured {
  /** Whether the rows at hand are all. */
  readonly isWhole: boolean
  readonly layout: TableLayout
  /** Answers the cell of a row: the name of an identifier, and its text. */
  readonly printed: (column: PrintedColumn, row: ReportRow) => PrintedCell
  readonly size: number
  readonly width: number
}

/** The widths that a column needs: for its texts on one line, for times and identifiers on one, and with those on two. */
const needsOf = (
  setter: TextSetter,
  column: PrintedColumn,
  sample: ReadonlyArray<ReportRow>,
  sum: string | undefined,
  { isWhole, layout: { isOfLines, padding }, printed, size }: Measured
) => {
  const measure = (text: string, weight: 400 | 700 = 400) => setter.line(text, weight).width * size / 1000
  const scale = column.isIdentifier ? identifierScale : 1
  const cells = sample.map((row) => {
    const { name = "", text } = printed(column, row)
    return Math.max(measure(text) * scale, measure(name))
  })
  const head = column.title.split(" ").reduce((most, word) => Math.max(most, measure(word, 700)), 0)
  // Further rows count further, where nothing says how far.
  const more = isWhole || column.type !== "integer" || sum !== undefined ? 0 : measure("9,999,999")
  // One long name among many takes no room from the rest: it has several lines.
  const most = isOfLines && column.type === "text"
    ? cells.toSorted((one, other) => one - other)[Math.ceil(cells.length * 0.9) - 1] ?? 0
    : cells.reduce((most, cell) => Math.max(most, cell), 0)
  const body = Math.max(most, measure(sum ?? "", 700), more)
  const need = (text: number) => Math.max(head, Math.min(body, text)) + 2 * padding.x + 0.5
  const whole = need(widest)
  // A time may stand on two lines, the date and the time of day; so may an identifier, and a name is broken between words.
  const least = column.type === "integer"
    ? whole
    : column.type === "timestamp"
    ? need(measure("0000-00-00"))
    : need(measure(column.isIdentifier ? "0000000000000000" : "0000000000") * scale)
  const staysOnLine = column.type === "timestamp" || (column.isIdentifier && !column.isNamed)
  return { whole, least, onLine: isOfLines && staysOnLine ? whole : least }
}

/**
 * The widths of columns that fill `width` points, from what the first rows hold, or all where `isWhole`: numbers and times are never broken, as
 * far as there is room; the rest shares what is left by what it needs. `fits` is whether each column has the room that it needs.
 */
export const columnWidths = (
  setter: TextSetter,
  columns: ReadonlyArray<PrintedColumn>,
  sample: ReadonlyArray<ReportRow>,
  totals: ReadonlyMap<string, string>,
  measured: Measured
): { readonly fits: boolean; readonly widths: ReadonlyArray<number> } => {
  const { width } = measured
  const needs = columns.map((column) => needsOf(setter, column, sample, totals.get(column.key), measured))
  const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
  const wholes = sum(needs.map(({ whole }) => whole))
  if (wholes <= width) {
    // Room that is left goes to the columns by their width, so that the table fills the page.
    return { fits: true, widths: needs.map(({ whole }) => whole * width / wholes) }
  }
  const onLine = needs.map((need) => need.onLine)
  const least = sum(onLine) < width ? onLine : needs.map((need) => need.least)
  const leasts = sum(least)
  if (leasts >= width) return { fits: false, widths: least.map((one) => one * width / leasts) }
  const share = (width - leasts) / (wholes - leasts)
  return { fits: false, widths: needs.map(({ whole }, at) => least[at]! + (whole - least[at]!) * share) }
}
