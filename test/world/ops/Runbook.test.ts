import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { alerts, readRoot, runbookBlocks } from "../../fixtures/OpsFiles.ts"
import { fromBundle, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import { migrated, session } from "../../fixtures/Session.ts"

const sections = readRoot("docs/runbook.md").split(/^## /m).slice(1).map((text) => ({
  heading: text.split("\n")[0]!,
  text
}))

describe("docs/runbook.md", () => {
  it("has a section for each alert, and one for no other", () => {
    assert.deepStrictEqual(
      sections.map(({ heading }) => heading).filter((heading) => heading.startsWith("Countersign")).toSorted(),
      alerts.map(({ alert }) => alert).toSorted()
    )
  })

  it.each(alerts)("is where $alert leads to, and says the same severity", ({ alert, annotations, labels }) => {
    assert.strictEqual(
      annotations["runbook_url"],
      `{{ $externalLabels.documentation }}/docs/runbook.md#${alert.toLowerCase()}`
    )
    const { text } = sections.find(({ heading }) => heading === alert)!
    for (const part of ["**It means**:", "**How to look**:", "**What to do**:"]) assert.include(text, part)
    const severity = labels["severity"]!
    const [, meaning = ""] = /\*\*It means\*\*:([\s\S]*?)\*\*How to look\*\*/.exec(text) ?? []
    assert.match(meaning, new RegExp(`\\b${severity[0]!.toUpperCase()}${severity.slice(1)}\\.`), severity)
  })

  it("has statements that PostgreSQL takes, and that change nothing", async () => {
    const statements = runbookBlocks("sql")
    assert.isAtLeast(statements.length, 5)
    const database = await session(await migrated())
    await database.query("SET default_transaction_read_only = on")
    for (const { text } of statements) await database.query(text)
    await database.close()
  })

  it("has commands that a service answers, in one shell with what the page says is set", async () => {
    const commands = [...readRoot("docs/runbook.md").matchAll(/^```console\n([^]*?)^```$/gm)]
      .flatMap(([, code]) => code!.split("\n")).filter((line) => /^(curl|countersign) /.test(line))
    assert.isAtLeast(commands.length, 7)
    const service = await startService()
    const directory = temporaryDirectory()
    const countersign = [process.execPath, ...fromBundle(["src/runtime/cli.ts"])].map((word) => `'${word}'`).join(" ")
    writeFileSync(join(directory, "countersign"), `#!/bin/sh\nexec ${countersign} "$@"\n`, { mode: 0o755 })
    const { stdout } = await promisify(execFile)("bash", ["-ec", commands.join("\necho\n")], {
      env: {
        PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}`,
        URL: service.url,
        TOKEN: adminToken,
        DATABASE_URL: service.databaseUrl,
        COUNTERSIGN_MASTER_KEY: masterKey,
        COUNTERSIGN_ADMIN_TOKEN: adminToken
      }
    })
    for (const said of ["\"status\":\"ready\"", "0 differences", "PUBLIC KEY", "\"worst\""]) {
      assert.include(stdout, said)
    }
    assert.notInclude(stdout, "\"error\"")
  })
})
