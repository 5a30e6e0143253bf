import { Effect } from "effect"
import { Flag } from "effect/cli"
import * as Fs from "node:fs/promises"
import { vendorKeysIn } from "../../../client/evidence/Trust.ts"
import { followLogKeys } from "../../../client/notes/followLogKeys.ts"
import { parseInternetJson } from "../../../domain/ground/parsing/InternetJson.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"

/** The public keys that a verification trusts. */
export const keysFlag = Flag.String("keys").pipe(
  Flag.withDescription("A file with the body of GET /api/v1/system/public-keys, from a source you trust")
)

/** Checkpoints that a reader kept from before. */
export const checkpointsFlag = Flag.String("checkpoint").pipe(
  Flag.atMost(100),
  Flag.withDefault<ReadonlyArray<string>>([]),
  Flag.withDescription("A file with the note of an earlier checkpoint, which the events must agree with; repeatable")
)

/** Proofs of what the log says of its keys. */
export const keyEventsFlag = Flag.String("key-event").pipe(
  Flag.atMost(100),
  Flag.withDefault<ReadonlyArray<string>>([]),
  Flag.withDescription(
    "A file with the tlog_proof of a log.key_introduced or signing_key.revoked, for keys that the file of keys does not have yet; " +
      "repeatable, in the order of the log"
  )
)

/** The text of a UTF-8 file; invalid bytes are an error and are not replaced. */
export const textOf = (path: string) =>
  Effect.tryPromise({
    try: async () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await Fs.readFile(path)),
    catch: (cause) => new WrongUsage({ message: `${path}: ${String(cause)}` })
  })

/** Reads the body of the public-keys route, or its `data` alone, and follows the keys from there by the events about them. */
export const readKeys = Effect.fnUntraced(function*(path: string, keyEvents: ReadonlyArray<string> = []) {
  const text = yield* textOf(path)
  const body = yield* Effect.try({
    try: () => parseInternetJson(text),
    catch: (cause) => new WrongUsage({ message: `${path}: ${(cause as Error).message}` })
  })
  const keys = vendorKeysIn(body)
  if (keys === undefined) {
    return yield* new WrongUsage({
      message: `${path} has no public keys. Expected the body of GET /api/v1/system/public-keys: {"data": [...]}`
    })
  }
  const proofs = yield* Effect.forEach(keyEvents, textOf)
  const followed = yield* Effect.promise(() => followLogKeys({ ...keys, proofs }))
  if (followed.ok) return { publicKeys: followed.publicKeys, revokedKeys: followed.revokedKeys }
  return yield* new WrongUsage({ message: `${keyEvents[followed.proof]} is not followed: ${followed.fault}` })
})
