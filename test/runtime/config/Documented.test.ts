import { assert, describe, it } from "@effect/vitest"
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import { doorTable, mailTable } from "../../../src/runtime/config/MailTable.ts"
import { openIdTable } from "../../../src/runtime/config/OpenIdTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { traceTable } from "../../../src/runtime/config/TraceTable.ts"
import { section } from "../../fixtures/Markdown.ts"

const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)

describe("docs/reference/configuration.md", () => {
  it("lists every setting with its default and meaning", () => {
    const text = section("docs/reference/configuration.md", "## Settings").replaceAll(/ +/g, " ")
    for (const row of rows) assert.include(text, `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`)
    assert.lengthOf(text.match(/^\| `/gm) ?? [], rows.length)
  })

  it("lists every setting of the identity provider with its default and meaning", () => {
    const text = section("docs/reference/configuration.md", "## Sign-in").replaceAll(/ +/g, " ")
    for (const row of Object.values<Setting<unknown>>(openIdTable)) {
      assert.include(text, `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`)
    }
  })

  it("lists every setting of mails with its default and meaning", () => {
    const text = section("docs/reference/configuration.md", "## Mail").replaceAll(/ +/g, " ")
    for (const row of Object.values<Setting<unknown>>(mailTable)) {
      assert.include(text, `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`)
    }
  })

  it("lists every setting of traces with its default and meaning", () => {
    const text = section("docs/reference/configuration.md", "## Traces").replaceAll(/ +/g, " ")
    for (const row of Object.values<Setting<unknown>>(traceTable)) {
      assert.include(text, `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`)
    }
  })

  it("lists every limit with its default and meaning", () => {
    const text = section("docs/reference/configuration.md", "### Connections and requests").replaceAll(/ +/g, " ")
    for (const row of Object.values(doorTable)) {
      assert.include(text, `| \`${row.name}\` | ${row.shown} | ${row.meaning} |`)
    }
  })
})
