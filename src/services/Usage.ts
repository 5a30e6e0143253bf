import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Refusals } from "../domain/Decision.ts"
import { bindingOf } from "../domain/DeviceBinding.ts"
import { failing, IdempotencyConflict } from "../domain/Errors.ts"
import type { LicenseKeyInvalid } from "../domain/Errors.ts"
import type { EventKind } from "../domain/EventKind.ts"
import type { ConsumeRequest } from "../domain/Runtime.ts"
import { Events } from "./Events.ts"
import { CurrentActor } from "./RequestContext.ts"
import { RuntimeSnapshot } from "./RuntimeSnapshot.ts"
import type { RuntimeCredential, SignedAnswer } from "./RuntimeSnapshot.ts"
import { inTransaction } from "./Transaction.ts"

interface AssignmentRow {
  readonly feature_id: string
  readonly entitled: boolean
  readonly quota: bigint | null
  readonly consumed: bigint
}

/** Metered features: used up, counted once, never beyond their quota. */
export class Usage extends Context.Service<Usage, {
  /** The license row is locked, so honest concurrent callers wait for each other and none is refused. */
  readonly consume: (
    credential: RuntimeCredential,
    request: ConsumeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["consume"] | LicenseKeyInvalid | IdempotencyConflict>
}>()("countersign/services/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const events = yield* Events
      const snapshots = yield* RuntimeSnapshot

      const assignment = Effect.fnUntraced(function*(licenseId: string, productId: string, code: string) {
        const rows = yield* sql<AssignmentRow>`
          SELECT a.feature_id, a.enabled AND (a.expires_at IS NULL OR a.expires_at > clock_timestamp()) AS entitled,
            a.max_consumptions AS quota, a.total_consumptions AS consumed
          FROM license_features a JOIN features f ON f.id = a.feature_id
          WHERE a.license_id = ${licenseId} AND f.product_id = ${productId} AND f.code = ${code}`.pipe(Effect.orDie)
        return rows[0]
      })

      /** The amount that was counted for this `event_id`, if any. */
      const counted = Effect.fnUntraced(function*(licenseId: string, featureId: string, eventId: string) {
        const rows = yield* sql<{ readonly amount: bigint }>`
          SELECT amount FROM usage_records
          WHERE license_id = ${licenseId} AND feature_id = ${featureId} AND event_id = ${eventId}`.pipe(Effect.orDie)
        return rows[0] === undefined ? undefined : Number(rows[0].amount)
      })

      const count = Effect.fnUntraced(function*(
        licenseId: string,
        deviceId: string,
        feature: AssignmentRow,
        request: ConsumeRequest,
        amount: number
      ) {
        yield* sql`
          INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id)
          VALUES (${licenseId}, ${feature.feature_id}, ${request.event_id}, ${amount}, ${deviceId})`
        yield* sql`
          UPDATE license_features SET total_consumptions = total_consumptions + ${amount}, updated_at = now()
          WHERE license_id = ${licenseId} AND feature_id = ${feature.feature_id}`
        yield* sql`
          UPDATE licenses SET total_consumptions = least(total_consumptions + ${amount}, ${Number.MAX_SAFE_INTEGER})
          WHERE id = ${licenseId}`
        const total = Number(feature.consumed) + amount
        const append = (type: EventKind) =>
          events.append({
            type,
            resourceId: licenseId,
            data: {
              license_id: licenseId,
              device_id: deviceId,
              feature_id: feature.feature_id,
              feature_code: request.feature_code,
              event_id: request.event_id,
              amount,
              total_consumptions: total,
              ...(feature.quota === null
                ? {}
                : { max_consumptions: Number(feature.quota), remaining: Number(feature.quota) - total })
            },
            metadata: { device_id: deviceId, feature_code: request.feature_code }
          })
        yield* append("license.usage_recorded")
        // Only the use that reaches the quota can stand exactly on it, so this is once per crossing.
        if (feature.quota !== null && total === Number(feature.quota)) yield* append("license.quota_reached")
      }, Effect.orDie)

      const consume = Effect.fn("Usage.consume")((credential: RuntimeCredential, request: ConsumeRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const binding = bindingOf(request)
            const amount = request.amount ?? 1
            yield* sql`SELECT 1 FROM licenses WHERE key_hash = ${credential.keyHash} FOR NO KEY UPDATE`.pipe(
              Effect.orDie
            )
            const snapshot = yield* snapshots.read(credential, binding)
            const feature = yield* assignment(snapshot.license_id, snapshot.product_id, request.feature_code)
            const before = feature === undefined
              ? undefined
              : yield* counted(snapshot.license_id, feature.feature_id, request.event_id)
            // Without a quota the end is what a JSON number can say in every language.
            const remaining = feature === undefined
              ? undefined
              : Number(feature.quota ?? Number.MAX_SAFE_INTEGER) - Number(feature.consumed)
            yield* snapshots.decide("consume", snapshot, request, {
              consumption: {
                entitled: feature?.entitled === true,
                // A repeat takes nothing more, so it is not held against the quota.
                remaining: before === undefined ? remaining : undefined,
                amount
              }
            })
            if (before !== undefined && before !== amount) {
              return yield* failing(IdempotencyConflict, "This event_id was counted before with another amount.", {
                detail: `amount ${before}`
              })
            }
            const device_id = snapshot.device_id!
            if (before === undefined) {
              yield* count(snapshot.license_id, device_id, feature!, request, amount).pipe(
                Effect.provideService(CurrentActor, { type: "license", id: snapshot.license_id, scopes: [] })
              )
            }
            const after = before === undefined ? yield* snapshots.read(credential, binding) : snapshot
            return yield* snapshots.entitlement({ ...after, device_id }, request, binding)
          })
        )
      )

      return Usage.of({ consume })
    })
  )
}
