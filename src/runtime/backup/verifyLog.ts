import { Effect } from "effect"
import type { EventsVerdict } from "../../client/verify/EventsVerdict.ts"
import { verifyEvents } from "../../client/verify/verifyEvents.ts"
import { LogArchive } from "../../services/evidence/retention/LogArchive.ts"

/** Events that are read at once. */
const page = 5000

/**
 * Verifies the log of this database as `countersign verify events` verifies an export of it: the chain and tree of
 * the events that are kept, against the newest signed checkpoint. Undefined if nothing was signed yet.
 */
export const verifyLog: Effect.Effect<EventsVerdict | undefined, never, LogArchive> = Effect.gen(function*() {
  const log = yield* LogArchive
  const start = yield* log.start
  const checkpoint = yield* log.checkpointWithin(Number.MAX_SAFE_INTEGER)
  if (checkpoint === undefined || checkpoint.tree_size <= start.sequence) return undefined
  const keys = yield* log.keys
  const context = yield* Effect.context<never>()
  const lines = async function*(): AsyncGenerator<string, void> {
    for (let first = start.sequence + 1; first <= checkpoint.tree_size; first += page) {
      yield* await Effect.runPromiseWith(context)(log.lines(first, Math.min(checkpoint.tree_size, first + page - 1)))
    }
  }
  // Its key may have been revoked since. A checkpoint that was kept counts all the same.
  return yield* Effect.promise(() => verifyEvents({ lines: lines(), start, notes: [checkpoint.note], ...keys }))
})
