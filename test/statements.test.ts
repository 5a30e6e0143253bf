// Each statement says its name in its first line, which metrics, traces and pg_stat_activity show (docs/development/recipes.md).
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { statementsAboutNoTable, statementVerbs } from "../src/runtime/postgres/StatementName.ts"
import { statementsOf } from "./fixtures/Statements.ts"

const root = join(import.meta.dirname, "..")

/** Files whose statements have no names yet. The list only shrinks. */
const unnamed: ReadonlySet<string> = new Set([
  "src/services/delivery/DeliveryHealth.ts",
  "src/services/delivery/DeliveryMinutes.ts",
  "src/services/delivery/EndpointTests.ts",
  "src/services/delivery/FeedBuffer.ts",
  "src/services/delivery/LaneSql.ts",
  "src/services/delivery/LanesWithWork.ts"
])

const statements = globSync("src/services/**/*.ts", { cwd: root }).toSorted()
  .filter((path) => !unnamed.has(path)).flatMap((path) => statementsOf(root, path))

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
    const tables = globSync("src/runtime/postgres/migrations/*.ts", { cwd: root }).flatMap((path) =>
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

  it("without a name are in files that hold some", () => {
    const named = [...unnamed].filter((path) => statementsOf(root, path).every(({ start }) => firstLine.test(start)))
    assert.deepStrictEqual(named, [], "all statements of these are named: take them off the list")
  })
})
