// A limit of the contract is a promise to callers, and to who stores what they send: the fixture has each as it was published.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openApiDocument } from "../../../../src/api/composition/docs/OpenApi.ts"
import type { Node } from "../../../../src/api/composition/docs/Schemas.ts"

const document: Node = openApiDocument("https://licenses.example.com", "1.2.3")

const measures = [
  ["length", "minLength", "maxLength"],
  ["value", "minimum", "maximum"],
  ["exclusive value", "exclusiveMinimum", "exclusiveMaximum"],
  ["items", "minItems", "maxItems"],
  ["members", "minProperties", "maxProperties"]
] as const

/** What is not on the way to a member: it stands in every second line. */
const silent = new Set(["properties", "schema", "components", "schemas", "paths", "content", "application/json"])

const limitsOf = (node: Node): ReadonlyArray<string> =>
  measures.flatMap(([name, least, most]) =>
    node[least] === undefined && node[most] === undefined ? [] : [`${name} ${node[least] ?? ""}..${node[most] ?? ""}`]
  )

/** The limits in a part of the document, by where they stand. */
const limitsIn = (node: Node, way: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => {
  if (typeof node !== "object" || node === null) return []
  const own = limitsOf(node).map((limit) => [way.filter((part) => !silent.has(part)).join("."), limit] as const)
  const parts = Object.entries<Node>(node).filter(([name]) => name !== "example" && name !== "examples")
  // A parameter stands in a list, and is known by its name.
  return [
    ...own,
    ...parts.flatMap(([name, part]) => limitsIn(part, [...way, Array.isArray(node) ? part.name ?? name : name]))
  ]
}

const found = new Map(
  limitsIn({ components: document["components"], paths: document["paths"] }, []).map(([way, limit]) => [way, limit])
)

const published = readFileSync(join(import.meta.dirname, "../../../fixtures/contractLimits.txt"), "utf8")
  .trimEnd().split("\n").map((line) => line.split(": ") as [string, string])

describe("the limits of the contract", () => {
  it("are those that were published: a narrower one refuses what callers send, a wider one is more than was thought of", () => {
    assert.isAbove(published.length, 1000)
    const moved = published.filter(([way, limit]) => found.get(way) !== limit)
    assert.deepStrictEqual(moved.map(([way]) => `${way}: ${found.get(way)}`), moved.map((line) => line.join(": ")))
  })
})
