import { Cause, Context, Data, Effect, Exit, Layer } from "effect"
import { Hex } from "effect/encoding"
import type { Refusals } from "../../domain/entitlements/Decision.ts"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { ConsumeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { decide } from "../../domain/entitlements/Snapshot.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import { failing, IdempotencyConflict } from "../../domain/wire/Errors.ts"
import type { IdempotencyInFlight, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { Idempotency } from "../access/Idempotency.ts"
import type { FreshAnswer, IdempotentRequest, Repeatable, StoredAnswer } from "../access/Idempotency.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, unknownKey } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential, SnapshotQuestion } from "../entitlements/EntitlementState.ts"
import { LastSeen } from "../entitlements/LastSeen.ts"
import { Events } from "../events/Events.ts"
import type { NewEvent } from "../events/Events.ts"
import { licenseActor } from "../events/Provenance.ts"
import type { Origin } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import type { Patience } from "../persistence/GroupCommit.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { addToFeaturesQuery, addToLicensesQuery, countedQuery, recordUsesQuery } from "./UsageGroupSql.ts"
import type { CountedRow } from "./UsageGroupSql.ts"

/** One metered use that waits to be counted. */
export interface Consumption {
  readonly credential: RuntimeCredential
  readonly request: ConsumeRequest
  readonly binding: DeviceBinding
  readonly idempotent: IdempotentRequest
  readonly origin: Origin
  /** Turns a signed answer into the response that is stored and sent. */
  readonly write: (answer: SignedAnswer) => StoredAnswer
}

/** Why a use was not counted. */
export type ConsumptionRefusal = Refusals["consume"] | LicenseKeyInvalid | IdempotencyConflict | IdempotencyInFlight

/** A use was skipped, because another transaction has locked its license. */
class LicenseHeld extends Data.TaggedError("LicenseHeld") {}

/** The decision about a use, or `undefined` if it was skipped. */
const decisionOf = <A>(
  exit: Exit.Exit<A, ConsumptionRefusal | LicenseHeld>
): Exit.Exit<A, ConsumptionRefusal> | undefined =>
  Exit.isFailure(exit) &&
    exit.cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error instanceof LicenseHeld)
    ? undefined
    : exit as Exit.Exit<A, ConsumptionRefusal>

type Feature = NonNullable<Snapshot["features"]>[number]

/** A use to be counted: a row of `usage_records`, without the owners that the license adds. */
interface Counted {
  /** The id of its event. */
  readonly id: string
  readonly license_id: string
  readonly feature_id: string
  readonly feature_code: string
  readonly event_id: string
  readonly amount: number
  readonly total_consumptions: number
  readonly device_id: string
  readonly request_id: string | undefined
}

const recordKey = (licenseId: string, featureId: string, eventId: string) => `${licenseId}\n${featureId}\n${eventId}`

/** Sums the amounts of uses that have the same key. */
const sums = (counted: ReadonlyArray<Counted>, keyOf: (use: Counted) => string): Map<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const use of counted) totals.set(keyOf(use), (totals.get(keyOf(use)) ?? 0n) + BigInt(use.amount))
  return totals
}

/** Counts metered uses, many in one transaction. */
export class UsageGroup extends Context.Service<UsageGroup, {
  /**
   * Gives each use its own answer, record, event and stored answer, as if the uses had come one after the other. A use
   * whose license another transaction has locked is answered `undefined`, unless the group is to wait for it.
   */
  readonly commit: (
    uses: ReadonlyArray<Consumption>,
    patience: Patience
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Repeatable, ConsumptionRefusal> | undefined>>
}>()("countersign/services/metering/UsageGroup") {
  static readonly layer = Layer.effect(
    UsageGroup,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const events = yield* Events
      const idempotency = yield* Idempotency
      const identifiers = yield* Identifiers
      const sightings = yield* LastSeen
      const snapshots = yield* EntitlementState

      /** Reads the snapshot of each use. Uses of one device, with one key and version, share a snapshot. */
      const read = Effect.fnUntraced(function*(uses: ReadonlyArray<Consumption>) {
        const questions = new Map<string, SnapshotQuestion>()
        const names = uses.map(({ binding, credential, request }) => {
          const name = JSON.stringify([Hex.encode(credential.keyHash), binding.kind, binding.key, request.app_version])
          questions.set(name, { credential, binding, appVersion: request.app_version })
          return name
        })
        const found = yield* snapshots.readAll([...questions.values()])
        const byName = new Map([...questions.keys()].map((name, index) => [name, found[index]]))
        return names.map((name) => byName.get(name))
      })

      const featureOf = (snapshot: Snapshot | undefined, code: string) =>
        snapshot?.features?.find((feature) => feature.code === code)

      /** Reads the amounts that were counted before under the `event_id`s of these uses. */
      const countedBefore = (
        uses: ReadonlyArray<Consumption>,
        states: ReadonlyArray<Snapshot | undefined>
      ): Effect.Effect<Map<string, number>> => {
        const keys = uses.flatMap(({ request }, index) => {
          const feature = featureOf(states[index], request.feature_code)
          return feature === undefined ? [] : [[states[index]!.license_id, feature.id, request.event_id] as const]
        })
        return keys.length === 0 ? Effect.succeed(new Map<string, number>()) : Effect.map(
          sql.unsafe<CountedRow>(countedQuery, [
            keys.map(([id]) => id),
            keys.map(([, id]) => id),
            keys.map(([, , id]) => id)
          ]),
          (rows) =>
            new Map(rows.map((row) => [recordKey(row.license_id, row.feature_id, row.event_id), Number(row.amount)]))
        )
      }

      const write = Effect.fnUntraced(function*(counted: ReadonlyArray<Counted>, happened: ReadonlyArray<NewEvent>) {
        if (counted.length === 0) return
        yield* sql.unsafe(recordUsesQuery, [
          counted.map((use) => use.id),
          counted.map((use) => use.license_id),
          counted.map((use) => use.feature_id),
          counted.map((use) => use.feature_code),
          counted.map((use) => use.event_id),
          counted.map((use) => BigInt(use.amount)),
          counted.map((use) => BigInt(use.total_consumptions)),
          counted.map((use) => use.device_id),
          counted.map((use) => use.request_id ?? "")
        ])
        const ofFeature = [...sums(counted, (use) => `${use.license_id}\n${use.feature_id}`)]
        const features = ofFeature.map(([key]) => key.split("\n"))
        yield* sql.unsafe(addToFeaturesQuery, [
          features.map(([id]) => id!),
          features.map(([, id]) => id!),
          ofFeature.map(([, amount]) => amount)
        ])
        const ofLicense = [...sums(counted, (use) => use.license_id)]
        yield* sql.unsafe(addToLicensesQuery, [
          Number.MAX_SAFE_INTEGER,
          ofLicense.map(([id]) => id),
          ofLicense.map(([, amount]) => amount)
        ])
        yield* events.appendAll(happened)
      })

      const eventsOf = ({ origin, request }: Consumption, use: Counted, feature: Feature): ReadonlyArray<NewEvent> => {
        const { amount, device_id, event_id, feature_id, id, license_id } = use
        const event = {
          resourceId: license_id,
          data: {
            license_id,
            device_id,
            feature_id,
            feature_code: request.feature_code,
            event_id,
            amount,
            total_consumptions: feature.consumed,
            ...(feature.quota === null
              ? {}
              : { max_consumptions: feature.quota, remaining: feature.quota - feature.consumed })
          },
          metadata: { device_id, feature_code: request.feature_code },
          actor: licenseActor(license_id),
          origin
        } as const
        return [
          { ...event, id, type: "license.usage_recorded" },
          // Exactly one use brings the counter to the quota, so this happens once each time it is reached.
          ...(feature.consumed === feature.quota ? [{ ...event, type: "license.quota_reached" as const }] : [])
        ]
      }

      /** Locks the licenses, reads their state once, then decides and counts the uses one after the other. */
      const count = Effect.fnUntraced(function*(uses: ReadonlyArray<Consumption>, patience: Patience) {
        const locked = yield* snapshots.lockAll(uses.map(({ credential }) => credential), patience)
        const isLocked = new Set(locked.map(Hex.encode))
        const states = yield* read(uses)
        const amounts = yield* countedBefore(uses, states)
        const granted = new Map<string, Snapshot["features"]>()
        const counted: Array<Counted> = []
        const happened: Array<NewEvent> = []

        const one = Effect.fnUntraced(function*(use: Consumption, found: Snapshot | undefined) {
          const { binding, request } = use
          if (found === undefined) return yield* unknownKey
          if (!isLocked.has(Hex.encode(use.credential.keyHash))) return yield* new LicenseHeld()
          const { license_id } = found
          const snapshot = { ...found, features: granted.get(license_id) ?? found.features }
          const amount = request.amount ?? 1
          const feature = featureOf(snapshot, request.feature_code)
          const key = recordKey(license_id, feature?.id ?? "", request.event_id)
          const before = amounts.get(key)
          yield* decide("consume", snapshot, request, {
            consumption: {
              entitled: feature?.enabled === true,
              // A repeated use takes nothing more, so the quota does not refuse it. Without a quota the sum still has
              // to stay a number that every JSON library reads exactly.
              remaining: before !== undefined || feature === undefined
                ? undefined
                : Math.max(0, (feature.quota ?? Number.MAX_SAFE_INTEGER) - feature.consumed),
              amount
            }
          })
          if (before !== undefined && before !== amount) {
            return yield* failing(IdempotencyConflict, "This event_id was counted before with another amount.", {
              detail: `amount ${before}`
            })
          }
          const device_id = snapshot.device_id!
          sightings.record(device_id, snapshot.now, "used")
          let features = snapshot.features
          if (before === undefined) {
            const after = { ...feature!, consumed: feature!.consumed + amount }
            const row = {
              id: identifiers.next("evt"),
              license_id,
              feature_id: after.id,
              feature_code: after.code,
              event_id: request.event_id,
              amount,
              total_consumptions: after.consumed,
              device_id,
              request_id: use.origin.requestId
            }
            features = features!.map((other) => other.id === after.id ? after : other)
            granted.set(license_id, features)
            amounts.set(key, amount)
            counted.push(row)
            happened.push(...eventsOf(use, row, after))
          }
          return {
            answer: Effect.map(
              answers.entitlement({ ...snapshot, features }, { deviceId: device_id, binding, request }),
              (answer): FreshAnswer => ({ ...use.write(answer), isSpare: before !== undefined })
            )
          }
        })

        const decided: Array<
          Exit.Exit<{ readonly answer: Effect.Effect<FreshAnswer> }, ConsumptionRefusal | LicenseHeld>
        > = []
        for (const [index, use] of uses.entries()) {
          const exit = yield* Effect.exit(one(use, states[index]))
          // A refusal concerns this use alone. A defect rolls the whole group back.
          if (Exit.isFailure(exit) && !Cause.hasFails(exit.cause)) return yield* Effect.die(Cause.squash(exit.cause))
          decided.push(exit)
        }
        // The signing thread signs the answers while the database writes.
        const [exits] = yield* Effect.all([
          Effect.forEach(
            decided,
            (exit): Effect.Effect<Exit.Exit<FreshAnswer, ConsumptionRefusal | LicenseHeld>> =>
              Exit.isSuccess(exit)
                ? Effect.map(exit.value.answer, Exit.succeed)
                : Effect.succeed(Exit.failCause(exit.cause)),
            { concurrency: "unbounded" }
          ),
          write(counted, happened)
        ], { concurrency: "unbounded" })
        return exits
      })

      return UsageGroup.of({
        commit: (uses, patience) =>
          Effect.map(
            idempotency.onceEach(uses, (fresh) => count(fresh, patience)),
            (exits) => exits.map(decisionOf)
          )
      })
    })
  )
}
