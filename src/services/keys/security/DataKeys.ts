import { Context, Data, Effect, Layer, Redacted } from "effect"
import { Hex } from "effect/encoding"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { periodically } from "../../ground/platform/Supervised.ts"
import {
  findDataKey,
  findKeyCheck,
  findOtherWrap,
  insertDataKeys,
  insertKeyCheck,
  insertWraps,
  listDataKeys,
  listMonths,
  lockDataKeys
} from "./DataKeySql.ts"
import type { DataKey, KeyRow } from "./DataKeySql.ts"
import { keyWrapping } from "./KeyWrapping.ts"
import type { DataKeyName, KeyWrapping } from "./KeyWrapping.ts"

/** The database belongs to another master key. The message says which setting to change. */
export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly message: string }> {}

/** The kinds of sealed values; each kind has keys of its own. */
const sealedKinds = ["signing-key", "webhook-secret", "idempotency", "mail"] as const

/** One kind of sealed value. */
export type SealedKind = typeof sealedKinds[number]

/** The purpose of the only key without an end: the keys of all keyed hashes are derived from it. */
const rootPurpose = "root"

const mismatch = new MasterKeyMismatch({
  message:
    "COUNTERSIGN_MASTER_KEY is not the master key of this database. Set the key that the database was created with " +
    "or last changed to: its data cannot be decrypted with another one. If that key is lost, follow " +
    "docs/how-to/recover.md."
})

/** The interval at which a node checks whether a new month has begun. */
const turnEvery = "1 hour"

/** Stores data keys, wrapped by each of the master keys. */
export const storeDataKeys = Effect.fnUntraced(function*(
  sql: Database,
  keys: ReadonlyArray<DataKey>,
  wrappings: ReadonlyArray<KeyWrapping>
) {
  if (keys.length === 0) return
  yield* insertDataKeys(sql, keys)
  for (const wrapping of wrappings) yield* insertWraps(sql, keys, wrapping)
})

/** New keys for each kind and month that has none. */
export const missingKeys = (
  crypto: Cryptography["Service"],
  rows: ReadonlyArray<DataKeyName>,
  months: ReadonlyArray<string>
): ReadonlyArray<DataKey> =>
  sealedKinds.flatMap((purpose) =>
    months.filter((month) => !rows.some((row) => row.purpose === purpose && row.period === month)).map((period) => ({
      id: crypto.randomBytes(8),
      purpose,
      period,
      key: crypto.randomBytes(32)
    }))
  )

/**
 * The key of a kind that has none yet. While the master key changes, a node has one of the two keys and can wrap no new data key
 * for the nodes with the other; all of them have the root, and derive this one from it.
 */
const derivedKey = (crypto: Cryptography["Service"], root: DataKey, purpose: SealedKind): DataKey => {
  const derive = (what: string, length: number) =>
    crypto.hkdfSha256({
      key: root.key,
      salt: new Uint8Array(0),
      info: `countersign/data-keys/v1/${purpose}/${what}`,
      length
    })
  return { id: derive("id", 8), purpose, period: "", key: derive("key", 32) }
}

/** The unwrapped keys of all rows; fails when this master key cannot open one of them. */
export const unwrapAll = (
  rows: ReadonlyArray<KeyRow>,
  wrapping: KeyWrapping
): Effect.Effect<ReadonlyArray<DataKey>, MasterKeyMismatch> =>
  Effect.forEach(rows, ({ wrapped, ...name }) => {
    const key = wrapped === null ? undefined : wrapping.unwrap(name, wrapped)
    return key === undefined ? Effect.fail(mismatch) : Effect.succeed({ ...name, key })
  })

/**
 * The keys that encrypt stored secrets: one for each kind of secret and month, made when first needed, stored wrapped
 * by the master key, and held in memory. So the master key can be changed without touching the sealed values, and no
 * key seals more than a month of them.
 */
export class DataKeys extends Context.Service<DataKeys, {
  /** 32 bytes that never change, from which the keys of keyed hashes are derived (HKDF-Expand, RFC 5869). */
  readonly root: Uint8Array
  /** The key that seals new values. The object is a new one every hour, even for the same key. */
  readonly current: (kind: SealedKind) => DataKey
  /** The key with this id, which another node may have made; `undefined` when the master key cannot open it. */
  readonly byId: (id: Uint8Array) => Effect.Effect<DataKey | undefined>
}>()("countersign/services/keys/security/DataKeys") {
  /** Requires the migrated tables. Fails with {@link MasterKeyMismatch} before it writes anything. */
  static readonly layer = Layer.effect(
    DataKeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const masterKey = Redacted.value((yield* Settings).masterKey)
      const wrapping = keyWrapping(crypto, masterKey)
      const known = new Map<string, DataKey>()
      const current = new Map<string, DataKey>()

      /**
       * A database older than data keys derived its hashes from its first master key, so its root is that key,
       * extracted (HKDF-Extract without a salt). The root of a new database is random and independent of the master
       * key.
       */
      const makeRoot = Effect.gen(function*() {
        const [stored] = yield* findKeyCheck(sql)
        const id = crypto.randomBytes(8)
        if (stored === undefined) {
          // A version from before data keys then takes this for the database of another master key, and stops.
          yield* insertKeyCheck(sql, crypto.randomBytes(16))
          return { id, purpose: rootPurpose, period: "", key: crypto.randomBytes(32) }
        }
        const check = crypto.hkdfSha256({
          key: masterKey,
          salt: new Uint8Array(0),
          info: "countersign/vault/v1/key-check",
          length: 16
        })
        if (!crypto.timingSafeEqual(stored.value, check)) return yield* mismatch
        return { id, purpose: rootPurpose, period: "", key: crypto.hmacSha256(new Uint8Array(32), masterKey) }
      })

      /**
       * Whether a change of the master key is under way. All data keys then exist already, wrapped by both master keys, but
       * those of kinds that a newer version brought since.
       */
      const isChanging = Effect.map(findOtherWrap(sql, wrapping), (rows) => rows.length > 0)

      /** Makes the missing keys of this month and the next, and loads all keys into memory. */
      const turn = inTransaction(
        sql,
        Effect.gen(function*() {
          yield* lockDataKeys(sql)
          const rows = yield* listDataKeys(sql, wrapping)
          const months = (yield* listMonths(sql, 1)).map(({ month }) => month)
          const keys = yield* unwrapAll(rows, wrapping)
          const made = rows.length === 0
            ? [yield* makeRoot, ...missingKeys(crypto, rows, months)]
            : (yield* isChanging)
            ? []
            : missingKeys(crypto, rows, months)
          yield* storeDataKeys(sql, made, [wrapping])
          return { keys: [...keys, ...made], month: months[0]! }
        })
      )

      const adopt = ({ keys, month }: Effect.Success<typeof turn>) => {
        for (const key of keys) known.set(Hex.encode(key.id), key)
        for (const kind of sealedKinds) {
          const past = keys.filter(({ period, purpose }) => purpose === kind && period <= month)
          const latest = past.toSorted((a, b) => a.period < b.period ? -1 : 1).at(-1)
          if (latest !== undefined) current.set(kind, { ...latest })
        }
      }

      const first = yield* turn
      const root = first.keys.find(({ purpose }) => purpose === rootPurpose)
      if (root === undefined) return yield* Effect.die(new Error("The root of the keyed hashes is gone"))
      for (const kind of sealedKinds) {
        const derived = derivedKey(crypto, root, kind)
        known.set(Hex.encode(derived.id), derived)
        current.set(kind, derived)
      }
      adopt(first)

      const look = turn.pipe(
        Effect.map(adopt),
        Effect.catchTag("MasterKeyMismatch", () =>
          Effect.logWarning(
            "The master key was changed, and this node still uses the previous one. Restart it with the new one."
          ))
      )
      // While it fails, the keys in memory go on.
      yield* periodically("Looking for new data keys", look, turnEvery)

      const byId = Effect.fnUntraced(function*(id: Uint8Array) {
        const held = known.get(Hex.encode(id))
        if (held !== undefined) return held
        const rows = yield* findDataKey(sql, id, wrapping)
        const [key] = yield* Effect.orElseSucceed(unwrapAll(rows, wrapping), (): ReadonlyArray<DataKey> => [])
        if (key !== undefined) known.set(Hex.encode(id), key)
        return key
      })

      return DataKeys.of({ root: root.key, current: (kind) => current.get(kind)!, byId })
    })
  )
}
