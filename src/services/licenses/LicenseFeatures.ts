import { Context, Effect, Layer } from "effect"
import { restarted } from "../../domain/audit/EventReplay.ts"
import { LicenseFeature } from "../../domain/catalog/Feature.ts"
import type { LicenseFeatureAssign, LicenseFeatureUsageReset } from "../../domain/catalog/Feature.ts"
import { grantFindings } from "../../domain/catalog/PolicyFeature.ts"
import type { ValueDifference } from "../../domain/lifecycle/PolicyChange.ts"
import type { LedgerAction } from "../../domain/reports/Report.ts"
import type { EffectiveFeature } from "../../domain/terms/EffectiveFeatures.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { InvalidCursor, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { RequestOrigin } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { keysetPageBy } from "../persistence/KeysetPagination.ts"
import { andWithinProducts, CurrentProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { licenseFeatureOf, readFeatureGrants } from "../terms/FeatureGrants.ts"
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
  /**
   * Takes an assignment away. What the policy grants is in force again from then on, and counts from nothing; what it
   * alone grants can only be switched off.
   */
  readonly remove: (licenseId: string, featureId: string) => Effect.Effect<void, NotFound>
  /** Corrects the quota or the use of an assigned feature. Adding credits requires a quota. */
  readonly resetUsage: (
    licenseId: string,
    input: LicenseFeatureUsageReset
  ) => Effect.Effect<LicenseFeature, NotFound | ValidationError>
  /**
   * Sets every counter of a license to zero, that of its period with it, each with its event and its entry in the
   * ledger. The surrounding transaction has locked the license. Returns what was counted.
   */
  readonly restart: (licenseId: string) => Effect.Effect<ReadonlyArray<ValueDifference>>
  /**
   * Keeps the credits that were in force before a change of the terms in force for the period that runs after it, and
   * no others: what ended with its period stays ended under another. The surrounding transaction has locked the license.
   */
  readonly carryCredits: (licenseId: string, before: ReadonlyArray<EffectiveFeature>) => Effect.Effect<void>
}>()("countersign/services/licenses/LicenseFeatures") {
  static readonly layer = Layer.effect(
    LicenseFeatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses

      // An assignment and its counters as they are stored: what events show. Where there are credits, the quota that they
      // are added to is shown with them, be it the policy's.
      const select = sql`
        SELECT a.license_id, a.feature_id, f.code AS feature_code, f.name AS feature_name, a.enabled,
          q.quota AS max_consumptions, a.credits, a.credits_start,
          CASE WHEN a.credits IS NOT NULL THEN CASE WHEN a.max_consumptions IS NULL THEN 'policy' ELSE 'license' END
          END AS quota_from, a.total_consumptions, a.expires_at, a.metadata,
          -- greatest() passes over NULL, so that no quota would read as nothing left.
          CASE WHEN q.quota IS NOT NULL THEN greatest(q.quota - a.total_consumptions, 0)
          END AS remaining, CASE WHEN a.is_counter THEN 'policy' END AS "from", a.period, a.overage, a.period_start, a.period_consumptions
        FROM license_features a JOIN features f ON f.id = a.feature_id
        JOIN licenses l ON l.id = a.license_id
        LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id
        CROSS JOIN LATERAL (
          SELECT CASE WHEN a.credits IS NULL THEN a.max_consumptions
            ELSE least(coalesce(a.max_consumptions, g.max_consumptions) + a.credits, ${Number.MAX_SAFE_INTEGER}::int8)
            END AS quota
        ) q`

      const list = Effect.fn("LicenseFeatures.list")((licenseId: string, page: PageRequest) =>
        Effect.andThen(
          licenses.get(licenseId),
          keysetPageBy({
            list: "license_features",
            products: "owned",
            filters: { licenseId },
            page,
            idOf: ({ feature_id }: LicenseFeature) => feature_id,
            rows: (after, limit) =>
              Effect.map(readFeatureGrants(sql, licenseId), (granted) =>
                granted.map((feature) =>
                  licenseFeatureOf(licenseId, feature)
                )
                  .filter(({ feature_id }) => after === undefined || feature_id < after)
                  .toSorted((a, b) => a.feature_id < b.feature_id ? 1 : -1).slice(0, limit))
          })
        )
      )

      /** A feature as it is in force; undefined where the license does not have it. */
      const inForce = (licenseId: string, which: (feature: LicenseFeature) => boolean) =>
        Effect.map(
          readFeatureGrants(sql, licenseId),
          (granted) => granted.map((feature) => licenseFeatureOf(licenseId, feature)).find(which)
        )

      /**
       * Increments the version of the license's grants, which also locks the license against a concurrent change. Answers
       * its products.
       */
      const bump = Effect.fnUntraced(function*(licenseId: string) {
        const rows = yield* sql<{ readonly products: ReadonlyArray<string> }>`
          UPDATE licenses SET entitlement_version = entitlement_version + 1, updated_at = now()
          WHERE id = ${licenseId} RETURNING product_id || coalesce(product_ids, '{}') AS products`
        return rows[0] === undefined ? yield* failing(NotFound, "No license has this id.") : rows[0].products
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
            ${feature.max_consumptions ?? null}::int8,
            (SELECT f.product_id FROM features f WHERE f.id = ${feature.feature_id}), customer_id, order_id, subscription_id,
            ${requestId ?? null}
          FROM licenses WHERE id = ${feature.license_id}`
      })

      const stored = (licenseId: string, featureId: string) =>
        sql`${select} WHERE a.license_id = ${licenseId} AND a.feature_id = ${featureId}`.pipe(
          Effect.map(([row]) => row === undefined ? undefined : readFeature(row))
        )

      /** An assignment; a row that only counts the use of what the policy grants is none. */
      const find = (licenseId: string, featureId: string) =>
        sql`
          ${select} WHERE a.license_id = ${licenseId} AND a.feature_id = ${featureId} AND a.is_counter IS NULL`.pipe(
          Effect.map(([row]) => row === undefined ? undefined : readFeature(row))
        )

      /** Makes credits those of the running period, such as it is now; none take away what is stored. */
      const keepCredits = Effect.fnUntraced(function*(licenseId: string, featureId: string, credits: number) {
        const feature = yield* inForce(licenseId, ({ feature_id }) => feature_id === featureId)
        yield* sql`
          UPDATE license_features SET credits = ${credits === 0 ? null : BigInt(credits)}::int8,
            credits_start = ${credits === 0 ? null : feature?.period_start ?? null}::text::timestamptz
          WHERE license_id = ${licenseId} AND feature_id = ${featureId}`
      })

      const assign = Effect.fn("LicenseFeatures.assign")((licenseId: string, input: LicenseFeatureAssign) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const products = yield* bump(licenseId)
            const features = yield* sql<{ readonly product_id: string; readonly archived_at: Date | null }>`
              SELECT product_id, archived_at FROM features WHERE id = ${input.feature_id}
                ${andWithinProducts(sql, "product_id", yield* CurrentProducts)} FOR SHARE`
            if (features[0] === undefined) return yield* failing(NotFound, "No feature has the id in feature_id.")
            if (!products.includes(features[0].product_id)) {
              return yield* invalidField("feature_id", "other_product", "belongs to another product")
            }
            const before = yield* inForce(licenseId, ({ feature_id }) => feature_id === input.feature_id)
            if (features[0].archived_at !== null && before === undefined) {
              return yield* failing(StateConflict, "The feature is archived and can be given to no further license.", {
                detail: "archived"
              })
            }
            const found = grantFindings({
              ...(before?.max_consumptions === undefined ? {} : { max_consumptions: before.max_consumptions }),
              ...input
            })
            if (found.length > 0) return yield* invalidRequest(found)
            // A new quota takes the place of what was added to the one before.
            const keepsCredits = before?.credits !== undefined && input.max_consumptions === undefined
            yield* sql`
              INSERT INTO license_features (license_id, feature_id, enabled, max_consumptions, period, overage, expires_at,
                metadata)
              VALUES (${licenseId}, ${input.feature_id}, ${input.enabled ?? true}, ${
              input.max_consumptions ?? null
            }::int8, ${input.period ?? null}::text, ${input.overage ?? null}::text,
                ${input.expires_at ?? null}::text::timestamptz, ${JSON.stringify(input.metadata ?? {})}::jsonb)
              ON CONFLICT (license_id, feature_id) DO UPDATE SET is_counter = NULL,
                period = coalesce(excluded.period, license_features.period),
                overage = coalesce(excluded.overage, license_features.overage),
                enabled = CASE WHEN ${input.enabled !== undefined} THEN excluded.enabled
                  ELSE license_features.enabled END,
                max_consumptions = CASE WHEN ${input.max_consumptions !== undefined} THEN excluded.max_consumptions
                  ELSE license_features.max_consumptions END,
                credits = CASE WHEN ${keepsCredits} THEN license_features.credits END,
                credits_start = CASE WHEN ${keepsCredits} THEN license_features.credits_start END,
                expires_at = CASE WHEN ${input.expires_at !== undefined} THEN excluded.expires_at
                  ELSE license_features.expires_at END,
                metadata = CASE WHEN ${input.metadata !== undefined} THEN excluded.metadata
                  ELSE license_features.metadata END,
                updated_at = now()`
            if (keepsCredits) yield* keepCredits(licenseId, input.feature_id, before.credits)
            const feature = (yield* find(licenseId, input.feature_id))!
            yield* append("license.feature_assigned", feature)
            return (yield* inForce(licenseId, ({ feature_id }) => feature_id === input.feature_id))!
          })
        )
      )

      const remove = Effect.fn("LicenseFeatures.remove")((licenseId: string, featureId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* bump(licenseId)
            const feature = yield* find(licenseId, featureId)
            if (feature === undefined) {
              const granted = yield* inForce(licenseId, ({ feature_id }) => feature_id === featureId)
              return yield* failing(
                NotFound,
                granted === undefined
                  ? "The license does not have this feature."
                  : "The license was not assigned this feature: its policy grants it. Assign it with enabled: false to " +
                    "switch it off."
              )
            }
            yield* sql`
              DELETE FROM license_features WHERE license_id = ${licenseId} AND feature_id = ${featureId}`
            yield* correct("license.feature_removed", feature, { before: feature.total_consumptions, after: 0 })
          })
        )
      )

      /** What is added to the quota after a correction; a new quota takes the place of earlier credits. */
      const creditsAfter = Effect.fnUntraced(function*(before: LicenseFeature, input: LicenseFeatureUsageReset) {
        const { credits = 0, max_consumptions } = before
        const base = input.max_consumptions ?? (max_consumptions === undefined ? undefined : max_consumptions - credits)
        if (base === undefined && input.add_credits !== undefined) {
          return yield* invalidField("add_credits", "no_quota", "needs a quota to add to, and the feature has none")
        }
        const left = (input.max_consumptions === undefined ? credits : 0) + (input.add_credits ?? 0)
        if ((base ?? 0) + left > Number.MAX_SAFE_INTEGER) {
          return yield* invalidField(
            "add_credits",
            "too_large",
            "is too much: the quota would be larger than 2^53 - 1"
          )
        }
        return left === 0 ? null : BigInt(left)
      })

      const resetUsage = Effect.fn("LicenseFeatures.resetUsage")((
        licenseId: string,
        input: LicenseFeatureUsageReset
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* bump(licenseId)
            const isAsked = (feature: LicenseFeature) =>
              input.feature_id === undefined
                ? feature.feature_code === input.feature_code
                : feature.feature_id === input.feature_id
            const before = yield* inForce(licenseId, isAsked)
            if (before === undefined) return yield* failing(NotFound, "The license does not have this feature.")
            const { feature_id, period_consumptions: inPeriod, period_start, total_consumptions: total } = before
            const setsQuota = input.max_consumptions !== undefined
            const credits = yield* creditsAfter(before, input)
            // What is corrected is what counts against the quota: of a feature with a period, the period's count.
            const counted = inPeriod ?? total
            const used = input.reset_consumed === true ? 0 : input.total_consumptions ?? counted
            const after = Math.max(0, total + used - counted)
            yield* sql`
              INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, max_consumptions,
                credits, credits_start, total_consumptions, period_start, period_consumptions)
              VALUES (${licenseId}, ${feature_id}, true, '{}', ${setsQuota ? null : true}::boolean,
                ${input.max_consumptions ?? null}::int8, ${credits}::int8,
                ${credits === null ? null : period_start ?? null}::text::timestamptz, ${after}::int8,
                ${period_start ?? null}::text::timestamptz, ${inPeriod === undefined ? null : used}::int8)
              ON CONFLICT (license_id, feature_id) DO UPDATE SET updated_at = now(),
                is_counter = CASE WHEN ${setsQuota} THEN NULL ELSE a.is_counter END,
                max_consumptions = CASE WHEN ${setsQuota} THEN excluded.max_consumptions ELSE a.max_consumptions END,
                credits = excluded.credits, credits_start = excluded.credits_start,
                total_consumptions = excluded.total_consumptions,
                period_start = coalesce(excluded.period_start, a.period_start),
                period_consumptions = coalesce(excluded.period_consumptions, a.period_consumptions)`
            const feature = (yield* stored(licenseId, feature_id))!
            const { feature_code: _code, feature_id: _id, reason: _reason, ...changes } = input
            yield* correct("license.usage_reset", feature, { before: total, after }, changes)
            return (yield* inForce(licenseId, isAsked))!
          })
        )
      )

      const carryCredits = Effect.fn("LicenseFeatures.carryCredits")(function*(
        licenseId: string,
        before: ReadonlyArray<EffectiveFeature>
      ) {
        const had = new Map(before.map(({ credits, id }) => [id, credits]))
        const changed = (yield* readFeatureGrants(sql, licenseId)).map(({ feature }) => feature)
          .filter(({ credits, id }) => credits !== (had.get(id) ?? 0))
        for (const { id } of changed) {
          const credits = had.get(id) ?? 0
          yield* keepCredits(licenseId, id, credits)
          yield* bump(licenseId).pipe(Effect.orDie)
          const feature = yield* stored(licenseId, id)
          if (feature === undefined) continue
          const { total_consumptions: total } = feature
          yield* correct("license.usage_reset", feature, { before: total, after: total }, { carried_credits: credits })
        }
      })

      const restart = Effect.fn("LicenseFeatures.restart")(function*(licenseId: string) {
        const counted = (yield* sql`
          ${select} WHERE a.license_id = ${licenseId}
            AND (a.total_consumptions > 0 OR a.period_consumptions > 0) ORDER BY f.code, f.id`).map((row) =>
          readFeature(row)
        )
        if (counted.length === 0) return []
        const credited = (yield* readFeatureGrants(sql, licenseId)).filter(({ feature }) => feature.credits > 0)
        // Credits of a period that is over would be shown as if they counted.
        yield* sql`
          UPDATE license_features SET total_consumptions = 0, updated_at = now(),
            credits = CASE WHEN feature_id = ANY(${credited.map(({ feature }) => feature.id)}::text[]) THEN credits END,
            period_consumptions = CASE WHEN period_consumptions IS NOT NULL THEN 0 END
          WHERE license_id = ${licenseId} AND feature_id = ANY(${counted.map(({ feature_id }) => feature_id)}::text[])`
        yield* sql`
          UPDATE licenses SET entitlement_version = entitlement_version + ${counted.length}::int, updated_at = now()
          WHERE id = ${licenseId}`
        return yield* Effect.forEach(
          counted,
          ({ feature_code, feature_id, total_consumptions }) =>
            Effect.gen(function*() {
              const feature = (yield* stored(licenseId, feature_id))!
              yield* correct("license.usage_reset", feature, { before: total_consumptions, after: 0 }, restarted)
              return { kind: "counter" as const, name: feature_code, before: total_consumptions, after: 0 }
            })
        )
      })

      return LicenseFeatures.of({ list, assign, remove, resetUsage, restart, carryCredits })
    })
  )
}
