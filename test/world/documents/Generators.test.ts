import { assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openApiDocument } from "../../../src/http/docs/OpenApi.ts"
import { generators } from "../../fixtures/Generators.ts"
import { atEnd } from "../../fixtures/Session.ts"

let directory: string
let path: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "countersign-clients-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  path = join(directory, "openapi.json")
  await writeFile(path, JSON.stringify(openApiDocument("https://licenses.example.com", "1.2.3")))
})

const findingsIn = async (name: string, document: string): Promise<ReadonlyArray<string>> =>
  JSON.parse(await generators.run("clients.mjs", document, join(directory, name)))

describe("linters", () => {
  it("spectral finds nothing to recommend", async () => {
    const cli = "node_modules/@stoplight/spectral-cli/dist/index.js"
    const output = await generators.run(cli, "lint", path, "--ruleset", "spectral.yaml", "--fail-severity", "hint")
    assert.include(output, "No results")
  })
})

describe("clients that openapi-typescript and hey-api (types, SDK, zod) make", () => {
  it("compile under strict, and no type in them says nothing", async () => {
    assert.deepStrictEqual(await findingsIn("clients", path), [])
  })

  it("are seen to be poor where the document is", async () => {
    const document = openApiDocument("https://licenses.example.com", "1.2.3")
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
