import { labels } from "../../../client/api/Labels.ts"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import { newestEdition } from "../../../domain/evidence/exports/Edition.ts"
import type { ReportKind, ReportRow } from "../../../domain/evidence/reports/Report.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { reportWords, utc } from "./reportWords.ts"
import type { ReportClock, ReportWords } from "./reportWords.ts"
import type { PrintedColumn } from "./tableLayout.ts"
import { asPrinted, figureText, grouped } from "./totals.ts"

/** The names of reports on paper. */
export const reportTitles: Readonly<Record<ReportKind, string>> = labels.report

const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** An RFC 3339 instant for people: on the clock of the document, to the second. JSON and CSV have the fraction. */
export const readable = (text: string, clock: ReportClock = utc): string => {
  const [, date, time] = instant.exec(clock.local(text)) ?? []
  return date === undefined ? text : `${date} ${time}`
}

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
] as const

/** An instant as a letter writes it: `1 November 2026`, and the time of day where it is not the beginning of a day. */
const written = (text: string): string => {
  const [, date = "", time = ""] = instant.exec(text) ?? []
  const [year, month, day] = date.split("-")
  if (year === undefined || month === undefined || day === undefined) return text
  const name = `${Number(day)} ${months[Number(month) - 1]} ${year}`
  return time === "00:00:00" ? name : `${name}, ${time.slice(0, time.endsWith(":00") ? 5 : 8)}`
}

const dayBefore = (text: string): string => new Date(Date.parse(text) - 24 * 60 * 60 * 1000).toISOString()
const isMidnight = (text: string): boolean => /T00:00:00(?:\.0+)?Z$/.test(text)

/** The window [from, to) of a report that was frozen at `frozenAt`. One that is not over is said to be "to date". */
export const periodText = (
  { from, to }: { readonly from?: unknown; readonly to?: unknown },
  frozenAt: string,
  { local, zone }: ReportClock = utc,
  words: ReportWords = reportWords(newestEdition)
): string => {
  const start = typeof from === "string" ? local(from) : undefined
  const begin = start === undefined ? undefined : written(start)
  if (typeof to !== "string" || Date.parse(to) > Date.parse(frozenAt)) {
    return words.toDate(begin, `${written(local(frozenAt))} ${zone}`)
  }
  const stop = local(to)
  // The end of a window does not belong to it: one that ends with a day names that day.
  const isWholeDays = isMidnight(stop) && (start === undefined || isMidnight(start))
  const end = isWholeDays ? written(dayBefore(stop)) : written(stop)
  if (begin === undefined) return `Until ${end} (${zone})`
  return begin === end ? `${begin} (${zone})` : `${begin} to ${end} (${zone})`
}

/** The label of a filter, if it has a value that is known. */
const known = (of: Readonly<Record<string, string>>, value: unknown): string | undefined => of[String(value)]

/** The heading above the table. */
export const tableTitle = (kind: ReportKind, filters: JsonObject, rows: number, words: ReportWords): string => {
  const group = known(labels.group, filters["group_by"]) ?? dimensionOf(String(filters["group_by"]))
  const named = known(labels.bucket, filters["bucket"])
  const bucket = named === undefined ? "" : ` and ${named}`
  const title = kind === "usage-ledger"
    ? "Entries"
    : kind === "license-audit"
    ? "Activities"
    : kind === "customer-summary" || kind === "licenses"
    ? "Licenses"
    : kind === "purchases"
    ? "Purchases"
    : kind === "adoption"
    ? "Versions"
    : kind === "rehearsal"
    ? "Calls that would be decided differently, or are not known"
    : kind === "statement"
    ? "Units by license and feature"
    : group === undefined
    ? bucket === "" ? words.usage : `${words.usage} by ${bucket.slice(5)}`
    : `${words.usage} by ${group}${bucket}`
  return `${title} · ${grouped(rows)} ${rows === 1 ? "row" : "rows"}`
}

/**
 * The filters that a report was asked for with, but for its window and how it is grouped, which its titles say, and the
 * id of what it is about, which stands in a part of its own.
 */
export const filterFacts = (filters: JsonObject, subjectId: unknown, words: ReportWords): ReadonlyArray<Fact> =>
  Object.entries(filters)
    .filter(([name, value]) => !["from", "to", "group_by", "bucket"].includes(name) && value !== subjectId)
    .map(([name, value]) => ({
      label: labelText(name, words),
      value: typeof value === "object" && !Array.isArray(value) ? plain(value, utc, words) : String(value)
    }))

/** A cell as it is printed. */
export const cellText = (
  column: PrintedColumn,
  row: ReportRow,
  clock: ReportClock
): string => {
  const value = row[column.key]
  if (value === undefined) return ""
  if (typeof value === "number") return figureText(column.key, value, row["decimals"])
  // The days of a report are those of UTC, whoever reads it.
  if (column.isDay) return value.slice(0, 10)
  if (column.entryOf !== undefined) return reportWords(column.entryOf).entries[value] ?? value
  return column.type === "timestamp" ? readable(value, clock) : value
}

/** `first_used_at` as a person says it: `First used at`. */
const labelText = (name: string, words: ReportWords): string => {
  const known = words.labels[name]
  if (known !== undefined) return known
  const spelled = name.replaceAll(/[_-]+/g, " ").replace(/\bid\b/, "ID")
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** A value of a head as text. */
const plain = (value: unknown, clock: ReportClock, words: ReportWords): string =>
  typeof value === "string"
    ? readable(value, clock)
    : typeof value === "number"
    ? grouped(value)
    : typeof value === "boolean"
    ? value ? "yes" : "no"
    : Array.isArray(value) && value.every((item) => typeof item !== "object")
    ? value.map((item) => plain(item, clock, words)).join(", ")
    : typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([name, member]) => `${labelText(name, words)}: ${plain(member, clock, words)}`).join(
      "; "
    )
    : JSON.stringify(value)

/** A line of a head: a heading without a value, or a label and its value. */
export interface Fact {
  readonly label: string
  readonly value?: string
}

/** Members of a head in the order in which a person asks: who it is, how it stands, what there is, how much, since when. */
const order: ReadonlyArray<string> = [
  "feature_code",
  "action",
  "name",
  "code",
  "email",
  "type",
  "id",
  "key",
  "status",
  "starts_at",
  "expires_at",
  "external_system",
  "external_id",
  "period_start",
  "period_end",
  "licenses",
  "devices",
  "customers",
  "active_devices",
  "active_device_count",
  "times_activated",
  "times_transferred",
  "total_consumptions",
  "orders",
  "subscriptions",
  "renewals",
  "activities",
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
  "adjusted",
  "first_at",
  "last_at",
  "customer_id",
  "product_id",
  "policy_id",
  "order_id",
  "subscription_id"
]

const ordered = (members: object): ReadonlyArray<readonly [string, unknown]> => {
  const rank = ([name]: readonly [string, unknown]): number => {
    const at = order.indexOf(name)
    return at === -1 ? order.length : at
  }
  return Object.entries(members).toSorted((one, other) => rank(one) - rank(other))
}

/** A member of an item of a list, as a phrase. */
const phrase = (name: string, value: unknown, clock: ReportClock, words: ReportWords): string => {
  const text = plain(value, clock, words)
  switch (name) {
    case "count":
    case "result_class":
      return text
    case "uses":
      return `${text} ${words.usageEvents[value === 1 || value === "1" ? 0 : 1]}`
    case "amount":
      return `amount ${text}`
    case "overage":
      return words.overage(text)
    case "first_at":
      return `first ${text}`
    case "last_at":
      return `last ${text}`
    default:
      return `${labelText(name, words)} ${text}`
  }
}

/** A head as lines: what is single first, then each part under its own heading. */
export const factsOf = (
  head: JsonObject,
  clock: ReportClock,
  words: ReportWords,
  names: Readonly<Record<string, string>> = {}
): ReadonlyArray<Fact> => {
  const single: Array<Fact> = []
  const parts: Array<Fact> = []
  for (const [name, value] of ordered(head)) {
    if (typeof value !== "object" || value === null) {
      single.push({ label: labelText(name, words), value: plain(value, clock, words) })
    } else if (Array.isArray(value)) {
      if (value.length === 0) continue
      parts.push({ label: labelText(name, words) })
      value.forEach((item) => {
        const own = typeof item === "object" && item !== null && !Array.isArray(item) ? ordered(item) : []
        const members = words.printsLists ? asPrinted(own, names) : own
        // The name comes before the figures.
        const name = own.find(([, member]) => typeof member === "string")?.[0]
        const first = members.find(([member]) => member === name) ?? members[0]
        const more = members.filter((member) => member !== first)
        parts.push(
          first === undefined
            ? { label: "", value: plain(item, clock, words) }
            : {
              label: plain(first[1], clock, words),
              value: more.map(([name, member]) => phrase(name, member, clock, words)).join(", ")
            }
        )
      })
    } else {
      parts.push({ label: labelText(name, words) })
      for (const [member, content] of ordered(value)) {
        parts.push({ label: labelText(member, words), value: plain(content, clock, words) })
      }
    }
  }
  return [...single, ...parts]
}
