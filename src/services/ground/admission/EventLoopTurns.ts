import { Context } from "effect"
import { makeLoopTurns } from "../../../domain/ground/admission/LoopTurns.ts"
import type { LoopTurns } from "../../../domain/ground/admission/LoopTurns.ts"

/** The turns on the event loop of this process, of which there is one. */
export const EventLoopTurns = Context.Reference<LoopTurns>("countersign/services/ground/admission/EventLoopTurns", {
  defaultValue: () => makeLoopTurns({ now: () => performance.now(), soon: (task) => void setImmediate(task) })
})
