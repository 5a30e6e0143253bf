import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { insertLicenses, listTakenKeys, updateBegun } from "../../../../src/services/licensing/licenses/IssueSql.ts"
import type { NewLicense } from "../../../../src/services/licensing/licenses/IssueSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0
const hashOf = (key: string) => new TextEncoder().encode(key)

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const license = (key: string, more: Partial<NewLicense> = {}): NewLicense => ({
    id: `lic_new_${++made}`,
    license_key: `CS-AAAAA-${key}`,
    key_hash: hashOf(key),
    input: { product_id, policy_id },
    issued: {},
    subscription_id: undefined,
    ...more
  })
  const insert = (sql: Database, licenses: ReadonlyArray<NewLicense>) =>
    Effect.map(insertLicenses(sql, licenses), (written) => written.map(({ id }) => id).toSorted())
  return { ...workers, insert, license, policy_id, product_id, rows }
})

describe("the statements that issue licenses", () => {
  layer(Workers.layer)((it) => {
    it.effect("a key belongs to one license, whoever else issues one with it at the same time", () =>
      Effect.gen(function*() {
        const { first, insert, license, second, waiting } = yield* world
        const [mine, yours, other] = [license("same"), license("same"), license("other")]
        const [won, lost] = yield* waiting(insert(first, [mine]), insert(second, [yours, other]))
        assert.deepStrictEqual([won, lost], [[mine.id], [other.id]])
        assert.deepStrictEqual(yield* insert(second, [license("other")]), [])
        const found = yield* first`SELECT id FROM licenses WHERE id = ANY(${[mine.id, yours.id, other.id]}::text[])`
        assert.sameMembers(found.map(({ id }) => id), [mine.id, other.id])
      }))

    it.effect("transactions with the same keys wait for each other one way, in whatever order they name them", () =>
      Effect.gen(function*() {
        const { first, insert, license, second, waiting } = yield* world
        const [a, b] = [license("way-1"), license("way-2")]
        const [, written] = yield* waiting(
          insert(first, [a]),
          insert(second, [license("way-2"), license("way-1")]),
          insert(first, [b])
        )
        assert.deepStrictEqual(written, [])
      }))

    it.effect("a license has what was asked for and what was decided, and no array of no further products", () =>
      Effect.gen(function*() {
        const { first, insert, license, policy_id, product_id } = yield* world
        const issued = {
          expires_at: "2030-01-01T00:00:00.000Z",
          state: "suspended",
          suspended_by: "subscription"
        } as const
        const row = license("whole", {
          input: { product_id, policy_id, product_ids: [], customer_name: "N", metadata: { a: 1 } },
          issued
        })
        yield* insert(first, [row, license("bare")])
        const [found] = yield* first`
          SELECT product_ids, customer_name, metadata, state, suspended_by, expires_at, license_key_last4
          FROM licenses WHERE id = ${row.id}`
        assert.deepStrictEqual(found, {
          product_ids: null,
          customer_name: "N",
          metadata: { a: 1 },
          state: "suspended",
          suspended_by: "subscription",
          expires_at: new Date(issued.expires_at),
          license_key_last4: "hole"
        })
      }))

    it.effect("keys that any license had are taken, and others are not", () =>
      Effect.gen(function*() {
        const { first, insert, license } = yield* world
        yield* insert(first, [license("had")])
        const taken = yield* listTakenKeys(first, [hashOf("had"), hashOf("free")])
        assert.deepStrictEqual(taken.map(({ key_hash }) => new TextDecoder().decode(key_hash)), ["had"])
      }))

    it.effect("only those that begin otherwise get their state, and a version of what they grant", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const [suspended, revoked, active] = [
          yield* rows.license({ suspended_by: "subscription", state: "suspended" }),
          yield* rows.license(),
          yield* rows.license()
        ]
        yield* updateBegun(first, [{ id: suspended, state: "suspended" }, { id: revoked, state: "revoked" }])
        const found = yield* first`
          SELECT id, state, suspended_by, entitlement_version::int AS version FROM licenses
          WHERE id = ANY(${[suspended, revoked, active]}::text[])`
        const expected = [[suspended, "suspended", 2, null], [revoked, "revoked", 2, null], [active, "active", 1, null]]
        assert.sameDeepMembers(
          found.map((row) => [row["id"], row["state"], row["version"], row["suspended_by"]]),
          expected
        )
      }))
  })
})
