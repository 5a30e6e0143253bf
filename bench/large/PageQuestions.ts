import { Effect } from "effect"
import { runSql } from "../harness/Database.ts"
import type { BenchError } from "../harness/ServiceProcess.ts"

/** Rows of a page. */
export const limit = 100

/** What the questions are about, in one population: each taken from its middle. */
export interface Subjects {
  readonly product: string
  readonly policy: string
  readonly feature: string
  readonly customer: string
  readonly license: string
  readonly order: string
  readonly subscription: string
  readonly device: string
  readonly event: string
  readonly request: string
  /** The last place of the feed. */
  readonly head: number
  /** RFC 3339: 30 days and 366 days ago, now, and in half a year. */
  readonly month: string
  readonly year: string
  readonly now: string
  readonly ahead: string
}

/** Finds what the questions are about; the license is in the middle of the population. */
export const subjectsOf = (databaseUrl: string, license: string): Effect.Effect<Subjects, BenchError> =>
  Effect.map(
    runSql(databaseUrl, [[
      `SELECT l.product_id AS product, l.policy_id AS policy, f.feature_id AS feature, l.customer_id AS customer,
         l.id AS license, l.order_id AS "order", l.subscription_id AS subscription, e.id AS event,
         e.request_id AS request, (SELECT id FROM devices d WHERE d.license_id = l.id LIMIT 1) AS device,
         (SELECT last_sequence::float8 FROM event_chain) AS head
       FROM licenses l JOIN license_features f ON f.license_id = l.id
       JOIN events e ON e.resource_key = right(l.id, 7) AND e.resource_id = l.id AND e.event_type = 'license.created'
       WHERE l.id = $1`,
      [license]
    ]]),
    ([row]): Subjects => {
      const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      return {
        ...row as unknown as Subjects,
        month: at(-30),
        year: at(-365),
        now: at(0),
        ahead: at(180)
      }
    }
  )

/** How the position after which the last page begins is found. */
export interface LastPage {
  /** What stands in the cursor: rows of this query, oldest first. */
  readonly positions: string
  /** `plain`: the position itself; otherwise it stands behind the mark of the list. */
  readonly cursor: "plain" | "marked"
}

/** A page or a report. */
export interface PageQuestion {
  readonly name: string
  readonly path: (subjects: Subjects) => string
  readonly last?: (subjects: Subjects) => LastPage
}

const byId = (table: string, where = "true"): LastPage => ({
  positions: `SELECT id FROM ${table} WHERE ${where} ORDER BY id`,
  cursor: "marked"
})

const byTime = (table: string, column: string, prefix: string, where = "true"): LastPage => ({
  positions: `SELECT floor(extract(epoch FROM ${column}) * 1000)::int8 || '~${prefix}' || substr(id, 5)
    FROM ${table} WHERE ${where} ORDER BY ${column}, id`,
  cursor: "marked"
})

/** Every list, with the filters that a page of it is asked for. */
export const lists: ReadonlyArray<PageQuestion> = [
  { name: "licenses", path: () => "/api/v1/licenses?", last: () => byId("licenses") },
  {
    name: "licenses of a product",
    path: ({ product }) => `/api/v1/licenses?product_id=${product}`,
    last: ({ product }) => byId("licenses", `product_id = '${product}'`)
  },
  {
    name: "licenses that are active",
    path: () => "/api/v1/licenses?status=active",
    last: () => byId("licenses")
  },
  { name: "licenses in grace (none)", path: () => "/api/v1/licenses?status=grace_period" },
  { name: "licenses that expired (few)", path: () => "/api/v1/licenses?status=expired" },
  { name: "licenses suspended (none)", path: () => "/api/v1/licenses?status=suspended" },
  { name: "licenses of a customer", path: ({ customer }) => `/api/v1/licenses?customer_id=${customer}` },
  { name: "licenses of a subscription", path: (of) => `/api/v1/licenses?subscription_id=${of.subscription}` },
  {
    name: "licenses that expire by now",
    path: ({ now }) => `/api/v1/licenses?expires_before=${now}`
  },
  {
    name: "licenses that expire in 6 months",
    path: ({ ahead }) => `/api/v1/licenses?expires_before=${ahead}`
  },
  {
    name: "licenses of a product, expired",
    path: ({ now, product }) => `/api/v1/licenses?product_id=${product}&status=expired&expires_before=${now}`
  },
  { name: "devices of a license", path: ({ license }) => `/api/v1/licenses/${license}/devices?` },
  { name: "leases of a license", path: ({ license }) => `/api/v1/licenses/${license}/leases?` },
  { name: "customers", path: () => "/api/v1/customers?", last: () => byId("customers") },
  {
    name: "orders of a product",
    path: ({ product }) => `/api/v1/products/${product}/orders?`,
    last: ({ product }) => byId("orders", `product_id = '${product}'`)
  },
  {
    name: "subscriptions of a product",
    path: ({ product }) => `/api/v1/products/${product}/subscriptions?`,
    last: ({ product }) => byId("subscriptions", `product_id = '${product}'`)
  },
  { name: "webhook endpoints", path: () => "/api/v1/webhooks?", last: () => byId("webhook_endpoints") },
  {
    name: "activities",
    path: () => "/api/v1/activities?",
    last: () => byTime("activities", "occurred_at", "act_")
  },
  {
    name: "activities, one action",
    path: () => "/api/v1/activities?action=license.activated",
    last: () => byTime("activities", "occurred_at", "act_", "action = 'license.activated'")
  },
  { name: "activities, refused (none)", path: () => "/api/v1/activities?result_class=refused" },
  { name: "activities, status 503 (none)", path: () => "/api/v1/activities?status_code=503" },
  {
    name: "activities of a product",
    path: ({ product }) => `/api/v1/activities?product_id=${product}`,
    last: ({ product }) => byTime("activities", "occurred_at", "act_", `product_id = '${product}'`)
  },
  { name: "activities of a license", path: ({ license }) => `/api/v1/activities?license_id=${license}` },
  {
    name: "activities of a customer, one action",
    path: ({ customer }) => `/api/v1/activities?customer_id=${customer}&action=license.created`
  },
  {
    name: "activities of a product, refused",
    path: ({ product }) => `/api/v1/activities?product_id=${product}&result_class=refused`
  },
  {
    name: "activities, system and a code (none)",
    path: () => "/api/v1/activities?source=system&status_code=200"
  },
  { name: "activities of a request", path: ({ request }) => `/api/v1/activities?request_id=${request}` },
  {
    name: "usage ledger",
    path: () => "/api/v1/reports/usage-ledger?",
    last: () => byTime("usage_records", "created_at", "evt_")
  },
  {
    name: "usage ledger of a product",
    path: ({ product }) => `/api/v1/reports/usage-ledger?product_id=${product}`,
    last: ({ product }) => byTime("usage_records", "created_at", "evt_", `product_id = '${product}'`)
  },
  { name: "usage ledger of a license", path: ({ license }) => `/api/v1/reports/usage-ledger?license_id=${license}` },
  {
    name: "usage ledger, corrections (none)",
    path: () => "/api/v1/reports/usage-ledger?action=license.usage_reset"
  },
  {
    name: "feed, oldest first",
    path: () => "/api/v1/events?",
    last: ({ head }) => ({
      positions: `SELECT generate_series(${head - 2 * limit}, ${head})`,
      cursor: "plain"
    })
  },
  {
    name: "feed, newest first",
    path: () => "/api/v1/events?order=desc",
    last: () => ({ positions: `SELECT generate_series(1, ${limit} + 1)`, cursor: "plain" })
  },
  { name: "feed, one kind", path: () => "/api/v1/events?order=desc&event_type=license.created" },
  { name: "feed, a kind that never was", path: () => "/api/v1/events?event_type=license.revoked" },
  { name: "feed, one resource type", path: () => "/api/v1/events?order=desc&resource_type=customer" },
  { name: "feed, one license", path: ({ license }) => `/api/v1/events?resource_id=${license}` },
  { name: "feed, one actor type", path: () => "/api/v1/events?order=desc&actor_type=system" },
  {
    name: "feed, a kind and an actor type (none)",
    path: () => "/api/v1/events?event_type=license.created&actor_type=license"
  }
]

/** Reports and other reads of one thing. */
export const reads: ReadonlyArray<PageQuestion> = [
  { name: "a license", path: ({ license }) => `/api/v1/licenses/${license}?` },
  {
    name: "license audit",
    path: ({ license, year }) => `/api/v1/reports/license-audit?license_id=${license}&from=${year}`
  },
  {
    name: "customer summary",
    path: ({ customer, year }) => `/api/v1/reports/customer-summary?customer_id=${customer}&from=${year}`
  },
  {
    name: "subscription settlement",
    path: ({ subscription }) => `/api/v1/reports/subscription-settlement?subscription_id=${subscription}`
  },
  {
    name: "usage of a license, by day",
    path: ({ license, year }) => `/api/v1/reports/usage-summary?license_id=${license}&bucket=1d&from=${year}`
  },
  { name: "inclusion proof of an event", path: ({ event }) => `/api/v1/events/${event}/proof?` },
  { name: "checkpoint", path: () => "/api/v1/events/checkpoint?" },
  { name: "webhook health", path: () => "/api/v1/ops/webhook-health?" },
  { name: "revocations", path: () => "/api/v1/license/revocations?" },
  { name: "metrics", path: () => "/metrics?" }
]

/** Reports over everything in a window: what they cost grows with the use in it. */
export const sums: ReadonlyArray<PageQuestion> = [
  { name: "usage of a month", path: () => "/api/v1/reports/usage-summary?" },
  { name: "usage of a month, by day", path: () => "/api/v1/reports/usage-summary?bucket=1d" },
  { name: "usage of a month, by hour", path: () => "/api/v1/reports/usage-summary?bucket=1h" },
  { name: "usage of a month, by feature", path: () => "/api/v1/reports/usage-summary?group_by=feature_code" },
  { name: "usage of a month, by customer", path: () => "/api/v1/reports/usage-summary?group_by=customer_id" },
  { name: "usage of a year", path: ({ year }) => `/api/v1/reports/usage-summary?from=${year}` },
  {
    name: "usage of a year, by license",
    path: (of) => `/api/v1/reports/usage-summary?group_by=license_id&from=${of.year}`
  }
]
