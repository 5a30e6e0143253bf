import { Context, Effect, Layer, Schema } from "effect"
import { LicenseFeature } from "../../domain/catalog/Feature.ts"
import { onlyNamed } from "../../domain/catalog/NamedFeature.ts"
import { refundIssued } from "../../domain/catalog/UsageRefund.ts"
import type { UsageRefund, UsageRefundCreate } from "../../domain/catalog/UsageRefund.ts"
import { TakenUnits } from "../../domain/terms/GrantBalance.ts"
import { failing, NotFound } from "../../domain/wire/Errors.ts"
import type { StateConflict, ValidationError } from "../../domain/wire/Errors.ts"
import { Events } from "../events/Events.ts"
import { RequestOrigin } from "../events/Provenance.ts"
import { insertCorrection, lockProducts, updateGrantsVersion } from "../licenses/LicenseFeatureSql.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { licenseFeatureOf, readFeatureGrants } from "../terms/FeatureGrants.ts"
import { updateTaken } from "./GrantSql.ts"
import { listNamedFeatures, lockUse, updateRefunded, updateUseRefunded } from "./RefundSql.ts"

const readFeature = rowReader(LicenseFeature)

const readUse = rowReader(Schema.Struct({
  amount: Schema.Finite,
  overage: Schema.Finite,
  taken: Schema.Array(TakenUnits),
  refunded: Schema.Finite,
  is_settled: Schema.Boolean,
  is_current: Schema.Boolean,
  total: Schema.optionalKey(Schema.Finite)
}))

const noFeature = failing(NotFound, "The license does not have this feature.")
const noUse = failing(
  NotFound,
  "The feature has no usage event with this event_id, or it is older than usage events are kept."
)

/** Uses that are given back, whole or in part, to the quota and the grants that served them. */
export class Refunds extends Context.Service<Refunds, {
  readonly refund: (
    licenseId: string,
    input: UsageRefundCreate
  ) => Effect.Effect<UsageRefund, NotFound | StateConflict | ValidationError>
}>()("countersign/services/metering/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers

      /** The use that a request names, with its license locked. */
      const held = Effect.fnUntraced(function*(licenseId: string, input: UsageRefundCreate) {
        if ((yield* lockProducts(sql, licenseId)).length === 0) {
          return yield* failing(NotFound, "No license has this id.")
        }
        const named = yield* listNamedFeatures(sql, licenseId, input)
        if (named.length === 0) return yield* noFeature
        const used = yield* Effect.fromResult(onlyNamed(named.filter(({ isUsed }) => isUsed)))
        if (used === undefined) return yield* noUse
        const name = { licenseId, featureId: used.id, eventId: input.event_id }
        const [row] = yield* lockUse(sql, name)
        return row === undefined ? yield* noUse : { name, use: readUse(row) }
      })

      const refund = Effect.fn("Refunds.refund")((licenseId: string, input: UsageRefundCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { name, use } = yield* held(licenseId, input)
            const { amount, grants, refunded } = yield* Effect.fromResult(refundIssued(use, input.amount))
            const counted = use.is_settled ? 0 : Math.min(amount, use.total ?? 0)
            const units = use.is_settled ? 0 : grants.reduce((sum, { amount }) => sum + amount, 0)
            const [row] = yield* updateRefunded(sql, name, { counted, units, isCurrent: use.is_current })
            if (row === undefined) return yield* noFeature
            const left = readFeature(row)
            yield* updateUseRefunded(sql, name, refunded)
            if (grants.length > 0) {
              yield* updateTaken(sql, grants.map(({ amount, grant_id }) => ({ grant_id, amount: -amount })))
            }
            yield* updateGrantsVersion(sql, licenseId, 1)
            const id = identifiers.next("evt")
            const { requestId } = yield* RequestOrigin
            const { eventId, featureId } = name
            yield* events.append({
              id,
              type: "license.usage_reset",
              resourceId: licenseId,
              data: left,
              metadata: {
                feature_id: featureId,
                feature_code: left.feature_code,
                refund_of: eventId,
                refunded: amount,
                counted,
                ...(grants.length === 0 ? {} : { grants: grants.map((units) => ({ ...units })) })
              }
            })
            const after = left.total_consumptions
            yield* insertCorrection(sql, {
              id,
              action: "license.usage_reset",
              feature: left,
              before: after + counted,
              after,
              requestId,
              refund: { eventId, grants }
            })
            const feature = (yield* readFeatureGrants(sql, licenseId)).find(({ feature }) => feature.id === featureId)
            return {
              license_id: licenseId,
              feature_id: featureId,
              event_id: eventId,
              amount,
              refunded,
              ...(grants.length === 0 ? {} : { grants }),
              feature: feature === undefined ? left : licenseFeatureOf(licenseId, feature)
            }
          })
        )
      )

      return Refunds.of({ refund })
    })
  )
}
