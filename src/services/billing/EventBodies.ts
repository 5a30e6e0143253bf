import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { tellingOf } from "../../domain/providers/KeptEvent.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { deleteEvents, lockOldBodies, slice, updateToFacts } from "./EventBodySql.ts"

/**
 * Bodies of events of payment providers, which hold more of people than purchases need, and are most of what grows. Once
 * one is past its time, what was read of it is kept in its place: each look at a purchase folds all of its events, however
 * old. An event that says nothing of a purchase goes as a whole.
 */
export class EventBodies extends Context.Service<EventBodies, {
  /** Takes away bodies that came longer ago than so many days, in slices that are transactions of their own; answers how many. */
  readonly prune: (days: number) => Effect.Effect<number>
}>()("countersign/services/billing/EventBodies") {
  static readonly layer = Layer.effect(
    EventBodies,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const digest = (body: Uint8Array) => Hex.encode(crypto.sha256(body))

      const pruneSlice = (days: number) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const rows = yield* lockOldBodies(sql, days)
            const told = rows.map((row) => ({ row, event: tellingOf(row.provider, row, digest) }))
            const isSilent = ({ event, row }: (typeof told)[number]) => event?.facts.length === 0 && !row.is_last
            yield* deleteEvents(sql, told.filter(isSilent).map(({ row }) => row.sequence))
            yield* updateToFacts(
              sql,
              told.filter((one) => !isSilent(one)).map(({ event, row }) => ({
                sequence: row.sequence,
                facts: JSON.stringify(event?.facts ?? [])
              }))
            )
            return rows.length
          })
        )

      const prune = Effect.fn("EventBodies.prune")(function*(days: number) {
        let pruned = 0
        for (let step = slice; step === slice; pruned += step) step = yield* pruneSlice(days)
        return pruned
      })

      return EventBodies.of({ prune })
    })
  )
}
