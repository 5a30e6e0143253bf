import { Deferred, Effect } from "effect"
import type { RunnerStorage } from "effect/cluster"

/** How long a shard that is ready waits for the others at a stop, in milliseconds. */
const patience = 200

/**
 * The same storage, but a stopping node releases the locks of all shards with one statement. The engine releases each
 * with two, so that a stop takes the database 300 statements. A shard whose actors take long to stop does not hold up
 * the others: after 200 ms the locks are released one by one.
 */
export const givingBackTogether = (storage: RunnerStorage.RunnerStorage["Service"]) => {
  /** The shards that this node has locked. */
  const held = new Set<string>()
  /** The locks of them that can be released. */
  const ready = new Set<string>()
  let isStopping = false
  const together = Deferred.makeUnsafe<void>()

  return {
    ...storage,
    acquire: (address, shardIds) =>
      Effect.tap(storage.acquire(address, shardIds), (acquired) =>
        Effect.sync(() => {
          for (const shard of acquired) held.add(shard.toString())
        })),
    releaseAll: (address) =>
      Effect.andThen(
        storage.releaseAll(address),
        Effect.sync(() => {
          held.clear()
          ready.clear()
        })
      ),
    // The first step of a stop; nothing is acquired after it.
    unregister: (address) =>
      Effect.andThen(
        Effect.sync(() => {
          isStopping = true
        }),
        storage.unregister(address)
      ),
    release: (address, shardId) => {
      const shard = shardId.toString()
      const alone = Effect.andThen(
        storage.release(address, shardId),
        Effect.sync(() => {
          held.delete(shard)
          ready.delete(shard)
        })
      )
      return Effect.suspend(() => {
        if (!isStopping) return alone
        ready.add(shard)
        if (ready.size >= held.size) {
          return Effect.andThen(storage.releaseAll(address), Deferred.succeed(together, undefined))
        }
        return Effect.timeoutOrElse(Deferred.await(together), { duration: patience, orElse: () => alone })
      })
    }
  } satisfies RunnerStorage.RunnerStorage["Service"]
}
