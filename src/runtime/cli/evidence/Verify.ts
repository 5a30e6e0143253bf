import { Command } from "effect/cli"
import { verifyEventsCommand } from "./VerifyEvents.ts"
import { verifyExportCommand } from "./VerifyExport.ts"

/** `countersign verify ...`: verifies signed data offline. */
export const verify = Command.make("verify").pipe(
  Command.withExamples([{
    command: "countersign verify events events.jsonl --keys keys.json",
    description: "A file from `events export`"
  }]),
  Command.withSubcommands([verifyEventsCommand, verifyExportCommand])
)
