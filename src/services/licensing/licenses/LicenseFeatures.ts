import { Context, Effect, Layer } from "effect"
import { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import type { LicenseFeatureAssign, LicenseFeatureUsageReset } from "../../../domain/catalog/Feature.ts"
import { featureAssigned, isNamed, onlyNamed, usageCorrected } from "../../../domain/catalog/NamedFeature.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { restarted } from "../../../domain/evidence/audit/LicenseReplay.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { InvalidCursor, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { ValueDifference } from "../../../domain/licensing/lifecycle/PolicyChange.ts"
import { licenseFeatureOf, readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeRollovers } from "../../catalog/terms/Rollovers.ts"
import { deleteValues } from "../../catalog/terms/UsedValueSql.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { keysetPageBy } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { RequestOrigin } from "../../log/Provenance.ts"
import {
  deleteAssignment,
  findAssignment,
  insertAssignment,
  insertCorrected,
  insertCorrection,
  listCounted,
  lockFeature,
  lockProducts,
  settled,
  updateCredits,
  updateGrantsVersion,
  updateRestarted
} from "./LicenseFeatureSql.ts"
import type { NewCorrection } from "./LicenseFeatureSql.ts"
import { Licenses } from "./Licenses.ts"

const readFeature = rowReader(LicenseFeature)

type LedgerCorrection = NewCorrection["action"]

/** Forgets the values that features have counted, whose counters start again. */
const forgetValues = (
  sql: Database,
  licenseId: string,
  features: ReadonlyArray<LicenseFeature>
): Effect.Effect<unknown> => {
  const counting = features.flatMap(({ feature_id, meter }) => meter === "unique" ? [feature_id] : [])
  return counting.length === 0 ? Effect.void : deleteValues(sql, licenseId, counting)
}

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
   * no others: what ended with its period stays ended under another. What is carried of quotas begins anew. The surrounding
   * transaction has locked the license.
   */
  readonly carryCredits: (licenseId: string, before: ReadonlyArray<EffectiveFeature>) => Effect.Effect<void>
  /** Makes grants of what the license has carried of its quotas, before its terms change. It is locked. */
  readonly settleRollover: (licenseId: string) => Effect.Effect<void>
}>()("countersign/services/licensing/licenses/LicenseFeatures") {
  static readonly layer = Layer.effect(
    LicenseFeatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const rollovers = makeRollovers(sql, events, identifiers)

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
              Effect.map(inForce(sql, licenseId), (features) =>
                features.filter(({ feature_id }) =>
                  after === undefined || feature_id < after
                )
                  .toSorted((a, b) => a.feature_id < b.feature_id ? 1 : -1).slice(0, limit))
          })
        )
      )

      /** One of them; undefined where the license does not have it. */
      const one = (licenseId: string, which: (feature: LicenseFeature) => boolean) =>
        Effect.map(inForce(sql, licenseId), (features) => features.find(which))

      /** Locks a license whose features change; returns its products. */
      const lock = Effect.fnUntraced(function*(licenseId: string) {
        const [row] = yield* lockProducts(sql, licenseId)
        return row === undefined ? yield* failing(NotFound, "No license has this id.") : row.products
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
        action: LedgerCorrection,
        feature: LicenseFeature,
        totals: Pick<NewCorrection, "before" | "after" | "settledCount" | "settlesFrom">,
        more?: JsonObject
      ) {
        const id = identifiers.next("evt")
        const { requestId } = yield* RequestOrigin
        yield* append(action, feature, more, id)
        yield* insertCorrection(sql, { id, action, feature, ...totals, requestId })
      })

      /** Makes credits those of the running period, such as it is now; returns the feature, if something is stored of it. */
      const keepCredits = Effect.fnUntraced(function*(license_id: string, feature_id: string, credits: number) {
        const feature = yield* one(license_id, (feature) => feature.feature_id === feature_id)
        const [row] = yield* updateCredits(sql, { license_id, feature_id }, credits, feature?.period_start)
        return row && readFeature(row)
      })

      const assign = Effect.fn("LicenseFeatures.assign")((licenseId: string, input: LicenseFeatureAssign) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const isRequested = ({ feature_id }: LicenseFeature) => feature_id === input.feature_id
            const products = yield* lock(licenseId)
            const [feature] = yield* lockFeature(sql, input.feature_id, yield* CurrentProducts)
            yield* rollovers.settle(licenseId)
            const before = yield* one(licenseId, isRequested)
            const assigned = yield* Effect.fromResult(featureAssigned({ before, feature, products }, input))
            yield* updateGrantsVersion(sql, licenseId, 1)
            const [row] = yield* insertAssignment(sql, licenseId, assigned)
            const { credits } = assigned
            const left = credits === undefined ? undefined : yield* keepCredits(licenseId, input.feature_id, credits)
            yield* append("license.feature_assigned", left ?? readFeature(row!))
            return (yield* one(licenseId, isRequested))!
          })
        )
      )

      const remove = Effect.fn("LicenseFeatures.remove")((licenseId: string, featureId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(licenseId)
            const [row] = yield* findAssignment(sql, licenseId, featureId)
            if (row === undefined) {
              const granted = yield* one(licenseId, ({ feature_id }) => feature_id === featureId)
              return yield* notAssigned(granted !== undefined)
            }
            yield* rollovers.settle(licenseId)
            const feature = readFeature(row)
            yield* updateGrantsVersion(sql, licenseId, 1)
            yield* forgetValues(sql, licenseId, [feature])
            yield* deleteAssignment(sql, licenseId, featureId)
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
            yield* lock(licenseId)
            yield* rollovers.settle(licenseId)
            const named = (yield* inForce(sql, licenseId)).filter((feature) => isNamed(input, feature))
            const before = yield* Effect.fromResult(onlyNamed(named))
            if (before === undefined) return yield* failing(NotFound, "The license does not have this feature.")
            const corrected = yield* Effect.fromResult(usageCorrected(before, input))
            yield* updateGrantsVersion(sql, licenseId, 1)
            yield* forgetValues(sql, licenseId, [before])
            const [row] = yield* insertCorrected(sql, before, corrected)
            const { feature_code: _code, feature_id: _id, reason: _reason, ...changes } = input
            yield* correct("license.usage_reset", readFeature(row!), settled(before, corrected), changes)
            return (yield* one(licenseId, ({ feature_id }) => feature_id === before.feature_id))!
          })
        )
      )

      const carryCredits = Effect.fn("LicenseFeatures.carryCredits")(function*(
        licenseId: string,
        before: ReadonlyArray<EffectiveFeature>
      ) {
        const had = new Map(before.map(({ credits, id }) => [id, credits]))
        const after = (yield* readFeatureTerms(sql, licenseId)).map(({ feature }) => feature)
        if (after.some(({ rollover }) => rollover !== null)) yield* rollovers.begin(licenseId)
        const changed = after.filter(({ credits, id }) => credits !== (had.get(id) ?? 0))
        for (const { id } of changed) {
          const credits = had.get(id) ?? 0
          const feature = yield* keepCredits(licenseId, id, credits)
          yield* updateGrantsVersion(sql, licenseId, 1)
          if (feature === undefined) continue
          const { total_consumptions: total } = feature
          yield* correct("license.usage_reset", feature, { before: total, after: total }, { carried_credits: credits })
        }
      })

      const restart = Effect.fn("LicenseFeatures.restart")(function*(licenseId: string) {
        const counted = (yield* listCounted(sql, licenseId)).map(readFeature)
        if (counted.length === 0) return []
        yield* forgetValues(sql, licenseId, counted)
        const credited = (yield* readFeatureTerms(sql, licenseId)).filter(({ feature }) => feature.credits > 0)
        const rows = yield* updateRestarted(
          sql,
          licenseId,
          counted.map(({ feature_id }) => feature_id),
          credited.map(({ feature }) => feature.id)
        )
        const left = new Map(rows.map(readFeature).map((feature) => [feature.feature_id, feature]))
        yield* updateGrantsVersion(sql, licenseId, counted.length)
        return yield* Effect.forEach(
          counted,
          ({ feature_code, feature_id, total_consumptions }) =>
            Effect.as(
              correct(
                "license.usage_reset",
                left.get(feature_id)!,
                { before: total_consumptions, after: 0 },
                restarted
              ),
              { kind: "counter" as const, name: feature_code, before: total_consumptions, after: 0 }
            )
        )
      })

      return LicenseFeatures.of({
        list,
        assign,
        remove,
        resetUsage,
        restart,
        carryCredits,
        settleRollover: rollovers.settle
      })
    })
  )
}

/** The features of a license as they are in force. */
const inForce = (sql: Database, licenseId: string) =>
  Effect.map(
    readFeatureTerms(sql, licenseId),
    (granted) => granted.map((feature) => licenseFeatureOf(licenseId, feature))
  )

const notAssigned = (isGranted: boolean) =>
  failing(
    NotFound,
    isGranted
      ? "The license was not assigned this feature: its policy grants it. Assign it with enabled: false to switch it off."
      : "The license does not have this feature."
  )
