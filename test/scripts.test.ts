import { assert, describe, it } from "@effect/vitest"
import { runInThisContext } from "node:vm"
import { nodeBundle } from "../build/nodeBundle.ts"
import { asScript } from "../build/scripts.ts"

const part = (text: string): string => `${nodeBundle.banner.js}\n${text}\n`

/** Runs a part as a script: what it exports, and what it was given. */
const run = (text: string, parts: Readonly<Record<string, unknown>> = {}) => {
  const loaded: Array<string> = []
  const load = (name: string) => {
    loaded.push(name)
    return parts[name]
  }
  const exports: Record<string, unknown> = {}
  runInThisContext(asScript(part(text)))(load, async (name: string) => load(name), exports, "file:///here.js", require)
  return { exports, loaded }
}

const require = process.getBuiltinModule("node:module").createRequire(import.meta.url)

describe("a part of a bundle as a script", () => {
  it("has what it imports and exports, under other names too, and loads parts in their order", () => {
    const { exports, loaded } = run(
      "import {\n  one,\n  two as second$\n} from \"./a.js\";\nimport \"./b.js\";\n" +
        "var sum = () => one + second$;\nvar place = import.meta.url;\nexport {\n  sum as default,\n  place\n};",
      { "./a.js": { one: 1, two: 2 } }
    )
    assert.deepStrictEqual(loaded, ["./a.js", "./b.js"])
    assert.strictEqual((exports["default"] as () => number)(), 3)
    assert.strictEqual(exports["place"], "file:///here.js")
  })

  it("loads a part later that it imports later", async () => {
    const { exports, loaded } = run("var later = () => import(\"./c.js\");\nexport {\n  later\n};", {
      "./c.js": { c: 3 }
    })
    assert.deepStrictEqual(loaded, [])
    assert.deepStrictEqual(await (exports["later"] as () => Promise<unknown>)(), { c: 3 })
  })

  it("exports what is a default as a whole", () => {
    assert.deepStrictEqual(run("var all = () => ({ a: 1 });\nexport default all();").exports, { default: { a: 1 } })
  })

  it("is strict, as a module is", () => {
    assert.throws(() => run("undeclared = 1;"), /undeclared is not defined/)
  })

  it("keeps each line where it was", () => {
    const text = part("import {\n  a\n} from \"./a.js\";\nvar b = a;\nexport {\n  b\n};")
    const line = (of: string) => of.split("\n").findIndex((each) => each === "var b = a;")
    assert.strictEqual(line(asScript(text)), line(text))
  })

  it.each([
    [
      "what is set when something calls for it",
      "var kind;\nvar begin = () => {\n  kind = 1;\n};\nexport {\n  begin,\n  kind\n};",
      /set later: kind/
    ],
    ["a form of import that is not known", "import all from \"./a.js\";", /no script may have: import all/],
    ["a form of export that is not known", "export * from \"./a.js\";", /no script may have: export \*/],
    ["another word of its module", "var place = import.meta.dirname;", /no script may have: import\.meta\.dirname/]
  ])("is refused with %s", (_, text, refusal) => {
    assert.throws(() => asScript(part(text)), refusal)
  })

  it("may export what is set at once", () => {
    const text = "var kind;\n(function(kind2) {\n  kind2.a = 1;\n})(kind || (kind = {}));\nexport {\n  kind\n};"
    assert.deepStrictEqual(run(text).exports, { kind: { a: 1 } })
  })

  it("is refused without the banner of bundles", () => {
    assert.throws(() => asScript("var a = 1;"), /banner/)
  })
})
