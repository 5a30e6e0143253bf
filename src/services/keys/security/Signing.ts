import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { LogKeyIntroduced } from "../../../domain/evidence/transparency/LogKeyIntroduced.ts"
import { ed25519 } from "../../../domain/evidence/transparency/SignedNote.ts"
import { writeVerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import { signedJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { Signature } from "../../../domain/ground/wire/Signed.ts"
import { mostListedKeys } from "../../../domain/keys/security/KeyListFormat.ts"
import type {
  JsonWebKeySet,
  KeyEndorsement,
  PublicKey,
  RevokedKey,
  SigningKey
} from "../../../domain/keys/security/SigningKey.ts"
import { currentEpoch, originOf } from "../../../domain/log/EpochPlace.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { periodically } from "../../ground/platform/Supervised.ts"
import { Events } from "../../log/Events.ts"
import { logName, readEpochStarts } from "../../log/MerkleLog.ts"
import {
  findActiveKey,
  findKey,
  findKeyAge,
  findKeyBeforeRotation,
  findNextChange,
  findPrivateKey,
  findSigned,
  insertActiveKey,
  listKeys,
  listPublishedKeys,
  lockSigningKeys,
  retireActiveKey,
  revokeKey
} from "./SigningSql.ts"
import type { KeyRow, SignedByKey } from "./SigningSql.ts"
import { makeEndorsements, Vault } from "./Vault.ts"
import type { ListedKey } from "./Vault.ts"

/** The purpose under which private keys are sealed. */
export const signingKeyPurpose = "signing-key"

/** Reads a row of the list of keys. */
const readKey: (row: object) => KeyRow = Schema.decodeUnknownSync(
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
const toSigningKey = (row: KeyRow): SigningKey => ({
  kid: row.id,
  algorithm: "Ed25519",
  public_key: Base64.encode(row.public_key),
  status: row.status,
  created_at: row.created_at.toISOString(),
  ...(row.retired_at === null ? {} : { retired_at: row.retired_at.toISOString() }),
  ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at.toISOString() })
})

/** Changes of the keys. Each takes one lock first, so that there is exactly one active key. */
const makeKeyChanges = Effect.gen(function*() {
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

const keyAge = fromStart(Metric.gauge("countersign_signing_key_age_seconds", {
  description: "Age of the key that signs responses."
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

/** A signature in base64, in half of the time that a library in JavaScript takes. */
const base64 = (signature: Uint8Array): string =>
  btoa(Reflect.apply(String.fromCharCode, undefined, signature as ArrayLike<number>))

type Signer = (message: string) => Effect.Effect<Uint8Array>

const listed = (row: ListedKey) => ({
  kid: row.id,
  algorithm: "Ed25519" as const,
  public_key: Base64.encode(row.public_key)
})

/** The list of public keys, whose endorsement is by some of them. */
const publishedOf = (rows: ReadonlyArray<ListedKey>, endorsement: KeyEndorsement): PublishedKeys => {
  const endorsing = new Set(endorsement.signatures.map(({ kid }) => kid))
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
}

const jwksOf = ({ keys }: PublishedKeys): JsonWebKeySet => ({
  keys: keys.map((key) => ({
    kty: "OKP",
    crv: "Ed25519",
    use: "sig",
    alg: "EdDSA",
    kid: key.kid,
    x: key.public_key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
  }))
})

/** The signature of a text by a key that was opened. */
const signed = (kid: string, signer: Signer, text: string): Effect.Effect<Signature> =>
  Effect.map(signer(text), (bytes) => ({ alg: "Ed25519", algorithm: "Ed25519", kid, value: base64(bytes) }))

/**
 * The Ed25519 keys (RFC 8032) that sign runtime answers: one key is active, retired keys stay published, revoked keys
 * are withdrawn. Private keys are sealed at rest.
 */
export class Signing extends Context.Service<Signing, {
  /**
   * Signs the UTF-8 bytes of `text` with the key `kid`. Callers pass the kid that was active in the state they read.
   */
  readonly sign: (kid: string, text: string) => Effect.Effect<Signature>
  /** Signs the canonical bytes of `data` the same way, with the environment where it is not the live one. */
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
  /** The counts of what a key has signed, as far as the database tells; undefined when there is no such key. */
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
}>()("countersign/services/keys/security/Signing") {
  /** Makes a key at the first start. */
  static readonly layer = Layer.effect(
    Signing,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const vault = yield* Vault
      const signers = new Map<string, Signer>()

      const open = Effect.fn("Signing.load")(function*(kid: string) {
        const [row] = yield* findPrivateKey(sql, kid)
        if (row === undefined) return yield* Effect.die(new Error(`Signing key ${kid} is gone`))
        return crypto.ed25519Signer(yield* vault.open(signingKeyPurpose, row.private_key))
      })

      const load = (kid: string) => Effect.tap(open(kid), (signer) => Effect.sync(() => signers.set(kid, signer)))

      const sign = (kid: string, text: string): Effect.Effect<Signature> => {
        const signer = signers.get(kid)
        return signer === undefined
          ? Effect.flatMap(load(kid), (signer) => signed(kid, signer, text))
          : signed(kid, signer, text)
      }

      const signAnswer = (kid: string, data: object) =>
        Effect.suspend(() => {
          const text = signedJson(environment === "live" ? data : { ...data, environment })
          return Effect.map(sign(kid, text), (signature): SignedAnswer => ({ data: text, signature }))
        })

      // One query a second, however many callers with unknown keys there are.
      const active = yield* Effect.cachedWithTTL(
        Effect.gen(function*() {
          const [row] = yield* findActiveKey(sql)
          return { kid: row!.kid, ahead: row!.now.getTime() - (yield* Clock.currentTimeMillis) }
          // It is of nobody's request, though one of them has to wait for it.
        }).pipe(Effect.withTracerEnabled(false)),
        "1 second"
      )

      const signNow = Effect.fnUntraced(function*(make: (now: Date) => object) {
        const { ahead, kid } = yield* active
        return yield* signAnswer(kid, make(new Date((yield* Clock.currentTimeMillis) + ahead)))
      })

      const changes = yield* Effect.tap(makeKeyChanges, ({ ensureActive }) => ensureActive)

      const openAndSign = (kid: string, text: string) =>
        Effect.flatMap(open(kid), (signer) => signed(kid, signer, text))
      const endorse = makeEndorsements(environment, openAndSign)

      const published = listPublishedKeys(sql, mostOfEither).pipe(
        Effect.flatMap((rows) => Effect.map(endorse(rows), (endorsement) => publishedOf(rows, endorsement))),
        Effect.withSpan("Signing.published")
      )

      const list = Effect.fn("Signing.list")((page: PageRequest) =>
        sortedPage({
          sql,
          list: "signing_keys",
          products: "not-limited",
          filters: {},
          page,
          conditions: [],
          rows: (clauses, limit) => listKeys(sql, clauses, limit),
          read: (row) => toSigningKey(readKey(row))
        })
      )

      const observe = Effect.flatMap(findKeyAge(sql), ([key]) => Metric.update(keyAge, key?.age ?? 0))

      return Signing.of({
        sign,
        signAnswer,
        signNow,
        published,
        jwks: Effect.map(published, jwksOf),
        signedBy: (kid) => Effect.map(findSigned(sql, kid), ([signed]) => signed),
        list,
        rotate: changes.rotate,
        rehearseRotation: changes.rehearseRotation,
        revoke: changes.revoke,
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
