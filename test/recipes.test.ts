// What docs/development/recipes.md promises: each place that a new endpoint, event kind, report kind, page, metric or setting
// needs is asked for.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { declaredMetrics, withMetrics } from "../build/metrics.ts"
import { operations } from "../src/api/composition/docs/Operations.ts"
import { places } from "../src/console/composition/shell/Places.ts"
import { replayedAs } from "../src/domain/evidence/audit/ReplayedKinds.ts"
import { reportKinds } from "../src/domain/evidence/reports/Report.ts"
import { table } from "../src/runtime/config/ConfigTable.ts"
import { replayedTables } from "../src/services/evidence/audit/ReplayedTables.ts"
import { baseOperations } from "./fixtures/contract.ts"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** What a document says under a heading, up to the next heading of the same or a higher level. */
const section = (path: string, heading: string): string => {
  const level = heading.indexOf(" ")
  const [, after] = read(path).split(`\n${heading}\n`)
  return after?.split(new RegExp(`^#{1,${level}} `, "m"))[0] ?? assert.fail(`${path} has no heading "${heading}"`)
}

/** `<method> <path>` of each call that a test file makes, with `x` where a value is put in. */
const callsOf = (text: string): ReadonlyArray<string> => {
  const constants = [...text.matchAll(/\bconst (\w+) = ["`](\/[^"`]*)["`]/g)]
  const pathsOf = (name: string) => constants.filter((found) => found[1] === name).map((found) => found[2]!)
  const written = (argument: string): ReadonlyArray<string> => {
    if (!/^["`]/.test(argument)) return pathsOf(argument)
    const path = argument.slice(1, -1)
    const [, name, rest = ""] = /^\$\{(\w+)\}(.*)$/.exec(path) ?? []
    return name === undefined ? [path] : pathsOf(name).map((start) => `${start}${rest}`)
  }
  // A function that is given a path alone reads.
  const calls = text.matchAll(/(?:"(GET|POST|PUT|PATCH|DELETE)",\s*|\b\w+\()("\/[^"\n]*"|`[/$][^`]*`|[a-z]\w*)/g)
  const runtime = text.matchAll(/\.license\(\s*"([\w/-]+)"/g)
  return [
    ...[...calls].flatMap(([, method = "GET", argument = ""]) => written(argument).map((path) => `${method} ${path}`)),
    ...[...runtime].map(([, operation]) => `POST /api/v1/license/${operation}`)
  ].map((call) => call.replaceAll(/\$\{[^{}]*\}/g, "x").split("?")[0]!)
}

describe("an endpoint", () => {
  const patterns = operations.map(({ method, operationId, path }) => ({
    operationId,
    parameters: path.split(":").length - 1,
    pattern: new RegExp(`^${method} ${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`)
  })).toSorted((a, b) => a.parameters - b.parameters)

  /** The operation that answers a call: a path without parameters goes before one with them. */
  const answering = (call: string): string | undefined =>
    patterns.find(({ pattern }) => pattern.test(call))?.operationId

  it("is called by a test", () => {
    const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".test.ts") && !path.startsWith("world/"))
    const called = new Set([
      // test/http/ground/Conformance.test.ts takes all of these, and fails when one was not answered.
      ...baseOperations.map(({ operationId }) => operationId),
      ...tests.flatMap((path) => callsOf(read(join("test", path))).map(answering))
    ])
    assert.deepStrictEqual(
      operations.map(({ operationId }) => operationId).filter((operationId) => !called.has(operationId)),
      [],
      "no test calls it: write one in test/http"
    )
  })
})

describe("an event kind", () => {
  it("of a resource that is rebuilt has a table to compare it with", () => {
    const compared = new Set(replayedTables.map(({ resource }) => resource))
    assert.deepStrictEqual(
      Object.values(replayedAs).filter((resource) => resource !== undefined && !compared.has(resource)),
      [],
      "add its table to src/services/evidence/audit/ReplayedTables.ts"
    )
  })
})

describe("a report kind", () => {
  // Live, a rehearsal is a question to its policy: rehearsePolicy.
  it.each(reportKinds.filter((kind) => kind !== "rehearsal"))("%s can be read", (kind) => {
    assert.include(
      operations.map(({ method, path }) => `${method} ${path}`),
      `GET /api/v1/reports/${kind}`,
      "declare its endpoint in src/api/evidence/Reports.ts"
    )
  })

  it.each(reportKinds)("%s is described in docs/reference/reports.md", (kind) => {
    const rowsIn = (heading: string) =>
      section("docs/reference/reports.md", heading).split("\n").filter((line) =>
        line.startsWith("|") && line.split("|")[1]!.includes(`\`${kind}\``)
      )
    assert.lengthOf(rowsIn("## Windows"), 1, `docs/reference/reports.md: a row of the table under "Windows"`)
    assert.lengthOf(
      rowsIn("### Reports"),
      2,
      `docs/reference/reports.md: a row of both tables under "Reports", for its summary and for its rows`
    )
  })
})

describe("a page of the console", () => {
  it.each(places.flatMap(([, all]) => all))("$name is in the guide to the console", ({ name }) => {
    const path = "docs/how-to/use-the-console.md"
    assert.include(read(path), `**${name}**`, `name it in bold in ${path}`)
  })
})

describe("a metric", () => {
  const metrics = declaredMetrics(root)

  it("is declared with its name and its description as literals", () => {
    assert.isAbove(metrics.length, 20)
    assert.deepStrictEqual(
      metrics.filter(({ description = "", name = "" }) => name === "" || description === "").map(({ at }) => at),
      [],
      `Metric.counter("countersign_...", { description: "..." })`
    )
  })

  it("has a name of its own that begins with countersign_, or is one that any service of its kind has", () => {
    const names = metrics.map(({ name = "" }) => name)
    assert.deepStrictEqual(
      names.filter((name) => !/^(countersign|process|nodejs|http_server|db_client)(_[a-z0-9]+)+$/.test(name)),
      []
    )
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
  })

  it("has its unit in its name: seconds or bytes, and nothing that is a multiple of them", () => {
    const unit = /_(seconds|bytes)(_total)?$/
    const speaksOfOne = /\b(milliseconds?|seconds?|minutes?|hours?|bytes?|how long|age of|time from)\b/i
    const wrong = metrics.filter(({ description = "", kind, name = "" }) =>
      /_(ns|us|ms|millis|milliseconds|minutes|hours|days|kb|kib|mb|mib)(_|$)/.test(name) ||
      (speaksOfOne.test(description) && !unit.test(name)) ||
      // What is spread over buckets has a unit, or is a number of things.
      ((kind === "histogram" || kind === "summary") && !unit.test(name) && !name.endsWith("_size"))
    )
    assert.deepStrictEqual(
      wrong.map(({ at, name }) => `${at} ${name}`),
      [],
      "name its unit at the end: _seconds, _bytes"
    )
  })

  it("stands in docs/reference/operations.md: npm run docs:metrics lists them anew", () => {
    const document = read("docs/reference/operations.md")
    assert.strictEqual(document, withMetrics(root, document), "npm run docs:metrics")
  })

  it("is called in every document as /metrics calls it", () => {
    const listed = new Set(
      [...read("docs/reference/operations.md").matchAll(/^- `(\w+)`, /gm)].map(([, name]) => name!)
    )
    const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
    const wrong = documents.flatMap((name) =>
      [...read(`docs/${name}`).matchAll(/`(countersign_[a-z0-9_]*[a-z0-9])`/g)].filter(([, metric]) =>
        !listed.has(metric!)
      ).map(([, metric]) => `docs/${name}: ${metric}`)
    )
    assert.deepStrictEqual(wrong, [])
  })
})

describe("a setting", () => {
  it.each(Object.keys(table))("%s is read outside src/runtime/config", (key) => {
    const readers = globSync("src/runtime/**/*.ts", { cwd: root }).filter((path) =>
      !path.startsWith("src/runtime/config/")
    )
    // Some are read by Config.ts, which passes them on under another name.
    const config = read("src/runtime/config/Config.ts")
    const isRead = readers.some((path) => new RegExp(`\\b${key}\\b`).test(read(path))) ||
      new RegExp(`\\b(values|config)\\.${key}\\b`).test(config)
    assert.isTrue(isRead, `nothing outside src/runtime/config reads it: ${key}`)
  })
})
