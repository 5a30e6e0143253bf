import { localTimes } from "./Edition.ts"
import { freezeTimeZone } from "./ReportExport.ts"
import type { ReportExport } from "./ReportExport.ts"

/** The end of an id, which tells it from others for people. */
const endOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9]/g, "").slice(-8)

/** The filters that say whom or what a report is about, the narrowest first. */
const subjects = ["license_id", "subscription_id", "order_id", "customer_id", "policy_id", "product_id"] as const

const subjectOf = (filters: object): string | undefined => {
  const given = new Map<string, unknown>(Object.entries(filters))
  const name = subjects.find((subject) => typeof given.get(subject) === "string")
  return name === undefined ? undefined : `${name.replace(/_id$/, "")}-${endOf(String(given.get(name)))}`
}

const instantAt = (filters: object, name: string): string | undefined => {
  const value = new Map<string, unknown>(Object.entries(filters)).get(name)
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The window of a report in days of the reader: a month, a day, or the first and the last day. */
const periodOf = (filters: object, { created_at, time_zone }: Pick<ReportExport, "created_at" | "time_zone">) => {
  const [from, to] = [instantAt(filters, "from"), instantAt(filters, "to")]
  if (from === undefined || to === undefined || to <= from) return undefined
  const local = time_zone === undefined
    ? (instant: string) => instant
    : localTimes(freezeTimeZone(time_zone, created_at))
  const [begin, end] = [local(from), local(to)]
  const last = new Date(Date.parse(end) - 1).toISOString()
  const [first, final] = [begin.slice(0, 10), last.slice(0, 10)]
  const isMonth = begin.endsWith("-01T00:00:00.000Z") && end.endsWith("-01T00:00:00.000Z") &&
    first.slice(0, 7) === final.slice(0, 7)
  return isMonth ? first.slice(0, 7) : first === final ? first : `${first}-to-${final}`
}

/**
 * The name of the file of an export: the report, whom or what it is about, its period, or the day of the request where it
 * names none (UTC), and the end of its id. No name of a customer is in it: it is signed, and outlives their erasure.
 */
export const fileName = (
  report: Pick<ReportExport, "created_at" | "filters" | "format" | "id" | "report_kind" | "time_zone">
): string => {
  const { created_at, filters, format, id, report_kind } = report
  const parts = [report_kind, subjectOf(filters), periodOf(filters, report) ?? created_at.slice(0, 10), endOf(id)]
  return `${parts.filter((part) => part !== undefined).join("-")}.${format}`
}

/** The names of what belongs to a file: the same but for their ends. */
export const namesBeside = (file: string) => {
  const stem = file.replace(/\.\w+$/, "")
  return { archive: `${stem}.zip`, manifest: `${stem}.manifest.json`, snapshot: `${stem}.snapshot.json` }
}
