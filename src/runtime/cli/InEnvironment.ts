import { Command, Flag, GlobalFlag } from "effect/cli"
import { environmentNames } from "../../domain/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"

/** `--environment`: which environment a command is for. */
const environment = GlobalFlag.Setting("environment")({
  flag: Flag.Literals("environment", environmentNames).pipe(
    Flag.withDescription("Environment: live, or test, with a separate database and separate tokens"),
    Flag.withDefault("live" as const)
  )
})

/**
 * Has a command, and those below it, take `--environment`. It is the current environment of all that the command does: where
 * its settings, its database and its token come from, they are those of that environment.
 */
export const inEnvironment = <const Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  command.pipe(
    Command.provideEffect(CurrentEnvironment, () => environment),
    Command.withGlobalFlags([environment])
  )
