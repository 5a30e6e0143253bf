import type { ReportKind } from "../../client/api/index.ts"

interface Kind {
  readonly name: string
  /** What it answers, in a sentence. */
  readonly about: string
}

/** The reports, in the order of their tabs. */
export const kinds: Readonly<Record<ReportKind, Kind>> = {
  "usage-summary": { name: "Usage summary", about: "What was used, added up." },
  "usage-ledger": { name: "Usage ledger", about: "Every use and every correction, newest first." },
  "customer-summary": { name: "Customer summary", about: "What a customer has and used." },
  "subscription-settlement": {
    name: "Settlement",
    about: "What was used on the licenses of a subscription or an order."
  },
  "license-audit": { name: "License audit", about: "What happened to a license, and who did it." }
}

export const isKind = (text: string): text is ReportKind => Object.hasOwn(kinds, text)

/** Where a report is, with its filters. */
export const pathOf = (kind: ReportKind | "frozen", query: string): string => `/console/reports/${kind}?${query}`
