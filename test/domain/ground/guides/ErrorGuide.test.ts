import { assert, describe, it } from "@effect/vitest"
import { operations } from "../../../../src/api/composition/docs/Operations.ts"
import { docUrl, errorGuide } from "../../../../src/domain/ground/guides/ErrorGuide.ts"

const entries = Object.entries(errorGuide)

const calls = operations.map(({ method, path }) =>
  new RegExp(`^${method} ${path.replaceAll(".", "\\.").replaceAll(/:[^/]+/g, "[^/]+")}$`)
)

describe("the guide to errors", () => {
  it.each(entries)("says of %s what causes it and what to do, in whole sentences", (_, { causes, cure }) => {
    assert.isNotEmpty(causes)
    for (const text of [...causes, cure]) assert.match(text, /^[A-Z`].*[.`]$/s)
    assert.strictEqual(new Set(causes).size, causes.length)
  })

  it("shows requests to operations that there are, but for what is about there being none", () => {
    const unknown = entries.filter(([, { example }]) => {
      const call = example.line.split("?")[0]!
      return !calls.some((pattern) => pattern.test(call))
    })
    assert.deepStrictEqual(unknown.map(([code]) => code).toSorted(), ["METHOD_NOT_ALLOWED", "ROUTE_NOT_FOUND"])
  })

  it("stands where an error's doc_url leads", () => {
    assert.strictEqual(
      docUrl("https://licenses.acme.example", "NOT_FOUND"),
      "https://licenses.acme.example/docs/errors/NOT_FOUND"
    )
  })
})
