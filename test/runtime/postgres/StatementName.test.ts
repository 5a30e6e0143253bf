import { assert, describe, it } from "@effect/vitest"
import { makeStatementNames, otherStatement } from "../../../src/runtime/postgres/StatementName.ts"

describe("the name of a statement", () => {
  it.each([
    ["SELECT 1", "SELECT"],
    ["BEGIN", "BEGIN"],
    ["SAVEPOINT group_7", "SAVEPOINT"],
    ["\n  SELECT id FROM licenses WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED", "SELECT licenses"],
    ["SELECT set_config('lock_timeout', $1, true)", "SELECT"],
    ["SELECT e.id FROM unnest($1::text[]) AS q (id) JOIN event_places e ON e.id = q.id", "SELECT event_places"],
    ["INSERT INTO leases (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET n = 1", "INSERT leases"],
    ["UPDATE licenses l SET announced = c.announced FROM unnest($1) AS c", "UPDATE licenses"],
    [
      "DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(SELECT ctid FROM idempotency_keys))",
      "DELETE idempotency_keys"
    ],
    ["WITH head AS (SELECT 1 AS n) SELECT h.n, l.id FROM head h JOIN webhook_lanes l ON true", "SELECT webhook_lanes"],
    ["WITH chained AS (UPDATE event_chain SET n = 1 RETURNING 1) SELECT * FROM chained", "UPDATE event_chain"],
    ["SELECT extract(epoch FROM now() - created_at) FROM signing_keys", "SELECT signing_keys"]
  ])("%s", (text, name) => assert.strictEqual(makeStatementNames()(text), name))

  it("is one of a bounded number, however many texts there are", () => {
    const nameOf = makeStatementNames()
    const names = new Set(Array.from({ length: 5_000 }, (_, n) => nameOf(`SELECT 1 FROM t${n}`)))
    assert.isAtMost(names.size, 151)
    assert.isTrue(names.has(otherStatement))
    assert.strictEqual(nameOf("SELECT 1 FROM t0"), "SELECT t0")
  })
})
