import { Effect } from "effect"
import { WrongUsage } from "../../terminal/ExitCode.ts"

/** The text of standard input, trimmed; `what` names it in the message about missing input. */
export const readInput = (what: string) =>
  Effect.promise(async () => {
    const chunks: Array<Buffer> = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString().trim()
  }).pipe(Effect.filterOrFail(
    (text) => text !== "",
    () => new WrongUsage({ message: `Standard input is empty. Write ${what} to it` })
  ))
