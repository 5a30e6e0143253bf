import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { Found, WrongUsage } from "./ExitCode.ts"
import type { Lines } from "./Printing.ts"
import { printNotice } from "./Printing.ts"
import { visibleLine } from "./VisibleText.ts"

/** `--yes`: the answer to what a command asks before it does what cannot be undone. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask"),
  Flag.withDefault(false)
)

const asking = Effect.fnUntraced(
  function*<E, R>(consequence: Lines, isYes: boolean, ask: Effect.Effect<boolean, E, R>) {
    yield* printNotice(consequence)
    if (isYes) return
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      return yield* new WrongUsage({ message: "Nothing was done. There is no terminal to ask on: add --yes to go on" })
    }
    if (yield* ask) return
    return yield* new Found({ message: "Nothing was done." })
  }
)

/**
 * Says what is about to happen and asks whether to go on, unless `--yes` was given. Without a terminal nobody can
 * answer: then the flag is required.
 */
export const confirm = (consequence: Lines, question: string, isYes: boolean) =>
  asking(consequence, isYes, Prompt.run(Prompt.Confirm({ message: visibleLine(question), initial: false })))

/** {@link confirm}, for what removes more than one thing: the answer is the name of what it is done to. */
export const confirmByName = (consequence: Lines, name: string, isYes: boolean) =>
  asking(
    consequence,
    isYes,
    Effect.map(
      Prompt.run(Prompt.String({ message: `Type ${visibleLine(name)} to go on, anything else not to` })),
      (answer) => answer.trim() === name
    )
  )
