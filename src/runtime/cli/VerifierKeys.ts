import { Effect } from "effect"
import { Flag } from "effect/cli"
import * as Fs from "node:fs/promises"
import type { PublicKey, RevokedKey } from "../../client/verify/signature.ts"
import { parseInternetJson } from "../../domain/parsing/InternetJson.ts"
import { isMembers, membersOf } from "../../domain/parsing/JsonMembers.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"

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

/** The text of a UTF-8 file; invalid bytes are an error and are not replaced. */
export const textOf = (path: string) =>
  Effect.tryPromise({
    try: async () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await Fs.readFile(path)),
    catch: (cause) => new WrongUsage({ message: `${path}: ${String(cause)}` })
  })

const isKey = (value: unknown): value is PublicKey =>
  isMembers(value) && ["kid", "algorithm", "public_key"].every((name) => typeof value[name] === "string")

const isRevoked = (value: unknown): value is RevokedKey =>
  isKey(value) && "revoked_at" in value && typeof value.revoked_at === "string"

/** Reads the body of the public-keys route, or its `data` alone. */
export const readKeys = Effect.fnUntraced(function*(path: string) {
  const text = yield* textOf(path)
  const body = yield* Effect.try({
    try: () => parseInternetJson(text),
    catch: (cause) => new WrongUsage({ message: `${path}: ${(cause as Error).message}` })
  })
  const { data = body, revoked = [] } = membersOf(body)
  if (
    Array.isArray(data) && data.length > 0 && data.every(isKey) && Array.isArray(revoked) && revoked.every(isRevoked)
  ) return { publicKeys: data, revokedKeys: revoked }
  return yield* new WrongUsage({
    message: `${path} has no public keys. Expected the body of GET /api/v1/system/public-keys: {"data": [...]}`
  })
})
