import { Effect, Schema } from "effect"
import { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import { refundIssued } from "../../../domain/licensing/grants/UsageRefund.ts"
import type { RefundIssued } from "../../../domain/licensing/grants/UsageRefund.ts"
import { isOfPool, TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { Events } from "../../log/Events.ts"
import { RequestOrigin } from "../../log/Provenance.ts"
import { insertCorrection, updateGrantsVersion } from "../licenses/LicenseFeatureSql.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { makeRollovers } from "../../catalog/terms/Rollovers.ts"
import { updateTaken } from "./GrantSql.ts"
import { lockPools, ofPools, updatePoolsRefunded } from "./PoolSql.ts"
import { lockUse, updateRefunded, updateUseRefunded } from "./RefundSql.ts"
import type { UseName } from "./RefundSql.ts"

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
export interface LockedUse {
  readonly name: UseName
  readonly use: ReturnType<typeof readUse>
}

/** A refund as it was written, and the feature as the log has it. */
interface Refunded extends RefundIssued {
  readonly feature: LicenseFeature
}

/** The refusal where a license has no feature of a name. */
export const noFeature = failing(NotFound, "The license does not have this feature.")

/** The refusal where nothing was counted under an `event_id`. */
export const noUse = failing(
  NotFound,
  "The feature has no usage event with this event_id, or it is older than usage events are kept."
)

/** Locks a use of a license that is locked. */
export const lockedUse = (sql: Database, name: UseName): Effect.Effect<LockedUse, NotFound> =>
  Effect.flatMap(
    lockUse(sql, name),
    ([row]) => row === undefined ? Effect.fail(noUse) : Effect.succeed({ name, use: readUse(row) })
  )

const giveBack = Effect.fnUntraced(function*(sql: Database, licenseId: string, grants: ReadonlyArray<TakenUnits>) {
  const own = grants.filter((units) => !isOfPool(units))
  const pooled = ofPools(licenseId, grants)
  if (own.length > 0) {
    yield* updateTaken(sql, own.map(({ amount, grant_id }) => ({ grant_id, amount: -amount })))
  }
  if (pooled.length === 0) return
  yield* lockPools(sql, pooled.map(({ grant_id }) => grant_id))
  yield* updatePoolsRefunded(sql, pooled)
})

/**
 * Makes the one way in which a use is given back, whoever asks for it: to the quota, the grants and the pools that served it, with its
 * event, in the name of the current actor.
 */
export const makeUseRefunding = (sql: Database, events: Events["Service"], identifiers: Identifiers["Service"]) => {
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
