import { Context, Effect, Layer, Schedule } from "effect"
import { databaseOf } from "../../ground/persistence/Database.ts"
import { DeliverySql } from "../../ground/persistence/TransactionSql.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { deleteLongDeleted } from "./WebhookEndpointSql.ts"
import { deleteLongExpired } from "./WebhookSql.ts"

const every = Schedule.spaced("1 minute")

/** Rows that one statement deletes. */
const batch = 500

/** Removes deleted endpoints for good once every node has long known of them, and secrets that no longer sign. */
export class WebhookPurge extends Context.Service<WebhookPurge, {
  readonly step: Effect.Effect<void>
  readonly run: Effect.Effect<never>
}>()("countersign/services/delivery/webhooks/WebhookPurge") {
  static readonly layer = Layer.effect(
    WebhookPurge,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)

      const inSteps = (remove: Effect.Effect<ReadonlyArray<unknown>>) =>
        Effect.repeat(remove, { while: (rows) => rows.length === batch })

      const step = Effect.gen(function*() {
        yield* inSteps(deleteLongDeleted(sql, batch))
        yield* inSteps(deleteLongExpired(sql, batch))
      })

      return WebhookPurge.of({
        step,
        run: supervised("Purging deleted webhook endpoints", swept("webhooks", step), every, { retry: every })
      })
    })
  )
}
