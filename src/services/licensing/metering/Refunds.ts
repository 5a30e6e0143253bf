import { Context, Effect, Layer } from "effect"
import { onlyNamed } from "../../../domain/catalog/NamedFeature.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { OwnRefundRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { ownUse } from "../../../domain/licensing/grants/UsageRefund.ts"
import type { UsageRefund, UsageRefundCreate } from "../../../domain/licensing/grants/UsageRefund.ts"
import { refundRefused } from "../../../domain/catalog/terms/Measure.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, licenseActor } from "../../log/Provenance.ts"
import { lockProducts } from "../licenses/LicenseFeatureSql.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { licenseFeatureOf, readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { listNamedFeatures } from "./RefundSql.ts"
import type { NamedUse } from "./RefundSql.ts"
import { lockedUse, makeUseRefunding, noFeature, noUse } from "./UseRefunding.ts"

/** Uses that are given back, whole or in part, to the quota and the grants that served them. */
export class Refunds extends Context.Service<Refunds, {
  readonly refund: (
    licenseId: string,
    input: UsageRefundCreate
  ) => Effect.Effect<UsageRefund, NotFound | StateConflict | ValidationError>
  /** The same for the app that made the use, by the terms of its license. */
  readonly refundOwn: (
    credential: RuntimeCredential,
    request: OwnRefundRequest
  ) => Effect.Effect<SignedAnswer, Refusals["refund"] | LicenseKeyInvalid | NotFound | StateConflict | ValidationError>
}>()("countersign/services/licensing/metering/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const events = yield* Events
      const states = yield* EntitlementState
      const giveBack = makeUseRefunding(sql, events, yield* Identifiers)

      /** The use that a request names, locked. Its license is locked already. */
      const held = Effect.fnUntraced(function*(licenseId: string, named: NamedUse) {
        const features = yield* listNamedFeatures(sql, licenseId, named)
        if (features.length === 0) return yield* noFeature
        const used = yield* Effect.fromResult(onlyNamed(features.filter(({ isUsed }) => isUsed)))
        if (used === undefined) return yield* noUse
        const refused = refundRefused(used.meter)
        if (refused !== undefined) return yield* refused
        return yield* lockedUse(sql, { licenseId, featureId: used.id, eventId: named.event_id })
      })

      const refund = Effect.fn("Refunds.refund")((licenseId: string, input: UsageRefundCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            if ((yield* lockProducts(sql, licenseId)).length === 0) {
              return yield* failing(NotFound, "No license has this id.")
            }
            const locked = yield* held(licenseId, input)
            const { amount, feature: left, grants, refunded } = yield* giveBack(locked, input.amount)
            const { eventId, featureId } = locked.name
            const feature = (yield* readFeatureTerms(sql, licenseId)).find(({ feature }) => feature.id === featureId)
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

      const refundOwn = Effect.fn("Refunds.refundOwn")((credential: RuntimeCredential, request: OwnRefundRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const question = questionOf(credential, request)
            const snapshot = yield* states.readLocked(question)
            yield* Effect.fromResult(decide("refund", snapshot, request))
            const { device_id, license_id, product_id, refund_window_minutes } = snapshot
            const { event_id, feature_code } = request
            const locked = yield* held(license_id, { event_id, feature_code, product_id })
            yield* Effect.fromResult(
              ownUse(locked.use, { deviceId: device_id!, windowMinutes: refund_window_minutes! })
            )
            const { amount, refunded } = yield* Effect.provideService(
              giveBack(locked, request.amount),
              CurrentActor,
              licenseActor(license_id)
            )
            return yield* answers.entitlement(
              yield* states.readLocked(question),
              { deviceId: device_id!, binding: bindingOf(request), request },
              { refund: { event_id, feature_code, amount, refunded } }
            )
          })
        ).pipe(decided("refund"))
      )

      return Refunds.of({ refund, refundOwn })
    })
  )
}
