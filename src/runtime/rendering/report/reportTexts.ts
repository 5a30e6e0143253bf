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

/** An RFC 3339 instant in UTC for people: without `T`, `Z` and a fraction that is nothing. */
export const readable = (text: string): string => {
  const [, date, time, fraction = ""] = instant.exec(text) ?? []
  return date === undefined ? text : `${date} ${time}${/^\.0+$/.test(fraction) ? "" : fraction}`
}

/** A cell as it is printed. */
export const cellText = (column: ReportColumn, value: string | number | undefined): string => {
  if (value === undefined) return ""
  if (typeof value === "number") return grouped(value)
  return column.type === "timestamp" ? readable(value) : value
}

/** `first_used_at` as a person says it: `First used at`. */
export const labelText = (name: string): string => {
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

/** A head as lines: what is single first, then each part under its own heading. */
export const factsOf = (head: JsonObject): ReadonlyArray<Fact> => {
  const single: Array<Fact> = []
  const parts: Array<Fact> = []
  for (const [name, value] of Object.entries(head)) {
    if (typeof value !== "object" || value === null) {
      single.push({ label: labelText(name), value: plain(value) })
    } else if (Array.isArray(value)) {
      if (value.length === 0) continue
      parts.push({ label: labelText(name) })
      value.forEach((item) => {
        const members = typeof item === "object" && item !== null && !Array.isArray(item) ? Object.entries(item) : []
        // What it is called stands before what it comes to.
        const first = members.find(([, member]) => typeof member === "string") ?? members[0]
        const more = members.filter((member) => member !== first)
        parts.push(
          first === undefined
            ? { label: "", value: plain(item) }
            : {
              label: plain(first[1]),
              value: more.map(([name, member]) => `${labelText(name)}: ${plain(member)}`).join("; ")
            }
        )
      })
    } else {
      parts.push({ label: labelText(name) })
      for (const [member, content] of Object.entries(value)) {
        parts.push({ label: labelText(member), value: plain(content) })
      }
    }
  }
  return [...single, ...parts]
}
