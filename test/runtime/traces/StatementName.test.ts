import { assert, describe, it } from "@effect/vitest"
import { statementName } from "../../../src/runtime/traces/StatementName.ts"

describe("the name of a statement", () => {
  it("is what it does first, and to which table", () => {
    const names: ReadonlyArray<readonly [statement: string, name: string]> = [
      ["SELECT * FROM licenses WHERE id = $1 FOR UPDATE", "SELECT licenses"],
      ["\n  select l.id from public.\"licenses\" l join products p on true", "SELECT licenses"],
      ["INSERT INTO leases (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET x = 1", "INSERT leases"],
      ["UPDATE ONLY licenses l SET state = v.state FROM (VALUES ($1)) v (state)", "UPDATE licenses"],
      ["DELETE FROM webhook_retries WHERE id = ANY(ARRAY(SELECT 1 FROM other))", "DELETE webhook_retries"],
      ["WITH asked AS (SELECT $1 AS id) SELECT * FROM asked JOIN licenses USING (id)", "SELECT licenses"],
      [
        "WITH a AS MATERIALIZED (SELECT 1), b (x) AS (INSERT INTO event_places SELECT 1) SELECT * FROM a, b",
        "INSERT event_places"
      ],
      ["SELECT x FROM unnest($1::text[]) x JOIN devices d ON d.id = x FOR NO KEY UPDATE OF d", "SELECT devices"],
      ["SELECT extract(epoch FROM created_at), a IS DISTINCT FROM b FROM tiles", "SELECT tiles"],
      ["SELECT 'INSERT INTO secrets', 1 -- UPDATE secrets\n /* DELETE FROM secrets */ FROM orders", "SELECT orders"],
      ["SELECT * FROM t FOR UPDATE SKIP LOCKED", "SELECT t"],
      ["SELECT now()", "SELECT"],
      ["(SELECT 1)", "SELECT"],
      ["VALUES (1)", "VALUES"],
      ["LISTEN feed", "LISTEN"],
      ["", "QUERY"]
    ]
    for (const [statement, name] of names) {
      const { operation, table } = statementName(statement)
      assert.strictEqual(table === undefined ? operation : `${operation} ${table}`, name, statement)
    }
  })
})
