import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import * as NodeCryptography from "../../src/runtime/NodeCryptography.ts"
import { Cryptography } from "../../src/services/Cryptography.ts"
import { Settings } from "../../src/services/Settings.ts"
import { Vault, VaultError } from "../../src/services/Vault.ts"

const settingsWith = (masterKey: Uint8Array) =>
  Layer.succeed(Settings, {
    publicUrl: "http://localhost",
    webhookAllowedCidrs: [],
    trustedProxies: [],
    masterKey: Redacted.make(masterKey),
    adminToken: Redacted.make("admin"),
    exportRetentionDays: 90,
    maximumStoredAnswers: 1_000_000,
    version: "0.0.0"
  })

/** A vault under the master key of 32 equal bytes. */
const vaultOf = (byte: number) =>
  Vault.pipe(
    Effect.provide(Layer.provide(Vault.layer, [NodeCryptography.layer, settingsWith(new Uint8Array(32).fill(byte))]))
  )

const plaintext = new TextEncoder().encode("whsec_0123")

/** What opening dies with. */
const deathOf = (effect: Effect.Effect<Uint8Array>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
    assert.instanceOf(defect, VaultError)
    return defect.message
  })

describe("Vault", () => {
  it.effect("opens what it sealed, also in another process under the same key", () =>
    Effect.gen(function*() {
      const sealed = (yield* vaultOf(1)).seal("webhook-secret:whk_1", plaintext)
      assert.lengthOf(sealed, plaintext.length + 37)
      assert.notInclude(Buffer.from(sealed).toString("latin1"), "whsec")
      assert.deepStrictEqual(yield* (yield* vaultOf(1)).open("webhook-secret:whk_1", sealed), plaintext)
      const empty = (yield* vaultOf(1)).seal("nothing", new Uint8Array(0))
      assert.deepStrictEqual(yield* (yield* vaultOf(1)).open("nothing", empty), new Uint8Array(0))
    }))

  it.effect("seals the same text in another way each time", () =>
    Effect.gen(function*() {
      const vault = yield* vaultOf(1)
      assert.notDeepEqual(vault.seal("a", plaintext), vault.seal("a", plaintext))
    }))

  it.effect("names COUNTERSIGN_MASTER_KEY when the key is another one", () =>
    Effect.gen(function*() {
      const sealed = (yield* vaultOf(1)).seal("signing-key:sig_1", plaintext)
      const message = yield* deathOf((yield* vaultOf(2)).open("signing-key:sig_1", sealed))
      assert.include(message, "signing-key:sig_1")
      assert.include(message, "encrypted under another master key. Set COUNTERSIGN_MASTER_KEY")
    }))

  it.effect("does not open an envelope with one bit changed, cut off, or moved to another purpose", () =>
    Effect.gen(function*() {
      const vault = yield* vaultOf(1)
      const sealed = vault.seal("a:1", plaintext)
      for (let index = 0; index < sealed.length; index++) {
        const changed = sealed.slice()
        changed[index]! ^= 1
        assert.include(yield* deathOf(vault.open("a:1", changed)), "Cannot decrypt the stored value for a:1")
      }
      for (let length = 0; length < sealed.length; length++) {
        yield* deathOf(vault.open("a:1", sealed.subarray(0, length)))
      }
      assert.include(yield* deathOf(vault.open("a:2", sealed)), "belong to another purpose")
    }))

  it.effect("hashes under a key of its own for each purpose and master key", () =>
    Effect.gen(function*() {
      const [one, two] = [yield* vaultOf(1), yield* vaultOf(2)]
      const hash = one.keyedHash("management-token", "csk_1")
      assert.lengthOf(hash, 32)
      assert.deepStrictEqual(one.keyedHash("management-token", "csk_1"), hash)
      assert.deepStrictEqual((yield* vaultOf(1)).keyedHash("management-token", "csk_1"), hash)
      assert.notDeepEqual(one.keyedHash("management-token", "csk_2"), hash)
      assert.notDeepEqual(one.keyedHash("license-key", "csk_1"), hash)
      assert.notDeepEqual(two.keyedHash("management-token", "csk_1"), hash)
    }))

  it.effect("keeps the derivations that stored rows depend on", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const vault = yield* vaultOf(1)
      const derive = (info: string, length: number) =>
        crypto.hkdfSha256({ key: new Uint8Array(32).fill(1), salt: new Uint8Array(0), info, length })
      assert.deepStrictEqual(vault.keyCheck(), derive("countersign/vault/v1/key-check", 16))
      assert.deepStrictEqual(
        vault.keyedHash("license-key", "x"),
        crypto.hmacSha256(derive("countersign/vault/v1/hash/license-key", 32), "x")
      )
      const sealed = vault.seal("p", plaintext)
      assert.strictEqual(sealed[0], 1)
      assert.deepStrictEqual(
        sealed.slice(1, 9),
        crypto.sha256(derive("countersign/vault/v1/key-id", 32)).slice(0, 8)
      )
      assert.notDeepEqual((yield* vaultOf(2)).keyCheck(), vault.keyCheck())
    }).pipe(Effect.provide(NodeCryptography.layer)))
})
