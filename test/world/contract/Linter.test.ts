import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { openApiDocument, toYaml } from "../../../src/api/composition/docs/OpenApi.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"

it("the OpenAPI document gives the linter nothing to recommend", async () => {
  const directory = temporaryDirectory()
  const path = join(directory, "openapi.yaml")
  await writeFile(path, toYaml(openApiDocument("https://licenses.acme.example", "1.2.3")))
  // A finding ends it with 1, which fails here with what it says.
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(root, "node_modules/@redocly/cli/bin/cli.js"),
    "lint",
    path,
    `--config=${join(root, "redocly.yaml")}`,
    "--format=json"
  ], {
    cwd: directory,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    maxBuffer: 1e8
  })
  const { problems, totals } = JSON.parse(stdout)
  assert.deepStrictEqual([totals.errors, totals.warnings], [0, 0], JSON.stringify(problems, null, 2))
})
