// Each statement says its name in its first line, which metrics, traces and pg_stat_activity show (docs/development/recipes.md).
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { statementsAboutNoTable, statementVerbs } from "../src/runtime/postgres/StatementName.ts"
import { hasTemplates, statementsOf } from "./fixtures/Statements.ts"

const root = join(import.meta.dirname, "..")

const statements = globSync("src/services/**/*.ts", { cwd: root }).toSorted()
  .flatMap((path) => statementsOf(root, path))

/**
 * Files that write pieces of statements, and why these do not stand in one whose name ends in Sql.ts. The list only
 * shrinks.
 */
const pieces: Readonly<Record<string, string>> = {
  ...Object.fromEntries([
    "src/services/people/access/PublishableKeys.ts",
    "src/services/catalog/Features.ts",
    "src/services/customers/Customers.ts",
    "src/services/licensing/licenses/Devices.ts",
    "src/services/licensing/offline/OfflineFiles.ts",
    "src/services/evidence/reports/Reports.ts",
    "src/services/delivery/webhooks/WebhookEndpoints.ts"
  ].map((path) => [path, "conditions of a list, beside the filters that ask for them"])),
  ...Object.fromEntries([
    "src/services/evidence/audit/ActivityQuery.ts",
    "src/services/customers/Customers.ts",
    "src/services/log/FeedPosition.ts",
    "src/services/licensing/licenses/LicenseSearch.ts",
    "src/services/licensing/metering/UsageQuery.ts",
    "src/services/evidence/reports/UsageReports.ts",
    "src/services/evidence/reports/UsageReports.ts"
  ].map((path) => [path, "a query made from filters, which several statements read"])),
  ...Object.fromEntries([
    "src/services/ground/persistence/StatementParts.ts",
    "src/services/ground/persistence/KeysetPagination.ts",
    "src/services/ground/persistence/ProductLimit.ts",
    "src/services/ground/persistence/StatementParts.ts",
    "src/services/ground/persistence/StatementParts.ts"
  ].map((path) => [path, "what statements of all rooms are made with"])),
  "src/services/catalog/Products.ts": "an instant of the database as a value",
  "src/services/log/FeedPosition.ts": "a condition that belongs to the place of the feed",
  "src/services/log/LatestByKind.ts": "a part of statements of two rooms",
  "src/services/evidence/exports/ExportRecord.ts": "columns that are those of its decoder",
  "src/services/evidence/reports/OpenedReport.ts": "a cursor, which is walked where it is opened",
  "src/services/evidence/reports/ReportSource.ts": "parentheses around the query of another room",
  "src/services/delivery/webhooks/WebhookSecrets.ts": "columns that are those of its decoder"
}

/** A name as it is written. The noun of a statement for any of several tables, and a qualifier, may be put in. */
const firstLine = /^\s*-- name: (?:$|([a-z_]+)\.([a-z]+)(?: [a-z][a-z0-9 -]*)?(?:\n|$| $))/

const nameOf = (start: string) => /-- name: (.*)/.exec(start)?.[1] ?? ""

describe("statements", () => {
  it("are found", () => assert.isAbove(statements.length, 50))

  it("say their name in their first line", () => {
    const nameless = statements.filter(({ start }) => !firstLine.test(start))
    assert.deepStrictEqual(
      nameless.map(({ at }) => at),
      [],
      "begin each with a line such as `-- name: licenses.lock for an update`; put a query that is a piece of another " +
        "statement into parentheses"
    )
  })

  it("are named after a table, or what is none, and what they do to it", () => {
    const tables = globSync("src/runtime/postgres/{schema.sql,migrations/*.ts}", { cwd: root }).flatMap((path) =>
      [
        ...readFileSync(join(root, path), "utf8").matchAll(
          /CREATE (?:UNLOGGED )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)/g
        )
      ]
        .map(([, table]) => table!)
    )
    const nouns = new Set<string>([...tables, ...statementsAboutNoTable])
    const wrong = statements.filter(({ start }) => {
      const [, noun, verb] = firstLine.exec(start) ?? []
      return noun !== undefined && !(nouns.has(noun) && (verb ?? "") in statementVerbs)
    })
    assert.deepStrictEqual(
      wrong.map(({ at, start }) => `${at}: ${nameOf(start)}`),
      [],
      `a name is a table, or one of ${statementsAboutNoTable.join(", ")}; a dot; and one of ${
        Object.keys(statementVerbs).join(", ")
      }`
    )
  })

  it("have each a name of its own", () => {
    const places = Map.groupBy(
      statements.filter(({ start }) => !/-- name: *$/.test(start)),
      ({ start }) => nameOf(start)
    )
    const shared = [...places].filter(([, { length }]) => length > 1)
    assert.deepStrictEqual(shared.map(([name, found]) => `${name}: ${found.map(({ at }) => at).join(", ")}`), [])
  })

  it("stand in files whose names end in Sql.ts, as functions that are tested by themselves", () => {
    assert.deepStrictEqual(statements.map(({ at }) => at).filter((at) => !/Sql\.ts:\d+$/.test(at)), [])
  })

  it("have their pieces in such files too, but those that are listed", () => {
    const found = globSync("src/{services,api,http,domain}/**/*.ts", { cwd: root })
      .filter((path) => !path.endsWith("Sql.ts") && hasTemplates(root, path))
    assert.deepStrictEqual(found.toSorted(), Object.keys(pieces).toSorted())
  })
})
