import { Command } from "effect/cli"
import { verifyEventsCommand } from "./VerifyEvents.ts"
import { verifyExportCommand } from "./VerifyExport.ts"

/** `countersign verify ...`: verifies what the service issued, without contacting it. */
export const verify = Command.make("verify").pipe(
  Command.withDescription("Check offline what the service gave out"),
  Command.withExamples([{
    command: "countersign verify events events.jsonl --keys keys.json",
    description: "What `events export` wrote"
  }]),
  Command.withSubcommands([verifyEventsCommand, verifyExportCommand])
)
