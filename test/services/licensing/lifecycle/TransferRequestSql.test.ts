import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  deleteAcceptedRequest,
  deleteTransferRequest,
  deleteTransferRequestsOf,
  findOfferedLicense,
  findTransferRequest,
  insertTransferRequest
} from "../../../../src/services/licensing/lifecycle/TransferRequestSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const bytes = (value: number) => new Uint8Array([value])

/** A license that there is not has no key, so that an offer of it says none. */
const forgetKeys = (sql: Database) => sql`UPDATE license_transfer_requests SET license_key_hash = NULL`

/** Offers a license of a customer; `token` tells the offer from others. */
const offer = (sql: Database, token: number, licenseId = "lic_1") =>
  insertTransferRequest(sql, {
    licenseId,
    customerId: "cus_1",
    recipient: "next@example.com",
    tokenHash: bytes(token),
    keyHash: bytes(92),
    addressHash: bytes(200),
    hours: 72
  })

describe("the statements of licenses that are offered", () => {
  layer(Workers.layer)((it) => {
    it.effect("of two requests for one license the newer ends the older, also of two made at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* waiting(offer(first, 1), offer(second, 2))
        assert.lengthOf(yield* deleteAcceptedRequest(first, bytes(1)), 0)
        assert.lengthOf(yield* findTransferRequest(first, "cus_1", "lic_1"), 0, "under a key that the license has not")
        yield* forgetKeys(first)
        const [open] = yield* findTransferRequest(first, "cus_1", "lic_1")
        assert.strictEqual(open?.recipient, "next@example.com")
        assert.lengthOf(yield* findTransferRequest(first, "cus_2", "lic_1"), 0)
        // Of a license that there is not, nothing is shown.
        assert.lengthOf(yield* findOfferedLicense(first, bytes(2)), 0)
        yield* first`UPDATE license_transfer_requests SET expires_at = now() - interval '1 second'`
        assert.lengthOf(yield* deleteAcceptedRequest(first, bytes(2)), 0)
        yield* offer(first, 3, "lic_2")
        assert.lengthOf(yield* first`SELECT FROM license_transfer_requests`, 1, "what is over went")
      }))

    it.effect("a license is accepted once, and a request is taken back once, also by two at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* offer(first, 4)
        const [one, other] = yield* waiting(
          deleteAcceptedRequest(first, bytes(4)),
          deleteAcceptedRequest(second, bytes(4))
        )
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        yield* offer(first, 5)
        const [back, taken] = yield* waiting(
          deleteTransferRequest(first, "lic_1"),
          deleteAcceptedRequest(second, bytes(5))
        )
        assert.deepStrictEqual([back.length, taken.length], [1, 0])
      }))

    it.effect("a customer who is erased offers nothing, and is offered nothing", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`INSERT INTO customers (id, name, code, email, metadata) VALUES ('cus_9', 'Next', 'next', 'Next@example.com', '{}')`
        yield* offer(first, 6)
        yield* offer(first, 7, "lic_3")
        assert.lengthOf(yield* deleteTransferRequestsOf(first, "cus_8"), 0)
        assert.isAbove((yield* deleteTransferRequestsOf(first, "cus_9")).length, 1)
        yield* offer(first, 8)
        assert.lengthOf(yield* deleteTransferRequestsOf(first, "cus_1"), 1)
      }))

    it.effect("an offer is read by the key in use, of a license that is still the owner's, until its time is over", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const licenseId = yield* makeRows(first).license()
        yield* first`INSERT INTO customers (id, name, code, email, metadata) VALUES
          ('cus_owner', 'Ada', 'owner', 'ada@example.com', '{}'), ('cus_else', 'Bob', 'else', 'bob@example.com', '{}')`
        yield* first`UPDATE licenses SET customer_id = 'cus_owner' WHERE id = ${licenseId}`
        yield* first`INSERT INTO license_keys (key_hash, license_id, expires_at) VALUES
          (${bytes(91)}, ${licenseId}, now() + interval '1 day'), (${bytes(92)}, ${licenseId}, NULL)`
        const keep = (customerId: string) =>
          insertTransferRequest(first, {
            licenseId,
            customerId,
            recipient: "Next@example.com",
            tokenHash: bytes(90),
            keyHash: bytes(92),
            addressHash: bytes(200),
            hours: 72
          })
        const keysOf = (token: number) =>
          Effect.map(
            findOfferedLicense(first, bytes(token)),
            (found) => found.map(({ key_hash }) => Array.from(key_hash))
          )
        yield* keep("cus_owner")
        assert.deepStrictEqual(yield* keysOf(90), [[92]], "a key that runs out reads nothing")
        const [offered] = yield* findOfferedLicense(first, bytes(90))
        assert.deepInclude(offered, {
          license_id: licenseId,
          customer_id: "cus_owner",
          recipient: "Next@example.com",
          product: "P",
          owner_email: "ada@example.com"
        })
        assert.deepStrictEqual(yield* keysOf(89), [], "another secret")
        yield* first`UPDATE licenses SET customer_id = 'cus_else' WHERE id = ${licenseId}`
        assert.deepStrictEqual(yield* keysOf(90), [], "the license is somebody else's")
        yield* first`UPDATE licenses SET customer_id = 'cus_owner' WHERE id = ${licenseId}`
        assert.lengthOf(yield* findTransferRequest(first, "cus_owner", licenseId), 1)
        yield* first`UPDATE license_keys SET key_hash = ${bytes(93)} WHERE key_hash = ${bytes(92)}`
        assert.deepStrictEqual(yield* keysOf(90), [], "the license has another key")
        assert.lengthOf(yield* findTransferRequest(first, "cus_owner", licenseId), 0)
        yield* forgetKeys(first)
        assert.deepStrictEqual(yield* keysOf(90), [[93]], "an offer from before keys were kept goes on")
        yield* first`UPDATE license_keys SET key_hash = ${bytes(92)} WHERE key_hash = ${bytes(93)}`
        assert.lengthOf(yield* findTransferRequest(first, "cus_owner", "lic_other"), 0)
        yield* first`UPDATE license_transfer_requests SET expires_at = now() WHERE license_id = ${licenseId}`
        assert.deepStrictEqual(yield* keysOf(90), [], "over")
        assert.lengthOf(yield* findTransferRequest(first, "cus_owner", licenseId), 0)
        assert.deepStrictEqual<unknown>(yield* deleteTransferRequest(first, licenseId), [{ was_open: false }])
        yield* keep("cus_owner")
        assert.lengthOf(yield* deleteTransferRequest(first, "lic_other"), 0)
        assert.deepStrictEqual<unknown>(yield* deleteTransferRequest(first, licenseId), [{ was_open: true }])
      }))

    it.effect("the offer before the newer one is nobody's, and one that is over goes with that of another license alone", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`DELETE FROM license_transfer_requests`
        yield* offer(first, 50)
        yield* first`UPDATE license_transfer_requests SET expires_at = now() - interval '1 second'`
        yield* insertTransferRequest(first, {
          licenseId: "lic_1",
          customerId: "cus_2",
          recipient: "other@example.com",
          tokenHash: bytes(51),
          keyHash: bytes(52),
          addressHash: bytes(201),
          hours: 1
        })
        const [row] = yield* first<object>`
          SELECT customer_id, recipient, token_hash, license_key_hash, address_hash, expires_at > now() + interval '59 minutes' AS is_open
          FROM license_transfer_requests`
        assert.deepStrictEqual(row, {
          customer_id: "cus_2",
          recipient: "other@example.com",
          token_hash: bytes(51),
          license_key_hash: bytes(52),
          address_hash: bytes(201),
          is_open: true
        })
        yield* offer(first, 52, "lic_2")
        assert.lengthOf(yield* first`SELECT FROM license_transfer_requests`, 2)
        yield* first`DELETE FROM license_transfer_requests`
      }))
  })
})
