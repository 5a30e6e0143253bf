// The text for agents is enough: an integration that was written from it alone works, and uses no name that it lacks.
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { operations } from "../../../../src/api/composition/docs/Operations.ts"
import { reportKinds } from "../../../../src/domain/evidence/reports/Report.ts"
import { catalog } from "../../../../src/domain/ground/wire/Errors.ts"
import { kinds } from "../../../../src/domain/log/EventKind.ts"
import { freePort } from "../../../fixtures/FreePort.ts"
import { root } from "../../../fixtures/Program.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService({ environment: { COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" } })
const { text } = await service.call("GET", "/llms-full.txt")
const document: Body = (await service.call("GET", "/openapi.json")).body
const program = join(root, "examples/integration/main.mjs")

/** Every word of the text, names with underscores and dashes whole. */
const words = new Set(text.toLowerCase().match(/[a-z][\w-]*/g))

describe("/llms-full.txt", () => {
  it("has what is asked for: operations, kinds of events, errors, reports", () => {
    const missing = [
      ...operations.map(({ operationId }) => operationId),
      ...kinds,
      ...Object.keys(catalog),
      ...reportKinds
    ].filter((name) => !text.includes(name))
    assert.deepStrictEqual(missing, [])
  })

  it("has every member of every request, with its description", () => {
    const missing = Object.entries<Body>(document.components.schemas).filter(([name]) => name.endsWith("Request"))
      .flatMap(([name, { properties }]) => {
        const section = text.split(`\n### ${name}\n`)[1]?.split("\n### ")[0] ?? ""
        return Object.entries<Body>(properties).filter(([member, { description }]) =>
          !section.includes(`- \`${member}\``) || !section.includes(description)
        ).map(([member]) => `${name}.${member}`)
      })
    assert.deepStrictEqual(missing, [])
  })

  it("has every parameter and every value that a member is limited to", () => {
    const parameters = new Set<string>()
    const values = new Set<string>()
    const { parameters: shared, schemas } = document.components
    JSON.stringify([document.paths, shared, schemas], (key, node) => {
      if (key === "enum") { for (const value of node) values.add(JSON.stringify(value)) }
      if (typeof node?.in === "string" && typeof node.name === "string") parameters.add(`\`${node.name}\``)
      return node
    })
    assert.isAbove(parameters.size, 40)
    assert.isAbove(values.size, 200)
    assert.deepStrictEqual([...parameters, ...values].filter((name) => !text.includes(name)), [])
  })

  it("has no hole in it", () => {
    for (const hole of ["$ref", "undefined", "[object", "NaN", ":\"string\""]) assert.notInclude(text, hole)
    // Every schema that is named is told.
    const named = text.match(/(?<=\b(?:is|is list of|Body:|list of|or) )[A-Z]\w+(?=[.,: ]|$)/gm) ?? []
    const schemas = new Set(named.filter((name) => document.components.schemas[name] !== undefined))
    assert.isAbove(schemas.size, 60)
    assert.deepStrictEqual([...schemas].filter((name) => !text.includes(`\n### ${name}\n`)), [])
  })
})

describe("an integration written from it alone", () => {
  const source = readFileSync(program, "utf8")

  it("uses no name that it lacks", () => {
    const code = source.replaceAll(/^\s*\/\/.*$|\/\*\*[^*]*\*\//gm, "")
    // What goes over the wire: members, paths, headers, values of lists, codes.
    const members = code.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []
    const paths = (code.match(/\/api\/v1\/[\w/-]*|floating\/\w+/g) ?? []).flatMap((path) => path.split("/"))
    const codes = code.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
    const headers = code.match(/\b(?:x-service|idempotency|retry)-[a-z-]+/g) ?? []
    const used = new Set(
      [...members, ...paths, ...codes, ...headers].filter((name) => name !== "").map((name) => name.toLowerCase())
    )
    assert.isAbove(used.size, 50)
    const own = new Set(["dev_of_another"])
    assert.deepStrictEqual([...used].filter((name) => !words.has(name) && !own.has(name)), [])
    assert.notMatch(source, /from "(?!node:)/)
  })

  it("works", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      timeout: 60_000,
      env: { URL: service.url, TOKEN: adminToken, PORT: String(await freePort()) }
    })
    assert.strictEqual(stdout.trim(), "integrated")
  })
})
