import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ApprovalReach } from "../../../../src/domain/people/approvals/ApprovalReach.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  countWaiting,
  deleteOldApprovals,
  findApproval,
  findToDecide,
  findWaiting,
  insertApproval,
  lockAsking,
  lockErasing,
  lockWaiting,
  updateBegun,
  updateDecided,
  updateExpired,
  updateFailed
} from "../../../../src/services/people/approvals/ApprovalSql.ts"
import type { NewApproval } from "../../../../src/services/people/approvals/ApprovalSql.ts"
import { lockSecondLook } from "../../../../src/services/people/RoleSql.ts"
import { lockPeople, lockRolesOf } from "../../../../src/services/people/SessionSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const jun = { id: "per_jun", name: "Jun", roles: ["Support"] }
const decider = { id: "per_ada", name: "Ada", roles: ["Owner"] }

/** A request that waits. */
const insert = Effect.fnUntraced(function*(sql: Database, more: Partial<NewApproval> = {}) {
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
    requester: jun,
    ...more
  })
  return id
})

const over = (sql: Database, id: string) => sql`UPDATE approvals SET expires_at = now() WHERE id = ${id}`

const waitingOf = (sql: Database, id: string) => Effect.map(countWaiting(sql, id), ([row]) => row!.waiting)

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

    it.effect("of a person count the requests that wait: none that is over, was decided, or is another's", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const requester = { ...jun, id: "per_asking" }
        const ids = yield* Effect.forEach([1, 2, 3], () => insert(first, { requester }))
        yield* insert(first)
        assert.strictEqual(yield* waitingOf(first, requester.id), 3)
        yield* over(first, ids[0]!)
        assert.strictEqual(yield* waitingOf(first, requester.id), 2)
        yield* updateDecided(first, ids[1]!, { state: "declined", decider, reason: "no" })
        assert.strictEqual(yield* waitingOf(first, requester.id), 1)
      }))

    it.effect("the same request is one of the same person, operation, parameters, body and If-Match, that waits", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const requester = { ...jun, id: "per_same" }
        const asked = {
          operation: "revokeLicense",
          params: { id: "lic_1" },
          body: "{}",
          ifMatch: "\"1\"",
          requester
        } as const
        const id = yield* insert(first, asked)
        const found = (more: Partial<NewApproval> = {}) =>
          Effect.map(findWaiting(first, { ...asked, ...more }), (rows) => rows.length)
        assert.strictEqual(yield* found(), 1)
        const others: ReadonlyArray<Partial<NewApproval>> = [
          { operation: "rotateLicenseKey" },
          { params: { id: "lic_2" } },
          { params: {} },
          { body: "{ }" },
          { body: undefined },
          { ifMatch: "\"2\"" },
          { ifMatch: undefined },
          { requester: jun }
        ]
        for (const more of others) assert.strictEqual(yield* found(more), 0, JSON.stringify(more))
        const bare = { ...asked, body: undefined, ifMatch: undefined }
        yield* insert(first, bare)
        assert.strictEqual(yield* found(bare), 1, "what has neither is the same as well")
        yield* over(first, id)
        assert.strictEqual(yield* found(), 0, "its time is over")
        const again = yield* insert(first, asked)
        assert.strictEqual(yield* found(), 1)
        yield* updateDecided(first, again, { state: "canceled" })
        assert.strictEqual(yield* found(), 0, "it was canceled")
      }))

    it.effect("waits for another one who may do it, and is seen by whoever asked", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const licenseId = yield* makeRows(first).license()
        const [license] = yield* first<{ readonly product_id: string }>`
          SELECT product_id FROM licenses WHERE id = ${licenseId}`
        const id = yield* insert(first, {
          operation: "revokeLicense",
          params: { id: licenseId },
          resourceId: licenseId,
          body: "{}"
        })
        const on = (...products: ReadonlyArray<string>) => [{ operation: "revokeLicense", products }] as const
        const all = [{ operation: "revokeLicense" }] as const
        const awaiting = (who: string, decides: ApprovalReach["decides"], sees = decides) =>
          Effect.map(findToDecide(first, id, { id: who, decides, sees }), ([row]) => row?.awaiting)
        assert.isTrue(yield* awaiting("per_ada", all))
        assert.isFalse(yield* awaiting(jun.id, all), "an own one")
        assert.isFalse(yield* awaiting("per_ada", [], all), "whoever only sees it")
        assert.isFalse(yield* awaiting("per_ada", [{ operation: "eraseCustomer" }]), "another operation")
        assert.isTrue(yield* awaiting("per_ada", on("prod_else", license!.product_id)))
        assert.isFalse(yield* awaiting("per_ada", on("prod_else")), "another product")
        const seen = (who: string, sees: ApprovalReach["sees"], decides: ApprovalReach["decides"] = []) =>
          Effect.map(findApproval(first, id, { id: who, decides, sees }), (rows) => rows.length)
        assert.deepStrictEqual(
          [
            yield* seen("per_ada", all),
            yield* seen("per_ada", []),
            yield* seen("per_ada", [], all),
            yield* seen("per_ada", on("prod_else")),
            yield* seen(jun.id, [])
          ],
          [1, 0, 0, 0, 1]
        )
        const [row] = yield* findToDecide(first, id, { id: "per_ada", decides: all, sees: all })
        assert.deepStrictEqual(row, { body: "{}", waits: true, awaiting: true })
        yield* over(first, id)
        const [late] = yield* findToDecide(first, id, { id: "per_ada", decides: all, sees: all })
        assert.deepStrictEqual(late, { body: "{}", waits: false, awaiting: false })
      }))

    it.effect("is over for everybody at its time: it is neither approved nor begun, and a refusal of one that is decided is not noted", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* insert(first)
        assert.lengthOf(yield* updateFailed(first, id, { code: "IN_USE", message: "In use." }), 1)
        yield* over(first, id)
        for (const state of ["approved", "declined"] as const) {
          assert.lengthOf(yield* updateDecided(first, id, { state, decider, reason: "late" }), 0)
        }
        assert.lengthOf(yield* updateDecided(first, id, { state: "canceled" }), 0)
        yield* updateExpired(first)
        assert.lengthOf(yield* updateFailed(first, id, { code: "IN_USE", message: "In use." }), 0)
        const [row] = yield* first<
          object
        >`SELECT state, decider_id, failure->>'code' AS code FROM approvals WHERE id = ${id}`
        assert.deepStrictEqual(row, { state: "expired", decider_id: null, code: "IN_USE" })
      }))

    it.effect("a body that names a colleague goes with the end of its request, and other bodies stay", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const bodyOf = (id: string) =>
          Effect.map(
            first<{ readonly body: string | null }>`SELECT body FROM approvals WHERE id = ${id}`,
            ([row]) => row!.body
          )
        const ended = (id: string) => updateDecided(first, id, { state: "canceled" })
        for (const operation of ["createPerson", "updatePerson", "createRole"] as const) {
          const one = yield* insert(first, { operation, body: "{\"name\":\"Kim\"}" })
          const two = yield* insert(first, { operation, body: "{\"name\":\"Kim\"}" })
          yield* ended(one)
          yield* over(first, two)
          yield* updateExpired(first)
          const kept = operation === "createRole" ? "{\"name\":\"Kim\"}" : null
          assert.deepStrictEqual([yield* bodyOf(one), yield* bodyOf(two)], [kept, kept], operation)
        }
      }))

    it.effect("what has begun keeps the time when it began, and has no refusal any more", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* insert(first)
        const read = Effect.map(
          first<
            { readonly begun_at: Date; readonly decider_id: string; readonly failure: unknown; readonly left: number }
          >`
            SELECT begun_at, decider_id, failure, extract(epoch FROM expires_at - now())::int / 3600 AS left
            FROM approvals WHERE id = ${id}`,
          ([row]) => row!
        )
        yield* updateFailed(first, id, { code: "IN_USE", message: "In use." })
        yield* first`UPDATE approvals SET expires_at = now() + interval '40 hours' WHERE id = ${id}`
        yield* updateBegun(first, id, decider, "seen")
        const begun = yield* read
        assert.deepInclude(begun, { decider_id: decider.id, failure: null })
        assert.isAtLeast(begun.left, 39, "a later end stays")
        yield* updateBegun(first, id, { ...decider, id: "per_bob" }, "seen, too")
        const again = yield* read
        assert.deepStrictEqual([again.begun_at, again.decider_id], [begun.begun_at, "per_bob"])
      }))
  })
})
