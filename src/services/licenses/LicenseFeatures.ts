import { Context, Effect, Layer } from "effect"
import { LicenseFeature } from "../../domain/catalog/Feature.ts"
import type { LicenseFeatureAssign, LicenseFeatureUsageReset } from "../../domain/catalog/Feature.ts"
import type { LedgerAction } from "../../domain/reports/Report.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { InvalidCursor, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { RequestOrigin } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { keysetPageBy } from "../persistence/KeysetPagination.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Licenses } from "./Licenses.ts"

const readFeature = rowReader(LicenseFeature)

type LedgerCorrection = Exclude<LedgerAction, "license.usage_recorded">

/** The features that a license grants, with their quotas. A feature that is not assigned is not granted. */
export class LicenseFeatures extends Context.Service<LicenseFeatures, {
  readonly list: (
    licenseId: string,
    page: PageRequest
  ) => Effect.Effect<Page<LicenseFeature>, NotFound | InvalidCursor>
  /**
   * Assigns a feature or changes an assignment; members left out keep their value. An archived feature cannot be
   * assigned anew.
   */
  readonly assign: (
    licenseId: string,
    input: LicenseFeatureAssign
  ) => Effect.Effect<LicenseFeature, NotFound | ValidationError | StateConflict>
  readonly remove: (licenseId: string, featureId: string) => Effect.Effect<void, NotFound>
  /** Corrects the quota or the use of an assigned feature. Adding credits requires a quota. */
  readonly resetUsage: (
    licenseId: string,
    input: LicenseFeatureUsageReset
  ) => Effect.Effect<LicenseFeature, NotFound | ValidationError>
}>()("countersign/services/licenses/LicenseFeatures") {
  static readonly layer = Layer.effect(
    LicenseFeatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses

      const select = sql`
        SELECT a.license_id, a.feature_id, f.code AS feature_code, f.name AS feature_name, a.enabled,
          a.max_consumptions, a.total_consumptions, a.expires_at, a.metadata,
          -- greatest() passes over NULL, so that no quota would read as nothing left.
          CASE WHEN a.max_consumptions IS NOT NULL THEN greatest(a.max_consumptions - a.total_consumptions, 0)
          END AS remaining
        FROM license_features a JOIN features f ON f.id = a.feature_id`

      const list = Effect.fn("LicenseFeatures.list")((licenseId: string, page: PageRequest) =>
        Effect.andThen(
          licenses.get(licenseId),
          keysetPageBy({
            list: "license_features",
            filters: { licenseId },
            page,
            idOf: ({ feature_id }: LicenseFeature) => feature_id,
            rows: (after, limit) =>
              sql`
                ${select} WHERE a.license_id = ${licenseId}
                ${after === undefined ? sql`` : sql`AND a.feature_id < ${after}`}
                ORDER BY a.feature_id DESC LIMIT ${limit}`.pipe(
                Effect.map((rows) => rows.map(readFeature))
              )
          })
        )
      )

      /** Increments the version of the license's grants, which also locks the license against a concurrent change. */
      const bump = Effect.fnUntraced(function*(licenseId: string) {
        const rows = yield* sql<{ readonly product_id: string }>`
          UPDATE licenses SET entitlement_version = entitlement_version + 1, updated_at = now()
          WHERE id = ${licenseId} RETURNING product_id`
        return rows[0] === undefined ? yield* failing(NotFound, "No license has this id.") : rows[0].product_id
      })

      const append = (
        type: "license.feature_assigned" | LedgerCorrection,
        feature: LicenseFeature,
        more: JsonObject = {},
        id: string = identifiers.next("evt")
      ) =>
        events.append({
          id,
          type,
          resourceId: feature.license_id,
          data: feature,
          metadata: { feature_id: feature.feature_id, feature_code: feature.feature_code, ...more }
        })

      /** Appends the event for a corrected use, and the ledger entry with the difference. */
      const correct = Effect.fnUntraced(function*(
        type: LedgerCorrection,
        feature: LicenseFeature,
        totals: { readonly before: number; readonly after: number },
        more?: JsonObject
      ) {
        const id = identifiers.next("evt")
        const { requestId } = yield* RequestOrigin
        yield* append(type, feature, more, id)
        yield* sql`
          INSERT INTO usage_corrections (id, action, license_id, feature_id, feature_code, amount, total_consumptions,
            max_consumptions, product_id, customer_id, order_id, subscription_id, request_id)
          SELECT ${id}, ${type}, id, ${feature.feature_id}, ${feature.feature_code},
            ${BigInt(totals.after - totals.before)}::int8, ${BigInt(totals.after)}::int8,
            ${feature.max_consumptions ?? null}::int8, product_id, customer_id, order_id, subscription_id,
            ${requestId ?? null}
          FROM licenses WHERE id = ${feature.license_id}`
      })

      const find = (licenseId: string, featureId: string) =>
        sql`${select} WHERE a.license_id = ${licenseId} AND a.feature_id = ${featureId}`.pipe(
          Effect.map(([row]) => row === undefined ? undefined : readFeature(row))
        )

      const assign = Effect.fn("LicenseFeatures.assign")((licenseId: string, input: LicenseFeatureAssign) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const productId = yield* bump(licenseId)
            const features = yield* sql<{ readonly product_id: string; readonly archived_at: Date | null }>`
              SELECT product_id, archived_at FROM features WHERE id = ${input.feature_id} FOR SHARE`
            if (features[0] === undefined) return yield* failing(NotFound, "No feature has the id in feature_id.")
            if (features[0].product_id !== productId) {
              return yield* invalidField("feature_id", "other_product", "belongs to another product")
            }
            if (features[0].archived_at !== null && (yield* find(licenseId, input.feature_id)) === undefined) {
              return yield* failing(StateConflict, "The feature is archived and can be given to no further license.", {
                detail: "archived"
              })
            }
            yield* sql`
              INSERT INTO license_features (license_id, feature_id, enabled, max_consumptions, expires_at, metadata)
              VALUES (${licenseId}, ${input.feature_id}, ${input.enabled ?? true}, ${
              input.max_consumptions ?? null
            }::int8,
                ${input.expires_at ?? null}::text::timestamptz, ${JSON.stringify(input.metadata ?? {})}::jsonb)
              ON CONFLICT (license_id, feature_id) DO UPDATE SET
                enabled = CASE WHEN ${input.enabled !== undefined} THEN excluded.enabled
                  ELSE license_features.enabled END,
                max_consumptions = CASE WHEN ${input.max_consumptions !== undefined} THEN excluded.max_consumptions
                  ELSE license_features.max_consumptions END,
                expires_at = CASE WHEN ${input.expires_at !== undefined} THEN excluded.expires_at
                  ELSE license_features.expires_at END,
                metadata = CASE WHEN ${input.metadata !== undefined} THEN excluded.metadata
                  ELSE license_features.metadata END,
                updated_at = now()`
            const feature = (yield* find(licenseId, input.feature_id))!
            yield* append("license.feature_assigned", feature)
            return feature
          })
        )
      )

      const remove = Effect.fn("LicenseFeatures.remove")((licenseId: string, featureId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* bump(licenseId)
            const feature = yield* find(licenseId, featureId)
            if (feature === undefined) return yield* failing(NotFound, "The license does not have this feature.")
            yield* sql`
              DELETE FROM license_features WHERE license_id = ${licenseId} AND feature_id = ${featureId}`
            yield* correct("license.feature_removed", feature, { before: feature.total_consumptions, after: 0 })
          })
        )
      )

      const resetUsage = Effect.fn("LicenseFeatures.resetUsage")((
        licenseId: string,
        input: LicenseFeatureUsageReset
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* bump(licenseId)
            const rows = yield* sql<{
              readonly id: string
              readonly quota: bigint | null
              readonly total: bigint
            }>`
              SELECT a.feature_id AS id, a.max_consumptions AS quota, a.total_consumptions AS total
              FROM license_features a JOIN features f ON f.id = a.feature_id
              WHERE a.license_id = ${licenseId}
                AND ${
              input.feature_id === undefined
                ? sql`f.code = ${input.feature_code!}`
                : sql`a.feature_id = ${input.feature_id}`
            }`
            const row = rows[0]
            if (row === undefined) return yield* failing(NotFound, "The license does not have this feature.")
            const base = input.max_consumptions ?? (row.quota === null ? undefined : Number(row.quota))
            if (base === undefined && input.add_credits !== undefined) {
              return yield* invalidField("add_credits", "no_quota", "needs a quota to add to, and the feature has none")
            }
            const quota = base === undefined ? undefined : base + (input.add_credits ?? 0)
            if (quota !== undefined && quota > Number.MAX_SAFE_INTEGER) {
              return yield* invalidField(
                "add_credits",
                "too_large",
                "is too much: the quota would be larger than 2^53 - 1"
              )
            }
            const used = input.reset_consumed === true ? 0 : input.total_consumptions
            yield* sql`
              UPDATE license_features SET max_consumptions = ${quota ?? null}::int8,
                total_consumptions = coalesce(${used ?? null}::int8, total_consumptions), updated_at = now()
              WHERE license_id = ${licenseId} AND feature_id = ${row.id}`
            const feature = (yield* find(licenseId, row.id))!
            const { feature_code: _code, feature_id: _id, ...changes } = input
            const totals = { before: Number(row.total), after: feature.total_consumptions }
            yield* correct("license.usage_reset", feature, totals, changes)
            return feature
          })
        )
      )

      return LicenseFeatures.of({ list, assign, remove, resetUsage })
    })
  )
}
