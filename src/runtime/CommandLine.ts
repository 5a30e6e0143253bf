import * as NodeServices from "@effect/platform-node/NodeServices"
import { Data, Effect, Logger, Runtime } from "effect"
import { Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { visibleLines } from "../domain/ground/parsing/VisibleText.ts"
import { commands, isCommand } from "./cli/composition/CommandTable.ts"
import { exitCode } from "./terminal/ExitCode.ts"
import * as Help from "./terminal/Help.ts"

/** The arguments are wrong, and the message was already printed. */
class ArgumentsWrong extends Data.TaggedError("ArgumentsWrong") {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
}

// Results go to standard output, so log lines go to standard error. `start` brings the service's own logger.
const layerLogger = Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visibleLines))])

const withCommands = <const Commands extends ReadonlyArray<Command.Command.Any>>(commands: Commands) =>
  Command.make("countersign").pipe(
    Command.withDescription(
      "The licensing service. Settings come from the environment; `npm start -- --help` lists them. Exit codes: " +
        "0 success; 1 check failed or request refused; 2 invalid usage; 3 service or database unavailable; 70 internal error."
    ),
    Command.withExamples([{ command: "countersign start", description: "Run the service" }, {
      command: "countersign licenses find ada@example.com",
      description: "Help a customer"
    }, {
      command: "countersign --completions bash > /etc/bash_completion.d/countersign",
      description: "Let the shell complete commands and flags"
    }]),
    Command.withSubcommands(commands)
  )

/** Every command. */
export const countersign = Effect.map(commands(() => true), withCommands)

/** Arguments after which nothing but the names and descriptions of commands is printed. */
const aboutTheProgram: ReadonlySet<string> = new Set(["--help", "-h", "--version"])

/**
 * The command, with what the arguments may mean loaded and the rest in outline: to load everything takes longer than most
 * commands. Completions are of everything.
 */
const meantBy = (args: ReadonlyArray<string>) => {
  const [first] = args
  const isOfEverything = args.some((argument) => argument.startsWith("--completions"))
  if (first === undefined || (args.length === 1 && aboutTheProgram.has(first))) {
    return Effect.map(commands(() => false), withCommands)
  }
  return isCommand(first) && !isOfEverything
    ? Effect.map(commands((name) => name === first), withCommands)
    : countersign
}

/**
 * Runs the command line with the arguments after the program's name. What a script learns from its exit code is in
 * {@link exitCode}.
 */
export const commandLine = (args: ReadonlyArray<string>) =>
  Effect.flatMap(meantBy(args), (command) => Command.runWith(command, { version: manifest.version })(args)).pipe(
    // The message was printed; only the exit code remains.
    Effect.catchTag("ShowHelp", (shown) => shown.errors.length === 0 ? Effect.void : Effect.fail(new ArgumentsWrong())),
    Effect.provide([NodeServices.layer, layerLogger, Help.layer])
  )
