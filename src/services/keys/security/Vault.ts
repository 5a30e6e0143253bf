import { Context, Data, Effect, Layer, Semaphore } from "effect"
import { Base64, Hex } from "effect/encoding"
import { environmentOfAnswer } from "../../../domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { canonicalJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Signature } from "../../../domain/ground/wire/Signed.ts"
import { keyListType } from "../../../domain/keys/security/KeyListFormat.ts"
import type { KeyEndorsement } from "../../../domain/keys/security/SigningKey.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { DataKeys } from "./DataKeys.ts"
import type { SealedKind } from "./DataKeys.ts"
import type { DataKey } from "./DataKeySql.ts"

/**
 * Version 2 of the envelope: version (1 byte), id of the data key (8), salt (8), nonce (12), ciphertext and tag. The
 * sealing key is derived from the data key and the salt, and each node draws a new salt every hour: an AES-GCM key with
 * random nonces is safe for 2^32 messages, and a month of answers can exceed that.
 */
const version = 2
const dataKeyIdEnd = 1 + 8
const saltEnd = dataKeyIdEnd + 8
const headerLength = saltEnd + 12

/** Version 1, which is only read: version, id of the key (8), nonce (12), ciphertext and tag, all under one key. */
const versionBefore = 1
const keyIdEnd = 1 + 8
const headerLengthBefore = keyIdEnd + 12

/** How many derived keys are kept in memory to open envelopes. */
const keptKeys = 1000

/** The purpose of a sealed value: its kind, followed by a colon and the row where the kind has several. */
export type SealPurpose = SealedKind | `${SealedKind}:${string}`

/** The kind of a purpose. */
const kindOf = (purpose: SealPurpose): SealedKind => {
  const end = purpose.indexOf(":")
  return (end < 0 ? purpose : purpose.slice(0, end)) as SealedKind
}

/** {@link Vault} dies with this. The cause is a wrong key or damaged bytes, never a caller. */
export class VaultError extends Data.TaggedError("VaultError")<{ readonly message: string }> {}

/** Encrypts stored values that must be read back, such as signing keys and webhook secrets, under data keys. */
export class Vault extends Context.Service<Vault, {
  /**
   * Encrypts (AES-256-GCM). The purpose, for example `webhook-secret:<id of the row>`, is needed again to open the
   * envelope, so an envelope moved to another row or column does not open. Adds 45 bytes.
   */
  readonly seal: (purpose: SealPurpose, plaintext: Uint8Array) => Uint8Array

  /** Reverses `seal`. Dies with a {@link VaultError} under another master key, or when the bytes were changed. */
  readonly open: (purpose: SealPurpose, sealed: Uint8Array) => Effect.Effect<Uint8Array>

  /**
   * HMAC-SHA-256 of a text under a key of this purpose, 32 bytes: for secrets that are looked up and never read back.
   * It does not depend on the master key. Purposes are a small fixed set, because their keys are cached.
   */
  readonly keyedHash: (purpose: string, text: string) => Uint8Array
}>()("countersign/services/keys/security/Vault") {
  /** Requires the tables of the data keys. */
  static readonly layer = Layer.effect(
    Vault,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const dataKeys = yield* DataKeys
      const utf8 = new TextEncoder()

      // HKDF-Expand (RFC 5869) for a single block: derives at most 32 bytes from the root.
      const derive = (info: string) => crypto.hmacSha256(dataKeys.root, `countersign/vault/v1/${info}\u0001`)

      const keyBefore = derive("seal")
      const keyIdBefore = crypto.sha256(derive("key-id")).subarray(0, 8)
      const hashKeys = new Map<string, Uint8Array>()

      const hashKey = (purpose: string): Uint8Array => {
        const known = hashKeys.get(purpose)
        if (known !== undefined) return known
        const key = derive(`hash/${purpose}`)
        hashKeys.set(purpose, key)
        return key
      }

      const associated = (head: Uint8Array, purpose: string): Uint8Array => {
        const text = utf8.encode(purpose)
        const aad = new Uint8Array(head.length + text.length)
        aad.set(head)
        aad.set(text, head.length)
        return aad
      }

      const keyOf = (dataKey: DataKey, salt: Uint8Array) =>
        crypto.hkdfSha256({ key: dataKey.key, salt, info: "countersign/vault/v2/seal", length: 32 })

      interface Sealer {
        readonly dataKey: DataKey
        readonly salt: Uint8Array
        readonly key: Uint8Array
      }
      const sealers = new Map<SealedKind, Sealer>()

      const sealerOf = (kind: SealedKind): Sealer => {
        const dataKey = dataKeys.current(kind)
        const known = sealers.get(kind)
        if (known?.dataKey === dataKey) return known
        const salt = crypto.randomBytes(8)
        const sealer = { dataKey, salt, key: keyOf(dataKey, salt) }
        sealers.set(kind, sealer)
        return sealer
      }

      /** Derived keys by data key and salt, oldest first. */
      const openers = new Map<string, Uint8Array>()

      const openerOf = (dataKey: DataKey, sealed: Uint8Array): Uint8Array => {
        const name = Hex.encode(sealed.subarray(1, saltEnd))
        const known = openers.get(name)
        if (known !== undefined) return known
        const key = keyOf(dataKey, sealed.subarray(dataKeyIdEnd, saltEnd))
        const [oldest] = openers.keys()
        if (openers.size >= keptKeys && oldest !== undefined) openers.delete(oldest)
        openers.set(name, key)
        return key
      }

      const broken = (purpose: string, problem: string) =>
        Effect.die(new VaultError({ message: `Cannot decrypt the stored value for ${purpose}: ${problem}` }))
      const wrongKey = (purpose: string) =>
        broken(
          purpose,
          "it was encrypted under another master key. Set COUNTERSIGN_MASTER_KEY to the key that this database was " +
            "created with, or was changed to"
        )
      const changed = (purpose: string) =>
        broken(
          purpose,
          "COUNTERSIGN_MASTER_KEY is the right key, but the bytes were changed or belong to another purpose"
        )

      const openBefore = (purpose: SealPurpose, sealed: Uint8Array) => {
        if (!crypto.timingSafeEqual(sealed.subarray(1, keyIdEnd), keyIdBefore)) return wrongKey(purpose)
        const plaintext = crypto.aes256GcmDecrypt({
          key: keyBefore,
          nonce: sealed.subarray(keyIdEnd, headerLengthBefore),
          ciphertext: sealed.subarray(headerLengthBefore),
          aad: associated(sealed.subarray(0, keyIdEnd), purpose)
        })
        return plaintext === undefined ? changed(purpose) : Effect.succeed(plaintext)
      }

      const open = Effect.fnUntraced(function*(purpose: SealPurpose, sealed: Uint8Array) {
        if (sealed[0] === versionBefore && sealed.length >= headerLengthBefore) {
          return yield* openBefore(purpose, sealed)
        }
        if (sealed[0] !== version || sealed.length < headerLength) {
          return yield* broken(purpose, "it is no envelope that this version of the program wrote")
        }
        const dataKey = yield* dataKeys.byId(sealed.subarray(1, dataKeyIdEnd))
        if (dataKey === undefined) return yield* wrongKey(purpose)
        if (dataKey.purpose !== kindOf(purpose)) return yield* changed(purpose)
        const plaintext = crypto.aes256GcmDecrypt({
          key: openerOf(dataKey, sealed),
          nonce: sealed.subarray(saltEnd, headerLength),
          ciphertext: sealed.subarray(headerLength),
          aad: associated(sealed.subarray(0, saltEnd), purpose)
        })
        return plaintext === undefined ? yield* changed(purpose) : plaintext
      })

      return Vault.of({
        seal: (purpose, plaintext) => {
          const { dataKey, key, salt } = sealerOf(kindOf(purpose))
          const nonce = crypto.randomBytes(headerLength - saltEnd)
          const header = new Uint8Array(headerLength)
          header[0] = version
          header.set(dataKey.id, 1)
          header.set(salt, dataKeyIdEnd)
          header.set(nonce, saltEnd)
          const ciphertext = crypto.aes256GcmEncrypt({
            key,
            nonce,
            plaintext,
            aad: associated(header.subarray(0, saltEnd), purpose)
          })
          const sealed = new Uint8Array(headerLength + ciphertext.length)
          sealed.set(header)
          sealed.set(ciphertext, headerLength)
          return sealed
        },
        open,
        keyedHash: (purpose, text) => crypto.hmacSha256(hashKey(purpose), text)
      })
    })
  ).pipe(Layer.provide(DataKeys.layer))
}

/** The columns of a key, to list it. */
export interface ListedKey {
  readonly id: string
  readonly public_key: Uint8Array
  readonly status: "active" | "retired" | "revoked"
  readonly created_at: Date
  readonly retired_at: Date | null
  readonly revoked_at: Date | null
  /** Whether the private half is there: with a master key that was lost it went. */
  readonly is_held: boolean
}

/** The content that the keys sign of their list. */
const statementOf = (rows: ReadonlyArray<ListedKey>, environment: EnvironmentName): KeyEndorsement["data"] => {
  const instants = rows.flatMap(({ created_at, retired_at, revoked_at }) =>
    [created_at, retired_at, revoked_at].map((at) => at?.getTime() ?? 0)
  )
  const memberOf = ({ created_at, id, public_key }: ListedKey) => ({
    kid: id,
    algorithm: "Ed25519" as const,
    public_key: Base64.encode(public_key),
    created_at: created_at.toISOString()
  })
  return {
    type: keyListType,
    ...environmentOfAnswer(environment),
    issued_at: new Date(instants.reduce((latest, at) => Math.max(latest, at), 0)).toISOString(),
    keys: rows.filter(({ revoked_at }) => revoked_at === null).map(memberOf),
    revoked: rows.flatMap((row) =>
      row.revoked_at === null ? [] : [{ ...memberOf(row), revoked_at: row.revoked_at.toISOString() }]
    )
  }
}

/**
 * Makes what endorses a list of keys: it is signed by every key of the service, the revoked ones too, so that an app that ships
 * any of them follows the others. Signing gives the same bytes again, so the last result is all that is kept; and of those who
 * read a changed list at once, one signs.
 */
export const makeEndorsements = (
  environment: EnvironmentName,
  sign: (kid: string, text: string) => Effect.Effect<Signature>
) => {
  const one = Semaphore.makeUnsafe(1)
  let last: { readonly text: string; readonly endorsement: KeyEndorsement } | undefined
  const endorse = Effect.fnUntraced(
    function*(rows: ReadonlyArray<ListedKey>, data: KeyEndorsement["data"], text: string) {
      if (last?.text === text) return last.endorsement
      const signatures = yield* Effect.forEach(rows.filter(({ is_held }) => is_held), ({ id }) =>
        sign(id, text).pipe(
          Effect.map((signature) => [signature]),
          // One that cannot be opened any more endorses nothing, and keeps nobody from reading the list.
          Effect.catchDefect((defect) =>
            defect instanceof VaultError
              ? Effect.as(Effect.logWarning(`The signing key ${id} signs no list of keys`, defect), [])
              : Effect.die(defect)
          )
        ))
      const endorsement: KeyEndorsement = { data, signatures: signatures.flat() }
      last = { text, endorsement }
      return endorsement
    }
  )
  return Effect.fn("Signing.endorse")(function*(rows: ReadonlyArray<ListedKey>) {
    const data = statementOf(rows, environment)
    const text = canonicalJson(data)
    return last?.text === text ? last.endorsement : yield* one.withPermits(1)(endorse(rows, data, text))
  })
}
