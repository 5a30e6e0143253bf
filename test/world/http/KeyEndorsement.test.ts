import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import type { PublicKey } from "../../../src/client/verify/index.ts"
import { learn } from "../../../src/client/verify/KeyTrust.ts"
import { canonicalJson } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import { makeEndorsements } from "../../../src/services/keys/security/Vault.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const path = "/api/v1/system/public-keys"

interface Listed {
  readonly data: ReadonlyArray<PublicKey>
  readonly revoked?: ReadonlyArray<PublicKey>
  readonly endorsement: {
    readonly data: { readonly keys: ReadonlyArray<object>; readonly issued_at: string }
    readonly signatures: ReadonlyArray<{ readonly kid: string; readonly value: string }>
  }
}

/** The list, of which every signature covers what is signed. */
const listed = async (): Promise<Listed> => {
  const answer = await service.call("GET", path, { token: null })
  assert.strictEqual(answer.status, 200, answer.text)
  const list: Listed = answer.body
  const text = Buffer.from(canonicalJson(list.endorsement.data))
  for (const { kid, value } of list.endorsement.signatures) {
    const { public_key } = [...list.data, ...list.revoked ?? []].find((key) => key.kid === kid)!
    const x = Buffer.from(public_key, "base64").toString("base64url")
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    assert.isTrue(verify(null, text, key, Buffer.from(value, "base64")), kid)
  }
  return list
}
const signers = ({ endorsement }: Listed) => endorsement.signatures.map(({ kid }) => kid)
const kids = (keys: ReadonlyArray<{ readonly kid: string }> = []) => keys.map(({ kid }) => kid)
const rotate = async (): Promise<string> => (await service.data("POST", "/api/v1/signing-keys/rotate")).kid

describe("the list of public keys", () => {
  it("is signed by every key, so that an app follows from any that it ships, the revoked ones too", async () => {
    const first = await listed()
    const shipped = first.data
    assert.deepStrictEqual(signers(first), kids(shipped))
    const { key, product } = await service.issue()
    const store = memoryStore()
    const open = () =>
      openLicense({ baseUrl: service.url, productCode: product.code, publicKeys: shipped, store, fingerprint: "one" })
    await (await open()).activate(key)

    const second = await rotate()
    await service.data("POST", `/api/v1/signing-keys/${shipped[0]!.kid}/revoke`)
    const third = await rotate()
    const list = await listed()
    assert.deepStrictEqual(kids(list.data), [third, second])
    assert.deepStrictEqual(kids(list.revoked), kids(shipped))
    assert.deepStrictEqual(signers(list), [third, second, ...kids(shipped)])
    assert.isTrue(list.data.every(({ endorses }) => endorses))
    assert.isAbove(Date.parse(list.endorsement.data.issued_at), Date.parse(first.endorsement.data.issued_at))

    assert.isTrue((await (await open()).check()).mayRun)
    const kept = JSON.parse(store.text!.split("\n")[1]!)
    assert.deepStrictEqual(JSON.parse(kept.endorsement), list.endorsement)
    assert.isTrue((await open()).standing.mayRun)
  })

  it("stays the same bytes while no key changes", async () => {
    const { etag } = (await service.call("GET", path, { token: null })).headers as Record<string, string>
    const again = await service.call("GET", path, { token: null, headers: { "if-none-match": etag! } })
    assert.strictEqual(again.status, 304)
  })

  it("goes without the signature of a key that is lost, or cannot be opened, and does not say that it endorses", async () => {
    const [active, , lost] = signers(await listed())
    const damaged = signers(await listed())[1]!
    const database = await session(service.databaseUrl)
    await database.query("UPDATE signing_keys SET private_key = decode('00', 'hex') WHERE id = $1", [lost])
    await database.query(
      "UPDATE signing_keys SET private_key = set_byte(private_key, 40, get_byte(private_key, 40) # 1) WHERE id = $1",
      [damaged]
    )
    const fourth = await rotate()
    const list = await listed()
    assert.deepStrictEqual(signers(list), [fourth, active])
    assert.deepStrictEqual(kids(list.data.filter(({ endorses }) => endorses)), [fourth, active])
    assert.include(kids(list.data), damaged)
  })

  it("has a later instant with each change, whatever the clock says and however long a change waited", async () => {
    const [active] = signers(await listed())
    await rotate()
    const before = await session(service.databaseUrl)
    await before.query("BEGIN")
    await before.query("SELECT pg_advisory_xact_lock(hashtext('countersign signing keys'))")
    const revoking = service.data("POST", `/api/v1/signing-keys/${active}/revoke`)
    await eventually("the revocation waits", async () => {
      const waiting = await before.query(`
        SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      return waiting.length > 0
    })
    const [had] = await before.query("SELECT id, created_at FROM signing_keys WHERE status = 'active'")
    const [ahead] = await before.query(
      "UPDATE signing_keys SET created_at = clock_timestamp() + interval '1 hour' WHERE id = $1 RETURNING created_at",
      [had.id]
    )
    await before.query("COMMIT")
    const instants = [new Date(ahead.created_at).getTime(), Date.parse((await revoking).revoked_at)]
    // The log knows when it was made.
    await before.query("UPDATE signing_keys SET created_at = $2 WHERE id = $1", [had.id, had.created_at])
    for (let rotation = 0; rotation < 3; rotation++) {
      const { created_at } = await service.data("POST", "/api/v1/signing-keys/rotate")
      instants.push(Date.parse(created_at))
      assert.strictEqual((await listed()).endorsement.data.issued_at, created_at)
    }
    assert.deepStrictEqual(instants, [...new Set(instants)].toSorted((one, other) => one - other))
  })

  it("lists so many keys that an app takes it over, however often they were rotated and revoked", async () => {
    const before = await listed()
    const database = await session(service.databaseUrl)
    for (const [status, letter] of [["retired", "a"], ["revoked", "b"]]) {
      await database.query(
        `INSERT INTO signing_keys (id, public_key, private_key, status, created_at, retired_at, revoked_at)
        SELECT 'sig_' || lpad(n::text, 25, '0') || $2, public_key, private_key, $1, created_at, created_at,
          CASE $1 WHEN 'revoked' THEN created_at - n * interval '1 minute' END
        FROM generate_series(1, 700) n, (SELECT * FROM signing_keys WHERE status = 'active') k`,
        [status, letter]
      )
    }
    const { text } = await service.call("GET", path, { token: null })
    const list = await listed()
    assert.deepStrictEqual([list.data.length, list.revoked!.length], [500, 500])
    assert.includeMembers(kids(list.data), kids(before.data))
    assert.includeMembers(kids(list.revoked), kids(before.revoked))
    assert.strictEqual(list.endorsement.data.issued_at, before.endorsement.data.issued_at)
    assert.isAbove(signers(list).length, 990)
    const { endorsement } = await learn(text, before.data.filter(({ endorses }) => endorses), {})
    assert.deepStrictEqual(JSON.parse(endorsement!), list.endorsement)
    await database.query("DELETE FROM signing_keys WHERE id LIKE 'sig_00000000%'")
  })

  it.effect("is signed once, however many read it at once after a change", () =>
    Effect.gen(function*() {
      let signed = 0
      const endorse = makeEndorsements("live", (kid) =>
        Effect.gen(function*() {
          signed += 1
          yield* Effect.yieldNow
          return { alg: "Ed25519" as const, algorithm: "Ed25519" as const, kid, value: "" }
        }))
      const row = {
        id: "sig_a",
        public_key: new Uint8Array(32),
        status: "active" as const,
        created_at: new Date(0),
        retired_at: null,
        revoked_at: null,
        is_held: true
      }
      const found = yield* Effect.all(Array.from({ length: 10 }, () => endorse([row])), { concurrency: "unbounded" })
      assert.strictEqual(signed, 1)
      assert.strictEqual(new Set(found).size, 1)
    }))
})
