import { Clock, Context, Effect, Layer, Metric } from "effect"
import { Base64 } from "effect/encoding"
import { mostListedKeys } from "../../domain/security/KeyListFormat.ts"
import type {
  JsonWebKeySet,
  KeyEndorsement,
  PublicKey,
  RevokedKey,
  SigningKey
} from "../../domain/security/SigningKey.ts"
import { signedJson } from "../../domain/wire/CanonicalJson.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import type { Signature } from "../../domain/wire/Signed.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { periodically } from "../platform/Supervised.ts"
import { makeEndorsements } from "./KeyEndorsements.ts"
import type { ListedKey } from "./KeyEndorsements.ts"
import { signedByKey } from "./SignedByKey.ts"
import type { SignedByKey } from "./SignedByKey.ts"
import { Vault } from "./Vault.ts"

const keyAge = fromStart(Metric.gauge("countersign_signing_key_age_seconds", {
  description: "Age of the key that signs answers."
}))

/** A signed answer: the canonical bytes of `data` as text, and the signature over them. */
export interface SignedAnswer {
  readonly data: string
  readonly signature: Signature
}

/** The list of public keys. */
export interface PublishedKeys {
  readonly keys: ReadonlyArray<PublicKey>
  readonly revoked: ReadonlyArray<RevokedKey>
  readonly endorsement: KeyEndorsement
}

/** So many keys that verify are listed, and so many revoked ones: apps take no list that has more than both together. */
const mostOfEither = mostListedKeys / 2

/** The purpose under which private keys are sealed. */
export const signingKeyPurpose = "signing-key"

/** A signature in base64, in half of the time that a library in JavaScript takes. */
const base64 = (signature: Uint8Array): string =>
  btoa(Reflect.apply(String.fromCharCode, undefined, signature as ArrayLike<number>))

type Signer = (message: string) => Effect.Effect<Uint8Array>

interface KeyRow {
  readonly id: string
  readonly public_key: Uint8Array
  readonly status: SigningKey["status"]
  readonly created_at: Date
  readonly retired_at: Date | null
  readonly revoked_at: Date | null
}

const toSigningKey = (row: KeyRow): SigningKey => ({
  kid: row.id,
  algorithm: "Ed25519",
  public_key: Base64.encode(row.public_key),
  status: row.status,
  created_at: row.created_at.toISOString(),
  ...(row.retired_at === null ? {} : { retired_at: row.retired_at.toISOString() }),
  ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at.toISOString() })
})

/**
 * The Ed25519 keys (RFC 8032) that sign runtime answers: one key is active, retired keys stay published, revoked keys
 * are withdrawn. Private keys are sealed at rest.
 */
export class Signing extends Context.Service<Signing, {
  /**
   * Signs the UTF-8 bytes of `text` with the key `kid`. Callers pass the kid that was active in the state they read.
   */
  readonly sign: (kid: string, text: string) => Effect.Effect<Signature>
  /** Signs the canonical bytes of `data` the same way. */
  readonly signAnswer: (kid: string, data: object) => Effect.Effect<SignedAnswer>
  /**
   * Signs what is made of the time as the database tells it, with the key that was active at most a second ago: for what
   * follows from no state that was read, such as a key that nobody has.
   */
  readonly signNow: (make: (now: Date) => object) => Effect.Effect<SignedAnswer>
  /**
   * The keys that verifiers may trust, active and retired ones, and the revoked ones, newest first: what these signed before is
   * for its holders to judge. The list is signed by the keys themselves. Of either kind there are {@link mostOfEither} at most: the
   * active key and the newest retired ones, and those that were revoked last.
   */
  readonly published: Effect.Effect<PublishedKeys>
  /** The published keys as a JSON Web Key Set (RFC 7517 and 8037). */
  readonly jwks: Effect.Effect<JsonWebKeySet>
  /** What a key has signed, as far as the database tells; undefined when there is no such key. */
  readonly signedBy: (kid: string) => Effect.Effect<SignedByKey | undefined>
  readonly list: (page: PageRequest) => Effect.Effect<Page<SigningKey>, InvalidCursor>
  /** Makes a new active key; the previous one is retired. */
  readonly rotate: Effect.Effect<SigningKey>
  /** The active key as {@link rotate} would leave it. Changes nothing. */
  readonly rehearseRotation: Effect.Effect<SigningKey>
  /** Withdraws a retired key. Idempotent. */
  readonly revoke: (kid: string) => Effect.Effect<SigningKey, NotFound | StateConflict>
  /** Notes the age of the active key for metrics. */
  readonly observe: Effect.Effect<void>
}>()("countersign/services/security/Signing") {
  /** Makes a key at the first start. */
  static readonly layer = Layer.effect(
    Signing,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const events = yield* Events
      const identifiers = yield* Identifiers
      const vault = yield* Vault
      const columns = sql`id, public_key, status, created_at, retired_at, revoked_at`
      const signers = new Map<string, Signer>()

      const open = Effect.fn("Signing.load")(function*(kid: string) {
        const rows = yield* sql<{ readonly private_key: Uint8Array }>`
          -- name: signing_keys.find private key
          SELECT private_key FROM signing_keys WHERE id = ${kid}`
        if (rows[0] === undefined) return yield* Effect.die(new Error(`Signing key ${kid} is gone`))
        return crypto.ed25519Signer(yield* vault.open(signingKeyPurpose, rows[0].private_key))
      })

      const load = (kid: string) => Effect.tap(open(kid), (signer) => Effect.sync(() => signers.set(kid, signer)))

      const signed = (kid: string, signer: Signer, text: string): Effect.Effect<Signature> =>
        Effect.map(signer(text), (bytes) => ({ alg: "Ed25519", algorithm: "Ed25519", kid, value: base64(bytes) }))

      const sign = (kid: string, text: string): Effect.Effect<Signature> => {
        const signer = signers.get(kid)
        return signer === undefined
          ? Effect.flatMap(load(kid), (signer) => signed(kid, signer, text))
          : signed(kid, signer, text)
      }

      const signAnswer = (kid: string, data: object) =>
        Effect.suspend(() => {
          const text = signedJson(data)
          return Effect.map(sign(kid, text), (signature): SignedAnswer => ({ data: text, signature }))
        })

      // One query a second, however many callers with unknown keys there are.
      const active = yield* Effect.cachedWithTTL(
        Effect.gen(function*() {
          const [row] = yield* sql<{ readonly kid: string; readonly now: Date }>`
            -- name: signing_keys.find active
            SELECT id AS kid, clock_timestamp() AS now FROM signing_keys WHERE status = 'active'`
          return { kid: row!.kid, ahead: row!.now.getTime() - (yield* Clock.currentTimeMillis) }
          // It is of nobody's request, though one of them has to wait for it.
        }).pipe(Effect.withTracerEnabled(false)),
        "1 second"
      )

      const signNow = Effect.fnUntraced(function*(make: (now: Date) => object) {
        const { ahead, kid } = yield* active
        return yield* signAnswer(kid, make(new Date((yield* Clock.currentTimeMillis) + ahead)))
      })

      // Rotations and first starts are rare, so one lock ensures exactly one active key.
      const lock = sql`
        -- name: advisory_locks.lock signing keys
        SELECT pg_advisory_xact_lock(hashtext('countersign signing keys'))`

      /**
       * When a change of the keys is made, later than every one before, to the millisecond: by it lists of keys follow each other.
       * Asked for under the lock, because a transaction that waited for it began before the change that it waited for.
       */
      const nextInstant = Effect.map(
        sql<{ readonly at: Date }>`
          -- name: signing_keys.find next change
          SELECT date_trunc('milliseconds', greatest(
            clock_timestamp(), max(greatest(created_at, retired_at, revoked_at)) + interval '1 millisecond')) AS at
          FROM signing_keys`,
        ([row]) => row!.at
      )

      const activate = Effect.gen(function*() {
        const pair = crypto.ed25519Generate()
        const at = yield* nextInstant
        const retired = yield* sql<KeyRow>`
          -- name: signing_keys.update retired
          UPDATE signing_keys SET status = 'retired', retired_at = ${at} WHERE status = 'active' RETURNING ${columns}`
        const rows = yield* sql<KeyRow>`
          -- name: signing_keys.insert
          INSERT INTO signing_keys (id, public_key, private_key, status, created_at)
          VALUES (${identifiers.next("sig")}, ${pair.publicKey}, ${
          vault.seal(signingKeyPurpose, pair.privateKey)
        }, 'active', ${at})
          RETURNING ${columns}`
        for (const row of retired) {
          yield* events.append({ type: "signing_key.retired", resourceId: row.id, data: toSigningKey(row) })
        }
        const key = toSigningKey(rows[0]!)
        yield* events.append({ type: "signing_key.created", resourceId: key.kid, data: key })
        return key
      })

      const rehearseRotation = Effect.gen(function*() {
        const [row] = yield* sql<KeyRow & { readonly now: Date }>`
          -- name: signing_keys.find before rotation
          SELECT ${columns}, now() FROM signing_keys WHERE status = 'active'`
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
            const rows = yield* sql<KeyRow>`
              -- name: signing_keys.find for revocation
              SELECT ${columns} FROM signing_keys WHERE id = ${kid}`
            const row = rows[0]
            if (row === undefined) return yield* failing(NotFound, "No signing key has this id.")
            if (row.status === "revoked") return toSigningKey(row)
            if (row.status === "active") {
              return yield* failing(StateConflict, "The active signing key cannot be revoked.", {
                detail: "Rotate first, then revoke the retired key."
              })
            }
            const revoked = yield* sql<KeyRow>`
              -- name: signing_keys.update revoked
              UPDATE signing_keys SET status = 'revoked', revoked_at = ${yield* nextInstant} WHERE id = ${kid}
              RETURNING ${columns}`
            const key = toSigningKey(revoked[0]!)
            yield* events.append({ type: "signing_key.revoked", resourceId: kid, data: key })
            return key
          })
        )
      )

      const endorse = makeEndorsements((kid, text) => Effect.flatMap(open(kid), (signer) => signed(kid, signer, text)))

      const published = Effect.gen(function*() {
        const rows = yield* sql<ListedKey>`
          -- name: signing_keys.list published
          WITH listed AS (
            (SELECT * FROM signing_keys WHERE status <> 'revoked' ORDER BY status, id DESC LIMIT ${mostOfEither})
            UNION ALL
            (SELECT * FROM signing_keys WHERE status = 'revoked' ORDER BY revoked_at DESC, id DESC LIMIT ${mostOfEither})
          )
          SELECT ${columns}, get_byte(private_key, 0) <> 0 AS is_held FROM listed ORDER BY id DESC`
        const endorsement = yield* endorse(rows)
        const endorsing = new Set(endorsement.signatures.map(({ kid }) => kid))
        const listed = (row: ListedKey) => ({
          kid: row.id,
          algorithm: "Ed25519" as const,
          public_key: Base64.encode(row.public_key)
        })
        return {
          keys: rows.flatMap((row): ReadonlyArray<PublicKey> =>
            row.status === "revoked" ? [] : [{
              ...listed(row),
              status: row.status,
              created_at: row.created_at.toISOString(),
              ...(endorsing.has(row.id) ? { endorses: true } : {})
            }]
          ),
          revoked: rows.flatMap((row): ReadonlyArray<RevokedKey> =>
            row.status === "revoked"
              ? [{
                ...listed(row),
                status: row.status,
                created_at: row.created_at.toISOString(),
                revoked_at: row.revoked_at!.toISOString()
              }]
              : []
          ),
          endorsement
        }
      }).pipe(Effect.withSpan("Signing.published"))

      const jwks = Effect.map(published, ({ keys }): JsonWebKeySet => ({
        keys: keys.map((key) => ({
          kty: "OKP",
          crv: "Ed25519",
          use: "sig",
          alg: "EdDSA",
          kid: key.kid,
          x: key.public_key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
        }))
      }))

      const list = Effect.fn("Signing.list")((page: PageRequest) =>
        sortedPage({
          sql,
          list: "signing_keys",
          products: "not-limited",
          filters: {},
          page,
          conditions: [],
          rows: ({ orderBy, place, where }, limit) =>
            sql`
              -- name: signing_keys.list
              SELECT ${columns} ${place} FROM signing_keys ${where} ${orderBy} LIMIT ${limit}`,
          read: (row) => toSigningKey(row as KeyRow)
        })
      )

      const signedBy = (kid: string) => signedByKey(sql, kid)

      yield* inTransaction(
        sql,
        Effect.gen(function*() {
          yield* lock
          const active = yield* sql`
            -- name: signing_keys.find whether active
            SELECT 1 FROM signing_keys WHERE status = 'active'`
          if (active.length === 0) yield* activate
        })
      )

      const observe = sql<{ readonly age: number }>`
        -- name: signing_keys.find age
        SELECT extract(epoch FROM now() - created_at)::float8 AS age FROM signing_keys WHERE status = 'active'`.pipe(
        Effect.flatMap(([key]) => Metric.update(keyAge, key?.age ?? 0))
      )

      return Signing.of({
        sign,
        signAnswer,
        signNow,
        published,
        jwks,
        signedBy,
        list,
        rotate,
        rehearseRotation,
        revoke,
        observe
      })
    })
  )

  /** Keeps the age of the key up to date for metrics. */
  static readonly layerMetrics = Layer.effectDiscard(Effect.gen(function*() {
    const { observe } = yield* Signing
    yield* observe
    yield* periodically("Reading the age of the signing key", observe, "1 minute", "Debug")
  }))
}
