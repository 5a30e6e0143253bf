import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { Found, WrongUsage } from "./ExitCode.ts"
import type { Lines } from "./Printing.ts"
import { printNotice } from "./Printing.ts"
import { visibleLine } from "./VisibleText.ts"

/** `--yes`: the answer to what a command asks before it does what cannot be undone. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask for confirmation"),
  Flag.withDefault(false)
)

const asking = Effect.fnUntraced(
  function*<E, R>(consequence: Lines, isYes: boolean, ask: Effect.Effect<boolean, E, R>) {
    yield* printNotice(consequence)
    if (isYes) return
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      return yield* new WrongUsage({
        message: "Canceled: there is no terminal to ask for confirmation. Add --yes to continue"
      })
    }
    if (yield* ask) return
    return yield* new Found({ message: "Canceled." })
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
      Prompt.run(Prompt.String({ message: `Type ${visibleLine(name)} to confirm` })),
      (answer) => answer.trim() === name
    )
  )
