import { Effect } from "effect"
import type { Scope } from "effect"

/** Runs `end` once: when the scope closes, or when the process exits before. At an exit nothing can be awaited. */
export const atProcessEnd = (end: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => process.on("exit", end)),
    () =>
      Effect.sync(() => {
        process.off("exit", end)
        end()
      })
  ))
