import { Command, Flag, GlobalFlag } from "effect/cli"
import { environmentNames } from "../../../domain/ground/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"

/** `--environment`: which environment a command is for. */
const environment = GlobalFlag.Setting("environment")({
  flag: Flag.Literals("environment", environmentNames).pipe(
    Flag.withDescription("Environment: live, or test, with a separate database and separate tokens"),
    Flag.withDefault("live" as const)
  )
})

/**
 * Adds `--environment` to a command and its subcommands. It sets the current environment, which decides about
 * settings, database and token.
 */
export const inEnvironment = <const Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  command.pipe(
    Command.provideEffect(CurrentEnvironment, () => environment),
    Command.withGlobalFlags([environment])
  )
