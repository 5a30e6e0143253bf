import foundation from "./0001_foundation.ts"
import events from "./0002_events.ts"

/** Every migration by name, in order; a name once released never changes. */
export const migrations = {
  "0001_foundation": foundation,
  "0002_events": events
}
