import { Layer } from "effect"
import { DecidedCalls } from "./DecidedCalls.ts"
import { LastSeen } from "./LastSeen.ts"

/** Notes when devices were seen, and what was decided about their calls. */
export const layer = Layer.mergeAll(DecidedCalls.layer, LastSeen.layer)
