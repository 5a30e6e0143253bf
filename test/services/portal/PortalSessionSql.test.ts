import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
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
  })
})
