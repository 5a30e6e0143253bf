import { formatOf, timeZone } from "../design/Time.tsx"

/** The time zone of the URL; the reader's own if it names none that this browser knows. */
export const zoneOf = (name: string | undefined): string => {
  if (name === undefined || name === "") return timeZone
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return timeZone
  }
}

/** An instant for a table of a report: its day and minute in a zone. */
export const minuteIn = (instant: string, zone: string): string =>
  formatOf("minute", zone, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(instant))

/** An instant as the ledger and the audit show it: its day and second in a zone. */
export const secondIn = (instant: string, zone: string): string =>
  formatOf("second", zone, { dateStyle: "medium", timeStyle: "medium" }).format(Date.parse(instant))

/** A day of the calendar in words: `1 Oct 2026`. */
export const dayInWords = (date: string): string =>
  formatOf("day", "UTC", { dateStyle: "medium" }).format(Date.parse(`${date}T00:00:00Z`))

/** A month of the calendar in words: `October 2026`. */
export const monthInWords = (month: string): string =>
  formatOf("month", "UTC", { month: "long", year: "numeric" }).format(Date.parse(`${month}-01T00:00:00Z`))
