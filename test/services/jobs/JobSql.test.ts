import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import { insertNamed, listPending, updateOutcome } from "../../../src/services/jobs/JobRowSql.ts"
import { insertJob, listLeft, lockRunning, updateEnded, updateWorked } from "../../../src/services/jobs/JobSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

let made = 0

/** A job with one row, of a caller of its own unless one is given. */
const insert = Effect.fnUntraced(function*(sql: Database, caller = `key_${++made}`) {
  const id = `job_${++made}`
  const rows = yield* insertJob(sql, {
    id,
    action: "suspend",
    selection: { ids: ["lic_1"] },
    parameters: {},
    reason: undefined,
    author: { type: "api_key", id: caller },
    products: undefined,
    requestId: undefined,
    repeats: undefined
  })
  if (rows.length > 0) yield* insertNamed(sql, id, ["lic_1"])
  return rows.length > 0 ? id : undefined
})

describe("the statements of jobs", () => {
  layer(Workers.layer)((it) => {
    it.effect("one who asks has one job running: of two that ask at once the second waits, and gets none", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const [one, two] = yield* waiting(insert(first, "key_twice"), insert(second, "key_twice"))
        assert.isString(one)
        assert.isUndefined(two)
        yield* updateEnded(first, one!, "done")
        assert.isString(yield* insert(first, "key_twice"))
      }))

    it.effect("a row of a job is done once: the second worker waits for the first, and has nothing to do", () =>
      Effect.gen(function*() {
        const { first, second, undone, waiting } = yield* Workers
        const id = (yield* insert(first))!
        const done = (sql: Database) => updateOutcome(sql, { jobId: id, position: 1 }, "done")
        const [, after] = yield* undone(done(first), done(second))
        assert.lengthOf(after, 1, "what is rolled back is left to the other")
        const other = (yield* insert(first))!
        const claim = (sql: Database) => updateOutcome(sql, { jobId: other, position: 1 }, "done")
        const [one, two] = yield* waiting(claim(first), claim(second))
        assert.deepStrictEqual([one.length, two.length], [1, 0])
        assert.deepStrictEqual(yield* listPending(first, other, 10), [])
      }))

    it.effect("a stopped job changes no further license: a row waits for the stop, and the stop for a row", () =>
      Effect.gen(function*() {
        const { first, passing, second, waiting } = yield* Workers
        const id = (yield* insert(first))!
        const [held, ended] = yield* waiting(lockRunning(first, id), updateEnded(second, id, "stopped"))
        assert.deepStrictEqual([held.length, ended.length], [1, 1])
        const other = (yield* insert(first))!
        yield* passing(lockRunning(first, other), lockRunning(second, other))
        const [, late] = yield* waiting(updateEnded(first, other, "stopped"), lockRunning(second, other))
        assert.deepStrictEqual(late, [])
      }))

    it.effect("a job ends once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const id = (yield* insert(first))!
        const [one, two] = yield* waiting(updateEnded(first, id, "done"), updateEnded(second, id, "stopped"))
        assert.deepStrictEqual([one.length, two.length], [1, 0])
        assert.deepStrictEqual(yield* updateWorked(first, id), [])
      }))

    it.effect("is left where nobody has worked on it for 3 seconds", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = (yield* insert(first))!
        const left = Effect.map(listLeft(first), (rows) => rows.map((row) => row.id).includes(id))
        assert.isFalse(yield* left)
        yield* first`UPDATE jobs SET worked_at = now() - interval '4 seconds' WHERE id = ${id}`
        assert.isTrue(yield* left)
        yield* updateWorked(first, id)
        assert.isFalse(yield* left)
      }))
  })
})
