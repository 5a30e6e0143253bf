import { Console, Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { readIfPresent } from "../DataDirectory.ts"

const file = Flag.Boolean("file").pipe(
  Flag.withDescription("Print where the token is kept, not the token"),
  Flag.withDefault(false)
)

/** `countersign token`: the bootstrap token with the scope admin, made and kept if there is none yet. */
export const token = Command.make("token", { file }, (input) =>
  Effect.gen(function*() {
    const { adminToken, adminTokenFile } = yield* AppConfig
    const text = Redacted.value(adminToken)
    if (!input.file) return yield* Console.log(text)
    const isKept = readIfPresent(adminTokenFile)?.trim() === text
    yield* Console.log(isKept ? adminTokenFile : "It is not kept in a file: COUNTERSIGN_ADMIN_TOKEN is set")
  })).pipe(
    Command.withDescription("Print the admin token, the bootstrap credential of the management API"),
    Command.provide(AppConfig.layer)
  )
