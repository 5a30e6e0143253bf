import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import {
  deletePortalLink,
  deletePortalLinksOf,
  findPortalLink,
  insertPortalLink,
  listAddressees,
  listLinkedCustomers,
  updateTried
} from "../../../src/services/portal/PortalSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

const bytes = (value: number) => new Uint8Array([value])

/** Keeps a link; `token` tells it from others. */
const keep = (sql: Database, token: number, address = 1) =>
  insertPortalLink(sql, {
    addressHash: bytes(address),
    tokenHash: bytes(token),
    browserHash: bytes(token + 100),
    codeHash: bytes(token + 200),
    customerIds: [`cus_${address}`],
    minutes: 15,
    waitMinutes: 0
  })

const tried = (sql: Database, token: number, code = 0) =>
  updateTried(sql, { browserHash: bytes(token + 100), codeHash: bytes(code), most: 3 })

describe("the statements of links into the portal", () => {
  layer(Workers.layer)((it) => {
    it.effect("of two links to one address the newer ends the older, also of two made at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* waiting(keep(first, 1), keep(second, 2))
        assert.lengthOf(yield* findPortalLink(first, bytes(1)), 0)
        assert.deepStrictEqual((yield* findPortalLink(first, bytes(2)))[0]?.customer_ids, ["cus_1"])
        yield* first`UPDATE portal_links SET expires_at = now() - interval '1 second'`
        assert.lengthOf(yield* findPortalLink(first, bytes(2)), 0)
        yield* keep(first, 3, 2)
        assert.lengthOf(yield* first`SELECT FROM portal_links`, 1, "what is over went")
      }))

    it.effect("a link is spent once, also by two at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* keep(first, 4)
        const [one, other] = yield* waiting(deletePortalLink(first, bytes(4)), deletePortalLink(second, bytes(4)))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))

    it.effect("no more codes are tried at once than in a row, and the right one counts as a try", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* keep(first, 5)
        assert.deepStrictEqual((yield* tried(first, 5, 205)).map(({ is_right }) => is_right), [true])
        yield* tried(first, 5)
        const [one, other] = yield* waiting(tried(first, 5), tried(second, 5))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
        assert.lengthOf(yield* tried(first, 5, 205), 0)
        assert.lengthOf(yield* keep(first, 6), 1)
        assert.lengthOf(yield* tried(first, 6), 1, "a newer link has tries of its own")
      }))

    it.effect("a link is to the customers of an address in any case, and goes with one who is erased", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`INSERT INTO customers (id, name, code, email, metadata) VALUES
          ('cus_a', 'Ada', 'a', 'Ada@Example.com', '{}'), ('cus_b', 'Bob', 'b', 'bob@example.com', '{}')`
        assert.deepStrictEqual((yield* listAddressees(first, "ada@example.COM")).map(({ id }) => id), ["cus_a"])
        assert.lengthOf(yield* listLinkedCustomers(first, ["cus_a", "cus_gone", "cus_b"]), 2)
        yield* keep(first, 7, 7)
        assert.lengthOf(yield* deletePortalLinksOf(first, "cus_7"), 1)
        assert.lengthOf(yield* findPortalLink(first, bytes(7)), 0)
      }))

    it.effect("a link that is over is neither spent nor tried, and has its code in the browser that asked alone", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* keep(first, 20, 20)
        assert.lengthOf(yield* updateTried(first, { browserHash: bytes(121), codeHash: bytes(220), most: 3 }), 0)
        assert.deepStrictEqual((yield* tried(first, 20)).map(({ is_right }) => is_right), [false])
        yield* first`UPDATE portal_links SET expires_at = now() WHERE token_hash = ${bytes(20)}`
        assert.lengthOf(yield* tried(first, 20, 220), 0)
        assert.lengthOf(yield* deletePortalLink(first, bytes(20)), 0)
        assert.lengthOf(yield* keep(first, 21, 20), 1, "in its place")
        assert.deepStrictEqual((yield* tried(first, 21, 221)).map(({ is_right }) => is_right), [true])
        yield* first`UPDATE portal_links SET expires_at = now() - interval '1 second' WHERE token_hash = ${bytes(21)}`
        yield* keep(first, 22, 20)
        assert.deepStrictEqual((yield* deletePortalLink(first, bytes(22)))[0]?.customer_ids, ["cus_20"])
      }))
  })
})
