import { Effect } from "effect"
import type { Scope } from "effect"

/** Has `end` run once: when the scope closes, or when the process exits before. On an exit nothing may be waited for. */
export const atProcessEnd = (end: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => process.on("exit", end)),
    () =>
      Effect.sync(() => {
        process.off("exit", end)
        end()
      })
  ))
