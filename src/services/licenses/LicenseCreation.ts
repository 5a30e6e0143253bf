import { Context, Effect, Layer, Result } from "effect"
import { warningsAboutNew } from "../../domain/licenses/License.ts"
import type { LicenseCreate, LicenseCreated } from "../../domain/licenses/License.ts"
import { issueOf } from "../../domain/licenses/LicenseIssue.ts"
import { keyElsewhere, keyTaken } from "../../domain/licenses/LicenseKeyInput.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { ValidationError, Warned } from "../../domain/wire/Errors.ts"
import { failing, NotFound } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { lockNamed } from "../commerce/LinkSql.ts"
import { CurrentEnvironment } from "../environment/CurrentEnvironment.ts"
import { Database } from "../persistence/Database.ts"
import { CurrentProducts } from "../persistence/ProductLimit.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { findTransactionTime } from "./IssueSql.ts"
import { makeLicenseIssuing } from "./LicenseIssuing.ts"
import { makeQuotaWarnings } from "./QuotaWarnings.ts"

/** Issues single licenses, for management and for trials. */
export class LicenseCreation extends Context.Service<LicenseCreation, {
  /** The key is returned only here. `own` is for what the service issues of its own accord. */
  readonly create: (
    input: LicenseCreate,
    own?: { readonly id: string; readonly metadata: JsonObject }
  ) => Effect.Effect<Warned<LicenseCreated>, NotFound | ValidationError>
}>()("countersign/services/licenses/LicenseCreation") {
  static readonly layer = Layer.effect(
    LicenseCreation,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const issue = yield* makeLicenseIssuing
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)

      /** Checks and locks what a new license names; returns its policy, and the subscription that it has. */
      const named = Effect.fnUntraced(function*(input: LicenseCreate) {
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

      const create = Effect.fn("LicenseCreation.create")((
        input: LicenseCreate,
        own?: { readonly id: string; readonly metadata: JsonObject }
      ) =>
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
            const { issued: [made] } = yield* issue([{ input, issued, subscription_id, ...own }])
            if (made === undefined) return yield* invalidRequest([keyTaken])
            const { license, license_key } = made
            const warnings = [...warningsAboutNew(license), ...yield* quotas.aboutIssued([license])]
            return { data: { license, license_key }, warnings }
          })
        )
      )

      return LicenseCreation.of({ create })
    })
  )
}
