import { Context, Effect, Layer, Schema } from "effect"
import { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import { onlyNamed } from "../../../domain/catalog/NamedFeature.ts"
import { isOfPool, TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import { refundRefused } from "../../../domain/catalog/terms/Measure.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { OwnRefundRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { ownUse, refundIssued } from "../../../domain/licensing/grants/UsageRefund.ts"
import type { RefundIssued, UsageRefund, UsageRefundCreate } from "../../../domain/licensing/grants/UsageRefund.ts"
import { licenseFeatureOf, readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeRollovers } from "../../catalog/terms/Rollovers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { insertCorrection, lockProducts, updateGrantsVersion } from "../licenses/LicenseFeatureSql.ts"
import { lockPools, takenBy, updateTaken } from "./GrantSql.ts"
import { listNamedFeatures, lockUse, updateRefunded, updateUseRefunded } from "./RefundSql.ts"
import type { NamedUse, UseName } from "./RefundSql.ts"

const readFeature = rowReader(LicenseFeature)

const readUse = rowReader(Schema.Struct({
  amount: Schema.Finite,
  overage: Schema.Finite,
  taken: Schema.Array(TakenUnits),
  refunded: Schema.Finite,
  is_settled: Schema.Boolean,
  is_current: Schema.Boolean,
  total: Schema.optionalKey(Schema.Finite),
  device_id: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  age: Schema.Finite
}))

/** A use that is locked, and what it was counted under. */
interface LockedUse {
  readonly name: UseName
  readonly use: ReturnType<typeof readUse>
}

/** A refund as it was written, and the feature as the log has it. */
interface Refunded extends RefundIssued {
  readonly feature: LicenseFeature
}

/** The refusal where a license has no feature of a name. */
const noFeature = failing(NotFound, "The license does not have this feature.")

/** The refusal where nothing was counted under an `event_id`. */
const noUse = failing(
  NotFound,
  "The feature has no usage event with this event_id, or it is older than usage events are kept."
)

/** Locks a use of a license that is locked. */
const lockedUse = (sql: Database, name: UseName): Effect.Effect<LockedUse, NotFound> =>
  Effect.flatMap(
    lockUse(sql, name),
    ([row]) => row === undefined ? Effect.fail(noUse) : Effect.succeed({ name, use: readUse(row) })
  )

const giveBack = Effect.fnUntraced(function*(sql: Database, licenseId: string, grants: ReadonlyArray<TakenUnits>) {
  const pools = grants.flatMap((units) => isOfPool(units) ? units.grant_id : [])
  if (pools.length > 0) yield* lockPools(sql, pools)
  const back = grants.map(({ amount, grant_id }) => ({ grant_id, amount: -amount }))
  yield* updateTaken(sql, takenBy(licenseId, back))
})

/**
 * Makes the one way in which a use is given back, whoever asks for it: to the quota, the grants and the pools that served it, with its
 * event, in the name of the current actor.
 */
const makeUseRefunding = (sql: Database, events: Events["Service"], identifiers: Identifiers["Service"]) => {
  const rollovers = makeRollovers(sql, events, identifiers)

  return Effect.fn("Refunds.giveBack")(function*({ name, use }: LockedUse, asked: number | undefined) {
    const { eventId, featureId, licenseId } = name
    // An earlier period carries what was left of it at its end.
    yield* rollovers.settle(licenseId)
    const { amount, grants, refunded } = yield* Effect.fromResult(refundIssued(use, asked))
    const counted = use.is_settled ? 0 : Math.min(amount, use.total ?? 0)
    const units = use.is_settled ? 0 : grants.reduce((sum, { amount }) => sum + amount, 0)
    const [row] = yield* updateRefunded(sql, name, { counted, units, isCurrent: use.is_current })
    if (row === undefined) return yield* noFeature
    const feature = readFeature(row)
    yield* updateUseRefunded(sql, name, refunded)
    if (grants.length > 0) yield* giveBack(sql, licenseId, grants)
    yield* updateGrantsVersion(sql, licenseId, 1)
    const id = identifiers.next("evt")
    const { requestId } = yield* RequestOrigin
    yield* events.append({
      id,
      type: "license.usage_reset",
      resourceId: licenseId,
      data: feature,
      metadata: {
        feature_id: featureId,
        feature_code: feature.feature_code,
        refund_of: eventId,
        refunded: amount,
        counted,
        ...(grants.length === 0 ? {} : { grants: grants.map((units) => ({ ...units })) })
      }
    })
    const after = feature.total_consumptions
    yield* insertCorrection(sql, {
      id,
      action: "license.usage_reset",
      feature,
      before: after + counted,
      after,
      requestId,
      refund: { eventId, grants }
    })
    return { amount, refunded, grants, feature } satisfies Refunded
  }) satisfies (
    locked: LockedUse,
    asked: number | undefined
  ) => Effect.Effect<Refunded, NotFound | StateConflict | ValidationError>
}

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
