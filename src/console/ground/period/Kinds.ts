import type { ReportKind } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"

/** A dimension as what usage is grouped by, as the API calls it. */
export type DimensionGroup = `dimension.${string}`

const dimensionPrefix = "dimension."

/** The group of a dimension, as a request names it. */
export const groupOf = (dimension: string): DimensionGroup => `${dimensionPrefix}${dimension}`

/** Whether usage is grouped by a dimension. */
export const isDimensionGroup = (group: string): group is DimensionGroup => group.startsWith(dimensionPrefix)

/** The name of the dimension that usage is grouped by; undefined where it is grouped by something else. */
export const dimensionIn = (group: string): string | undefined =>
  isDimensionGroup(group) ? group.slice(dimensionPrefix.length) : undefined

/** Whether a text may be the name of a dimension. */
export const isDimension = (name: string): boolean => /^[a-z0-9_-]{1,32}$/.test(name)

interface Kind {
  readonly name: string
  /** Its content, in a sentence. */
  readonly about: string
}

/** The reports that have a page; that of licenses is their list, that of versions is with the product, and a rehearsal with its policy. */
export type SheetKind = Exclude<ReportKind, "licenses" | "adoption" | "rehearsal">

/** The reports, in the order of their tabs. */
export const kinds: Readonly<Record<SheetKind, Kind>> = {
  "usage-summary": { name: labels.report["usage-summary"], about: "Usage totals." },
  "usage-ledger": { name: labels.report["usage-ledger"], about: "Each usage event and correction, newest first." },
  "customer-summary": { name: labels.report["customer-summary"], about: "A customer's licenses and usage." },
  "subscription-settlement": {
    name: labels.report["subscription-settlement"],
    about: "Usage on the licenses of a subscription or order."
  },
  statement: { name: labels.report.statement, about: "Units that were granted, used and are left, by license." },
  purchases: { name: labels.report.purchases, about: "Purchases at payment providers, and what they give." },
  "license-audit": { name: labels.report["license-audit"], about: "Activity of a license and who performed it." }
}

export const isKind = (text: string): text is SheetKind => Object.hasOwn(kinds, text)

/** Where a report is, with its filters. */
export const pathOf = (kind: SheetKind | "frozen", query: string): string => `/console/reports/${kind}?${query}`
