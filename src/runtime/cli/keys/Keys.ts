import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { labelOf } from "../../../client/api/Labels.ts"
import type { SigningKey } from "../../../domain/keys/security/SigningKey.ts"
import { CurrentActor, CurrentReason } from "../../../services/log/Provenance.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { json, printTable } from "../../terminal/Output.ts"
import { printJson } from "../../terminal/Printing.ts"
import * as DirectSigning from "../ground/DirectSigning.ts"
import { reason, reasonOf } from "./KeyReason.ts"
import { replaceLost } from "./KeysReplaceLost.ts"
import { makeRevoke } from "./KeysRevoke.ts"
import { rewrap } from "./KeysRewrap.ts"

const print = (keys: ReadonlyArray<SigningKey>, asJson: boolean) =>
  asJson ? printJson(keys) : printTable([
    ["KID", "STATUS", "CREATED", "PUBLIC KEY"],
    ...keys.map((key) => [key.kid, labelOf("state", key.status), key.created_at, key.public_key])
  ])

/** Every key, read page by page. */
const all = Effect.gen(function*() {
  const signing = yield* Signing
  const keys: Array<SigningKey> = []
  for (let cursor: string | undefined;;) {
    const { items, page_info } = yield* Effect.orDie(signing.list({ limit: 200, cursor }))
    for (const item of items) keys.push(item)
    if (page_info.next_cursor === null) return keys
    cursor = page_info.next_cursor
  }
})

const list = Command.make("list", { json }, (input) => Effect.flatMap(all, (keys) => print(keys, input.json))).pipe(
  Command.withDescription("List all signing keys, newest first"),
  Command.withExamples([{ command: "countersign keys list --json", description: "For programs" }]),
  Command.provide(DirectSigning.layer)
)

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Make no change; show the result"),
  Flag.withDefault(false)
)

const rotate = Command.make("rotate", { json, reason, dryRun }, (input) =>
  Effect.gen(function*() {
    const signing = yield* Signing
    const why = yield* reasonOf(input.reason)
    const key = yield* input.dryRun
      ? signing.rehearseRotation
      : Effect.provideService(signing.rotate, CurrentReason, why)
    yield* print([key], input.json)
  })).pipe(
    Command.withDescription("Create a new active key; the previous key stays published, so existing signatures verify"),
    Command.withExamples([{ command: "countersign keys rotate", description: "Once a year, or before `keys revoke`" }]),
    Command.provide(DirectSigning.layer)
  )

/** `countersign keys ...`: the signing keys and the master key, while the service runs or is stopped. */
export const keys = Command.make("keys").pipe(
  Command.withExamples([{ command: "countersign keys list", description: "List them" }]),
  Command.withSubcommands([
    list,
    rotate,
    makeRevoke(print).pipe(Command.provide(DirectSigning.layer)),
    rewrap,
    replaceLost
  ]),
  Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
)
