import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import {
  deletePortalSession,
  deletePortalSessionsOf,
  findOwnedLicense,
  findPortalSession,
  insertCustomerSession,
  insertPortalSession,
  updateChosenCustomer,
  updatePortalUse
} from "../../../src/services/portal/PortalSessionSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const key = new Uint8Array([1])
const session = new Uint8Array([2])

describe("sessions of the portal", () => {
  layer(Workers.layer)((it) => {
    it.effect("are opened by the key that a license has now, and by none that was replaced or is unknown", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const license_id = yield* makeRows(first).license()
        yield* first`INSERT INTO license_keys (key_hash, license_id, expires_at)
          VALUES (${key}, ${license_id}, NULL), (${new Uint8Array([3])}, ${license_id}, now() + interval '1 day')`
        const open = (keyHash: Uint8Array, hash: Uint8Array) => insertPortalSession(first, { hash, keyHash, hours: 12 })
        assert.deepStrictEqual(yield* open(new Uint8Array([3]), session), [])
        assert.deepStrictEqual(yield* open(new Uint8Array([4]), session), [])
        assert.deepStrictEqual(yield* open(key, session), [{ license_id }])
        assert.lengthOf(yield* first`SELECT FROM portal_sessions`, 1)
        yield* first`UPDATE portal_sessions SET expires_at = now() - interval '1 second'`
        yield* open(key, new Uint8Array([5]))
        assert.lengthOf(yield* first`SELECT FROM portal_sessions`, 1)
      }))

    it.effect("note their use once a minute, and end once, also for two who end them", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const hash = new Uint8Array([6])
        yield* first`INSERT INTO portal_sessions (token_hash, license_id, key_hash, expires_at, last_used_at)
          VALUES (${hash}, 'lic_b', ${key}, now() + interval '1 hour', now() - interval '2 minutes')`
        const [one, other] = yield* waiting(updatePortalUse(first, hash), updatePortalUse(second, hash))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        const [ended, again] = yield* waiting(deletePortalSession(first, hash), deletePortalSession(second, hash))
        assert.deepStrictEqual([ended.length, again.length], [1, 0])
        assert.deepStrictEqual(yield* findPortalSession(first, hash, 60), [])
      }))

    it.effect("of customers are of one of them once he or she is chosen, end with that one, and reach his or her licenses", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const licenseId = yield* makeRows(first).license()
        const other = yield* makeRows(first).license()
        yield* first`INSERT INTO customers (id, name, code, email, metadata) VALUES
          ('cus_a', 'Ada', 'a', 'ada@example.com', '{}'), ('cus_b', 'Ada', 'b', 'ada@example.com', '{}')`
        yield* first`UPDATE licenses SET customer_id = 'cus_a' WHERE id = ${licenseId}`
        yield* first`INSERT INTO license_keys (key_hash, license_id) VALUES (${new Uint8Array([8])}, ${licenseId})`
        const hash = new Uint8Array([9])
        const customerIds = ["cus_a", "cus_b"]
        yield* insertCustomerSession(first, { hash, hours: 12, customerIds, addressHash: new Uint8Array([7]) })
        assert.deepInclude((yield* findPortalSession(first, hash, 60))[0], { customer_id: null, license_id: null })
        assert.lengthOf(yield* updateChosenCustomer(first, hash, "cus_c"), 0)
        assert.lengthOf(yield* updateChosenCustomer(first, hash, "cus_a"), 1)
        assert.deepInclude((yield* findPortalSession(first, hash, 60))[0], {
          customer_id: "cus_a",
          email: "ada@example.com",
          customer_ids: customerIds
        })
        assert.lengthOf(yield* findOwnedLicense(first, "cus_a", licenseId), 1)
        assert.lengthOf(yield* findOwnedLicense(first, "cus_a", other), 0)
        assert.lengthOf(yield* findOwnedLicense(first, "cus_b", licenseId), 0)
        yield* first`UPDATE licenses SET customer_id = NULL WHERE id = ${licenseId}`
        yield* first`DELETE FROM customers WHERE id = 'cus_a'`
        assert.lengthOf(yield* findPortalSession(first, hash, 60), 0)
        assert.lengthOf(yield* deletePortalSessionsOf(first, "cus_b"), 1)
      }))

    it.effect("of a key go on while it is that of the license, are used, and are not over", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const [license_id, other] = [yield* rows.license(), yield* rows.license()]
        yield* first`INSERT INTO customers (id, name, code, email, language, metadata)
          VALUES ('cus_key', 'Ada', 'key', 'ada@example.com', 'de', '{}')`
        yield* first`UPDATE licenses SET customer_id = 'cus_key' WHERE id = ${license_id}`
        const [keyHash, hash] = [new Uint8Array([31]), new Uint8Array([32])]
        yield* first`INSERT INTO license_keys (key_hash, license_id) VALUES (${keyHash}, ${license_id})`
        yield* insertPortalSession(first, { hash, keyHash, hours: 1 })
        const found = findPortalSession(first, hash, 60)
        assert.deepInclude((yield* found)[0], {
          license_id,
          customer_ids: null,
          customer_id: "cus_key",
          email: "ada@example.com",
          language: "de",
          stale: false
        })
        const change = (set: Statement.Fragment) => first`UPDATE portal_sessions SET ${set} WHERE token_hash = ${hash}`
        yield* change(first`last_used_at = now() - interval '2 minutes'`)
        assert.isTrue((yield* found)[0]?.stale)
        yield* change(first`last_used_at = now() - interval '61 minutes'`)
        assert.lengthOf(yield* found, 0, "not used for an hour")
        yield* change(first`last_used_at = now(), expires_at = now()`)
        assert.lengthOf(yield* found, 0, "over")
        yield* change(first`expires_at = now() + interval '1 hour'`)
        assert.lengthOf(yield* found, 1)
        yield* first`UPDATE license_keys SET license_id = ${other} WHERE key_hash = ${keyHash}`
        assert.lengthOf(yield* found, 0, "the key of another license")
        yield* first`UPDATE license_keys SET license_id = ${license_id}, expires_at = now() + interval '1 day' WHERE key_hash = ${keyHash}`
        assert.lengthOf(yield* found, 0, "the key was replaced")
        assert.lengthOf(yield* findOwnedLicense(first, "cus_key", license_id), 0)
        assert.lengthOf(yield* updatePortalUse(first, hash), 0, "used a moment ago")
      }))

    it.effect("of one customer alone are of that one at once, and none is ended with another", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`INSERT INTO customers (id, name, code, email, metadata)
          VALUES ('cus_one', 'Ada', 'one', 'ada@example.com', '{}')`
        const open = (value: number, customerIds: ReadonlyArray<string>) =>
          insertCustomerSession(first, {
            hash: new Uint8Array([value]),
            hours: 12,
            customerIds,
            addressHash: new Uint8Array([7])
          })
        yield* open(41, ["cus_one"])
        yield* open(42, ["cus_one", "cus_two"])
        yield* open(43, ["cus_gone"])
        const of = (value: number) =>
          Effect.map(findPortalSession(first, new Uint8Array([value]), 60), ([row]) => row?.customer_id)
        assert.deepStrictEqual([yield* of(41), yield* of(42), yield* of(43)], ["cus_one", null, undefined])
        assert.lengthOf(yield* updateChosenCustomer(first, new Uint8Array([41]), "cus_two"), 0)
        assert.lengthOf(yield* deletePortalSessionsOf(first, "cus_two"), 1)
        assert.deepStrictEqual([yield* of(41), yield* of(42)], ["cus_one", undefined])
        yield* first`UPDATE portal_sessions SET expires_at = now() - interval '1 second' WHERE token_hash = ${new Uint8Array(
          [41]
        )}`
        yield* open(44, ["cus_one"])
        assert.lengthOf(
          yield* first`SELECT FROM portal_sessions WHERE token_hash = ${new Uint8Array([41])}`,
          0,
          "what is over went"
        )
      }))
  })
})
