import type { ReportKind } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"

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
