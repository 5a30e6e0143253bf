import { Console, Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { Found, WrongUsage } from "./ExitCode.ts"

/** `--yes`: the answer to what a command asks before it does what cannot be undone. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask"),
  Flag.withDefault(false)
)

/**
 * Says what is about to happen and asks whether to go on, unless `--yes` was given. Without a terminal nobody can
 * answer: then the flag is required.
 */
export const confirm = Effect.fnUntraced(function*(consequence: string, question: string, isYes: boolean) {
  yield* Console.error(consequence)
  if (isYes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return yield* new WrongUsage({ message: "Nothing was done. There is no terminal to ask on: add --yes to go on" })
  }
  if (yield* Prompt.run(Prompt.Confirm({ message: question, initial: false }))) return
  return yield* new Found({ message: "Nothing was done." })
})
