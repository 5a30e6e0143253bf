import { Context, Data, Effect, Layer, Redacted } from "effect"
import { Hex } from "effect/encoding"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Settings } from "../platform/Settings.ts"
import { periodically } from "../platform/Supervised.ts"
import { keyWrapping } from "./KeyWrapping.ts"
import type { DataKeyName, KeyWrapping } from "./KeyWrapping.ts"

/** The database belongs to another master key. The message says which setting to change. */
export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly message: string }> {}

/** The kinds of sealed values; each kind has keys of its own. */
const sealedKinds = ["signing-key", "webhook-secret", "idempotency"] as const

/** One kind of sealed value. */
export type SealedKind = typeof sealedKinds[number]

/** The purpose of the only key without an end: the keys of all keyed hashes are derived from it. */
const rootPurpose = "root"

/** A data key in memory. */
export interface DataKey extends DataKeyName {
  /** 32 bytes. */
  readonly key: Uint8Array
}

interface KeyRow extends DataKeyName {
  /** The key wrapped by the master key that was asked for; `null` when that one never wrapped it. */
  readonly wrapped: Uint8Array | null
}

const mismatch = new MasterKeyMismatch({
  message: "COUNTERSIGN_MASTER_KEY is not the key that this database was made with, or was changed to. " +
    "Set that one; what is encrypted under it cannot be read with another. If nobody has it any more, " +
    "docs/how-to/recover.md says how to go on."
})

/** The interval at which a node checks whether a new month has begun. */
const turnEvery = "1 hour"

/**
 * Takes the lock for changing data keys. Of many nodes one makes a key and the others find it, and no key is made that
 * a change of the master key would miss.
 */
export const lockDataKeys = (sql: Database): Effect.Effect<unknown> =>
  sql`
    -- name: advisory_locks.lock data keys
    SELECT pg_advisory_xact_lock(hashtext('countersign data keys'))`

/** Every data key, with its wrapping by one master key. */
export const readDataKeys = (
  sql: Database,
  { masterKeyId }: KeyWrapping
): Effect.Effect<ReadonlyArray<KeyRow>> =>
  sql<KeyRow>`
    -- name: data_keys.list
    SELECT k.id, k.purpose, k.period, w.wrapped FROM data_keys k
    LEFT JOIN data_key_wraps w ON w.data_key_id = k.id AND w.master_key_id = ${masterKeyId}
    ORDER BY k.purpose, k.period`

/** Months of the database's clock (UTC), written as `2026-11`: the current one and `ahead` more. */
export const monthsAhead = (
  sql: Database,
  ahead: number
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    sql<{ readonly month: string }>`
      -- name: clock.list months ahead
      SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month', 'YYYY-MM') AS month
      FROM generate_series(0, ${ahead}::int) AS n ORDER BY n`,
    (rows) => rows.map(({ month }) => month)
  )

/** Stores data keys, wrapped by each of the master keys. */
export const storeDataKeys = Effect.fnUntraced(function*(
  sql: Database,
  keys: ReadonlyArray<DataKey>,
  wrappings: ReadonlyArray<KeyWrapping>
) {
  if (keys.length === 0) return
  yield* sql`
    -- name: data_keys.insert
    INSERT INTO data_keys (id, purpose, period)
    SELECT * FROM unnest(${keys.map(({ id }) => id)}::bytea[], ${keys.map(({ purpose }) => purpose)}::text[],
      ${keys.map(({ period }) => period)}::text[])`
  for (const wrapping of wrappings) yield* storeWraps(sql, keys, wrapping)
})

/** Stores the wrappings of existing data keys by one more master key. */
export const storeWraps = (
  sql: Database,
  keys: ReadonlyArray<DataKey>,
  wrapping: KeyWrapping
): Effect.Effect<unknown> =>
  keys.length === 0 ? Effect.void : sql`
    -- name: data_key_wraps.insert
    INSERT INTO data_key_wraps (data_key_id, master_key_id, wrapped)
    SELECT id, ${wrapping.masterKeyId}, wrapped
    FROM unnest(${keys.map(({ id }) => id)}::bytea[], ${keys.map((key) => wrapping.wrap(key, key.key))}::bytea[])
      AS w (id, wrapped)`

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
}>()("countersign/services/security/DataKeys") {
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
        const rows = yield* sql<{ readonly value: Uint8Array }>`
          -- name: service_state.find master key check
          SELECT value FROM service_state WHERE key = 'master_key_check'`
        const id = crypto.randomBytes(8)
        if (rows[0] === undefined) {
          // A version from before data keys then takes this for the database of another master key, and stops.
          yield* sql`
            -- name: service_state.insert master key check
            INSERT INTO service_state (key, value) VALUES ('master_key_check', ${crypto.randomBytes(16)})`
          return { id, purpose: rootPurpose, period: "", key: crypto.randomBytes(32) }
        }
        const check = crypto.hkdfSha256({
          key: masterKey,
          salt: new Uint8Array(0),
          info: "countersign/vault/v1/key-check",
          length: 16
        })
        if (!crypto.timingSafeEqual(rows[0].value, check)) return yield* mismatch
        return { id, purpose: rootPurpose, period: "", key: crypto.hmacSha256(new Uint8Array(32), masterKey) }
      })

      /**
       * Whether a change of the master key is under way. All data keys then exist already, wrapped by both master keys.
       */
      const isChanging = Effect.map(
        sql`
          -- name: data_key_wraps.find of other master key
          SELECT 1 FROM data_key_wraps WHERE master_key_id <> ${wrapping.masterKeyId} LIMIT 1`,
        (rows) => rows.length > 0
      )

      /** Makes the missing keys of this month and the next, and loads all keys into memory. */
      const turn = inTransaction(
        sql,
        Effect.gen(function*() {
          yield* lockDataKeys(sql)
          const rows = yield* readDataKeys(sql, wrapping)
          const months = yield* monthsAhead(sql, 1)
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
        return keys
      }

      const root = adopt(yield* turn).find(({ purpose }) => purpose === rootPurpose)
      if (root === undefined) return yield* Effect.die(new Error("The root of the keyed hashes is gone"))

      const look = turn.pipe(
        Effect.map(adopt),
        Effect.catchTag("MasterKeyMismatch", () =>
          Effect.logWarning(
            "The master key was changed, and this node still runs with the one before. Start it with the new one."
          ))
      )
      // While it fails, the keys in memory go on.
      yield* periodically("Looking for new data keys", look, turnEvery)

      const byId = Effect.fnUntraced(function*(id: Uint8Array) {
        const held = known.get(Hex.encode(id))
        if (held !== undefined) return held
        const rows = yield* sql<KeyRow>`
          -- name: data_keys.find
          SELECT k.id, k.purpose, k.period, w.wrapped FROM data_keys k
          JOIN data_key_wraps w ON w.data_key_id = k.id AND w.master_key_id = ${wrapping.masterKeyId}
          WHERE k.id = ${id}`
        const [key] = yield* Effect.orElseSucceed(unwrapAll(rows, wrapping), (): ReadonlyArray<DataKey> => [])
        if (key !== undefined) known.set(Hex.encode(id), key)
        return key
      })

      return DataKeys.of({ root: root.key, current: (kind) => current.get(kind)!, byId })
    })
  )
}
