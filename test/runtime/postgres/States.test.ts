import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/states.md"), "utf8")

/** The sections of the page, by their headings. */
const sections = new Map(
  page.split(/^## /m).slice(1).map((section) => [section.slice(0, section.indexOf("\n")), section] as const)
)

/** The constraints and unique indexes that a section names, one a row of its table. */
const named = (section: string): ReadonlyArray<string> =>
  [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!)

/** Both ends of every arrow that stands outside of a composite state; `[*]` is no state. */
const drawn = (section: string): ReadonlySet<string> => {
  const diagram = /^```mermaid\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? ""
  const outer = diagram.replaceAll(/^ {2}state \w+ \{[\s\S]*?^ {2}\}$/gm, "")
  return new Set([...outer.matchAll(/^ {2}(\S+) --> (\w+|\[\*\])/gm)].flatMap(([, from, to]) => [from!, to!]))
}

/** Which constraint lists the states that are drawn, and which states are drawn and not stored as such. */
const machines: ReadonlyArray<{ readonly section: string; readonly constraint: string; readonly unstored: string }> = [
  { section: "License", constraint: "licenses_state_check", unstored: "" },
  { section: "Device", constraint: "devices_status_check", unstored: "" },
  { section: "User", constraint: "license_users_status_check", unstored: "" },
  { section: "Lease", constraint: "leases_end_reason_check", unstored: "open" },
  { section: "Endpoint lane", constraint: "webhook_lanes_breaker_check", unstored: "" },
  { section: "Export", constraint: "report_exports_status_check", unstored: "" },
  { section: "Reconciliation", constraint: "billing_reconciliations_status_check", unstored: "" }
]

describe("docs/reference/states.md", () => {
  const definitions = new Map<string, string>()
  beforeAll(async () => {
    const service = await startService()
    const database = await session(service.databaseUrl)
    const rows = await database.query(`
      SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE contype = 'c'
      UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE 'CREATE UNIQUE INDEX %'`)
    for (const { definition, name } of rows) definitions.set(name, definition)
  })

  it("names constraints and unique indexes that a migrated database has", () => {
    for (const [heading, section] of sections) {
      assert.isNotEmpty(named(section), heading)
      for (const name of named(section)) assert.isTrue(definitions.has(name), `${heading}: ${name}`)
    }
  })

  it.each(machines)("draws the states that $constraint allows", ({ constraint, section, unstored }) => {
    const allowed = [...definitions.get(constraint)!.matchAll(/'(\w+)'::text/g)].map(([, state]) => state!)
    const shown = [...drawn(sections.get(section)!)].filter((state) => state !== "[*]" && state !== unstored)
    assert.isNotEmpty(allowed)
    assert.sameMembers(shown, allowed)
  })
})
