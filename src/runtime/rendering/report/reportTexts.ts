import type { ReportColumn, ReportKind } from "../../../domain/reports/Report.ts"
import type { JsonObject } from "../../../domain/wire/CanonicalJson.ts"

/** What a report is called on paper. */
export const reportTitles: Readonly<Record<ReportKind, string>> = {
  "usage-summary": "Usage summary",
  "usage-ledger": "Usage ledger",
  "license-audit": "License audit",
  "customer-summary": "Customer summary",
  "subscription-settlement": "Subscription settlement"
}

/** Digits in groups of three: the same on every machine, whatever its language. */
export const grouped = (value: number | bigint): string => {
  const [whole = "", part] = String(value).split(".")
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")
  return part === undefined ? digits : `${digits}.${part}`
}

const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** An RFC 3339 instant in UTC for people: to the second, without `T` and `Z`. JSON and CSV have the fraction. */
export const readable = (text: string): string => {
  const [, date, time] = instant.exec(text) ?? []
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
  frozenAt: string
): string => {
  const begin = typeof from === "string" ? written(from) : undefined
  if (typeof to !== "string" || Date.parse(to) > Date.parse(frozenAt)) {
    return `${begin === undefined ? "From the beginning" : begin} to date (${written(frozenAt)} UTC)`
  }
  // The end of a window does not belong to it: one that ends with a day names that day.
  const isWholeDays = isMidnight(to) && (typeof from !== "string" || isMidnight(from))
  const end = isWholeDays ? written(dayBefore(to)) : written(to)
  if (begin === undefined) return `Until ${end} UTC`
  return begin === end ? `${begin} (UTC)` : `${begin} to ${end} (UTC)`
}

const groupNouns: Readonly<Record<string, string>> = {
  product_id: "product",
  customer_id: "customer",
  license_id: "license",
  order_id: "order",
  subscription_id: "subscription",
  feature_code: "feature"
}

/** What stands above the table. */
export const tableTitle = (kind: ReportKind, filters: JsonObject, rows: number): string => {
  const group = groupNouns[String(filters["group_by"])]
  const bucket = filters["bucket"] === "1h" ? " and hour" : filters["bucket"] === "1d" ? " and day" : ""
  const title = kind === "usage-ledger"
    ? "Entries"
    : kind === "license-audit"
    ? "Activities"
    : kind === "customer-summary"
    ? "Licenses"
    : group === undefined
    ? bucket === "" ? "Use" : `Use by ${bucket.slice(5)}`
    : `Use by ${group}${bucket}`
  return `${title} · ${grouped(rows)} ${rows === 1 ? "row" : "rows"}`
}

/** The filters that a report was asked for with, but for its window and how it is grouped, which its titles say. */
export const filterFacts = (filters: JsonObject): ReadonlyArray<Fact> =>
  Object.entries(filters)
    .filter(([name]) => !["from", "to", "group_by", "bucket"].includes(name))
    .map(([name, value]) => ({ label: labelText(name), value: String(value) }))

/** A cell as it is printed. */
export const cellText = (column: ReportColumn, value: string | number | undefined): string => {
  if (value === undefined) return ""
  if (typeof value === "number") return grouped(value)
  return column.type === "timestamp" ? readable(value) : value
}

const labels: Readonly<Record<string, string>> = {
  first_at: "First use",
  last_at: "Last use",
  adjusted: "Corrected by",
  amount: "Amount used",
  times_activated: "Activations",
  times_transferred: "Transfers",
  total_consumptions: "Consumed in all"
}

/** `first_used_at` as a person says it: `First used at`. */
const labelText = (name: string): string => {
  const known = labels[name]
  if (known !== undefined) return known
  const words = name.replaceAll(/[_-]+/g, " ").replace(/\bid\b/, "ID")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value of a head as text. */
const plain = (value: unknown): string =>
  typeof value === "string"
    ? readable(value)
    : typeof value === "number"
    ? grouped(value)
    : typeof value === "boolean"
    ? value ? "yes" : "no"
    : Array.isArray(value) && value.every((item) => typeof item !== "object")
    ? value.map(plain).join(", ")
    : typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([name, member]) => `${labelText(name)}: ${plain(member)}`).join("; ")
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
  "status",
  "external_system",
  "external_id",
  "period_start",
  "period_end",
  "licenses",
  "active_devices",
  "orders",
  "subscriptions",
  "renewals",
  "activities",
  "uses",
  "amount",
  "adjusted",
  "first_at",
  "last_at"
]

const ordered = (members: object): ReadonlyArray<readonly [string, unknown]> => {
  const rank = ([name]: readonly [string, unknown]): number => {
    const at = order.indexOf(name)
    return at === -1 ? order.length : at
  }
  return Object.entries(members).toSorted((one, other) => rank(one) - rank(other))
}

/** A member of an item of a list, as a phrase. */
const phrase = (name: string, value: unknown): string => {
  const text = plain(value)
  switch (name) {
    case "count":
    case "result_class":
      return text
    case "uses":
      return `${text} ${value === 1 ? "use" : "uses"}`
    case "amount":
      return `amount ${text}`
    case "first_at":
      return `first ${text}`
    case "last_at":
      return `last ${text}`
    default:
      return `${labelText(name)} ${text}`
  }
}

/** A head as lines: what is single first, then each part under its own heading. */
export const factsOf = (head: JsonObject): ReadonlyArray<Fact> => {
  const single: Array<Fact> = []
  const parts: Array<Fact> = []
  for (const [name, value] of ordered(head)) {
    if (typeof value !== "object" || value === null) {
      single.push({ label: labelText(name), value: plain(value) })
    } else if (Array.isArray(value)) {
      if (value.length === 0) continue
      parts.push({ label: labelText(name) })
      value.forEach((item) => {
        const members = typeof item === "object" && item !== null && !Array.isArray(item) ? ordered(item) : []
        // What it is called stands before what it comes to.
        const first = members.find(([, member]) => typeof member === "string") ?? members[0]
        const more = members.filter((member) => member !== first)
        parts.push(
          first === undefined
            ? { label: "", value: plain(item) }
            : {
              label: plain(first[1]),
              value: more.map(([name, member]) => phrase(name, member)).join(", ")
            }
        )
      })
    } else {
      parts.push({ label: labelText(name) })
      for (const [member, content] of ordered(value)) {
        parts.push({ label: labelText(member), value: plain(content) })
      }
    }
  }
  return [...single, ...parts]
}
