import type { Countersign, License, Overview, Policy, PolicyCreateRequest, Product } from "../../../client/api/index.ts"

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

/** A way to sell, as a policy has it. */
export type Way = "year" | "once" | "trial"

/** The ways, as they are called. */
export const ways: ReadonlyArray<readonly [Way, string]> = [
  ["year", "A year, then renew"],
  ["once", "One-time, permanent"],
  ["trial", "A trial of 14 days"]
]

/** The first policy of each way. */
export const policies: Readonly<Record<Way, PolicyCreateRequest>> = {
  year: { name: "Yearly", code: "yearly", license_type: "time_limited", duration: "P1Y", max_activations: 3 },
  once: { name: "One-time", code: "one-time", license_type: "perpetual", max_activations: 3 },
  trial: { name: "Trial", code: "trial", license_type: "trial", duration: "P14D", max_activations: 1 }
}

/** Whether a text is a way. */
export const isWay = (text: string): text is Way => Object.hasOwn(policies, text)

/** How far a vendor is: what there is of what the first sale takes. */
export interface Setup {
  readonly product: Product | undefined
  readonly policy: Policy | undefined
  readonly license: License | undefined
  /** Whether a device was ever activated. */
  readonly isSelling: boolean
}

/** The steps, in their order. */
export const steps = ["Product", "Policy", "License", "Your app"] as const

/** How many steps are done. */
export const doneOf = ({ isSelling, license, policy, product }: Setup): number =>
  isSelling ? 4 : license !== undefined ? 3 : policy !== undefined ? 2 : product !== undefined ? 1 : 0

/** Reads how far the vendor is: from what exists, so that a reload, or another person, goes on at the same step. */
export const readSetup = async (client: Countersign, signal: AbortSignal): Promise<Setup> => {
  const [licenses, products] = await Promise.all([
    client.licenses.list({ limit: 1, include_names: true }, { signal }),
    client.products.list({ limit: 1 }, { signal })
  ])
  const [license] = licenses
  const [product] = products
  const [policy] = product === undefined ? [] : await client.policies.list(product.id, { limit: 1 }, { signal })
  if (license === undefined) return { product, policy, license, isSelling: false }
  const [activated] = license.times_activated > 0
    ? [license]
    : await client.activities.list({ action: "license.activated", result_class: "success", limit: 1 }, { signal })
  return { product, policy, license, isSelling: activated !== undefined }
}
