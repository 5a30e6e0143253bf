import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { Hex } from "effect/encoding"
import type { ActivityAction } from "../../../domain/evidence/audit/Activity.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { Hint, supervised } from "../../ground/platform/Supervised.ts"
import type { Actor } from "../../log/Provenance.ts"
import { insertRefusals } from "./ActivitySql.ts"

/** A request that was refused. */
export interface Refusal {
  readonly action: ActivityAction
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** The caller: a license key by its hash, or who an API key belongs to. */
  readonly by: { readonly keyHash: Uint8Array } | { readonly actor: Pick<Actor, "type" | "id"> }
  readonly binding?: DeviceBinding | undefined
  readonly featureCode?: string | undefined
  /** The subject of a management request. */
  readonly licenseId?: string | undefined
}

/** The least pause between two batches. */
const rest = Schedule.spaced("1 second")

/** The most refusals in a batch, and so in a second; further ones are counted and dropped. */
const capacity = 1000

/** The most of one caller in a batch, so that one who asks all the time does not hide the others. */
const capacityEach = 50

const recorded = fromStart(Metric.counter("countersign_refusals_recorded", {
  description: "Refused requests written as activities.",
  incremental: true
}))
const dropped = fromStart(Metric.counter("countersign_refusals_dropped", {
  description: "Refused requests not written as activities: more than fit, or the database was away.",
  incremental: true
}))

interface Waiting extends Refusal {
  readonly id: string
  readonly at: number
}

/**
 * Refusals, written in batches off the request's path (write-behind): a refusal costs the caller nothing, and
 * the database one statement a second. Memory and disk are bounded, by dropping what does not fit in the batch and by
 * the retention of activities. A refusal of the last second is lost when the process is killed.
 */
export class RefusalLog extends Context.Service<RefusalLog, {
  /** Takes a refusal to be written. */
  readonly record: (refusal: Refusal) => Effect.Effect<void>
}>()("countersign/services/evidence/audit/RefusalLog") {
  static readonly layer = Layer.effect(
    RefusalLog,
    Effect.gen(function*() {
      const sql = yield* Database
      const identifiers = yield* Identifiers
      let waiting: Array<Waiting> = []
      let byCaller = new Map<string, number>()
      const someWait = yield* Hint.make

      const write = (batch: ReadonlyArray<Waiting>, now: number) => {
        const rows = batch.map((refusal) => ({
          id: refusal.id,
          age: Math.max(0, now - refusal.at),
          action: refusal.action,
          status_code: refusal.status,
          code: refusal.code,
          request_id: refusal.requestId,
          feature_code: refusal.featureCode,
          binding_kind: refusal.binding?.kind,
          binding_key: refusal.binding?.key,
          ..."keyHash" in refusal.by
            ? { key_hash: Hex.encode(refusal.by.keyHash) }
            : { license_id: refusal.licenseId, actor_type: refusal.by.actor.type, actor_id: refusal.by.actor.id }
        }))
        return insertRefusals(sql, rows)
      }

      const flush = Effect.gen(function*() {
        if (waiting.length === 0) return
        const batch = waiting
        waiting = []
        byCaller = new Map()
        const now = yield* Clock.currentTimeMillis
        yield* Effect.suspend(() => write(batch, now)).pipe(
          Effect.andThen(Metric.update(recorded, batch.length)),
          Effect.onError(() => Metric.update(dropped, batch.length))
        )
      })
      yield* Effect.addFinalizer(() =>
        flush.pipe(
          Effect.catchCause((cause) => Effect.logWarning("The last refused requests were not written", cause)),
          Effect.withTracerEnabled(false)
        )
      )
      const writing = Effect.andThen(someWait.await, flush)
      yield* Effect.forkScoped(supervised("Writing refused requests", writing, rest, { retry: rest }))

      const record = (refusal: Refusal) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => {
          const caller = refusal.code === "LICENSE_KEY_INVALID"
            ? "nobody"
            : "keyHash" in refusal.by
            ? Hex.encode(refusal.by.keyHash)
            : refusal.by.actor.id
          const before = byCaller.get(caller) ?? 0
          if (waiting.length >= capacity || before >= capacityEach) return Metric.update(dropped, 1)
          byCaller.set(caller, before + 1)
          waiting.push({ ...refusal, id: identifiers.next("act"), at })
          return someWait.wake
        })

      return RefusalLog.of({ record })
    })
  )
}
