// What settings must be beside each other, each rule by itself.
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import type { Setting, Values } from "../../../src/runtime/config/Setting.ts"
import { clusterPorts, leasesNeedEvents, masterKeyOfDatabase } from "../../../src/runtime/config/SettingRules.ts"
import type { Given } from "../../../src/runtime/config/SettingRules.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"

const defaults: Values<typeof table> = Object.assign(
  {},
  ...Object.entries(table).map(([key, row]) => ({ [key]: row.default }))
)

const given = (
  values: Partial<Values<typeof table>>,
  reported: ReadonlyArray<Setting<unknown>> = [],
  directory = "/nonexistent"
): Given => ({ values: { ...defaults, ...values }, isReported: (row) => reported.includes(row), directory })

const secret = Redacted.make("postgres://db")
const key = Redacted.make(new Uint8Array(32))

describe("the ports of the cluster", () => {
  it.each([
    [0, 8, false],
    [65_535, 1, false],
    [65_534, 2, false],
    [65_534, 3, true]
  ])("from %d for %d processes: wrong is %s", (clusterPort, processes, isWrong) => {
    const problem = clusterPorts(given({ clusterPort, processes }))
    assert.strictEqual(problem?.[0], isWrong ? table.clusterPort : undefined)
  })
})

describe("leases that are deleted by age", () => {
  it.each(
    [
      [0, undefined, [], false],
      [30, undefined, [], true],
      [30, 365, [], false],
      [30, 0, [], false],
      [30, undefined, [table.retainEventDays], false]
    ] as const
  )("after %d days, with events kept %s days: wrong is %s", (lease, events, reported, isWrong) => {
    const values = { retainLeaseDays: lease, ...(events === undefined ? {} : { retainEventDays: events }) }
    const problem = leasesNeedEvents(given(values, reported))
    assert.strictEqual(problem?.[0], isWrong ? table.retainLeaseDays : undefined)
  })
})

describe("the master key", () => {
  const problemOf = (...parameters: Parameters<typeof given>) => masterKeyOfDatabase(given(...parameters))?.[1] ?? ""

  it("is required with a database that others reach, also one whose URL is wrong", () => {
    assert.include(problemOf({ databaseUrl: secret }), "is required with DATABASE_URL")
    assert.include(problemOf({}, [table.databaseUrl]), "is required with DATABASE_URL")
    assert.strictEqual(problemOf({ databaseUrl: secret, masterKey: key }), "")
    assert.strictEqual(problemOf({ databaseUrl: secret }, [table.masterKey]), "", "what is wrong with it was said")
  })

  it("is not made for an embedded database that had one", () => {
    const directory = temporaryDirectory()
    assert.strictEqual(problemOf({}, [], directory), "")
    mkdirSync(join(directory, "postgres"))
    writeFileSync(join(directory, "postgres", "PG_VERSION"), "18\n")
    assert.include(problemOf({}, [], directory), `${join(directory, "master.key")} does not exist`)
    writeFileSync(join(directory, "master.key"), "kept")
    assert.strictEqual(problemOf({}, [], directory), "")
  })
})
