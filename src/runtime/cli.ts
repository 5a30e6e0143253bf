#!/usr/bin/env node
import { NodeServices } from "@effect/platform-node"
import { Effect, Logger } from "effect"
import { Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { doctor } from "./cli/Doctor.ts"
import { events } from "./cli/EventsExport.ts"
import { keys } from "./cli/Keys.ts"
import { restore } from "./cli/Restore.ts"
import { token } from "./cli/Token.ts"
import { verify } from "./cli/Verify.ts"
import { runMain } from "./Program.ts"
import * as Server from "./Server.ts"

const start = Command.make("start", {}, () => Server.run).pipe(
  Command.withDescription("Run the service until it is told to stop, as npm start does")
)

// Results go to standard output, so log lines go to standard error. `start` brings the service's own logger.
const layerLogger = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

Command.make("countersign").pipe(
  Command.withDescription(
    "The licensing service. Settings come from the environment; `npm start -- --help` lists them."
  ),
  Command.withSubcommands([start, keys, token, doctor, events, verify, restore]),
  Command.run({ version: manifest.version }),
  Effect.provide([NodeServices.layer, layerLogger]),
  runMain
)
