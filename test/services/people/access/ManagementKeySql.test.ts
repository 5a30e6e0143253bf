import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  findByHash,
  insertKey,
  lockKey,
  updateLastUsed,
  updateRevoked
} from "../../../../src/services/people/access/ManagementKeySql.ts"
import * as publishable from "../../../../src/services/people/access/PublishableKeySql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const made = (sql: Database, id: string) =>
  insertKey(sql, {
    id,
    hash: new TextEncoder().encode(id),
    prefix: "cs_mgmt_",
    input: { name: "CI" },
    maker: { type: "system", id: "t" }
  })

describe("the statements of keys", () => {
  layer(Workers.layer)((it) => {
    it.effect("a key notes its use once a minute, whichever nodes see it used", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* made(first, "key_1")
        const [one, other] = yield* waiting(updateLastUsed(first, "key_1"), updateLastUsed(second, "key_1"))
        assert.deepStrictEqual([one, other], [[{ id: "key_1" }], []])
        yield* first`UPDATE management_keys SET last_used_at = now() - interval '61 seconds' WHERE id = 'key_1'`
        assert.lengthOf(yield* updateLastUsed(second, "key_1"), 1)
      }))

    it.effect("a key is found by its hash, with whether it has expired or was revoked", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* made(first, "key_3")
        const found = Effect.map(findByHash(first, new TextEncoder().encode("key_3")), ([row]) => row)
        assert.deepInclude(yield* found, { id: "key_3", expired: false, revoked: false, stale: true })
        yield* first`UPDATE management_keys SET expires_at = now() + interval '1 hour' WHERE id = 'key_3'`
        assert.deepInclude(yield* found, { expired: false })
        yield* first`UPDATE management_keys SET expires_at = now() - interval '1 hour' WHERE id = 'key_3'`
        assert.deepInclude(yield* found, { expired: true, revoked: false })
        yield* updateRevoked(first, "key_3")
        assert.deepInclude(yield* found, { revoked: true })
      }))

    it.effect("an API key is revoked once, by whoever comes first", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* made(first, "key_2")
        const [one, other] = yield* waiting(updateRevoked(first, "key_2"), updateRevoked(second, "key_2"))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))

    it.effect("an API key that is revoked is not rotated: whoever rotates waits for the revocation, and sees it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* made(first, "key_4")
        const [, other] = yield* waiting(updateRevoked(first, "key_4"), lockKey(second, "key_4"))
        assert.deepInclude(other[0], { id: "key_4", is_active: false })
      }))

    it.effect("a publishable key is revoked once, by whoever comes first", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { id: policyId, product_id: productId } = yield* makeRows(first).policy()
        yield* publishable.insertKey(first, {
          id: "pub_1",
          productId,
          policyId,
          name: "App",
          key: "pk",
          hash: new Uint8Array(1)
        })
        const revoke = (sql: Database) => publishable.updateRevoked(sql, "pub_1")
        const [one, other] = yield* waiting(revoke(first), revoke(second))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))
  })
})
