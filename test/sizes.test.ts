import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { castsOf, functionsOf } from "./fixtures/CodeMeasures.ts"
import known from "./fixtures/longerThanAllowed.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** Programs written by hand. A released migration is never edited. */
const programs = globSync("{src,build,bench,bin,examples,packages}/**/*.{ts,tsx,mjs}", { cwd: root })
  .filter((path) => !/\.gen\.ts$|\/(node_modules|migrations|dist)\//.test(path)).toSorted()
  .map((path) => [path, readFileSync(join(root, path), "utf8")] as const)

/** Each program with its functions and its casts. */
const measured = programs.map(([path, text]) => ({
  path,
  functions: functionsOf(path, text),
  casts: castsOf(path, text)
}))

/** How many casts a file has: one for each reason, or so many that were there before and have none. */
const allowedCasts: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries<number | ReadonlyArray<string>>(known.casts).map(([path, casts]) => [
    path,
    typeof casts === "number" ? casts : casts.length
  ])
)

/** What of these is above the limit, and is not known, has become larger, or smaller without the list saying so. */
const changes = (
  found: ReadonlyArray<readonly [place: string, size: number]>,
  listed: Readonly<Record<string, number>>,
  limit: number
): ReadonlyArray<string> => {
  const above = new Map<string, number>()
  for (const [place, size] of found) if (size > limit) above.set(place, Math.max(size, above.get(place) ?? 0))
  const grown = [...above].filter(([place, size]) => size > (listed[place] ?? limit)).map(([place, size]) =>
    `${place} has ${size}, and ${listed[place] ?? limit} at most are allowed`
  )
  const shrunk = Object.entries(listed).filter(([place, size]) => (above.get(place) ?? 0) < size).map(([place]) =>
    `${place} is smaller than the list says: ${above.has(place) ? `write ${above.get(place)}` : "take its line out"}`
  )
  return [...grown, ...shrunk]
}

describe("limits, and the list of what was above them before, which may only shrink", () => {
  it("a function has at most 60 lines of its own", () => {
    const found = measured.flatMap(({ functions, path }) =>
      functions.map(({ lines, name }) => [`${path}: ${name}`, lines] as const)
    )
    assert.isAbove(found.length, 5000)
    assert.deepStrictEqual(changes(found, known.functions, 60), [])
  })

  it("a file of src has at most 400 lines", () => {
    const found = programs.filter(([path]) => /^(src|packages)\//.test(path))
      .map(([path, text]) => [path, text.split("\n").length - 1] as const)
    assert.deepStrictEqual(changes(found, known.files, 400), [])
  })

  it("src has at most 1,296 files and 186,700 lines by hand: a change that needs more says here for whom", () => {
    const sources = programs.filter(([path]) => path.startsWith("src/"))
    const lines = sources.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0)
    assert.isAtMost(sources.length, 1_296)
    assert.isAtMost(lines, 186_700)
  })

  it("nothing casts data, casts by way of unknown, or to any: a schema decodes data, and a guard narrows it", () => {
    const found = measured.map(({ casts, path }) => [path, casts] as const)
    assert.deepStrictEqual(changes(found, allowedCasts, 0), [])
  })

  it("each cast of src has its reason in the list", () => {
    const unfounded = Object.entries<number | ReadonlyArray<string>>(known.casts)
      .filter(([path, casts]) => path.startsWith("src/") && typeof casts === "number")
    assert.deepStrictEqual(unfounded, [])
  })
})

describe("what is measured", () => {
  it("the lines of a function without those of functions inside it, which count where they begin and end", () => {
    const text =
      "const outer = Effect.gen(function*() {\n  const inner = () => {\n    a()\n    b()\n  }\n  inner()\n})\n"
    assert.deepStrictEqual(functionsOf("a.ts", text), [{ name: "outer", lines: 5 }, { name: "inner", lines: 4 }])
  })

  it("a function by the name that is nearest to it: of a declaration, a property or a method", () => {
    const text =
      "class A {\n  run() {}\n}\nconst b = { c: list.map(() => 1) }\nexport default () => 1\nfunction d() {}\n"
    assert.deepStrictEqual(functionsOf("a.ts", text).map(({ name }) => name), ["run", "c", "default", "d"])
  })

  it.each([
    ["JSON.parse(text) as Row", 1],
    ["(await response.json()) as Body", 1],
    ["rows[0] as { count: number }", 1],
    ["event.data as Members", 1],
    ["event.data[\"device\"]! as Device", 1],
    ["made as unknown as Entry", 1],
    ["made as any", 1],
    ["(await x.json() as unknown) as Body", 1],
    ["JSON.parse(text) as unknown", 0],
    ["[1, 2] as const", 0],
    ["Object.keys(names) as ReadonlyArray<Name>", 0],
    ["cause as Error", 0]
  ])("how many casts claim what nothing has looked at: %s", (text, count) => {
    assert.strictEqual(castsOf("a.ts", text), count)
  })
})
