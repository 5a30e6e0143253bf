import { Context, Effect, Layer, Metric } from "effect"
import { decide } from "../../domain/entitlements/Decision.ts"
import type { Refusals } from "../../domain/entitlements/DecisionInput.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { ConsumeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import type { EffectiveFeature } from "../../domain/terms/EffectiveFeatures.ts"
import { overBy } from "../../domain/terms/Overage.ts"
import { failing, IdempotencyConflict } from "../../domain/wire/Errors.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { SnapshotQuestion } from "../entitlements/EntitlementStateSql.ts"
import { LastSeen } from "../entitlements/LastSeen.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite, SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import type { NewEvent } from "../events/Events.ts"
import { licenseActor } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { overageEvents } from "../terms/OverageEvents.ts"
import { insertCounters, insertUses, listCounted, updateConsumptions, updateCounters } from "./UsageSql.ts"
import type { CountedUse } from "./UsageSql.ts"

const consumedUnits = fromStart(Metric.counter("countersign_consumed_units_total", {
  description: "Units of metered features that were counted, over all licenses.",
  incremental: true
}))

type Use = HeldWrite<ConsumeRequest>

const recordKey = (licenseId: string, featureId: string, eventId: string) => `${licenseId}\n${featureId}\n${eventId}`

/** Sums the amounts of uses by license. */
const amountsOf = (counted: ReadonlyArray<CountedUse>): ReadonlyMap<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const { amount, license_id } of counted) totals.set(license_id, (totals.get(license_id) ?? 0n) + BigInt(amount))
  return totals
}

/**
 * Writes the counters of features as the uses of a group leave them. The licenses are locked, and each counter is as the
 * last of its uses left it, so what is written is what was decided.
 */
const featureCounts = (sql: Database, counted: ReadonlyArray<CountedUse>): Effect.Effect<void> => {
  const last = [...new Map(counted.map((use) => [`${use.license_id}\n${use.feature_id}`, use])).values()]
  return Effect.all([
    updateCounters(sql, last.filter(({ after }) => after.isCounted)),
    insertCounters(sql, last.filter(({ after }) => !after.isCounted))
  ], { concurrency: "unbounded", discard: true })
}

/** The state that the usage events of a group share. */
interface Consuming {
  /** The amounts that are counted, by {@link recordKey}. */
  readonly amounts: Map<string, number>
  /** The features of licenses, by license and product, as the uses so far leave them. */
  readonly granted: Map<string, Snapshot["features"]>
  readonly counted: Array<CountedUse>
  readonly events: Array<NewEvent>
}

const featureOf = (snapshot: Snapshot | undefined, code: string) =>
  snapshot?.features.find((feature) => feature.code === code)

const instant = (millis: number | undefined): string | undefined =>
  millis === undefined ? undefined : new Date(millis).toISOString()

const eventsOf = ({ origin, request }: Use, use: CountedUse): ReadonlyArray<NewEvent> => {
  const { after: feature, amount, device_id, event_id, feature_id, id, license_id } = use
  const { consumed, overage, period, quota, total } = feature
  const before = consumed - amount
  const period_ends_at = instant(feature.periodEnd)
  const event = {
    resourceId: license_id,
    data: {
      license_id,
      device_id,
      feature_id,
      feature_code: request.feature_code,
      event_id,
      amount,
      total_consumptions: total,
      ...(quota === null ? {} : { max_consumptions: quota, remaining: Math.max(0, quota - consumed) }),
      ...(use.overage === 0 ? {} : { over_quota: use.overage, overage: use.overage }),
      ...(feature.periodStart === undefined
        ? {}
        : { period: period!, period_start: instant(feature.periodStart), period_consumptions: consumed }),
      ...(period_ends_at === undefined ? {} : { period_ends_at })
    },
    metadata: { device_id, feature_code: request.feature_code },
    actor: licenseActor(license_id),
    origin
  } as const
  return [
    { ...event, id, type: "license.usage_recorded" },
    // Exactly one use brings the counter to the quota, so this happens once each time it is reached.
    ...(quota !== null && before < quota && consumed >= quota
      ? [{ ...event, type: "license.quota_reached" as const }]
      : []),
    ...(quota === null ? [] : overageEvents({
      license_id,
      device_id,
      limit_of: "feature",
      feature_code: request.feature_code,
      limit: quota,
      before,
      used: consumed,
      overage: overage ?? undefined,
      ...(period_ends_at === undefined ? {} : { period_ends_at })
    }, origin))
  ]
}

/** Metered features: each use is counted once, and never beyond the quota. */
export class Usage extends Context.Service<Usage, {
  /** Counts a use. Uses that arrive together share a transaction, so that a busy license is locked once for all of them. */
  readonly consume: SubmitWrite<ConsumeRequest, Refusals["consume"] | IdempotencyConflict>
}>()("countersign/services/metering/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const identifiers = yield* Identifiers
      const replays = yield* Replays
      const sightings = yield* LastSeen
      const snapshots = yield* EntitlementState

      /** Reads the snapshot of each use. Uses of one device, with one key and version, share a snapshot. */
      const readSnapshots = Effect.fnUntraced(function*(uses: ReadonlyArray<Use>) {
        const questions = new Map<string, SnapshotQuestion>()
        const names = uses.map(({ credential, keyName, request }) => {
          const binding = bindingOf(request)
          const name = JSON.stringify([keyName, binding.kind, binding.key, request.app_version, request.product_code])
          questions.set(name, questionOf(credential, request))
          return name
        })
        const found = yield* snapshots.readAll([...questions.values()])
        const byName = new Map([...questions.keys()].map((name, index) => [name, found[index]]))
        return names.map((name) => byName.get(name))
      })

      /** Reads the amounts that were counted before under the `event_id`s of these uses. */
      const countedBefore = (
        uses: ReadonlyArray<Use>,
        states: ReadonlyArray<Snapshot | undefined>
      ): Effect.Effect<Map<string, number>> => {
        const keys = uses.flatMap(({ request }, index) => {
          const feature = featureOf(states[index], request.feature_code)
          return feature === undefined
            ? []
            : [{ license_id: states[index]!.license_id, feature_id: feature.id, event_id: request.event_id }]
        })
        return keys.length === 0 ? Effect.succeed(new Map<string, number>()) : Effect.map(
          listCounted(sql, keys),
          (rows) =>
            new Map(rows.map((row) => [recordKey(row.license_id, row.feature_id, row.event_id), Number(row.amount)]))
        )
      }

      const rowsOf = (counted: ReadonlyArray<CountedUse>): Effect.Effect<void> => {
        if (counted.length === 0) return Effect.void
        const units = counted.reduce((sum, { amount }) => sum + amount, 0)
        return Effect.andThen(
          Effect.all(
            [insertUses(sql, counted), featureCounts(sql, counted), updateConsumptions(sql, amountsOf(counted))],
            { concurrency: "unbounded", discard: true }
          ),
          sql.afterCommit(Metric.update(consumedUnits, units))
        )
      }

      const consume = yield* makeRuntimeWrites<ConsumeRequest, Consuming, Refusals["consume"] | IdempotencyConflict>({
        operation: "consume",
        maximum: 256,
        concurrency: 4,
        // The quota and the ledger count uses.
        limitsAnswers: false,
        read: Effect.fnUntraced(function*(uses) {
          const states = yield* readSnapshots(uses)
          const amounts = yield* countedBefore(uses, states)
          return { snapshots: states, state: { amounts, granted: new Map(), counted: [], events: [] } }
        }),
        decide: Effect.fnUntraced(function*(use, found, { amounts, counted, events, granted }) {
          const { request } = use
          const { license_id } = found
          // Each product of a bundle has its own features.
          const grants = `${license_id}\n${found.product_id}`
          const snapshot = { ...found, features: granted.get(grants) ?? found.features }
          const amount = request.amount ?? 1
          const feature = featureOf(snapshot, request.feature_code)
          const key = recordKey(license_id, feature?.id ?? "", request.event_id)
          const before = amounts.get(key)
          yield* Effect.fromResult(decide("consume", snapshot, request, {
            consumption: {
              entitled: feature?.enabled === true,
              // A repeated use takes nothing more, so the quota does not refuse it. Without a quota the sum still has
              // to stay a number that every JSON library reads exactly.
              remaining: before !== undefined || feature === undefined ? undefined : Math.max(
                0,
                Math.min(feature.ceiling - feature.consumed, Number.MAX_SAFE_INTEGER - feature.total)
              ),
              amount
            }
          }))
          if (before !== undefined && before !== amount) {
            return yield* failing(IdempotencyConflict, "This event_id was counted before with another amount.", {
              detail: `amount ${before}`
            })
          }
          const device_id = snapshot.device_id!
          sightings.record(device_id, snapshot.now, "used")
          let features = snapshot.features
          if (before === undefined) {
            const { consumed, quota, total } = feature!
            const after: EffectiveFeature = { ...feature!, consumed: consumed + amount, total: total + amount }
            const row = {
              id: identifiers.next("evt"),
              license_id,
              feature_id: after.id,
              feature_code: after.code,
              event_id: request.event_id,
              amount,
              overage: quota === null ? 0 : Math.min(amount, overBy(after.consumed, quota)),
              total_consumptions: after.total,
              after,
              device_id,
              request_id: use.origin.requestId
            }
            features = features.map((other) => other.id === after.id ? after : other)
            granted.set(grants, features)
            amounts.set(key, amount)
            counted.push(row)
            events.push(...eventsOf(use, row))
          }
          const recipient = { deviceId: device_id, binding: bindingOf(request), request }
          return { answer: answers.entitlement({ ...snapshot, features }, recipient), isNoOp: before !== undefined }
        }),
        written: ({ counted, events }) => ({ rows: rowsOf(counted), events }),
        judge: (credential, request) => replays.judgeUse("consume", credential, request)
      })

      return Usage.of({ consume })
    })
  )
}
