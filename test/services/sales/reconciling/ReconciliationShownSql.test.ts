import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  deleteOlder,
  deleteSame,
  findReconciliation,
  insertCompared,
  insertReconciliation,
  insertUnknown,
  listFindings,
  listReconciliations,
  lockClaimed,
  updateEnded,
  updatePaths,
  updateQueuedAgain
} from "../../../../src/services/sales/reconciling/ReconciliationSql.ts"
import { reconciliation, reconciling } from "../../../fixtures/Reconciliations.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("what is told of a reconciliation", () => {
  layer(Workers.layer)((it) => {
    it.effect("a reconciliation is shown with the number of each finding, those that are kept as a number included", () =>
      Effect.gen(function*() {
        const { asked, first } = yield* reconciling
        const [id, other] = [yield* asked(), yield* asked()]
        const compared = (names: string, finding: "same" | "missing" | "differs") =>
          [...names].map((name) => ({ name: `subscription/${name}`, finding, members: [] }))
        yield* insertCompared(first, other, compared("xyz", "missing"))
        yield* insertCompared(first, id, [
          ...compared("ab", "same"),
          ...compared("c", "missing"),
          ...compared("de", "differs")
        ])
        yield* deleteSame(first, id)
        yield* insertCompared(first, id, compared("f", "same"))
        const [shown] = yield* findReconciliation(first, id)
        assert.deepInclude(shown, { id, same: 3n, missing: 1n, differs: 2n, unknown: 0n, status: "queued" })
        assert.deepInclude((yield* findReconciliation(first, other))[0], { same: 0n, missing: 3n })
        assert.deepStrictEqual((yield* listFindings(first, id, 2)).map(({ name }) => name), [
          "subscription/c",
          "subscription/d"
        ])
      }))

    it.effect("a reconciliation says when it is tried again while it waits for a reason, and at no other time", () =>
      Effect.gen(function*() {
        const { asked, claim, first } = yield* reconciling
        const id = yield* asked()
        const next = Effect.map(
          findReconciliation(first, id),
          ([row]) => Object.entries(row!).find(([name]) => name === "next_attempt_at")?.[1]
        )
        assert.isNull(yield* next)
        const claimed = (yield* claim(first))!
        assert.isNull(yield* next)
        yield* updateQueuedAgain(first, claimed, { failure: undefined, isCounted: true, seconds: 60 })
        assert.isNull(yield* next)
        yield* first`UPDATE billing_reconciliations SET due_at = now() WHERE id = ${id}`
        const failure = { code: "rate_limited", message: "m" }
        yield* updateQueuedAgain(first, (yield* claim(first))!, { failure, isCounted: true, seconds: 60 })
        assert.instanceOf(yield* next, Date)
      }))

    it.effect("a connection's reconciliations are listed newest first, and no other's", () =>
      Effect.gen(function*() {
        const { asked, connection, first } = yield* reconciling
        yield* asked()
        const connectionId = yield* connection()
        for (const id of ["rcn_l1", "rcn_l2"]) {
          yield* insertReconciliation(first, reconciliation(id, connectionId))
          yield* first`UPDATE billing_reconciliations SET status = 'done', finished_at = now() WHERE id = ${id}`
        }
        const listed = yield* listReconciliations(first, connectionId)
        assert.deepStrictEqual(listed.map((row) => Object.entries(row).find(([name]) => name === "id")?.[1]), [
          "rcn_l2",
          "rcn_l1"
        ])
      }))

    it.effect("the reconciliation that has waited longest is claimed first", () =>
      Effect.gen(function*() {
        const { asked, claim, first } = yield* reconciling
        const [newer, older] = [yield* asked(), yield* asked()]
        yield* first`UPDATE billing_reconciliations SET due_at = now() - interval '1 minute' WHERE id = ${older}`
        yield* first`UPDATE billing_reconciliations SET due_at = now() - interval '1 second' WHERE id = ${newer}`
        assert.deepStrictEqual([(yield* claim(first))?.id, (yield* claim(first))?.id], [older, newer])
      }))

    it.effect("an attempt that is not counted is given back, and one that is stays", () =>
      Effect.gen(function*() {
        const { asked, claim, find, first } = yield* reconciling
        const id = yield* asked()
        const again = Effect.fnUntraced(function*(isCounted: boolean) {
          yield* updateQueuedAgain(first, (yield* claim(first))!, { failure: undefined, isCounted, seconds: 0 })
          return (yield* find(id))["tries"]
        })
        assert.deepStrictEqual([yield* again(true), yield* again(false), yield* again(true)], [1, 1, 2])
        const claimed = (yield* claim(first))!
        assert.deepStrictEqual((yield* lockClaimed(first, claimed)).map(({ tries }) => tries), [3])
        const [read] = yield* updatePaths(first, claimed, ["/b"])
        assert.deepInclude(read, { tries: 1, pages: 1, paths: ["/b"] })
      }))

    it.effect("a page that was left out is said to the end, and any other reason to wait goes with the next page", () =>
      Effect.gen(function*() {
        const { asked, claim, find, first } = yield* reconciling
        const waits = { code: "rate_limited", message: "m" }
        const left = { code: "partly_read", message: "l" }
        const id = yield* asked()
        yield* updateQueuedAgain(first, (yield* claim(first))!, { failure: waits, isCounted: true, seconds: 0 })
        const claimed = (yield* claim(first))!
        yield* updatePaths(first, claimed, ["/b"])
        assert.isNull((yield* find(id))["failure"])
        yield* updatePaths(first, claimed, ["/b"], left)
        yield* updatePaths(first, claimed, [])
        assert.deepInclude(yield* find(id), { failure: left, pages: 3 })
        yield* updateEnded(first, claimed, undefined)
        const ended = yield* find(id)
        assert.deepInclude(ended, { status: "done", failure: left, paths: [], leased_until: null })
        assert.instanceOf(ended["finished_at"], Date)
      }))

    it.effect("a reconciliation that failed says its own reason", () =>
      Effect.gen(function*() {
        const { asked, claim, find, first } = yield* reconciling
        const id = yield* asked()
        const claimed = (yield* claim(first))!
        const failure = { code: "api_key_refused", message: "f" }
        yield* updatePaths(first, claimed, [], { code: "partly_read", message: "l" })
        yield* updateEnded(first, claimed, failure)
        assert.deepInclude(yield* find(id), { status: "failed", failure })
      }))

    it.effect("no purchase is unknown that is over or never was paid, is another connection's, or may be on a page that was left out", () =>
      Effect.gen(function*() {
        const { claim, connection, first, rows } = yield* reconciling
        const [connectionId, other] = [yield* connection(), yield* connection()]
        const purchase = (name: string, state: string, connection_id = connectionId) =>
          rows.insert("purchases", {
            id: `pur_${connectionId}_${name}`,
            connection_id,
            name: `subscription/${name}`,
            status: "done",
            state: first`${JSON.stringify({ kind: "subscription", state })}::jsonb`,
            created_at: first`now() - interval '1 hour'`
          })
        for (const state of ["canceled", "incomplete_expired", "failed", "pending", "past_due"]) {
          yield* purchase(state, state)
        }
        yield* purchase("foreign", "active", other)
        const id = `rcn_n${connectionId}`
        yield* insertReconciliation(first, reconciliation(id, connectionId))
        const unknown = Effect.andThen(
          insertUnknown(first, id),
          Effect.map(listFindings(first, id, 10), (found) => found.map(({ name }) => name))
        )
        const claimed = (yield* claim(first))!
        yield* updatePaths(first, claimed, [], { code: "partly_read", message: "l" })
        assert.deepStrictEqual(yield* unknown, [])
        yield* first`UPDATE billing_reconciliations SET failure = NULL WHERE id = ${id}`
        assert.deepStrictEqual(yield* unknown, ["subscription/past_due"])
      }))

    it.effect("a reconciliation that has not ended is not among those that are removed, nor one of another connection", () =>
      Effect.gen(function*() {
        const { asked, connection, first } = yield* reconciling
        const foreign = yield* asked()
        yield* first`UPDATE billing_reconciliations SET status = 'done', finished_at = now() WHERE id = ${foreign}`
        const connectionId = yield* connection()
        const running = `rcn_a0${connectionId}`
        yield* insertReconciliation(first, reconciliation(running, connectionId))
        yield* rowsOf(first, connectionId)
        yield* deleteOlder(first, connectionId)
        const kept = yield* first<{ readonly id: string }>`SELECT id FROM billing_reconciliations ORDER BY id`
        assert.includeMembers(kept.map(({ id }) => id), [foreign, running])
      }))
  })
})

/** Twenty newer reconciliations of a connection that have ended. */
const rowsOf = (sql: Database, connectionId: string) =>
  sql`
    INSERT INTO billing_reconciliations (id, connection_id, is_dry_run, paths, created_by, status, finished_at)
    SELECT 'rcn_z' || n, ${connectionId}, false, '[]', 'key_1', 'done', now() FROM generate_series(10, 29) n`
