import { Context } from "effect"

/**
 * Empties the environment. It is asked for by a request and happens when that has left the environment, because nothing can
 * run in what is taken away. Undefined where an environment may not be emptied, as the live one.
 */
export const EnvironmentReset = Context.Reference<{ readonly ask: () => void } | undefined>(
  "countersign/services/platform/EnvironmentReset",
  { defaultValue: () => undefined }
)
