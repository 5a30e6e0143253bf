import { Schema } from "effect"
import { defaultPriority } from "../../catalog/terms/GrantBalance.ts"
import { Decimals } from "../../catalog/terms/Measure.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import {
  anyBigCount,
  bigCount,
  Code,
  CreatedAt,
  field,
  optional,
  text,
  Timestamp,
  TimestampInput
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

/** The most grants of a feature that a license has open at a time, and the most pools that a customer has: each use reads them. */
export const maximumOpen = 100

const sourceText =
  "Why the units were given: a `purchase`, such as a credit pack; a `gift`; or a `correction`, which has a " +
  "reason and may take units away"

/** The sources of grants that are given on request. */
const GivenSource = Schema.Literals(["purchase", "gift", "correction"]).annotate({
  identifier: "GivenGrantSource",
  description: `${sourceText}.`
})

export const GrantSource = Schema.Literals(["purchase", "gift", "correction", "rollover"]).annotate({
  identifier: "GrantSource",
  description: `${sourceText}. A \`rollover\` has unused units of an earlier period of the quota.`
})
export type GrantSource = typeof GrantSource.Type

/** Which of two that end at the same time is used first. */
const priority = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))

/** The words of a kind of units: those of a license, or those of a customer. */
type Noun = "grant" | "pool"

const priorityText = (noun: Noun) =>
  `Of two ${noun}s that end at the same time, the one with the lower priority is used first.` +
  (noun === "grant" ? ` The quota itself has ${defaultPriority}.` : "")

const ofFeature = {
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  decimals: Schema.optionalKey(Decimals)
}

const term = (noun: Noun) => ({
  starts_at: field(Timestamp, "The time from which the units can be used."),
  expires_at: optional(Timestamp, `The time when the ${noun} ends; absent if it does not end.`),
  priority: field(priority, priorityText(noun))
})

const given = (noun: Noun, owner: string) => ({
  reference: optional(Schema.String, `Your name of the ${noun}, unique in the ${owner}.`),
  revoked_at: optional(Timestamp, `The time of the revocation; absent if the ${noun} is not revoked.`),
  created_at: CreatedAt
})

/** The members of a request that both have; `end` says when the units end without one. */
const asked = (noun: Noun, end: string) => ({
  starts_at: optional(TimestampInput, "The time from which the units can be used. Default: now."),
  expires_at: optional(TimestampInput, `The time when the ${noun} ends. Default: it does not end${end}.`),
  priority: optional(priority, `${priorityText(noun)} Default: ${defaultPriority}.`)
})

const referred = (noun: Noun) => ({
  reference: optional(
    text(1, 200),
    `Your name of the ${noun}, such as the number of the order. Repeating a request with it returns the ${noun} that is ` +
      `there, so that a repeated webhook ${noun === "grant" ? "grants" : "gives"} once.`
  ),
  ...reasoned
})

/** Units of a metered feature that a license has beside its quota. */
export const Grant = Schema.Struct({
  id: Id.text("grant"),
  license_id: Id.text("lic"),
  ...ofFeature,
  amount: field(anyBigCount, "The number of units; negative for a correction that takes units away."),
  used: field(bigCount(0), "How many of them are used."),
  remaining: field(
    bigCount(0),
    "How many of them are left. 0 once the grant has ended or is revoked, and of a negative correction."
  ),
  ...term("grant"),
  source: GrantSource,
  ...given("grant", "license")
}).annotate({
  identifier: "Grant",
  description: "Units of a metered feature that a license has in addition to its quota, such as a credit pack.",
  examples: [{
    id: "grant_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    amount: 500,
    used: 120,
    remaining: 380,
    starts_at: "2026-11-21T10:30:00.000Z",
    expires_at: "2027-11-21T10:30:00.000Z",
    priority: defaultPriority,
    source: "purchase",
    reference: "order-4711",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Grant = typeof Grant.Type

/** Units that a use took of a grant, or a refund gave back. */
export const UnitsOfGrant = Schema.Struct({
  grant_id: Id.text("grant"),
  amount: field(bigCount(1), "The number of units.")
}).annotate({
  identifier: "UnitsOfGrant",
  description: "Units of a grant, or of a pool of the customer.",
  examples: [{ grant_id: "grant_06eqpx1trxz3h94vqjm3a6kz7c", amount: 1 }]
})

const wrongGrant = ({ amount, reason, source = "purchase" }: {
  readonly amount: number
  readonly source?: GrantSource
  readonly reason?: string
}) => {
  if (amount === 0) return { path: ["amount"], issue: "must not be 0" }
  if (source === "correction") {
    return reason === undefined ? { path: ["reason"], issue: "is required for a correction" } : undefined
  }
  return amount < 0 ? { path: ["amount"], issue: "may be negative only with source: correction" } : undefined
}

/** Units to give to a license. */
export const GrantCreate = Schema.Struct({
  feature_id: optional(text(1, 64), "The ID of the feature. Send either this or `feature_code`."),
  feature_code: optional(Code, "The code of the feature. Send either this or `feature_id`."),
  amount: field(anyBigCount, "The number of units. A correction may take units away: then it is negative."),
  ...asked("grant", "; a negative correction ends with the period of the quota, and needs an end without one"),
  source: Schema.optionalKey(GivenSource),
  ...referred("grant")
}).annotate({
  description:
    "Units to give to a license. Send either `feature_id` or `feature_code`. A correction requires a `reason`.",
  examples: [{ feature_code: "export-pdf", amount: 500, expires_at: "2027-11-21T10:30:00Z", reference: "order-4711" }]
}).check(
  Schema.makeFilter((input: { readonly feature_id?: string; readonly feature_code?: string }) =>
    (input.feature_id === undefined) === (input.feature_code === undefined)
      ? { path: ["feature_id"], issue: "is required without feature_code, and excluded with it" }
      : undefined
  ),
  Schema.makeFilter(wrongGrant)
).annotate({ identifier: "GrantCreateRequest" })
export type GrantCreate = typeof GrantCreate.Type

const capText = "The most that one license takes of the pool. Without it, as much as there is."

/** Units of a metered feature that a customer owns, and that its licenses share. */
export const Pool = Schema.Struct({
  id: Id.text("pool"),
  customer_id: Id.text("cus"),
  ...ofFeature,
  amount: field(bigCount(1), "The number of units."),
  used: field(bigCount(0), "How many of them are used, by all licenses."),
  remaining: field(bigCount(0), "How many of them are left. 0 once the pool has ended or is revoked."),
  max_per_license: optional(bigCount(1), capText),
  ...term("pool"),
  ...given("pool", "customer")
}).annotate({
  identifier: "Pool",
  description:
    "Units of a metered feature that a customer owns. Its licenses, and those of customers that belong to it, share them in " +
    "addition to their own.",
  examples: [{
    id: "pool_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    amount: 10000,
    used: 1200,
    remaining: 8800,
    max_per_license: 2000,
    starts_at: "2026-11-21T10:30:00.000Z",
    expires_at: "2027-11-21T10:30:00.000Z",
    priority: defaultPriority,
    reference: "order-4711",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Pool = typeof Pool.Type

/** Units to give to a customer. */
export const PoolCreate = Schema.Struct({
  feature_id: Id.reference("feat"),
  amount: field(bigCount(1), "The number of units."),
  max_per_license: optional(bigCount(1), capText),
  ...asked("pool", ""),
  ...referred("pool")
}).annotate({
  identifier: "PoolCreateRequest",
  description: "Units to give to a customer, for its licenses to share.",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", amount: 10000, reference: "order-4711" }]
})
export type PoolCreate = typeof PoolCreate.Type
