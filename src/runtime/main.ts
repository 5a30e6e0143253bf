import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect } from "effect"
import { help } from "./Config.ts"
import * as Server from "./Server.ts"

/** Failures that a person can act on are one message; anything else comes with where it happened. */
const report = (cause: Cause.Cause<unknown>) => {
  const reason = cause.reasons.find((reason) => !Cause.isInterruptReason(reason))
  if (reason === undefined) return Effect.void
  const value = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
  const isKnown = typeof value === "object" && value !== null && "_tag" in value && "message" in value
  return Console.error(isKnown ? String(value.message) : Cause.pretty(cause))
}

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  console.log(`countersign: the licensing service. It reads its settings from the environment:\n\n${help}`)
} else {
  NodeRuntime.runMain(Effect.tapCause(Server.run, report), { disableErrorReporting: true })
}
