import { Context, Effect, Layer } from "effect"
import { namedDimensions } from "../../../domain/catalog/Dimensions.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { booked, featureUse } from "../../../domain/catalog/terms/FeatureUse.ts"
import type { FeatureUse } from "../../../domain/catalog/terms/FeatureUse.ts"
import { isOfPool } from "../../../domain/catalog/terms/GrantBalance.ts"
import { featuresAfterOthers } from "../../../domain/catalog/terms/GrantStanding.ts"
import { decidedUse } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { DecidedUse } from "../../../domain/evidence/recording/DecidedUse.ts"
import { failing, IdempotencyConflict } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { ConsumeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { carriedGrants } from "../../../domain/licensing/grants/CarriedGrants.ts"
import type { Grant } from "../../../domain/licensing/grants/Grant.ts"
import { measuredUse, unitsLeft, valueKey, valueOf } from "../../../domain/licensing/metering/MeasuredUse.ts"
import type { MeasuredUse } from "../../../domain/licensing/metering/MeasuredUse.ts"
import { carriedEvent, readValues } from "../../catalog/terms/Rollovers.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import type { SnapshotQuestion } from "../entitlements/EntitlementStateSql.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite, SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import { LastSeen } from "../sightings/LastSeen.ts"
import { writeUses } from "./CountedUses.ts"
import type { LeftCounter } from "./CountedUses.ts"
import { lockPoolsOfLicenses, takenBy } from "./GrantSql.ts"
import type { UnitsOfLicense } from "./GrantSql.ts"
import { thresholdNotices, usageEvents } from "./UsageEvents.ts"
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

/** The features of a license as its uses leave them, and of how many units of pools they know. */
interface LeftFeatures {
  readonly features: Snapshot["features"]
  readonly known: number
}

/** The state that the usage events of a group share. */
interface Consuming {
  /** The amounts that are counted, by {@link recordKey}. */
  readonly amounts: Map<string, number>
  /** The values of dimensions that periods have had, by {@link valueKey}. */
  readonly values: Set<string>
  /** The features of licenses, by license and product, as the uses so far leave them. */
  readonly granted: Map<string, LeftFeatures>
  /** The use that was decided last; undefined where more than its quota decided it. */
  asked: DecidedUse | undefined
  /** Units of pools, which licenses share, that the uses so far took. */
  readonly pooled: Array<UnitsOfLicense>
  readonly counted: Array<CountedUse>
  /** Units of earlier periods that become grants with the first use after those. */
  readonly carried: Array<Grant>
  readonly events: Array<NewEvent>
}

/** Makes grants of what a feature carried from earlier periods, in the group of a use. */
const withCarried = (
  { carried, events }: Pick<Consuming, "carried" | "events">,
  { origin }: Pick<Use, "origin">,
  feature: EffectiveFeature,
  { license_id, now }: Pick<Snapshot, "license_id" | "now">,
  nextId: () => string
): EffectiveFeature => {
  const grants = carriedGrants(license_id, feature, { at: now, nextId })
  for (const grant of grants) {
    carried.push(grant)
    events.push({ ...carriedEvent(grant), actor: licenseActor(license_id), origin })
  }
  return booked(feature, grants.map(({ id }) => id))
}

/** A use of a license and its device, as it is to be recorded. */
const rowOf = (
  { origin, request }: Use,
  { device_id, id, license_id, measured, standing }: Pick<CountedUse, "id" | "license_id"> & {
    readonly device_id: string
    /** The feature as the use found it. */
    readonly standing: EffectiveFeature
    readonly measured: MeasuredUse
  },
  { after, crossed, over, taken }: FeatureUse
): CountedUse => ({
  id,
  license_id,
  feature_id: after.id,
  feature_code: after.code,
  event_id: request.event_id,
  amount: measured.units,
  measured: measured.measured,
  value: measured.value,
  overage: over,
  taken,
  crossed,
  total_consumptions: after.total,
  before: standing,
  after,
  device_id,
  request_id: origin.requestId,
  dimensions: namedDimensions(request.dimensions)
})

const featureOf = (snapshot: Snapshot | undefined, code: string) =>
  snapshot?.features.find((feature) => feature.code === code)

/** The features of a license as all uses so far leave them, those of other licenses too. */
const featuresNow = (
  left: LeftFeatures | undefined,
  { features, license_id }: Snapshot,
  pooled: ReadonlyArray<UnitsOfLicense>
): Snapshot["features"] =>
  pooled.length === (left?.known ?? 0)
    ? left?.features ?? features
    : featuresAfterOthers(
      left?.features ?? features,
      pooled.slice(left?.known).filter((units) => units.license_id !== license_id)
    )

/** Whether a use may take units of a pool. */
const isPooled = ({ request }: Use, snapshot: Snapshot | undefined): boolean =>
  (featureOf(snapshot, request.feature_code)?.granted?.pools.length ?? 0) > 0

/** Metered features: each use is counted once, and never beyond the quota. */
export class Usage extends Context.Service<Usage, {
  /** Counts a use. Uses that arrive together share a transaction, so that a busy license is locked once for all of them. */
  readonly consume: SubmitWrite<ConsumeRequest, Refusals["consume"] | IdempotencyConflict | ValidationError>
}>()("countersign/services/licensing/metering/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const identifiers = yield* Identifiers
      const { notify } = yield* MailQueue
      const replays = yield* Replays
      const sightings = yield* LastSeen
      const snapshots = yield* EntitlementState

      /** Reads the snapshot of each use. Uses of one device, with one key and version, share a snapshot. */
      const readSnapshots = Effect.fnUntraced(function*(uses: ReadonlyArray<Use>) {
        const questions = new Map<string, SnapshotQuestion>()
        const names = uses.map(({ credential, keyName, request }) => {
          const { kind, key } = bindingOf(request)
          const { app_version, product_code, user_token } = request
          const name = JSON.stringify([keyName, kind, key, app_version, product_code, user_token])
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

      /** Reads which values of dimensions the features of these uses have had, of those that count them. */
      const valuesBefore = (uses: ReadonlyArray<Use>, states: ReadonlyArray<Snapshot | undefined>) =>
        readValues(
          sql,
          uses.flatMap(({ request }, index) => {
            const feature = featureOf(states[index], request.feature_code)
            const value = feature && valueOf(feature, request.dimensions)
            return value === undefined
              ? []
              : [{ license_id: states[index]!.license_id, feature_id: feature!.id, value }]
          })
        )

      const rowsOf = ({ carried, counted }: Consuming): Effect.Effect<void> =>
        writeUses(sql, { carried, counted, counters: countersOf(counted), records: insertUses(sql, counted) })
      const nextGrantId = () => identifiers.next("grant")

      const consume = yield* makeRuntimeWrites<
        ConsumeRequest,
        Consuming,
        Refusals["consume"] | IdempotencyConflict | ValidationError
      >({
        operation: "consume",
        maximum: 256,
        concurrency: 4,
        // The quota and the ledger count uses.
        limitsAnswers: false,
        recordedAs: (request, { asked }) => ({ operation: "consume", request, use: asked }),
        read: Effect.fnUntraced(function*(uses) {
          const found = yield* readSnapshots(uses)
          const sharing = uses.flatMap((use, index) => isPooled(use, found[index]) ? use.licenseId : [])
          const states = sharing.length === 0
            ? found
            : yield* Effect.andThen(lockPoolsOfLicenses(sql, sharing), readSnapshots(uses))
          const amounts = yield* countedBefore(uses, states)
          return {
            snapshots: states,
            state: {
              amounts,
              values: yield* valuesBefore(uses, states),
              granted: new Map(),
              asked: undefined,
              pooled: [],
              counted: [],
              carried: [],
              events: []
            }
          }
        }),
        decide: Effect.fnUntraced(function*(use, found, state) {
          const { amounts, counted, events, granted, pooled, values } = state
          const { request } = use
          const { license_id } = found
          // Each product of a bundle has its own features.
          const grants = `${license_id}\n${found.product_id}`
          const snapshot = { ...found, features: featuresNow(granted.get(grants), found, pooled) }
          const amount = request.amount ?? 1
          const feature = featureOf(snapshot, request.feature_code)
          const key = recordKey(license_id, feature?.id ?? "", request.event_id)
          const before = amounts.get(key)
          const measured = feature &&
            measuredUse(feature, { license_id, amount, dimensions: request.dimensions }, values)
          // A repeated use takes nothing more, so the quota does not refuse it.
          const remaining = before !== undefined || feature === undefined ? undefined : unitsLeft(feature)
          const asked = { feature_code: request.feature_code, amount, remaining }
          state.asked = before === undefined ? decidedUse(asked, feature) : undefined
          yield* Effect.fromResult(decide("consume", snapshot, request, {
            consumption: { entitled: feature?.enabled === true, remaining, amount: measured?.units ?? amount }
          }))
          if (before !== undefined && before !== amount) {
            return yield* failing(IdempotencyConflict, "This event_id was counted before with another amount.", {
              detail: `amount ${before}`
            })
          }
          const device_id = snapshot.device_id!
          sightings.record(device_id, snapshot.now, "used", request)
          let features = snapshot.features
          if (before === undefined) {
            if (measured?.refused !== undefined) return yield* measured.refused
            const standing = withCarried(state, use, feature!, found, nextGrantId)
            const used = featureUse(standing, measured!.units)
            const { after, taken } = used
            const row = rowOf(use, {
              license_id,
              device_id,
              standing,
              measured: measured!,
              id: identifiers.next("evt")
            }, used)
            features = features.map((other) => other.id === after.id ? after : other)
            for (const units of takenBy(license_id, taken.filter(isOfPool))) pooled.push(units)
            granted.set(grants, { features, known: pooled.length })
            amounts.set(key, amount)
            if (row.value !== undefined) values.add(valueKey({ ...row, value: row.value }, after.periodStart))
            counted.push(row)
            events.push(...usageEvents(row, use.origin))
          }
          const recipient = { deviceId: device_id, binding: bindingOf(request), request }
          return { answer: answers.entitlement({ ...snapshot, features }, recipient), isNoOp: before !== undefined }
        }),
        written: (all) => ({ rows: Effect.andThen(rowsOf(all), notify(thresholdNotices(all))), events: all.events }),
        judge: (credential, request) => replays.judgeUse("consume", credential, request)
      })

      return Usage.of({ consume })
    })
  )
}
