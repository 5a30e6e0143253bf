/*
 * The story: an invented vendor, what it sells, and what happens to it in a year. Days count from the purchase of a license
 * unless they say otherwise. What an act does is in Acts.ts.
 */

/** The name of the vendor. */
export const vendorName = "Lumen Works"

/** The keys of the vendor's own programs. */
export const staff = {
  shop: { name: "Web shop", scopes: ["license:read", "license:write", "customer:write", "product:write"] },
  support: {
    name: "Support desk",
    scopes: ["license:read", "license:write", "device:write", "event:read", "report:read"]
  },
  reporting: { name: "Finance reports", scopes: ["report:read", "report:export"] }
} as const

/** A product; days of releases count back from the end of the year. */
export const products = [{
  name: "Lumen Studio",
  code: "lumen-studio",
  features: { "export-pdf": "PDF export", "render": "Renders" },
  versions: { "4.0.0": 350, "4.1.0": 240, "4.2.0": 120, "5.0.0": 21 }
}, {
  name: "Lumen Farm",
  code: "lumen-farm",
  features: { "render-frames": "Rendered frames" },
  versions: { "2.3.0": 300, "2.4.0": 75 }
}, {
  name: "Lumen Insight",
  code: "lumen-insight",
  features: { reports: "Reports", credits: "Analysis credits" },
  versions: { "2026.1": 200, "2026.2": 40 }
}] as const

/** How licenses of a policy are sold and used. */
export interface Plan {
  readonly product: typeof products[number]["code"]
  /** The policy, as it is created. */
  readonly policy: { readonly name: string; readonly code: string; readonly [rule: string]: unknown }
  readonly grants: Readonly<Record<string, { readonly max_consumptions?: number; readonly period?: string }>>
  /** Out of all sales, relative to the other plans. */
  readonly share: number
  /** Days that a payment is good for; absent where it is good for ever. */
  readonly days?: number
  readonly sale: "trial" | "order" | "subscription"
  /** The probability that a period is not followed by another. */
  readonly churn: number
  /** The metered use: times a year, and up to how much each time. */
  readonly uses?: { readonly feature: string; readonly perYear: number; readonly most: number }
}

export const plans: ReadonlyArray<Plan> = [{
  product: "lumen-studio",
  policy: {
    name: "Perpetual, two machines",
    code: "perpetual",
    license_type: "perpetual",
    max_activations: 2,
    maintenance_duration: "P1Y",
    self_service: true
  },
  grants: { "export-pdf": {}, render: {} },
  share: 22,
  sale: "order",
  churn: 0,
  uses: { feature: "render", perYear: 10, most: 6 }
}, {
  product: "lumen-studio",
  policy: {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    max_activations: 3,
    grace_period_days: 14
  },
  grants: { "export-pdf": {}, render: {} },
  share: 24,
  days: 365,
  sale: "subscription",
  churn: 0.3,
  uses: { feature: "render", perYear: 14, most: 9 }
}, {
  product: "lumen-studio",
  policy: { name: "Trial of 14 days", code: "trial", license_type: "trial", duration: "P14D", max_transfers: 0 },
  grants: {},
  share: 14,
  sale: "trial",
  churn: 1
}, {
  product: "lumen-farm",
  policy: {
    name: "Floating, by the quarter",
    code: "floating-quarter",
    license_type: "subscription",
    max_activations: 2,
    max_floating_users: 6,
    floating_timeout_minutes: 1440,
    require_heartbeat: true,
    grace_period_days: 7
  },
  grants: { "render-frames": {} },
  share: 12,
  days: 91,
  sale: "subscription",
  churn: 0.12,
  uses: { feature: "render-frames", perYear: 18, most: 240 }
}, {
  product: "lumen-insight",
  policy: {
    name: "Monthly, 200 reports",
    code: "monthly-200",
    license_type: "subscription",
    max_activations: 2,
    grace_period_days: 5,
    allow_vm: false
  },
  grants: { reports: { max_consumptions: 200, period: "month" } },
  share: 20,
  days: 30,
  sale: "subscription",
  churn: 0.09,
  uses: { feature: "reports", perYear: 24, most: 120 }
}, {
  product: "lumen-insight",
  policy: { name: "Prepaid credits", code: "credits-1000", license_type: "consumption", max_activations: 5 },
  grants: { credits: { max_consumptions: 1000 } },
  share: 8,
  sale: "order",
  churn: 0,
  uses: { feature: "credits", perYear: 14, most: 140 }
}]

/** The ways in which a paid period ends when the customer stays, relative to each other, each with its days after. */
export const renewals: ReadonlyArray<readonly [acts: Scene["acts"], share: number]> = [
  [[["renew"]], 94],
  [[["card fails"], ["renew", 4]], 6]
]

/** Something that happens to licenses, by itself or with what follows it. */
export interface Scene {
  /** The acts, each so many days after the one before. */
  readonly acts: ReadonlyArray<readonly [act: string, days?: number]>
  /** How many of the licenses it happens to; of those of `only`, where that is given. */
  readonly share: number
  readonly only?: ReadonlyArray<string>
  /** From which day on; and up to which, where it is not any day of the year. */
  readonly from: number
  readonly to?: number
  /** Only in the last days of the year, such as what is not kept for long. */
  readonly lately?: number
}

const named = ["perpetual", "annual", "floating-quarter", "monthly-200", "credits-1000"]
const floating = ["floating-quarter"]

export const scenes: ReadonlyArray<Scene> = [
  { acts: [["activate"]], share: 0.92, only: named, from: 0, to: 1 },
  { acts: [["activate"]], share: 0.5, only: named, from: 1, to: 40 },
  { acts: [["activate"]], share: 0.2, only: named, from: 2 },
  { acts: [["validate"]], share: 0.9, only: named, from: 1, lately: 4 },
  { acts: [["move to another machine"]], share: 0.1, only: named, from: 5 },
  { acts: [["release a seat"], ["activate", 4]], share: 0.06, only: named, from: 5 },
  { acts: [["lose a machine"], ["activate", 1]], share: 0.03, only: named, from: 3 },
  { acts: [["block a machine"], ["validate on the blocked machine", 2]], share: 0.01, only: named, from: 3 },
  { acts: [["open the office"]], share: 1, only: floating, from: 1, to: 30 },
  { acts: [["open the office"]], share: 1, only: floating, from: 20 },
  { acts: [["open the office"], ["open the office", 30]], share: 0.6, only: floating, from: 20 },
  { acts: [["take a seat"]], share: 0.6, only: floating, from: 1, lately: 0 },
  { acts: [["work offline"]], share: 0.05, only: named, from: 2 },
  { acts: [["order a file for a machine without network"]], share: 0.02, only: ["perpetual", "annual"], from: 2 },
  { acts: [["transfer"]], share: 0.02, only: ["perpetual", "annual"], from: 20 },
  { acts: [["rotate the key"]], share: 0.01, only: named, from: 10 },
  { acts: [["suspend"], ["reinstate", 9]], share: 0.013, only: named, from: 4 },
  { acts: [["suspend"]], share: 0.012, only: named, from: 4 },
  { acts: [["refund"]], share: 0.012, only: ["perpetual", "credits-1000"], from: 2, to: 30 },
  { acts: [["revoke"]], share: 0.01, only: named, from: 2 },
  { acts: [["try on a stranger's machine"]], share: 0.05, from: 0, lately: 89 },
  { acts: [["try in a virtual machine"]], share: 0.08, only: ["monthly-200"], from: 0, lately: 89 },
  { acts: [["ask for a feature that it lacks"]], share: 0.05, only: floating, from: 1, lately: 89 },
  { acts: [["ask with the key of reports"]], share: 0.01, only: named, from: 1, lately: 89 }
]

/** The receivers of the vendor. `afterwards` is where an endpoint leads when the year is over: nowhere (RFC 6761). */
export const endpoints = [{
  name: "Billing",
  types: ["license.renewed", "subscription.updated", "order.*"],
  afterwards: { url: "https://billing.lumen.example/webhooks/countersign" }
}, {
  name: "Analytics",
  types: ["license.revoked", "license.suspended", "device.reset", "license.created", "license.expired"],
  afterwards: { url: "https://hooks.analytics.invalid/countersign" }
}, {
  name: "CRM (paused while it moves)",
  types: ["customer.created", "license.transferred"],
  afterwards: { url: "https://crm.lumen.example/hooks", is_active: false }
}] as const

/** A botched release of a receiver: it answers 500 from this day of the year on, for so many days. */
export const botched = { endpoint: "Analytics", day: 200, days: 2 }

/** The act of the last day, after the receivers have moved: one has forgotten to say where it is. */
export const lastActs = { act: "suspend", licenses: 3 }
