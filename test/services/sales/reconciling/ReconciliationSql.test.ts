import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteOlder,
  deleteSame,
  insertCompared,
  insertReconciliation,
  insertUnknown,
  listFindings,
  lockClaimed,
  updateEnded,
  updateExtended,
  updatePaths,
  updateQueuedAgain
} from "../../../../src/services/sales/reconciling/ReconciliationSql.ts"
import { reconciliation, reconciling } from "../../../fixtures/Reconciliations.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statements of reconciliations", () => {
  layer(Workers.layer)((it) => {
    it.effect("a connection is reconciled once at a time: who asks meanwhile waits for the other, and gets none", () =>
      Effect.gen(function*() {
        const { connection, first, second, waiting } = yield* reconciling
        const id = yield* connection()
        const [made, refused] = yield* waiting(
          insertReconciliation(first, reconciliation("rcn_x", id)),
          insertReconciliation(second, reconciliation("rcn_y", id))
        )
        assert.deepStrictEqual([made.length, refused.length], [1, 0])
      }))

    it.effect("a reconciliation is claimed by one worker: two at once find different ones, or none", () =>
      Effect.gen(function*() {
        const { asked, claim, first, passing, second } = yield* reconciling
        const ids = [yield* asked(), yield* asked()]
        const [one, other] = yield* passing(claim(first), claim(second))
        assert.sameMembers([one?.id, other?.id], ids)
        assert.isUndefined(yield* claim(second))
      }))

    it.effect("a reconciliation waits until it is due, with the reason why it waits", () =>
      Effect.gen(function*() {
        const { asked, claim, find, first, second } = yield* reconciling
        const id = yield* asked()
        const claimed = (yield* claim(first))!
        const failure = { code: "rate_limited", message: "m" }
        yield* updateQueuedAgain(first, claimed, { failure, isCounted: true, seconds: 60 })
        assert.deepInclude(yield* find(id), { status: "queued", failure, tries: 1 })
        assert.isUndefined(yield* claim(second))
        yield* first`UPDATE billing_reconciliations SET due_at = now() WHERE id = ${id}`
        assert.deepInclude(yield* claim(second), { id, attempt: 2, tries: 2 })
      }))

    it.effect("a claim of a reconciliation that lasts is taken from nobody, and one that has lapsed is", () =>
      Effect.gen(function*() {
        const { asked, claim, first, second } = yield* reconciling
        const id = yield* asked()
        yield* claim(first)
        assert.isUndefined(yield* claim(second))
        yield* first`UPDATE billing_reconciliations SET leased_until = now() - interval '1 second' WHERE id = ${id}`
        assert.deepInclude(yield* claim(second), { id, attempt: 2 })
      }))

    it.effect("a stale claim of a reconciliation writes nothing: no page, no end, and holds nobody up", () =>
      Effect.gen(function*() {
        const { asked, claim, find, first, second } = yield* reconciling
        const id = yield* asked()
        const stale = (yield* claim(first))!
        yield* first`UPDATE billing_reconciliations SET leased_until = now() - interval '1 second' WHERE id = ${id}`
        const held = (yield* claim(second))!
        const written = [
          yield* updatePaths(first, stale, []),
          yield* updateExtended(first, stale),
          yield* lockClaimed(first, stale),
          yield* updateEnded(first, stale, undefined)
        ]
        assert.deepStrictEqual(written.map(({ length }) => length), [0, 0, 0, 0])
        yield* updateQueuedAgain(first, stale, { failure: undefined, isCounted: false, seconds: 0 })
        assert.deepInclude(yield* find(id), { status: "running", paths: ["/a", "/b"] })
        const [next] = yield* updatePaths(second, held, ["/b"])
        assert.deepInclude(next, { paths: ["/b"], pages: 1, tries: 1 })
        assert.strictEqual((yield* updateEnded(second, held, undefined)).length, 1)
      }))

    it.effect("what was found stays found, and of the rest its number is kept", () =>
      Effect.gen(function*() {
        const { asked, find, first } = yield* reconciling
        const id = yield* asked()
        yield* insertCompared(first, id, [
          { name: "subscription/a", finding: "missing", members: [] },
          { name: "subscription/b", finding: "differs", members: ["state"] },
          { name: "subscription/c", finding: "same", members: [] },
          { name: "subscription/d", finding: "same", members: [] }
        ])
        yield* insertCompared(first, id, [
          { name: "subscription/a", finding: "differs", members: ["payer"] },
          { name: "subscription/b", finding: "same", members: [] },
          { name: "subscription/c", finding: "differs", members: ["refund", "dispute"] }
        ])
        yield* deleteSame(first, id)
        const findings = yield* listFindings(first, id, 10)
        assert.deepStrictEqual(findings.map(({ finding, members, name }) => [name, finding, members]), [
          ["subscription/a", "missing", []],
          ["subscription/b", "differs", ["state"]],
          ["subscription/c", "differs", ["dispute", "refund"]]
        ])
        assert.deepInclude(yield* find(id), { same: 1n })
      }))

    it.effect("a purchase that was not read is unknown where it goes on and is older than the reconciliation", () =>
      Effect.gen(function*() {
        const { connection, first, rows } = yield* reconciling
        const connection_id = yield* connection()
        const purchase = (name: string, state: string | undefined, more: object = {}) =>
          rows.insert("purchases", {
            id: `pur_${name}`,
            connection_id,
            name: `subscription/${name}`,
            status: "done",
            ...(state === undefined ? {} : { state: first`${JSON.stringify({ kind: "subscription", state })}::jsonb` }),
            created_at: first`now() - interval '1 hour'`,
            ...more
          })
        yield* purchase("read", "active")
        yield* purchase("lost", "active")
        yield* purchase("over", "canceled")
        yield* purchase("empty", undefined)
        yield* insertReconciliation(first, reconciliation("rcn_u", connection_id))
        yield* purchase("later", "active", { created_at: first`now() + interval '1 minute'` })
        yield* insertCompared(first, "rcn_u", [{ name: "subscription/read", finding: "same", members: [] }])
        yield* insertUnknown(first, "rcn_u")
        assert.deepStrictEqual(
          (yield* listFindings(first, "rcn_u", 10)).map((
            { finding, name, purchase_id }
          ) => [name, finding, purchase_id]),
          [["subscription/lost", "unknown", "pur_lost"]]
        )
      }))

    it.effect("the newest twenty of a connection are kept", () =>
      Effect.gen(function*() {
        const { connection, first } = yield* reconciling
        const id = yield* connection()
        for (let number = 10; number < 35; number++) {
          yield* insertReconciliation(first, reconciliation(`rcn_k${number}`, id))
          yield* first`UPDATE billing_reconciliations SET status = 'done', finished_at = now() WHERE id = ${`rcn_k${number}`}`
        }
        yield* deleteOlder(first, id)
        const left = yield* first<{ readonly id: string }>`
          SELECT id FROM billing_reconciliations WHERE connection_id = ${id} ORDER BY id`
        assert.deepStrictEqual([left.length, left[0]?.id], [20, "rcn_k15"])
      }))
  })
})
