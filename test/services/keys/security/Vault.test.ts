import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as NodeCryptography from "../../../../src/runtime/node/NodeCryptography.ts"
import * as Database from "../../../../src/runtime/postgres/Database.ts"
import { MasterKeyChange } from "../../../../src/services/delivery/webhooks/MasterKeyChange.ts"
import { Cryptography } from "../../../../src/services/ground/platform/Cryptography.ts"
import { Settings } from "../../../../src/services/ground/platform/Settings.ts"
import type { DataKeyName } from "../../../../src/services/keys/security/KeyWrapping.ts"
import { keyWrapping } from "../../../../src/services/keys/security/KeyWrapping.ts"
import type { SealPurpose } from "../../../../src/services/keys/security/Vault.ts"
import { Vault, VaultError } from "../../../../src/services/keys/security/Vault.ts"
import { until } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const masterKey = (byte: number) => new Uint8Array(32).fill(byte)

const settingsWith = (byte: number) =>
  Layer.succeed(Settings, {
    publicUrl: "http://localhost",
    environments: ["live"],
    webhookAllowedCidrs: [],
    trustedProxies: [],
    masterKey: Redacted.make(masterKey(byte)),
    adminToken: Redacted.make("admin"),
    exportRetentionDays: 90,
    sessionHours: 12,
    sessionIdleMinutes: 60,
    retainActivityDays: 3660,
    retainBillingBodyDays: 90,
    retainLeaseDays: 0,
    retainUsageDays: 0,
    rates: { failuresPerMinute: 60, address: 0, key: 0, token: 0, trialsPerHour: 0 },
    maximumStoredAnswers: 1_000_000,
    version: "0.0.0"
  })

/** A migrated database of a test's own. */
const layerDatabase = Database.layerTarget.pipe(
  Layer.provide(layerTarget),
  Layer.provideMerge(NodeCryptography.layer)
)

/** What a node has that runs with the master key of 32 equal bytes on the database of the test. */
const nodeWith = (byte: number) =>
  Effect.map(
    Layer.build(Layer.fresh(MasterKeyChange.layer.pipe(
      Layer.provideMerge(Vault.layer),
      Layer.provide(settingsWith(byte))
    ))),
    (context) => ({ vault: Context.get(context, Vault), change: Context.get(context, MasterKeyChange) })
  )

const vaultOf = (byte: number) => Effect.map(nodeWith(byte), ({ vault }) => vault)

const plaintext = new TextEncoder().encode("whsec_0123")

/** What opening dies with. */
const deathOf = (effect: Effect.Effect<Uint8Array>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
    assert.instanceOf(defect, VaultError)
    return defect.message
  })

/** What version 1 of the vault derived from a master key. */
const derivedBefore = (byte: number, info: string, length: number) =>
  Effect.map(Cryptography, (crypto) =>
    crypto.hkdfSha256({
      key: masterKey(byte),
      salt: new Uint8Array(0),
      info: `countersign/vault/v1/${info}`,
      length
    }))

/** An envelope as version 1 of the vault wrote it. */
const sealedBefore = Effect.fnUntraced(function*(byte: number, purpose: SealPurpose) {
  const crypto = yield* Cryptography
  const keyId = crypto.sha256(yield* derivedBefore(byte, "key-id", 32)).subarray(0, 8)
  const head = Buffer.concat([Buffer.of(1), keyId])
  const nonce = crypto.randomBytes(12)
  const sealed = crypto.aes256GcmEncrypt({
    key: yield* derivedBefore(byte, "seal", 32),
    nonce,
    plaintext,
    aad: Buffer.concat([head, Buffer.from(purpose)])
  })
  return new Uint8Array(Buffer.concat([head, nonce, sealed]))
})

/** Makes the database one that was started with the master key before there were data keys. */
const startedBefore = Effect.fnUntraced(function*(byte: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO service_state (key, value) VALUES ('master_key_check', ${yield* derivedBefore(byte, "key-check", 16)})`
})

/**
 * Makes the data keys what they are after so many months. Each is wrapped again under its new name, for a name that was
 * changed by hand opens nothing.
 */
const monthsPass = Effect.fnUntraced(function*(months: number, ...masterKeys: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const crypto = yield* Cryptography
  const rows = yield* sql<DataKeyName & { wrapped: Uint8Array; master_key_id: Uint8Array; before: string }>`
    SELECT k.id, k.purpose, k.period, w.wrapped, w.master_key_id,
      to_char(to_date(k.period, 'YYYY-MM') - ${months} * interval '1 month', 'YYYY-MM') AS before
    FROM data_keys k JOIN data_key_wraps w ON w.data_key_id = k.id WHERE k.period <> '' ORDER BY k.period`
  for (const { before, master_key_id, wrapped, ...name } of rows) {
    const wrapping = masterKeys.map((byte) => keyWrapping(crypto, masterKey(byte))).find(({ masterKeyId }) =>
      Buffer.compare(masterKeyId, master_key_id) === 0
    )!
    const again = wrapping.wrap({ ...name, period: before }, wrapping.unwrap(name, wrapped)!)
    yield* sql`UPDATE data_keys SET period = ${before} WHERE id = ${name.id}`
    yield* sql`
      UPDATE data_key_wraps SET wrapped = ${again} WHERE data_key_id = ${name.id} AND master_key_id = ${master_key_id}`
  }
})

const idOf = (sealed: Uint8Array) => Buffer.from(sealed.subarray(1, 9)).toString("hex")
const saltOf = (sealed: Uint8Array) => Buffer.from(sealed.subarray(9, 17)).toString("hex")

describe("Vault", () => {
  it.effect("opens what it sealed, also in another process under the same key", () =>
    Effect.gen(function*() {
      const sealed = (yield* vaultOf(1)).seal("webhook-secret:whk_1", plaintext)
      assert.lengthOf(sealed, plaintext.length + 45)
      assert.strictEqual(sealed[0], 2)
      assert.notInclude(Buffer.from(sealed).toString("latin1"), "whsec")
      assert.deepStrictEqual(yield* (yield* vaultOf(1)).open("webhook-secret:whk_1", sealed), plaintext)
      const empty = (yield* vaultOf(1)).seal("idempotency", new Uint8Array(0))
      assert.deepStrictEqual(yield* (yield* vaultOf(1)).open("idempotency", empty), new Uint8Array(0))
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("seals the same text in another way each time, and each kind under a key of its own", () =>
    Effect.gen(function*() {
      const [vault, other] = [yield* vaultOf(1), yield* vaultOf(1)]
      assert.notDeepEqual(vault.seal("idempotency", plaintext), vault.seal("idempotency", plaintext))
      const kinds: ReadonlyArray<SealPurpose> = ["idempotency", "signing-key", "webhook-secret:a"]
      assert.strictEqual(new Set(kinds.map((kind) => idOf(vault.seal(kind, plaintext)))).size, 3)
      // Two nodes share the data key of a month, and each derives a key of its own from it.
      const [mine, theirs] = [vault.seal("idempotency", plaintext), other.seal("idempotency", plaintext)]
      assert.strictEqual(idOf(mine), idOf(theirs))
      assert.notStrictEqual(saltOf(mine), saltOf(theirs))
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("nodes that start at once on an empty database make one set of keys", () =>
    Effect.gen(function*() {
      const vaults = yield* Effect.forEach(Array.from({ length: 8 }), () => vaultOf(1), { concurrency: "unbounded" })
      assert.strictEqual(new Set(vaults.map((vault) => idOf(vault.seal("idempotency", plaintext)))).size, 1)
      assert.strictEqual(
        new Set(vaults.map((vault) => Buffer.from(vault.keyedHash("license-key", "k")).toString("hex"))).size,
        1
      )
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("refuses to start under another master key, and writes nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* vaultOf(1)
      const wraps = sql`SELECT * FROM data_key_wraps ORDER BY data_key_id, master_key_id`
      const before = yield* wraps
      const refusal = yield* Effect.flip(vaultOf(2))
      assert.include(refusal.message, "COUNTERSIGN_MASTER_KEY is not the master key of this database")
      assert.deepStrictEqual(yield* wraps, before)
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("does not take a data key whose month or purpose was changed in the database", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* vaultOf(1)
      yield* sql`UPDATE data_keys SET period = '2020-01' WHERE purpose = 'idempotency' AND period = (
        SELECT min(period) FROM data_keys WHERE period <> '')`
      assert.strictEqual((yield* Effect.flip(vaultOf(1)))._tag, "MasterKeyMismatch")
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("does not open an envelope with one bit changed, cut off, or moved to another purpose", () =>
    Effect.gen(function*() {
      const vault = yield* vaultOf(1)
      const purpose = "webhook-secret:a"
      const sealed = vault.seal(purpose, plaintext)
      for (let index = 0; index < sealed.length; index++) {
        const changed = sealed.slice()
        changed[index]! ^= 1
        assert.include(yield* deathOf(vault.open(purpose, changed)), `Cannot decrypt the stored value for ${purpose}`)
      }
      for (let length = 0; length < sealed.length; length++) {
        yield* deathOf(vault.open(purpose, sealed.subarray(0, length)))
      }
      assert.include(yield* deathOf(vault.open("webhook-secret:b", sealed)), "belong to another purpose")
      assert.include(yield* deathOf(vault.open("idempotency", sealed)), "belong to another purpose")
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("hashes under a key of its own for each purpose and database", () =>
    Effect.gen(function*() {
      const [one, same] = [yield* vaultOf(1), yield* vaultOf(1)]
      const two = yield* vaultOf(1).pipe(Effect.provide(Layer.fresh(layerDatabase)))
      const hash = one.keyedHash("management-token", "csk_1")
      assert.lengthOf(hash, 32)
      assert.deepStrictEqual(one.keyedHash("management-token", "csk_1"), hash)
      assert.deepStrictEqual(same.keyedHash("management-token", "csk_1"), hash)
      assert.notDeepEqual(one.keyedHash("management-token", "csk_2"), hash)
      assert.notDeepEqual(one.keyedHash("license-key", "csk_1"), hash)
      assert.notDeepEqual(two.keyedHash("management-token", "csk_1"), hash)
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("takes a new data key in a new month, and opens what older ones sealed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [vault, other] = [yield* vaultOf(1), yield* vaultOf(1)]
      const sealed = vault.seal("idempotency", plaintext)
      yield* monthsPass(2, 1)
      assert.strictEqual(idOf(vault.seal("idempotency", plaintext)), idOf(sealed))
      yield* TestClock.adjust("1 hour")
      yield* until("the node looks", () => idOf(vault.seal("idempotency", plaintext)) !== idOf(sealed))
      const later = vault.seal("idempotency", plaintext)
      assert.notStrictEqual(saltOf(later), saltOf(sealed))
      assert.deepStrictEqual(yield* other.open("idempotency", later), plaintext)
      assert.deepStrictEqual(yield* vault.open("idempotency", sealed), plaintext)
      const [{ count }] = (yield* sql`SELECT count(*)::int AS count FROM data_keys`) as [{ count: number }]
      assert.strictEqual(count, 1 + 4 * 4)
    }).pipe(Effect.provide(layerDatabase)))
})

describe("a database from before data keys", () => {
  it.effect("keeps its hashes and opens its envelopes, also under another master key", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      yield* startedBefore(1)
      const refusal = yield* Effect.flip(vaultOf(2))
      assert.include(refusal.message, "COUNTERSIGN_MASTER_KEY is not the master key of this database")

      const { change, vault } = yield* nodeWith(1)
      const hash = crypto.hmacSha256(yield* derivedBefore(1, "hash/license-key", 32), "x")
      const sealed = yield* sealedBefore(1, "signing-key")
      assert.deepStrictEqual(vault.keyedHash("license-key", "x"), hash)
      assert.deepStrictEqual(yield* vault.open("signing-key", sealed), plaintext)
      for (let index = 0; index < sealed.length; index++) {
        const changed = sealed.slice()
        changed[index]! ^= 1
        yield* deathOf(vault.open("signing-key", changed))
      }
      const foreign = yield* sealedBefore(3, "signing-key")
      assert.include(yield* deathOf(vault.open("signing-key", foreign)), "encrypted under another master key")

      // Rows of then are sealed anew, more of them than one transaction takes, and stay what they were.
      const sql = yield* SqlClient.SqlClient
      const secret = yield* sealedBefore(1, "webhook-secret:whk_1")
      yield* sql`
        INSERT INTO signing_keys (id, public_key, private_key, status)
        VALUES ('sig_1', ${masterKey(0)}, ${sealed}, 'active')`
      yield* sql`
        INSERT INTO webhook_endpoints (id, name, url, event_types, is_active) VALUES ('whk_1', 'n', 'u', '{}', true)`
      yield* sql`
        INSERT INTO webhook_secrets (endpoint_id, secret, prefix)
        SELECT 'whk_1', ${secret}, 'p' FROM generate_series(1, 450)`
      const told: Array<readonly [number, number]> = []
      const { resealed, wrapped } = yield* change.begin(Redacted.make(masterKey(2)), (...place) => told.push(place))
      assert.strictEqual(resealed, 451)
      assert.deepStrictEqual(
        told,
        [0, wrapped, wrapped + 1, wrapped + 201, wrapped + 401, wrapped + 451].map((done) => [done, wrapped + 451])
      )
      const next = yield* nodeWith(2)
      const rows = yield* sql<{ sealed: Uint8Array; purpose: SealPurpose }>`
        SELECT private_key AS sealed, 'signing-key' AS purpose FROM signing_keys
        UNION ALL SELECT secret, 'webhook-secret:whk_1' FROM webhook_secrets`
      assert.lengthOf(rows, 451)
      for (const row of rows) {
        assert.strictEqual(row.sealed[0], 2)
        assert.deepStrictEqual(yield* next.vault.open(row.purpose, row.sealed), plaintext)
      }
      yield* next.change.finish
      assert.deepStrictEqual(next.vault.keyedHash("license-key", "x"), hash)
      assert.deepStrictEqual(yield* next.vault.open("signing-key", sealed), plaintext)
    }).pipe(Effect.provide(layerDatabase)))
})

describe("a change of the master key", () => {
  it.effect("lets nodes with either key open what the other seals, for as long as it takes", () =>
    Effect.gen(function*() {
      const old = yield* nodeWith(1)
      const before = old.vault.seal("idempotency", plaintext)
      const first = yield* old.change.begin(Redacted.make(masterKey(2)))
      assert.isAbove(first.wrapped, 0)
      assert.deepStrictEqual(yield* old.change.begin(Redacted.make(masterKey(2))), { wrapped: 0, resealed: 0 })

      const next = yield* nodeWith(2)
      assert.deepStrictEqual(yield* next.vault.open("idempotency", before), plaintext)
      assert.deepStrictEqual(yield* old.vault.open("idempotency", next.vault.seal("idempotency", plaintext)), plaintext)
      assert.deepStrictEqual(next.vault.keyedHash("license-key", "k"), old.vault.keyedHash("license-key", "k"))

      // A year later it is not finished: there are keys for the month, which both can open.
      yield* monthsPass(12, 1, 2)
      const used = idOf(before)
      yield* TestClock.adjust("1 hour")
      for (const [one, other] of [[old, next], [next, old]] as const) {
        yield* until("the node looks", () => idOf(one.vault.seal("idempotency", plaintext)) !== used)
        assert.deepStrictEqual(
          yield* other.vault.open("idempotency", one.vault.seal("idempotency", plaintext)),
          plaintext
        )
      }

      assert.strictEqual(yield* next.change.finish, 1)
      assert.strictEqual(yield* next.change.finish, 0)
      // A node that was forgotten goes on with the keys in memory, and does not start again.
      assert.deepStrictEqual(yield* old.vault.open("idempotency", next.vault.seal("idempotency", plaintext)), plaintext)
      assert.include((yield* Effect.flip(vaultOf(1))).message, "or last changed to")
      assert.deepStrictEqual(yield* (yield* vaultOf(2)).open("idempotency", before), plaintext)
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("has a key for a kind of value that a newer version brought meanwhile, which every node opens", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* (yield* nodeWith(1)).change.begin(Redacted.make(masterKey(2)))
      yield* sql`DELETE FROM data_key_wraps USING data_keys k WHERE k.id = data_key_id AND k.purpose = 'mail'`
      yield* sql`DELETE FROM data_keys WHERE purpose = 'mail'`
      const [old, next] = [yield* nodeWith(1), yield* nodeWith(2)]
      const sealed = old.vault.seal("mail:evt_1", plaintext)
      assert.deepStrictEqual(yield* next.vault.open("mail:evt_1", sealed), plaintext)
      assert.include(yield* deathOf(next.vault.open("idempotency", sealed)), "belong to another purpose")

      // Once the change is over, the kind gets keys of its own, and what waits still opens.
      yield* next.change.finish
      yield* TestClock.adjust("1 hour")
      yield* until("the node looks", () => idOf(next.vault.seal("mail:evt_2", plaintext)) !== idOf(sealed))
      assert.deepStrictEqual(yield* (yield* vaultOf(2)).open("mail:evt_1", sealed), plaintext)
    }).pipe(Effect.provide(layerDatabase)))

  it.effect("is refused to the key in use and beside another change, and can be given up", () =>
    Effect.gen(function*() {
      const { change } = yield* nodeWith(1)
      const begin = (byte: number) => change.begin(Redacted.make(masterKey(byte)))
      assert.include((yield* Effect.flip(begin(1))).message, "the one that is configured")
      yield* begin(2)
      assert.include((yield* Effect.flip(begin(3))).message, "A change to another master key is under way")
      assert.strictEqual(yield* change.finish, 1)
      yield* Effect.flip(vaultOf(2))
      yield* begin(3)
      yield* vaultOf(3)
    }).pipe(Effect.provide(layerDatabase)))
})
