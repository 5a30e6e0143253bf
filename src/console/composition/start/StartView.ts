import type { Overview } from "../../../client/api/index.ts"

const dayMillis = 86_400_000

/** A figure by day, for small bars: one value for each day of the window, also for those without any. */
export const barsOf = (
  { days, from, to }: Pick<Overview, "days" | "from" | "to">,
  member: "issued" | "activations" | "refusals" | "active_licenses"
): ReadonlyArray<number> => {
  const first = Math.floor(Date.parse(from) / dayMillis)
  const last = Math.floor((Date.parse(to) - 1) / dayMillis)
  const values = new Map(days.map((day) => [Math.floor(Date.parse(day.day) / dayMillis), day[member]]))
  let before = 0
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => {
    const value = values.get(first + at)
    // How many are in force goes on over days on which nothing happened.
    if (value !== undefined && member === "active_licenses") before = value
    return value ?? (member === "active_licenses" ? before : 0)
  })
}

/** The largest of some values, at least 1: what bars are measured by. */
export const largestOf = (values: ReadonlyArray<number>): number =>
  values.reduce((largest, value) => Math.max(largest, value), 1)

/** A number that is counted up to a limit, as people read it; a figure that could not be read is a dash, and never 0. */
export const countedText = (counted: Overview["active_licenses"] | undefined): string =>
  counted === undefined ? "–" : `${counted.count.toLocaleString("en")}${counted.has_more ? "+" : ""}`

/** Something that waits for a person, and where it is dealt with. */
export interface Attention {
  readonly text: string
  readonly href: string
}

const several = (count: string, one: string, many: string): string => `${count} ${count === "1" ? one : many}`

/** The tasks that need attention, as far as the caller may see it. */
export const attentionOf = (
  { failing_endpoints = [], late_mails, waiting_purchases }: Pick<
    Overview,
    "failing_endpoints" | "late_mails" | "waiting_purchases"
  >,
  /** How many requests wait for the decision of the person. */
  approvals = 0
): ReadonlyArray<Attention> => [
  ...(waiting_purchases === undefined || waiting_purchases.count === 0 ? [] : [{
    text: several(countedText(waiting_purchases), "purchase needs attention", "purchases need attention"),
    href: "/console/purchases"
  }]),
  ...(late_mails === undefined || late_mails.count === 0 ? [] : [{
    text: several(countedText(late_mails), "mail could not be sent yet", "mails could not be sent yet"),
    href: "/console/settings/mail"
  }]),
  ...(approvals === 0 ? [] : [{
    text: several(String(approvals), "approval for you", "approvals for you"),
    href: "/console/people/approvals"
  }]),
  ...failing_endpoints.map(({ name }) => ({ text: `Endpoint “${name}” is failing`, href: "/console/webhooks" }))
]

/** The list of the licenses that end within the days of an overview. */
export const endingHref = (now: number, days: number): string =>
  `/console/licenses?${new URLSearchParams({
    status: "active",
    expires_after: new Date(now).toISOString(),
    expires_before: new Date(now + days * dayMillis).toISOString()
  })}`

/** The list of what a figure counts. */
export const activityHref = (
  filters: Readonly<Record<string, string>>,
  { from }: Pick<Overview, "from">
): string => `/console/activity?${new URLSearchParams({ ...filters, first: from.slice(0, 10), zone: "UTC" })}`
