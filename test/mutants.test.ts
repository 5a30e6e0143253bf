import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { mutantsOf, sampled } from "../build/mutants/Mutants.ts"
import equivalents from "./fixtures/equivalentMutants.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** What the mutants of a line make of it, by operator. */
const changesOf = (line: string): ReadonlyArray<string> =>
  mutantsOf("src/sample.ts", line).map(({ after, operator }) => `${operator}: ${after}`)

const sql = (text: string): string => `const s = sql\`${text}\``

/** What the mutants of a statement make of it, by operator. */
const statementsOf = (text: string): ReadonlyArray<string> =>
  mutantsOf("src/sample.ts", sql(text)).map(({ after, operator }) =>
    `${operator}: ${after.slice("const s = sql`".length, -1)}`
  )

describe("A mutant of a program", () => {
  it.each([
    ["a < b", ["comparison turned: a <= b"]],
    ["a >= b", ["comparison turned: a > b"]],
    ["a === b", ["equality turned: a !== b"]],
    ["a && b", ["side dropped: a", "side dropped: b"]],
    ["a ?? b", ["side dropped: a", "side dropped: b"]],
    // Undefined is neither less nor more than anything: the guard is the compiler's.
    ["a !== undefined && (a < b || c > a)", [
      "side dropped: a !== undefined",
      "equality turned: a === undefined && (a < b || c > a)",
      "side dropped: a !== undefined && (a < b)",
      "side dropped: a !== undefined && (c > a)",
      "comparison turned: a !== undefined && (a <= b || c > a)",
      "comparison turned: a !== undefined && (a < b || c >= a)"
    ]],
    ["a !== undefined && b < c", [
      "side dropped: a !== undefined",
      "side dropped: b < c",
      "equality turned: a === undefined && b < c",
      "comparison turned: a !== undefined && b <= c"
    ]],
    ["!a", ["not dropped: a"]],
    ["a ? b : c", ["test forced: true ? b : c", "test forced: false ? b : c"]],
    ["if (a) b()", ["test forced: if (true) b()", "test forced: if (false) b()"]],
    ["a = 41", ["number off by one: a = 42"]],
    ["a = 41n", ["number off by one: a = 42n"]],
    // The compiler takes no other least length of a text.
    ["text(1, 9)", ["number off by one: text(1, 10)"]],
    // A sort reads the sign of what compares, and not how large it is.
    ["f(() => a ? -1 : b ? 1 : 0)", [
      "test forced: f(() => true ? -1 : b ? 1 : 0)",
      "test forced: f(() => false ? -1 : b ? 1 : 0)",
      "test forced: f(() => a ? -1 : true ? 1 : 0)",
      "test forced: f(() => a ? -1 : false ? 1 : 0)",
      "number off by one: f(() => a ? -1 : b ? 1 : 1)"
    ]],
    ["a = true", ["truth flipped: a = false"]],
    ["a + b", ["sign turned: a - b"]],
    ["a + `${b}`", []],
    ["a += b", ["sign turned: a -= b"]],
    ["f(a, b.c, d.e)", ["arguments exchanged: f(a, d.e, b.c)"]],
    ["Math.min(a, 'b')", ["method turned: Math.max(a, 'b')"]],
    ["a.some(b)", ["method turned: a.every(b)"]],
    ["a.filter(b)", ["step dropped: a"]],
    ["Effect.filter(b)", []]
  ])("is made of %s by its operators", (line, changes) => {
    expect(changesOf(line)).toEqual(changes)
  })

  it.each([
    "const a: 1 | 2 = b",
    "interface A { readonly b: true }",
    "import a from \"b\"",
    "a.annotate({ examples: [1] })",
    "const a = { description: b + c }",
    "Effect.logWarning(a + b)",
    "throw new UnknownError(a + b)"
  ])("is never one of %s, which decides nothing", (line) => {
    expect(changesOf(line)).toEqual([])
  })
})

describe("A mutant of a statement", () => {
  it("drops one condition of several: what is joined by OR becomes false, everything else true", () => {
    expect(statementsOf("SELECT a FROM b WHERE c IN (d, e) AND (f IS NULL OR g) AND h BETWEEN i AND j GROUP BY k"))
      .toEqual([
        "sql: condition dropped: SELECT a FROM b WHERE true AND (f IS NULL OR g) AND h BETWEEN i AND j GROUP BY k",
        "sql: condition dropped: SELECT a FROM b WHERE c IN (d, e) AND true AND h BETWEEN i AND j GROUP BY k",
        "sql: condition dropped: SELECT a FROM b WHERE c IN (d, e) AND (false OR g) AND h BETWEEN i AND j GROUP BY k",
        "sql: null turned: SELECT a FROM b WHERE c IN (d, e) AND (f IS NOT NULL OR g) AND h BETWEEN i AND j GROUP BY k",
        "sql: condition dropped: SELECT a FROM b WHERE c IN (d, e) AND (f IS NULL OR false) AND h BETWEEN i AND j GROUP BY k",
        "sql: condition dropped: SELECT a FROM b WHERE c IN (d, e) AND (f IS NULL OR g) AND true GROUP BY k"
      ])
  })

  it.each([
    ["UPDATE a SET b = c", []],
    ["a = ${b}", ["condition dropped: true", "comparison turned: a <> ${b}"]],
    ["AND a >= ${b}", ["condition dropped: AND true", "comparison turned: AND a > ${b}"]],
    ["SELECT greatest(a, b)", ["greatest turned: SELECT least(a, b)"]],
    ["SELECT max(a)", ["max turned: SELECT min(a)"]],
    ["SELECT a AS max", []],
    ["ORDER BY a DESC", ["desc turned: ORDER BY a ASC"]],
    ["SELECT coalesce(a, f(b, c))", ["default dropped: SELECT (a)", "default dropped: SELECT (f(b, c))"]],
    ["SELECT now() - interval '7 days'", [
      "sign turned: SELECT now() + interval '7 days'",
      "interval off by one: SELECT now() - interval '8 days'"
    ]],
    ["SELECT count(*) FILTER (WHERE a)", ["condition dropped: SELECT count(*) FILTER (WHERE true)"]],
    ["LIMIT 1", ["number off by one: LIMIT 2"]],
    ["a LEFT JOIN b ON c", ["join turned: a INNER JOIN b ON c", "condition dropped: a LEFT JOIN b ON true"]],
    ["-- name: a.list = 1\nSELECT a", []]
  ])("is made of %s by its operators", (text, changes) => {
    expect(statementsOf(text)).toEqual(changes.map((change) => `sql: ${change}`))
  })
})

describe("The sample of a room", () => {
  const program = Array.from({ length: 20 }, (_, index) => `f(a${index} < b, c && d)`)
  const idsOf = (lines: ReadonlyArray<string>) =>
    sampled(mutantsOf("src/sample.ts", lines.join("\n")), 25).map(({ id }) => id)

  it("is the same each time, and has each mutant once", () => {
    expect(idsOf(program)).toEqual(idsOf(program))
    expect(new Set(idsOf(program)).size).toBe(25)
  })

  it("keeps its mutants when something else in the room changes", () => {
    const [before, after] = [idsOf(program), idsOf(["const first = 1", "f(x === y)", ...program])]
    expect(after.filter((id) => before.includes(id)).length).toBeGreaterThan(20)
  })
})

describe("The list of equivalent mutants", () => {
  it("holds only mutants that exist, each with a reason", () => {
    for (const [path, listed] of Object.entries<Readonly<Record<string, string>>>(equivalents)) {
      const ids = mutantsOf(path, readFileSync(join(root, path), "utf8")).map(({ id }) => id)
      expect(ids).toEqual(expect.arrayContaining(Object.keys(listed)))
      expect(Object.values(listed).filter((reason) => !/\w+ \w+/.test(reason))).toEqual([])
    }
  })
})
