import { Context, Effect, Layer, Schedule } from "effect"
import { Hex } from "effect/encoding"
import { bucketCount, bucketOf } from "../../domain/delivery/LatencyHistogram.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/DeliverySql.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Hint } from "../ground/platform/Hint.ts"
import { supervised } from "../ground/platform/Supervised.ts"
import { deleteOldMinutes, insertMinute } from "./DeliveryMinuteSql.ts"

/** How long a delivery may wait before it is written. */
const writeAfter = "2 seconds"

/** The deliveries of this node, minute by minute, kept for two hours so that health can be asked of any node. */
export class DeliveryMinutes extends Context.Service<DeliveryMinutes, {
  /** A delivery arrived; `latency` is in milliseconds from commit to answer. */
  readonly delivered: (latency: number) => void
  /** An attempt failed. */
  readonly failed: () => void
  /** Writes what is not written yet. */
  readonly write: Effect.Effect<void>
}>()("countersign/services/delivery/DeliveryMinutes") {
  static readonly layer = Layer.effect(
    DeliveryMinutes,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const crypto = yield* Cryptography
      const node = Hex.encode(crypto.randomBytes(8))
      const latency = Array.from({ length: bucketCount }, () => 0)
      let delivered = 0
      let failed = 0
      const counted = yield* Hint.make

      const write = Effect.gen(function*() {
        if (delivered + failed === 0) return
        const taken = { delivered, failed, latency: [...latency] }
        delivered = 0
        failed = 0
        latency.fill(0)
        yield* insertMinute(sql, node, taken)
        yield* deleteOldMinutes(sql)
      })

      yield* Effect.addFinalizer(() =>
        write.pipe(
          Effect.catchCause((cause) => Effect.logDebug("The last delivery statistics could not be written", cause)),
          Effect.withTracerEnabled(false)
        )
      )
      yield* Effect.forkScoped(
        supervised(
          "Writing delivery statistics",
          Effect.andThen(counted.await, Effect.delay(write, writeAfter)),
          Schedule.forever,
          { level: "Debug", retry: Schedule.spaced(writeAfter) }
        )
      )

      return DeliveryMinutes.of({
        delivered: (millis) => {
          const bucket = bucketOf(millis)
          latency[bucket] = latency[bucket]! + 1
          delivered += 1
          counted.wakeUnsafe()
        },
        failed: () => {
          failed += 1
          counted.wakeUnsafe()
        },
        write
      })
    })
  )
}
