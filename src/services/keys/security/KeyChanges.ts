import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { currentEpoch, originOf } from "../../../domain/log/EpochPlace.ts"
import type { SigningKey } from "../../../domain/keys/security/SigningKey.ts"
import type { LogKeyIntroduced } from "../../../domain/evidence/transparency/LogKeyIntroduced.ts"
import { ed25519 } from "../../../domain/evidence/transparency/SignedNote.ts"
import { writeVerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { Events } from "../../log/Events.ts"
import { logName, readEpochStarts } from "../../log/LogEpochs.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import {
  findActiveKey,
  findKey,
  findKeyBeforeRotation,
  findNextChange,
  insertActiveKey,
  lockSigningKeys,
  retireActiveKey,
  revokeKey
} from "./SigningSql.ts"
import type { KeyRow } from "./SigningSql.ts"
import { Vault } from "./Vault.ts"

/** The purpose under which private keys are sealed. */
export const signingKeyPurpose = "signing-key"

/** Reads a row of the list of keys. */
export const readKey: (row: object) => KeyRow = Schema.decodeUnknownSync(
  Schema.Struct({
    id: Schema.String,
    public_key: Schema.Uint8Array,
    status: Schema.Literals(["active", "retired", "revoked"]),
    created_at: Schema.Date,
    retired_at: Schema.NullOr(Schema.Date),
    revoked_at: Schema.NullOr(Schema.Date)
  }),
  { onExcessProperty: "error" }
)

/** A signing key as it is answered and told of. */
export const toSigningKey = (row: KeyRow): SigningKey => ({
  kid: row.id,
  algorithm: "Ed25519",
  public_key: Base64.encode(row.public_key),
  status: row.status,
  created_at: row.created_at.toISOString(),
  ...(row.retired_at === null ? {} : { retired_at: row.retired_at.toISOString() }),
  ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at.toISOString() })
})

/** Changes of the keys. Each takes one lock first, so that there is exactly one active key. */
export const makeKeyChanges = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const events = yield* Events
  const identifiers = yield* Identifiers
  const vault = yield* Vault
  const lock = lockSigningKeys(sql)
  const nextInstant = Effect.map(findNextChange(sql), ([row]) => row!.at)
  const log = yield* logName

  /** Says in the log that a key takes over from another one, for whoever follows the log by that one. */
  const introduce = Effect.fnUntraced(function*(key: KeyRow, before: KeyRow) {
    const origin = originOf(log, currentEpoch(yield* readEpochStarts(sql)))
    const named = ({ id, public_key }: KeyRow) => ({
      kid: id,
      verifier_key: writeVerifierKey({ name: origin, type: ed25519, publicKey: public_key }, crypto.sha256)
    })
    const data: LogKeyIntroduced = { origin, ...named(key), introduced_by: named(before) }
    yield* events.append({ type: "log.key_introduced", resourceId: origin, data })
  })

  const activate = Effect.gen(function*() {
    const { privateKey, publicKey } = crypto.ed25519Generate()
    const at = yield* nextInstant
    const retired = yield* retireActiveKey(sql, at)
    const id = identifiers.next("sig")
    const sealed = vault.seal(signingKeyPurpose, privateKey)
    const rows = yield* insertActiveKey(sql, { id, publicKey, sealed, at })
    for (const row of retired) {
      yield* events.append({ type: "signing_key.retired", resourceId: row.id, data: toSigningKey(row) })
    }
    const key = toSigningKey(rows[0]!)
    yield* events.append({ type: "signing_key.created", resourceId: key.kid, data: key })
    for (const row of retired) yield* introduce(rows[0]!, row)
    return key
  })

  const ensureActive = inTransaction(
    sql,
    Effect.gen(function*() {
      yield* lock
      const active = yield* findActiveKey(sql)
      if (active.length === 0) yield* activate
    })
  )

  const rehearseRotation = Effect.gen(function*() {
    const [row] = yield* findKeyBeforeRotation(sql)
    return toSigningKey({ ...row!, status: "retired", retired_at: row!.now })
  }).pipe(Effect.withSpan("Signing.rehearseRotation"))

  const rotate = inTransaction(sql, Effect.andThen(lock, activate)).pipe(
    Effect.withSpan("Signing.rotate")
  )

  const revoke = Effect.fn("Signing.revoke")((kid: string) =>
    inTransaction(
      sql,
      Effect.gen(function*() {
        yield* lock
        const [row] = yield* findKey(sql, kid)
        if (row === undefined) return yield* failing(NotFound, "No signing key has this id.")
        if (row.status === "revoked") return toSigningKey(row)
        if (row.status === "active") {
          return yield* failing(StateConflict, "The active signing key cannot be revoked.", {
            detail: "Rotate first, then revoke the retired key."
          })
        }
        const [revoked] = yield* revokeKey(sql, kid, yield* nextInstant)
        const key = toSigningKey(revoked!)
        yield* events.append({ type: "signing_key.revoked", resourceId: kid, data: key })
        return key
      })
    )
  )

  return { ensureActive, rotate, rehearseRotation, revoke }
})
