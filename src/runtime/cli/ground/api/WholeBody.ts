import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Fs from "node:fs"
import { isMembers } from "../../../../domain/ground/parsing/JsonMembers.ts"
import { jsonErrorPosition, jsonLoss } from "../../../../domain/ground/parsing/JsonText.ts"
import { summary } from "../../../../domain/ground/wire/FieldFindings.ts"
import { finding } from "../../../../domain/ground/wire/FieldFindings.ts"
import { WrongUsage } from "../../../terminal/ExitCode.ts"
import { readInput } from "../Input.ts"
import type { Operation } from "./Contract.ts"
import { secretIn } from "./Secrets.ts"

/** `--body`: the request body, as JSON. */
export const wholeBody = Flag.String("body").pipe(
  Flag.optional,
  Flag.withMetavar("json"),
  Flag.withDescription(
    "Request body: JSON, @file.json or - for standard input. Other flags change its fields. A body with secrets must come " +
      "from a file or standard input"
  )
)

/** Parses JSON. The message names the position of a fault, and never the text, which may be a secret. */
const parsed = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => {
      const { column, line } = jsonErrorPosition(text)
      return new WrongUsage({ message: `--body is not JSON: it goes wrong at line ${line}, column ${column}` })
    }
  })

/** The text of `--body`, of the file that it names, or of standard input. */
const textOf = (given: string) =>
  given === "-"
    ? readInput("the body")
    : given.startsWith("@")
    ? Effect.try({
      try: () => Fs.readFileSync(given.slice(1), "utf8"),
      catch: (cause) => new WrongUsage({ message: `--body cannot be read: ${(cause as Error).message}` })
    })
    : Effect.succeed(given)

/**
 * The body of `--body`. Refuses what JSON.parse would change silently, as the service does (`jsonLoss`), and a secret
 * among the arguments, which other users of the machine can read.
 */
export const bodyOf = Effect.fnUntraced(function*(operation: Operation, flag: Option.Option<string>) {
  if (Option.isNone(flag)) return {}
  const given = flag.value
  const text = yield* textOf(given)
  const body = yield* parsed(text)
  if (!isMembers(body)) return yield* new WrongUsage({ message: "--body must be a JSON object" })
  const loss = jsonLoss(text)
  if (loss !== undefined) {
    const found = finding(loss.path, "invalid_value", loss.message)
    return yield* new WrongUsage({ message: summary("--body is not valid", [found]) })
  }
  const secret = given === "-" || given.startsWith("@") ? undefined : secretIn(body, operation.secrets)
  if (secret !== undefined) {
    return yield* new WrongUsage({
      message:
        `--body contains a secret (${secret}), and other users of this machine can see arguments. Put the body ` +
        "into a file (--body @file.json) or send it on standard input (--body -)"
    })
  }
  return body
})
