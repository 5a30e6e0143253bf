import { Context, Effect, Layer, Result, Schema } from "effect"
import type { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import { Period } from "../../../domain/catalog/terms/Period.ts"
import { warningsAboutQuotas } from "../../../domain/catalog/terms/QuotaWarnings.ts"
import type { GrantedQuota } from "../../../domain/catalog/terms/QuotaWarnings.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { NewCustomer } from "../../../domain/customers/Customer.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError, Warned, Warning } from "../../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { formatLicenseKey } from "../../../domain/keys/security/Credential.ts"
import { beyondReseller, notForResellers } from "../../../domain/keys/security/ProductRule.ts"
import type { Reseller } from "../../../domain/keys/security/ProductRule.ts"
import { keyElsewhere, keyTaken, warningsAboutNew } from "../../../domain/licensing/licenses/License.ts"
import type {
  License,
  LicenseCreate,
  LicenseCreated,
  LicenseOfKnown
} from "../../../domain/licensing/licenses/License.ts"
import { issueOf } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Issued } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { Customers } from "../../customers/Customers.ts"
import { lockNamed } from "../../customers/CustomerSql.ts"
import { makeLinkChecks } from "../../customers/Subscriptions.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { CurrentActor, lackedScopes, lackedScopesOn } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import {
  countTagged,
  findTransactionTime,
  insertLicenses,
  listQuotasBySubscription,
  lockTag,
  updateBegun
} from "./IssueSql.ts"
import type { Begun } from "./IssueSql.ts"
import { licenseKeyPurpose, Licenses } from "./Licenses.ts"

const readGrant = rowReader(Schema.Struct({
  feature_code: Schema.String,
  enabled: Schema.Boolean,
  max_consumptions: Schema.optionalKey(Schema.Finite),
  period: Schema.optionalKey(Period)
}))

const quotaOf = (
  feature: Pick<LicenseFeature, "feature_code" | "enabled" | "max_consumptions" | "period" | "period_start">
): GrantedQuota => ({
  code: feature.feature_code,
  enabled: feature.enabled,
  quota: feature.max_consumptions ?? null,
  period: feature.period ?? null,
  periodStart: feature.period_start
})

/** The warning about one feature of a license, as an answer shows it. */
export const warningsAboutFeatureQuota = (feature: LicenseFeature): ReadonlyArray<Warning> =>
  warningsAboutQuotas([quotaOf(feature)], "period")

/**
 * Warnings about quotas that count by the periods of a subscription which their license does not have. They are read in
 * the transaction of the write that they are about: a write that is done is answered.
 */
export const makeQuotaWarnings = (sql: Database) => {
  /** About a license as it is left, with all its features. */
  const about = Effect.fnUntraced(function*({ id, subscription_id }: License) {
    if (subscription_id !== undefined) return []
    const granted = yield* readFeatureTerms(sql, id)
    return warningsAboutQuotas(granted.map(({ feature }) => feature), "subscription_id")
  })

  /** About licenses that were just issued: they have what their policies grant. One statement, however many they are. */
  const aboutIssued = Effect.fnUntraced(function*(licenses: ReadonlyArray<License>) {
    const policies = licenses.flatMap(({ policy_id, subscription_id }) =>
      subscription_id === undefined ? policy_id : []
    )
    if (policies.length === 0) return []
    const granted = yield* listQuotasBySubscription(sql, [...new Set(policies)])
    return warningsAboutQuotas(granted.map((row) => quotaOf(readGrant(row))), "subscription_id")
  })

  return { about, aboutIssued }
}

/** A license that is to be issued: what was asked for, and what was decided about it. */
interface LicenseToIssue {
  readonly input: LicenseOfKnown
  readonly issued: Issued
  readonly subscription_id: string | undefined
  /** Made where it is left out. */
  readonly id?: string
  /** The metadata of the event of its creation. */
  readonly metadata?: JsonObject | undefined
  /** Whether its owner may be sent its key: not with many licenses at once. */
  readonly isMailed?: boolean
}

/** How a new license begins, where that is not active. */
const begunAs = (id: string, { status }: LicenseOfKnown): ReadonlyArray<Begun> =>
  status === undefined || status === "active" ? [] : [{ id, state: status }]

/** Issues licenses that were judged. */
export const makeLicenseIssuing = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const environment = yield* CurrentEnvironment
  const identifiers = yield* Identifiers
  const licenses = yield* Licenses
  const mails = yield* MailQueue
  const vault = yield* Vault

  /**
   * Puts new licenses into the states that they come with. Unlike a suspension it takes one that is expired: a renewal must
   * not bring it back into force.
   */
  const begin = Effect.fnUntraced(function*(begun: ReadonlyArray<Begun>) {
    if (begun.length === 0) return []
    yield* updateBegun(sql, begun)
    return yield* licenses.recordAll(begun.map(({ id, state }) => ({ type: `license.${state}` as const, id })))
  })

  /**
   * Issues licenses in a handful of statements, whatever their number, each with its events. Those whose key another
   * transaction has taken meanwhile are answered as `taken`.
   */
  return Effect.fnUntraced(function*<Requested extends LicenseToIssue>(requested: ReadonlyArray<Requested>) {
    const made = requested.map((row) => {
      const { id = identifiers.next("lic"), input, isMailed = false, issued, subscription_id } = row
      const { license_key = formatLicenseKey(crypto.randomBytes(15), environment) } = input
      const key_hash = vault.keyedHash(licenseKeyPurpose, license_key)
      const event = isMailed && mails.isConfigured ? { eventId: identifiers.next("evt") } : {}
      return { requested: row, id, license_key, key_hash, input, issued, subscription_id, ...event }
    })
    if (made.length === 0) return { issued: [], taken: [] }
    const written = new Set((yield* insertLicenses(sql, made)).map(({ id }) => id))
    const kept = made.filter(({ id }) => written.has(id))
    const recorded = yield* licenses.recordAll(kept.map(({ eventId, requested: { metadata }, id }) => ({
      type: "license.created",
      id,
      ...(eventId === undefined ? {} : { eventId }),
      ...(metadata === undefined ? {} : { metadata })
    })))
    const begun = yield* begin(kept.flatMap(({ id, input }) => begunAs(id, input)))
    yield* Effect.forEach(
      kept,
      ({ eventId, id, key_hash, license_key }) =>
        eventId === undefined
          ? Effect.void
          : mails.newKey({
            eventId,
            kind: "license_issued",
            licenseId: id,
            licenseKey: license_key,
            keyHash: key_hash
          }),
      {
        discard: true
      }
    )
    const left = new Map([...recorded, ...begun].map((license) => [license.id, license]))
    return {
      issued: kept.map(({ requested, id, license_key }) => ({ requested, license: left.get(id)!, license_key })),
      taken: made.flatMap(({ requested, id }) => written.has(id) ? [] : [requested])
    }
  })
})

/** The license that the service issues of its own accord. */
interface Own {
  readonly id: string
  readonly metadata: JsonObject
}

/** Issues single licenses, for management and for trials. */
export class LicenseCreation extends Context.Service<LicenseCreation, {
  /** The key is returned only here. `own` is for what the service issues of its own accord. */
  readonly create: (
    input: LicenseOfKnown,
    own?: Own
  ) => Effect.Effect<Warned<LicenseCreated>, NotFound | ValidationError>
  /** The same for a request, which may name a customer who is found or created on the way. */
  readonly createRequested: (
    input: LicenseCreate
  ) => Effect.Effect<Warned<LicenseCreated>, NotFound | StateConflict | TokenScopeDenied | ValidationError>
}>()("countersign/services/licensing/licenses/LicenseCreation") {
  static readonly layer = Layer.effect(
    LicenseCreation,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const customers = yield* Customers
      const issue = yield* makeLicenseIssuing
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)

      /** Checks and locks what a new license names; returns its policy, and the subscription that it has. */
      const named = Effect.fnUntraced(function*(input: LicenseOfKnown) {
        const limit = yield* CurrentProducts
        const products = yield* lockNamed(sql, "products", [input.product_id], { limit })
        if (products.length === 0) return yield* failing(NotFound, "No product has the id in product_id.")
        const [policy] = yield* lockNamed(sql, "policies", [input.policy_id], { limit })
        if (policy === undefined) return yield* failing(NotFound, "No policy has the id in policy_id.")
        if (policy.product_id !== input.product_id) {
          return yield* invalidField("policy_id", "other_product", "belongs to another product")
        }
        const further = input.product_ids ?? []
        const found = (yield* links.furtherProducts(further))(input.product_id, further)
        if (found.length > 0) return yield* invalidRequest(found)
        if (input.customer_id !== undefined) yield* links.customer(input.customer_id)
        const { subscription_id } = yield* links.origin(input, "SHARE")
        const subscription = subscription_id === undefined ? undefined : yield* links.followed(subscription_id)
        return { subscription_id, policy: { ...policy, rules: rulesOf(policy), subscription } }
      })

      /** The id of the customer who is named, found or created: among those of the product, where the right is for it alone. */
      const customerOf = Effect.fnUntraced(function*(customer: NewCustomer, productId: string) {
        const isOfProduct = (yield* lackedScopes(["customer:write"])).length > 0
        const reach = isOfProduct ? [productId] : yield* CurrentProducts
        const id = yield* Effect.provideService(customers.findOrCreate(customer), CurrentProducts, reach)
        if (id === undefined) {
          return yield* invalidField("customer.email", "ambiguous", "is of several customers: name one by customer_id")
        }
        return id
      })

      const create = Effect.fn("LicenseCreation.create")((input: LicenseOfKnown, own?: Own, customer?: NewCustomer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const elsewhere = keyElsewhere(input.license_key, environment)
            if (elsewhere.length > 0) return yield* invalidRequest(elsewhere)
            const { policy, subscription_id } = yield* named(input)
            const [time] = yield* findTransactionTime(sql)
            const issued = yield* Effect.fromResult(
              Result.mapError(issueOf(input, policy, time!.now.getTime()), invalidRequest)
            )
            const owned = customer === undefined
              ? input
              : { ...input, customer_id: yield* customerOf(customer, input.product_id) }
            const { issued: [made] } = yield* issue([{ input: owned, issued, subscription_id, isMailed: true, ...own }])
            if (made === undefined) return yield* invalidRequest([keyTaken])
            const { license, license_key } = made
            const warnings = [...warningsAboutNew(license), ...yield* quotas.aboutIssued([license])]
            return { data: { license, license_key }, warnings }
          })
        )
      )

      /** A license that a reseller issues: by its policy, with the tag, and while the reseller may have one more. */
      const createForReseller = Effect.fnUntraced(function*(input: LicenseCreate, { most, tag }: Reseller) {
        const beyond = beyondReseller("issue", input)
        if (beyond.length > 0) return yield* notForResellers(beyond)
        if (most !== undefined) {
          const limit = yield* CurrentProducts
          // Rotated keys share their tag, and so do keys of one reseller: issuing waits by the tag, not by the key.
          yield* lockTag(sql, tag)
          const [found] = yield* countTagged(sql, tag, limit ?? [])
          if (found!.count >= most) {
            return yield* failing(StateConflict, `This reseller has ${most} licenses, as many as there may be.`, {
              detail: `max_licenses ${most}`
            })
          }
        }
        const { customer: _customer, ...issue } = input
        return yield* create({ ...issue, tags: [tag] })
      })

      const createRequested = Effect.fnUntraced(function*(request: LicenseCreate) {
        const { reseller } = yield* CurrentActor
        if (reseller !== undefined) return yield* inTransaction(sql, createForReseller(request, reseller))
        const { customer, ...input } = request
        if (customer === undefined) return yield* create(input)
        const lacked = yield* lackedScopesOn(["customer:write"], input.product_id)
        if (lacked.length > 0) {
          return yield* failing(TokenScopeDenied, "A license with `customer` also needs the scope for customers.", {
            detail: lacked.join(" ")
          })
        }
        if (input.customer_id !== undefined) {
          return yield* invalidField("customer", "contradiction", "excludes customer_id, which names the customer")
        }
        return yield* create(input, undefined, customer)
      })

      return LicenseCreation.of({ create, createRequested })
    })
  )
}
