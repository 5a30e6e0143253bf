import { Schema } from "effect"
import { bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { CountedUpTo } from "../../ground/wire/Page.ts"

const count = bigCount(0)

/** How many days an overview covers at most, and unless asked otherwise. */
export const overviewDays = { most: 92, usual: 30 } as const

/** Up to how many licenses are counted exactly. Further ones cost time and tell little. */
export const mostCounted = { active: 10_000, ending: 1_000, waiting: 1_000 } as const

/** The minutes after which a mail that was not sent is late: a grey-listing server has answered by then. */
export const lateMinutes = 15

/** Within how many days a license ends that an overview names. */
export const endingDays = 30

const OverviewDay = Schema.Struct({
  day: field(Timestamp, "When the day begins, in UTC."),
  issued: field(count, "Licenses issued."),
  activations: field(count, "Activations of devices."),
  refusals: field(count, "Refused requests."),
  active_licenses: optional(
    count,
    "Licenses in force at the end of the day, counted back from today by what was issued, expired and revoked since; absent where " +
      "today's are not counted exactly."
  )
}).annotate({
  identifier: "OverviewDay",
  description: "The figures of a day.",
  examples: [{ day: "2026-11-21T00:00:00.000Z", issued: 4, activations: 31, refusals: 2, active_licenses: 4306 }]
})

const OverviewRefusals = Schema.Struct({
  code: field(Schema.String, "The error code."),
  count: field(count, "Number of requests that were refused with it.")
}).annotate({
  identifier: "OverviewRefusals",
  description: "Refused requests of one reason.",
  examples: [{ code: "ACTIVATION_LIMIT_EXCEEDED", count: 22 }]
})

const OverviewQuota = Schema.Struct({
  feature_code: field(Schema.String, "The code of the feature."),
  product_id: Schema.optionalKey(Id.text("prod")),
  count: field(count, "How often its quota was reached.")
}).annotate({
  identifier: "OverviewQuota",
  description: "A feature whose quota was reached.",
  examples: [{ feature_code: "render", product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c", count: 9 }]
})

/** A license that ends soon. */
export const EndingLicense = Schema.Struct({
  license_id: Id.text("lic"),
  product: field(Schema.String, "The name of the product."),
  policy: field(Schema.String, "The name of the policy."),
  owner: optional(Schema.String, "The name of the customer, or the name or email address on the license."),
  expires_at: field(Timestamp, "Time when the license expires.")
}).annotate({
  identifier: "EndingLicense",
  description: "A license that ends soon.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    product: "Acme Draft",
    policy: "Team, yearly",
    owner: "Ada Lovelace",
    expires_at: "2026-12-21T10:30:00.000Z"
  }]
})

/** An endpoint to which nothing can be delivered. */
export const FailingEndpoint = Schema.Struct({
  webhook_id: Id.text("whk"),
  name: field(Schema.String, "The name of the endpoint."),
  failing_since: field(Timestamp, "Time since which every delivery has failed.")
}).annotate({
  identifier: "FailingEndpoint",
  description: "A webhook endpoint to which nothing can be delivered.",
  examples: [{
    webhook_id: "whk_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Billing",
    failing_since: "2026-11-21T05:30:00.000Z"
  }]
})

/** What matters of a service today, on one page. */
export const Overview = Schema.Struct({
  from: field(Timestamp, "Start of the window."),
  to: field(Timestamp, "End of the window."),
  days: field(Schema.Array(OverviewDay), "The days of the window that have any figure, in their order."),
  issued: field(count, "Licenses issued in the window."),
  activations: field(count, "Activations in the window."),
  refusals: field(count, "Refused requests in the window."),
  refusals_by_code: field(Schema.Array(OverviewRefusals), "Refusals by reason, the most frequent first; at most ten."),
  quotas_reached: field(
    Schema.Array(OverviewQuota),
    "Features whose quota was reached, the most frequent first; at most ten."
  ),
  active_licenses: CountedUpTo,
  ending_licenses: Schema.optionalKey(CountedUpTo),
  ending: optional(
    Schema.Array(EndingLicense),
    `The first licenses that end within ${endingDays} days; absent for callers without \`license:read\`.`
  ),
  failing_endpoints: optional(
    Schema.Array(FailingEndpoint),
    "Endpoints whose deliveries fail; absent for callers without `webhook:write`."
  ),
  waiting_purchases: Schema.optionalKey(CountedUpTo),
  /** Mails that have waited for longer than {@link lateMinutes}; absent for callers who are limited to products. */
  late_mails: Schema.optionalKey(CountedUpTo)
}).annotate({
  identifier: "Overview",
  description: "The figures that matter today. A part that the caller may not see is absent.",
  examples: [{
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-12-01T00:00:00.000Z",
    days: [{ day: "2026-11-21T00:00:00.000Z", issued: 4, activations: 31, refusals: 2, active_licenses: 4306 }],
    issued: 4,
    activations: 31,
    refusals: 2,
    refusals_by_code: [{ code: "ACTIVATION_LIMIT_EXCEEDED", count: 2 }],
    quotas_reached: [],
    active_licenses: { count: 4306, has_more: false }
  }]
})
export type Overview = typeof Overview.Type

/** The figures of a day as they are counted: licenses issued, ended by expiry or revocation, and the rest. */
export interface DayFigures {
  readonly day: string
  readonly issued: number
  readonly ended: number
  readonly activations: number
  readonly refusals: number
}

/**
 * The days of an overview. `active` is how many licenses are in force now: each day before has those that ended since more, and
 * those that were issued since fewer; undefined where they are not counted.
 */
export const overviewDaysOf = (
  figures: ReadonlyArray<DayFigures>,
  active: number | undefined
): Overview["days"] => {
  let inForce = active
  return figures
    .toSorted((one, other) => one.day < other.day ? 1 : -1)
    .map(({ activations, day, ended, issued, refusals }) => {
      if (inForce === undefined) return { day, issued, activations, refusals }
      const active_licenses = inForce
      inForce = Math.max(0, inForce + ended - issued)
      return { day, issued, activations, refusals, active_licenses }
    })
    .toReversed()
}
