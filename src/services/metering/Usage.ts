import { Context, Effect, Layer } from "effect"
import { decide } from "../../domain/entitlements/Decision.ts"
import type { Refusals } from "../../domain/entitlements/DecisionInput.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { ConsumeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import { servable } from "../../domain/terms/EffectiveFeatures.ts"
import { featureUse } from "../../domain/terms/FeatureUse.ts"
import { failing, IdempotencyConflict } from "../../domain/wire/Errors.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { SnapshotQuestion } from "../entitlements/EntitlementStateSql.ts"
import { LastSeen } from "../entitlements/LastSeen.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite, SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import type { NewEvent } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { writeUses } from "./CountedUses.ts"
import type { LeftCounter } from "./CountedUses.ts"
import { usageEvents } from "./UsageEvents.ts"
import { insertUses, listCounted } from "./UsageSql.ts"
import type { CountedUse } from "./UsageSql.ts"

type Use = HeldWrite<ConsumeRequest>

const recordKey = (licenseId: string, featureId: string, eventId: string) => `${licenseId}\n${featureId}\n${eventId}`

/**
 * The counters of features as the uses of a group leave them. The licenses are locked, and each counter is as the last of its
 * uses left it, so what is written is what was decided.
 */
const countersOf = (counted: ReadonlyArray<CountedUse>): ReadonlyArray<LeftCounter> =>
  [...new Map(counted.map((use) => [`${use.license_id}\n${use.feature_id}`, use])).values()]
    .map(({ after, feature_id, license_id }) => ({ license_id, feature_id, after, isCounted: after.isCounted }))

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

      const rowsOf = (counted: ReadonlyArray<CountedUse>): Effect.Effect<void> =>
        writeUses(sql, { counted, counters: countersOf(counted), records: insertUses(sql, counted) })

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
              remaining: before !== undefined || feature === undefined
                ? undefined
                : Math.min(servable(feature), Number.MAX_SAFE_INTEGER - feature.total),
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
            const { after, crossed, over, taken } = featureUse(feature!, amount)
            const row = {
              id: identifiers.next("evt"),
              license_id,
              feature_id: after.id,
              feature_code: after.code,
              event_id: request.event_id,
              amount,
              overage: over,
              taken,
              crossed,
              total_consumptions: after.total,
              before: feature!,
              after,
              device_id,
              request_id: use.origin.requestId
            }
            features = features.map((other) => other.id === after.id ? after : other)
            granted.set(grants, features)
            amounts.set(key, amount)
            counted.push(row)
            events.push(...usageEvents(row, use.origin))
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
