import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findNextDeadlines, findUnplaced } from "../../../../src/services/jobs/clock/ClockSql.ts"
import type { DeadlineRow } from "../../../../src/services/jobs/clock/ClockSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const day = 86_400_000
const begin = Date.UTC(2040, 0, 1)

/** Rows on a database of their own, and what is due next of a kind. */
const makeWorld = Effect.gen(function*() {
  const { first: sql } = yield* Workers
  const rows = makeRows(sql)
  const next = (kind: keyof DeadlineRow) =>
    Effect.map(findNextDeadlines(sql), ([row]) => row?.[kind]?.getTime() ?? undefined)
  return { next, now: Date.now(), rows, sql }
})

describe("events without a place", () => {
  it.effect("are those that were recorded up to an ordinal", () =>
    Effect.gen(function*() {
      const { sql } = yield* makeWorld
      const waits = (ordinal: bigint) => Effect.map(findUnplaced(sql, ordinal), ([row]) => row!.waits)
      assert.isFalse(yield* waits(100n))
      yield* sql`INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE VALUES (7)`
      assert.isFalse(yield* waits(6n))
      assert.isTrue(yield* waits(7n))
    }).pipe(Effect.provide(Workers.layer)))
})

describe("the next deadlines", () => {
  it.effect("are a week before the end of a license, its end, and the end of its grace", () =>
    Effect.gen(function*() {
      const { next, now, rows, sql } = yield* makeWorld
      const issue = (announced: string, end: number, grace_period_days = 0) =>
        rows.license({ announced, expires_at: new Date(end) }, { grace_period_days })
      const revoke = (id: string) => sql`UPDATE licenses SET state = 'revoked' WHERE id = ${id}`
      assert.isUndefined(yield* next("licenses"))
      const warned = yield* issue("nothing", begin + 9 * day)
      assert.strictEqual(yield* next("licenses"), begin + 2 * day)
      const ending = yield* issue("expiring", begin + day, 14)
      assert.strictEqual(yield* next("licenses"), begin + day)
      const short = yield* issue("nothing", now + 3 * day)
      assert.strictEqual(yield* next("licenses"), now + 3 * day, "its warning is due already")
      yield* revoke(short)
      const graced = yield* issue("grace_period", now - 10 * day, 14)
      assert.strictEqual(yield* next("licenses"), now + 4 * day)
      for (const id of [graced, ending, warned]) yield* revoke(id)
      yield* issue("expired", now - 20 * day, 14)
      assert.isUndefined(yield* next("licenses"))
    }).pipe(Effect.provide(Workers.layer)))

  it.effect("are each of the days before an end that a policy names, and those of the mail where it names none", () =>
    Effect.gen(function*() {
      const { next, rows, sql } = yield* makeWorld
      const id = yield* rows.license({ announced: "nothing", expires_at: new Date(begin + 90 * day) }, {
        expiring_days: sql`ARRAY[3, 60]`
      })
      assert.strictEqual(yield* next("licenses"), begin + 30 * day)
      yield* sql`UPDATE licenses SET announced = 'expiring', announced_days = 60 WHERE id = ${id}`
      assert.strictEqual(yield* next("licenses"), begin + 87 * day)
      yield* sql`UPDATE policies SET expiring_days = NULL, mails = ARRAY['license_expiring']`
      assert.strictEqual(yield* next("licenses"), begin + 60 * day)
    }).pipe(Effect.provide(Workers.layer)))

  it.effect("are the first of each kind, but none that is past or over", () =>
    Effect.gen(function*() {
      const { next, rows, sql } = yield* makeWorld
      const past = new Date(begin - 100 * 365 * day)
      yield* rows.lease({ expires_at: past })
      yield* rows.lease({ expires_at: new Date(begin), ended_at: past, end_reason: "checked_in" })
      yield* rows.lease({ expires_at: new Date(begin + 2) })
      yield* rows.lease({ expires_at: new Date(begin + 1) })
      assert.strictEqual(yield* next("leases"), begin + 1)
      for (const at of [past, new Date(begin + 4), new Date(begin + 3)]) {
        yield* rows.device({ binding_kind: "container", idle_check_at: at })
      }
      yield* rows.device({ binding_kind: "container", idle_check_at: new Date(begin), status: "expired" })
      assert.strictEqual(yield* next("containers"), begin + 3)
      assert.isUndefined(yield* next("retries"))
      const endpoint_id = yield* rows.lane()
      for (const [seq, due] of [[1, past], [2, new Date(begin + 6)], [3, new Date(begin + 5)]] as const) {
        yield* sql`
          INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
          VALUES (${endpoint_id}, ${seq}, 1, ${due}, '500')`
      }
      assert.strictEqual(yield* next("retries"), begin + 5)
    }).pipe(Effect.provide(Workers.layer)))
})
