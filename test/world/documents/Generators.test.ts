import { assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openApiDocument } from "../../../src/api/composition/docs/OpenApi.ts"
import { generators } from "../../fixtures/Generators.ts"
import type { Body } from "../../fixtures/Session.ts"
import { atEnd } from "../../fixtures/Session.ts"
import { someOf, takesAll } from "../../fixtures/Share.ts"

const whole = openApiDocument("https://licenses.example.com", "1.2.3")

/** A document of some paths, with what these name of its components. */
const partOf = (paths: ReadonlyArray<string>): Body => {
  const named = new Set<string>()
  const name = (value: unknown): void => {
    for (const [, found = ""] of JSON.stringify(value).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (named.has(found)) continue
      named.add(found)
      const [kind = "", id = ""] = found.split("/")
      name(whole["components"][kind][id])
    }
  }
  const part = { ...whole, paths: Object.fromEntries(paths.map((path) => [path, whole["paths"][path]])), webhooks: {} }
  name(part.paths)
  const kinds = Object.entries<Body>(whole["components"]).map(([kind, all]) => [
    kind,
    kind === "securitySchemes"
      ? all
      : Object.fromEntries(Object.entries(all).filter(([id]) => named.has(`${kind}/${id}`)))
  ])
  return { ...part, components: Object.fromEntries(kinds) }
}

let directory: string
let path: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "countersign-clients-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  path = join(directory, "openapi.json")
  await writeFile(path, JSON.stringify(whole))
})

const findingsIn = async (name: string, document: string): Promise<ReadonlyArray<string>> =>
  JSON.parse(await generators.run("clients.mjs", document, join(directory, name)))

describe("linters", () => {
  it("spectral finds nothing to recommend", async () => {
    const paths = Object.keys(whole["paths"])
    const part = join(directory, "part.json")
    // It takes minutes for the whole: it sees a part of the paths, by the seed of the run, and with `CASES=all` the document as it is.
    await writeFile(part, JSON.stringify(takesAll ? whole : partOf(someOf("linted", paths, 25))))
    const cli = "node_modules/@stoplight/spectral-cli/dist/index.js"
    const output = await generators.run(cli, "lint", part, "--ruleset", "spectral.yaml", "--fail-severity", "hint")
    assert.include(output, "No results")
  })
})

describe("clients that openapi-typescript and hey-api (types, SDK, zod) make", () => {
  it("compile under strict, and no type in them says nothing", async () => {
    assert.deepStrictEqual(await findingsIn("clients", path), [])
  })

  it("are seen to be poor where the document is", async () => {
    const document = structuredClone(partOf(["/api/v1/licenses", "/api/v1/license/activate"]))
    // As it was: bounds beside the type, and an object that does not say that it is free.
    document["components"].schemas.License.properties.active_device_count = {
      type: "integer",
      allOf: [{ minimum: 0, format: "int64" }]
    }
    document["components"].schemas.License.properties.metadata = { type: "object" }
    const poor = join(directory, "poor.json")
    await writeFile(poor, JSON.stringify(document))
    const findings = (await findingsIn("poor", poor)).join("\n")
    assert.include(findings, "active_device_count is unknown")
    assert.include(findings, "metadata is Record<string, never>")
  })
})
