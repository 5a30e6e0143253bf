import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteOldApprovals,
  insertApproval,
  lockAsking,
  lockErasing,
  lockWaiting,
  updateBegun,
  updateDecided,
  updateExpired
} from "../../../src/services/approvals/ApprovalSql.ts"
import { lockSecondLook } from "../../../src/services/people/RoleSql.ts"
import { lockPeople, lockRolesOf } from "../../../src/services/people/StandingRightSql.ts"
import type { Database } from "../../../src/services/persistence/Database.ts"
import { Workers } from "../../fixtures/Workers.ts"

let made = 0

const jun = { id: "per_jun", name: "Jun", roles: ["Support"] }
const decider = { id: "per_ada", name: "Ada", roles: ["Owner"] }

/** A request that waits. */
const insert = Effect.fnUntraced(function*(sql: Database) {
  const id = `apr_${++made}`
  yield* insertApproval(sql, {
    id,
    operation: "rotateSigningKey",
    params: {},
    resourceId: undefined,
    jobId: undefined,
    body: undefined,
    ifMatch: undefined,
    reason: "asked",
    requester: jun
  })
  return id
})

describe("the statements of approvals", () => {
  layer(Workers.layer)((it) => {
    it.effect("a request is decided once: who comes second waits for the first, and has nothing to decide", () =>
      Effect.gen(function*() {
        const { first, second, undone, waiting } = yield* Workers
        const id = yield* insert(first)
        const hold = (sql: Database) => lockWaiting(sql, id)
        const [, after] = yield* undone(hold(first), hold(second))
        assert.lengthOf(after, 1, "what is rolled back is left to the other")
        const approve = (sql: Database) =>
          Effect.andThen(lockWaiting(sql, id), updateDecided(sql, id, { state: "approved", decider, reason: "seen" }))
        const [one, two] = yield* waiting(approve(first), hold(second))
        assert.deepStrictEqual([one.length, two.length], [1, 0])
      }))

    it.effect("a request that is being decided does not expire, and one whose time is over is not decided", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const id = yield* insert(first)
        yield* first`UPDATE approvals SET expires_at = now() WHERE id = ${id}`
        const decided = first`SELECT id FROM approvals WHERE id = ${id} FOR UPDATE`
        const [held, expired] = yield* passing(decided, updateExpired(second))
        assert.deepStrictEqual([held.length, expired.length], [1, 0])
        assert.deepStrictEqual(yield* lockWaiting(first, id), [])
        assert.lengthOf(yield* updateExpired(second), 1)
        assert.lengthOf(yield* updateExpired(second), 0)
      }))

    it.effect("two erasures of a customer are finished one after the other, and those of two customers beside each other", () =>
      Effect.gen(function*() {
        const { first, passing, second, waiting } = yield* Workers
        yield* waiting(lockErasing(first, "cus_1"), lockErasing(second, "cus_1"))
        yield* passing(lockErasing(first, "cus_1"), lockErasing(second, "cus_2"))
      }))

    it.effect("rights do not change while a second person approves, and roles do not change while a second person approves", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* first`INSERT INTO roles (id, name, scopes) VALUES ('role_desk', 'Desk', '{license:write}')`
        yield* first`INSERT INTO people (id, name, roles, status) VALUES ('per_jun', 'Jun', '{role_desk}', 'active')`
        const people = [jun.id]
        const hold = Effect.andThen(lockPeople(first, people), lockRolesOf(first, people))
        const taken = (sql: Database) => sql`UPDATE people SET roles = '{}' WHERE id = ${jun.id} RETURNING id`
        const narrowed = (sql: Database) =>
          sql`UPDATE roles SET scopes = '{ops:read}' WHERE id = 'role_desk' RETURNING id`
        const [roles] = yield* waiting(hold, narrowed(second))
        assert.lengthOf(roles, 1)
        yield* waiting(hold, taken(second))
      }))

    it.effect("one request of a person is asked for at a time, and a built-in role is changed once at a time", () =>
      Effect.gen(function*() {
        const { first, passing, second, waiting } = yield* Workers
        yield* waiting(lockAsking(first, "per_a"), lockAsking(second, "per_a"))
        yield* passing(lockAsking(first, "per_a"), lockAsking(second, "per_b"))
        yield* waiting(lockSecondLook(first, "owner"), lockSecondLook(second, "owner"))
        yield* passing(lockSecondLook(first, "owner"), lockSecondLook(second, "support"))
      }))

    it.effect("what has begun is only approved, or expires a day later", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* insert(first)
        yield* first`UPDATE approvals SET expires_at = now() + interval '1 minute' WHERE id = ${id}`
        yield* updateBegun(first, id, decider, "seen")
        assert.deepStrictEqual(yield* updateDecided(first, id, { state: "canceled" }), [])
        assert.deepStrictEqual(yield* updateDecided(first, id, { state: "declined", decider, reason: "no" }), [])
        yield* first`UPDATE approvals SET expires_at = expires_at - interval '23 hours' WHERE id = ${id}`
        assert.lengthOf(yield* updateExpired(first), 0)
        assert.lengthOf(yield* updateDecided(first, id, { state: "approved", decider, reason: "seen" }), 1)
      }))

    it.effect("is deleted 90 days after it was decided", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* insert(first)
        yield* updateDecided(first, id, { state: "canceled" })
        assert.deepStrictEqual(yield* deleteOldApprovals(first), [])
        yield* first`UPDATE approvals SET decided_at = now() - interval '91 days' WHERE id = ${id}`
        assert.lengthOf(yield* deleteOldApprovals(first), 1)
      }))
  })
})
