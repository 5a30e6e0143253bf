import * as NodeServices from "@effect/platform-node/NodeServices"
import { Data, Effect, Logger, Runtime } from "effect"
import { Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { archive } from "./cli/Archive.ts"
import { backup } from "./cli/Backup.ts"
import { config } from "./cli/ConfigCheck.ts"
import { doctor } from "./cli/Doctor.ts"
import { events } from "./cli/EventsExport.ts"
import { exportCommand } from "./cli/Export.ts"
import { importCommand } from "./cli/Import.ts"
import { inEnvironment } from "./cli/InEnvironment.ts"
import { keys } from "./cli/Keys.ts"
import { migrate } from "./cli/Migrate.ts"
import { restore } from "./cli/Restore.ts"
import { seedCommand } from "./cli/Seed.ts"
import { token } from "./cli/Token.ts"
import { verify } from "./cli/Verify.ts"
import { whoami } from "./cli/Whoami.ts"
import { witness } from "./cli/Witness.ts"
import { run } from "./Start.ts"
import { exitCode } from "./terminal/ExitCode.ts"
import * as Help from "./terminal/Help.ts"
import { visibleLines } from "./terminal/VisibleText.ts"

/** The arguments are wrong, and the message was already printed. */
class ArgumentsWrong extends Data.TaggedError("ArgumentsWrong") {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
}

const start = Command.make("start", {}, () => run).pipe(
  Command.withDescription("Run the service in the foreground (same as npm start)"),
  Command.withExamples([{ command: "PORT=8080 countersign start", description: "Settings come from the environment" }])
)

// Results go to standard output, so log lines go to standard error. `start` brings the service's own logger.
const layerLogger = Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visibleLines))])

/** The commands that need nothing of the contract. */
const ownCommands = [
  start,
  inEnvironment(keys),
  inEnvironment(token),
  inEnvironment(doctor),
  inEnvironment(events),
  verify,
  inEnvironment(archive),
  inEnvironment(backup),
  inEnvironment(restore),
  inEnvironment(migrate),
  config,
  seedCommand,
  inEnvironment(importCommand),
  inEnvironment(exportCommand),
  inEnvironment(whoami),
  witness
]

/** Makes the commands of the contract. */
const makeContractCommands = async () => {
  const [{ api }, { contract }, { devices }, { licenses }, { policies }, { portal }, { webhooks }] = await Promise.all([
    import("./cli/api/Api.ts"),
    import("./cli/api/Contract.ts"),
    import("./cli/Devices.ts"),
    import("./cli/Licenses.ts"),
    import("./cli/Policies.ts"),
    import("./cli/Portal.ts"),
    import("./cli/Webhooks.ts")
  ])
  return [
    inEnvironment(licenses(contract())),
    inEnvironment(devices(contract())),
    inEnvironment(policies(contract())),
    inEnvironment(portal(contract())),
    inEnvironment(webhooks(contract())),
    inEnvironment(api(contract()))
  ]
}

let known: ReturnType<typeof makeContractCommands> | undefined

/** The commands of the contract. They are made once in a process: that takes as long as six commands. */
const contractCommands = Effect.promise(() => known ??= makeContractCommands())

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
export const countersign = Effect.map(contractCommands, (others) => withCommands([...ownCommands, ...others]))

/** The command, with the contract's commands only if the arguments may mean them: loading the contract takes time. */
const meantBy = ([name]: ReadonlyArray<string>) =>
  ownCommands.some((command) => command.name === name) ? Effect.succeed(withCommands(ownCommands)) : countersign

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
