import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteAcceptedRequest,
  deleteTransferRequest,
  deleteTransferRequestsOf,
  findOfferedLicense,
  findTransferRequest,
  insertTransferRequest
} from "../../../src/services/lifecycle/TransferRequestSql.ts"
import type { Database } from "../../../src/services/persistence/Database.ts"
import { Workers } from "../../fixtures/Workers.ts"

const bytes = (value: number) => new Uint8Array([value])

/** Offers a license of a customer; `token` tells the offer from others. */
const offer = (sql: Database, token: number, licenseId = "lic_1") =>
  insertTransferRequest(sql, {
    licenseId,
    customerId: "cus_1",
    recipient: "next@example.com",
    tokenHash: bytes(token),
    hours: 72
  })

describe("the statements of licenses that are offered", () => {
  layer(Workers.layer)((it) => {
    it.effect("of two requests for one license the newer ends the older, also of two made at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* waiting(offer(first, 1), offer(second, 2))
        assert.lengthOf(yield* deleteAcceptedRequest(first, bytes(1)), 0)
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
  })
})
