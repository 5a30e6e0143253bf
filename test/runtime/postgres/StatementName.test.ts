import { assert, describe, it } from "@effect/vitest"
import { statementName } from "../../../src/runtime/postgres/StatementName.ts"

describe("the name of a statement", () => {
  it.each<readonly [text: string, statement: string | undefined, summary: string]>([
    ["-- name: licenses.lock\nSELECT 1 FROM licenses FOR UPDATE", "licenses.lock", "SELECT licenses"],
    ["\n      -- name: leases.insert many\n      INSERT INTO leases", "leases.insert many", "INSERT leases"],
    [
      "\n  -- name: report_exports.claim\n  WITH due AS (SELECT 1) UPDATE x",
      "report_exports.claim",
      "UPDATE report_exports"
    ],
    ["-- name: clock.find\nSELECT now()", "clock.find", "SELECT"],
    ["-- name: advisory_locks.lock data keys\nSELECT 1", "advisory_locks.lock data keys", "SELECT"],
    // A name stands in the first line, and is a noun and a verb.
    ["SELECT 1\n-- name: licenses.find\nFROM licenses", undefined, "SELECT"],
    ["-- name: licenses\nSELECT 1", undefined, "QUERY"],
    // What frames transactions, and libraries' own.
    ["BEGIN", undefined, "BEGIN"],
    ["SAVEPOINT group_7", undefined, "SAVEPOINT"],
    ["\n  select 1", undefined, "SELECT"],
    ["WITH a AS (SELECT 1) SELECT * FROM a", undefined, "SELECT"],
    ["(SELECT 1)", undefined, "SELECT"],
    ["", undefined, "QUERY"]
  ])("%s", (text, statement, summary) => {
    const name = statementName(text)
    assert.strictEqual(name.statement, statement)
    assert.strictEqual(name.summary, summary)
    assert.strictEqual(name.collection === undefined ? name.operation : `${name.operation} ${name.collection}`, summary)
    // What is remembered is what was read.
    assert.strictEqual(statementName(text), name)
  })
})
