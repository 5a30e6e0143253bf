import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { visibleLine } from "../../domain/ground/parsing/VisibleText.ts"
import { Found, WrongUsage } from "./ExitCode.ts"
import type { Lines } from "./Printing.ts"
import { printNotice } from "./Printing.ts"

/** `--yes`: confirms what cannot be undone. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask for confirmation"),
  Flag.withDefault(false)
)

const prompted = Effect.fnUntraced(
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
 * Describes the consequence and asks whether to continue, unless `--yes` was given. Without a terminal nobody can
 * answer: then the flag is required.
 */
export const confirm = (consequence: Lines, question: string, isYes: boolean) =>
  prompted(consequence, isYes, Prompt.run(Prompt.Confirm({ message: visibleLine(question), initial: false })))

/** {@link confirm} for a deletion of more than one thing: the answer is the name of its target. */
export const confirmByName = (consequence: Lines, name: string, isYes: boolean) =>
  prompted(
    consequence,
    isYes,
    Effect.map(
      Prompt.run(Prompt.String({ message: `Type ${visibleLine(name)} to confirm` })),
      (answer) => answer.trim() === name
    )
  )
