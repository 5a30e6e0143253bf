import { Result, Schema } from "effect"
import { encodeHex } from "../../ground/parsing/ByteTexts.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"
import type { KeyChangeFault, KnownKeys, LoggedKeyChange, NamedKey } from "../transparency/LogKeys.ts"
import { claimsOfChange, isKnownChange, isSameKey, readKeyChange, withChange } from "../transparency/LogKeys.ts"
import { ed25519 } from "../transparency/SignedNote.ts"
import { readVerifierKey, writeVerifierKey } from "../transparency/VerifierKey.ts"
import type { Cosigned, KnownLog, NotCosigned, NoteCryptography } from "./Cosigning.ts"

/** Changes of the keys of one log that a witness keeps at most. */
const mostChanges = 1_000

const sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** A change of the keys of a log that a witness has accepted, as it keeps it: keys are verifier keys. */
export const KeptChange = Schema.Union([
  Schema.Struct({ introduced: Schema.String, by: Schema.String, sequence }),
  Schema.Struct({ revoked: Schema.String, sequence })
])
export type KeptChange = typeof KeptChange.Type

const refused = (status: NotCosigned["status"], says: string) => Result.fail<NotCosigned>({ status, says })

const faults: Readonly<Record<KeyChangeFault, readonly [NotCosigned["status"], string]>> = {
  malformed: [400, "This is no proof of an event about the keys of a log."],
  not_in_log: [422, "The event is not in the tree of the checkpoint."],
  unknown_key: [403, "The key that introduces it is not known, or did not sign the checkpoint."],
  revoked_key: [403, "The key that introduces it was revoked."]
}

/** A key as the text of a witness names it; undefined where the text is none. */
const keyIn = (text: string, sha256: Sha256): NamedKey | undefined => {
  const key = readVerifierKey(text, sha256)
  return key && { kid: text, publicKey: key.publicKey }
}

/**
 * What a witness knows of the keys of a log: those that its operator names, and what it has accepted since. A key that was introduced by
 * one that the operator no longer names counts no more.
 */
const knownKeys = (
  origin: string,
  logs: ReadonlyArray<KnownLog>,
  kept: ReadonlyArray<KeptChange>,
  sha256: Sha256
): KnownKeys => {
  let known: KnownKeys = {
    trusted: logs.filter((log) => log.origin === origin && log.key.name === origin).map(({ key }) => ({
      kid: writeVerifierKey(key, sha256),
      publicKey: key.publicKey,
      since: 0
    })),
    revoked: []
  }
  for (const change of kept) {
    const key = keyIn("revoked" in change ? change.revoked : change.introduced, sha256)
    if (key === undefined) continue
    if ("revoked" in change) {
      known = withChange(known, { change: { kind: "revoked", key, at: "" }, sequence: change.sequence })
      continue
    }
    const by = keyIn(change.by, sha256)
    if (by === undefined || !known.trusted.some((one) => isSameKey(one, by))) continue
    known = withChange(known, { change: { kind: "introduced", key, by }, sequence: change.sequence })
  }
  return known
}

/** The logs of a witness with the keys that were introduced since it was told of them, and without those that were revoked. */
export const followedLogs = (
  logs: ReadonlyArray<KnownLog>,
  keptOf: (origin: string) => ReadonlyArray<KeptChange>,
  sha256: Sha256
): ReadonlyArray<KnownLog> =>
  [...new Set(logs.map(({ origin }) => origin))].flatMap((origin): ReadonlyArray<KnownLog> => {
    const given = logs.filter((log) => log.origin === origin)
    const { revoked, trusted } = knownKeys(origin, logs, keptOf(origin), sha256)
    const introduced = trusted.filter(({ since }) => since > 0).map(({ publicKey, since }) => ({
      origin,
      key: { name: origin, type: ed25519, publicKey },
      since
    }))
    return [...given, ...introduced].filter(({ key }) => !revoked.some((one) => isSameKey(one, key)))
  })

const keptOf = ({ change, sequence }: LoggedKeyChange, origin: string, sha256: Sha256): KeptChange => {
  const written = ({ publicKey }: NamedKey) => writeVerifierKey({ name: origin, type: ed25519, publicKey }, sha256)
  return change.kind === "revoked"
    ? { revoked: written(change.key), sequence }
    : { introduced: written(change.key), by: written(change.by), sequence }
}

/**
 * Judges an event about the keys of a log, proven in the checkpoint that the witness cosigned last (C2SP tlog-proof, with the leaf as its
 * extra data): what to keep of it, undefined when it is no news, or why it is refused. `last` and `kept` are those of the log.
 */
export const judgeKeyEvent = (
  body: string,
  logs: ReadonlyArray<KnownLog>,
  state: {
    readonly last: (origin: string) => Cosigned | undefined
    readonly changes: (origin: string) => ReadonlyArray<KeptChange>
  },
  { ed25519Verify, sha256 }: NoteCryptography
): Result.Result<{ readonly origin: string; readonly change: KeptChange | undefined }, NotCosigned> => {
  const read = readKeyChange(body, sha256)
  if (typeof read === "string") return refused(...faults[read])
  const { origin, root, size } = read.checkpoint
  if (!logs.some((log) => log.origin === origin)) return refused(404, "This witness does not know the log.")
  const last = state.last(origin)
  if (last?.size !== size || encodeHex(last.root) !== encodeHex(root)) return refused(409, String(last?.size ?? 0))
  const kept = state.changes(origin)
  const known = knownKeys(origin, logs, kept, sha256)
  if (isKnownChange(known, read)) return Result.succeed({ origin, change: undefined })
  const claims = claimsOfChange(read, known, sha256)
  if (typeof claims === "string") return refused(...faults[claims])
  const isSigned = claims.every(({ claims, publicKey }) =>
    claims.every(({ message, signature }) => ed25519Verify(publicKey, new TextEncoder().encode(message), signature))
  )
  if (!isSigned) return refused(403, "A signature on the checkpoint is wrong.")
  if (kept.length >= mostChanges) return refused(403, "The keys of this log have changed too often.")
  return Result.succeed({ origin, change: keptOf(read, origin, sha256) })
}
