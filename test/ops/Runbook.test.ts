import { assert, describe, it } from "@effect/vitest"
import { alerts, readRoot, runbookBlocks } from "../fixtures/OpsFiles.ts"
import { migrated, session } from "../fixtures/Session.ts"

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
})
