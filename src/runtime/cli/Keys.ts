import { Console, Data, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { SigningKey } from "../../domain/security/SigningKey.ts"
import { CurrentActor } from "../../services/events/Provenance.ts"
import { Signing } from "../../services/security/Signing.ts"
import * as DirectSigning from "./DirectSigning.ts"
import { rewrap } from "./KeysRewrap.ts"

/** The service refused. The message is the one of its API. */
class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

const refuse =
  (kid: string) => ({ error }: { readonly error: { readonly message: string; readonly detail?: string } }) =>
    new Refused({ message: `${kid}: ${error.message}${error.detail === undefined ? "" : ` ${error.detail}`}` })

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON, as the API answers it"),
  Flag.withDefault(false)
)

/** One line for each key, in columns. */
const table = (keys: ReadonlyArray<SigningKey>): string => {
  const rows = [
    ["KID", "STATUS", "CREATED", "PUBLIC KEY"],
    ...keys.map((key) => [key.kid, key.status, key.created_at, key.public_key])
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n")
}

const print = (keys: ReadonlyArray<SigningKey>, asJson: boolean) =>
  Console.log(asJson ? JSON.stringify(keys, null, 2) : table(keys))

/** Every key, read page by page. */
const all = Effect.gen(function*() {
  const signing = yield* Signing
  const keys: Array<SigningKey> = []
  for (let cursor: string | undefined;;) {
    const { items, page_info } = yield* Effect.orDie(signing.list({ limit: 200, cursor }))
    keys.push(...items)
    if (page_info.next_cursor === null) return keys
    cursor = page_info.next_cursor
  }
})

const list = Command.make("list", { json }, (input) => Effect.flatMap(all, (keys) => print(keys, input.json))).pipe(
  Command.withDescription("List the signing keys of every status, newest first")
)

const rotate = Command.make("rotate", { json }, (input) =>
  Effect.gen(function*() {
    const signing = yield* Signing
    yield* print([yield* signing.rotate], input.json)
  })).pipe(
    Command.withDescription("Make a new key the active one; the one before it stays published, so old answers verify")
  )

const revoke = Command.make(
  "revoke",
  { kid: Argument.String("kid").pipe(Argument.withDescription("The key's id, as `keys list` prints it")), json },
  (input) =>
    Effect.gen(function*() {
      const signing = yield* Signing
      const key = yield* signing.revoke(input.kid).pipe(Effect.mapError(refuse(input.kid)))
      yield* print([key], input.json)
    })
).pipe(Command.withDescription("Withdraw a retired key: nothing that it signed verifies any more"))

/** `countersign keys ...`: the signing keys and the master key, while the service runs or is stopped. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("The keys that sign runtime answers, and the master key"),
  Command.withSubcommands([list, rotate, revoke, rewrap]),
  Command.provide(DirectSigning.layer),
  Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
)
