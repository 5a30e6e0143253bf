import * as NodeServices from "@effect/platform-node/NodeServices"
import { Data, Effect, Logger, Runtime } from "effect"
import { Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { archive } from "./cli/Archive.ts"
import { backup } from "./cli/Backup.ts"
import { doctor } from "./cli/Doctor.ts"
import { events } from "./cli/EventsExport.ts"
import { keys } from "./cli/Keys.ts"
import { restore } from "./cli/Restore.ts"
import { token } from "./cli/Token.ts"
import { verify } from "./cli/Verify.ts"
import { run } from "./Start.ts"
import { exitCode } from "./terminal/ExitCode.ts"
import * as Help from "./terminal/Help.ts"

/** The arguments make no sense, which was already said. */
class ArgumentsWrong extends Data.TaggedError("ArgumentsWrong") {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
}

const start = Command.make("start", {}, () => run).pipe(
  Command.withDescription("Run the service until it is told to stop, as npm start does")
)

// Results go to standard output, so log lines go to standard error. `start` brings the service's own logger.
const layerLogger = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

const countersign = Command.make("countersign").pipe(
  Command.withDescription(
    "The licensing service. Settings come from the environment; `npm start -- --help` lists them."
  ),
  Command.withSubcommands([start, keys, token, doctor, events, verify, archive, backup, restore])
)

/**
 * Runs the command line with the arguments after the program's name. What a script learns from its exit code is in
 * {@link exitCode}.
 */
export const commandLine = (args: ReadonlyArray<string>) =>
  Command.runWith(countersign, { version: manifest.version })(args).pipe(
    // It was shown; what remains is the exit code.
    Effect.catchTag("ShowHelp", (shown) => shown.errors.length === 0 ? Effect.void : Effect.fail(new ArgumentsWrong())),
    Effect.provide([NodeServices.layer, layerLogger, Help.layer])
  )
