import foundation from "./0001_foundation.ts"
import events from "./0002_events.ts"
import usage from "./0003_usage.ts"

/** Every migration by name, in order; a name once released never changes. */
export const migrations = {
  "0001_foundation": foundation,
  "0002_events": events,
  "0003_usage": usage
}
