import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { districts } from "../../../build/districts.ts"
import { base, requiredStop } from "../../../src/runtime/postgres/Migrations.ts"
import * as Migrations from "../../../src/runtime/postgres/Migrations.ts"
import { schemaText } from "../../../src/runtime/postgres/SchemaText.ts"
import { catalogOf } from "../../fixtures/Catalog.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { withLater } from "../../fixtures/LaterMigrations.ts"
import { run } from "../../fixtures/Program.ts"
import {
  olderVersions,
  released,
  releasedDatabase,
  releasedVersions,
  stopCatalog,
  stopVersion
} from "../../fixtures/Released.ts"
import { database, migrated, session } from "../../fixtures/Session.ts"
import type { Session } from "../../fixtures/Session.ts"

const root = join(import.meta.dirname, "../../..")

/** The catalog without rows and the values of sequences, which work changes, and without what the test environment adds. */
const schemaOf = async ({ query }: Session): Promise<ReadonlyArray<string>> =>
  (await catalogOf(query)).filter((line) => !/^(row|sequence|[a-z]+ environment_)/.test(line))

/** What a database holds: its catalog, and each table's rows. */
const contentsOf = async ({ query }: Session): Promise<ReadonlyArray<string>> => {
  const tables = await query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
  const rows = []
  for (const { name } of tables) {
    const [{ digest }] = await query(`SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest FROM ${name} t`)
    rows.push(`${name} ${digest}`)
  }
  return [...await catalogOf(query), ...rows]
}

describe("schema.sql", () => {
  // Other servers word their definitions otherwise: test/world/upgrades/PostgresVersions.test.ts compares with them.
  it.skipIf((process.env["TEST_POSTGRES"] ?? "") !== "")(
    "makes to the letter what the migrations of the required stop left",
    async () => {
      const expected = stopCatalog()
      assert.isAbove(expected.length, 2000)
      const url = await database()
      await Effect.runPromise(withLater(url, {}, Migrations.migrate(() => Effect.void)))
      assert.deepStrictEqual(await catalogOf((await session(url)).query), expected)
    }
  )

  it("has its tables by district, and says of each what it holds", () => {
    const sections = [...schemaText.matchAll(/^-- =+ (\w+): /gm)].map(([, name]) => name!)
    assert.isAbove(sections.length, 10)
    assert.deepStrictEqual(sections.filter((name) => districts[name] === undefined), [])
    const tables = [...schemaText.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)]
    const silent = tables.filter(({ index }) =>
      !/^-- (?!Written by: ).+\n-- Written by: .*\n$/m.test(
        schemaText.slice(schemaText.lastIndexOf("\n\n", index) + 2, index)
      )
    )
    assert.deepStrictEqual(silent.map(([, name]) => name), [])
  })

  it("says of each table which rooms write it, and of no other", () => {
    // Rooms by the tables that a statement of theirs writes, and by those that services/ground/persistence writes for them.
    // A table that is a part of another one since is written by its name, or by that of the whole; who writes the whole stands at one part.
    const parts = new Map(
      globSync("src/runtime/postgres/migrations/*.ts", { cwd: root }).flatMap((path) => {
        const text = readFileSync(join(root, path), "utf8")
        return [...text.matchAll(/\bbecomePart\("(\w+)", "(\w+)"/g)].map(([, whole, part]) => [part!, whole!] as const)
      })
    )
    const writes = new Map<string, Set<string>>()
    const declares = new Map<string, Set<string>>()
    for (const path of globSync("src/services/**/*.ts", { cwd: root })) {
      const text = readFileSync(join(root, path), "utf8")
      const add = (to: Map<string, Set<string>>, pattern: RegExp) => {
        for (const [, table] of text.matchAll(pattern)) {
          to.set(table!, (to.get(table!) ?? new Set()).add(basename(dirname(path))))
        }
      }
      add(writes, /\b(?:INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)/g)
      add(declares, /^ +table: "(\w+)",$/gm)
    }
    const said = [
      ...schemaText.matchAll(/^-- Written by: (.*)\.\nCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)
    ]
    const tables = [...schemaText.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)].map(([, name]) =>
      name
    )
    assert.deepStrictEqual(said.map(([, , table]) => table), tables, "say who writes it in the line before")
    const listings = new Map(said.map(([, rooms, table]) => [table!, new Set(rooms!.split(", "))]))
    const wrong = [...listings].flatMap(([table, listed]) => {
      const whole = parts.get(table)
      const siblings = [...listings].filter(([other]) => whole !== undefined && parts.get(other) === whole)
      const own = writes.get(table) ?? new Set()
      const ofWhole = whole === undefined ? [] : writes.get(whole) ?? []
      const found = new Set([...own, ...ofWhole])
      const silent = [...found].filter((room) =>
        !listed.has(room) && (own.has(room) || !siblings.some(([, of]) => of.has(room)))
      ).map((room) => `${table}: ${room} writes it, too`)
      // What neither writes nor declares it is a trigger, or the migrator.
      const none = [...listed].filter((room) => !found.has(room) && !declares.get(table)?.has(room))
        .filter((room) => room !== "its triggers" && room !== "runtime/postgres")
      return silent.concat(none.map((room) => `${table}: ${room} does not write it`))
    })
    assert.deepStrictEqual(wrong, [])
  })
})

describe.each(releasedVersions)("a database of version %s", (version) => {
  it("goes on as it stands", async () => {
    const url = await releasedDatabase(version)
    const inside = await session(url)
    const before = await contentsOf(inside)
    const settings = { DATABASE_URL: url, COUNTERSIGN_MASTER_KEY: released.environment.COUNTERSIGN_MASTER_KEY }
    const status = JSON.parse((await runCommand(["migrate", "status", "--json"], settings)).output)
    assert.strictEqual(status.newer, 0)
    assert.deepInclude(status.migrations[0], { name: `0${base}_base`, online: false })
    const up = await runCommand(["migrate", "up"], settings)
    assert.strictEqual(up.status, 0, up.errors)
    if (status.pending === 0) {
      assert.strictEqual(up.output, "None is pending.\n")
      assert.deepStrictEqual(await contentsOf(inside), before)
    }
    assert.deepStrictEqual(await schemaOf(inside), await schemaOf(await session(await migrated())))
  })
})

/** What is done to a database of a version before the required stop, or to one on the way there. */
const refusals: ReadonlyArray<readonly [what: string, make: () => Promise<string>, schema: string]> = [
  ...olderVersions.map((version) => [`of version ${version}`, () => releasedDatabase(version), "16"] as const),
  [
    "that was not migrated to the end",
    async () => {
      const url = await releasedDatabase(stopVersion)
      const { query } = await session(url)
      await query(`DELETE FROM schema_migrations WHERE migration_id > 246`)
      return url
    },
    "246"
  ],
  [
    "that lacks one migration in between",
    async () => {
      const url = await releasedDatabase(stopVersion)
      const { query } = await session(url)
      await query(`DELETE FROM schema_migrations WHERE migration_id = 251`)
      return url
    },
    "255 without 251"
  ]
]

/** What a start and each command says that reads or changes the schema. */
const doors: ReadonlyArray<ReadonlyArray<string>> = [
  ["migrate", "up"],
  ["migrate", "status"],
  ["doctor"],
  ["config", "check", "--connect"],
  ["backup", "none.backup"]
]

describe.each(refusals)("a database %s", (what, make, schema) => {
  it("is refused before anything is touched", async () => {
    const url = await make()
    const inside = await session(url)
    const before = await contentsOf(inside)
    const settings = { ...released.environment, COUNTERSIGN_ADMIN_TOKEN: released.adminToken, DATABASE_URL: url }
    const sentence =
      `Schema ${schema} of the database is too old for this version, which takes over schema ${base} and later ones. ` +
      `No changes were made: start version ${requiredStop} on it once, and then this one`
    const isReleased = what.startsWith("of version")
    for (const migrate of isReleased ? ["auto", "check"] : []) {
      const start = await run(["src/runtime/main.ts"], { ...settings, COUNTERSIGN_MIGRATE: migrate })
      assert.strictEqual(start.status, 3, start.output + start.errors)
      assert.include(start.output + start.errors, sentence)
    }
    for (const door of isReleased ? doors : doors.slice(0, 1)) {
      const { errors, output, status } = await runCommand(door, settings)
      assert.strictEqual(status, 3, `${door.join(" ")}: ${output}${errors}`)
      assert.include(output + errors, sentence, door.join(" "))
    }
    assert.deepStrictEqual(await contentsOf(inside), before)
  })
})

it("an empty list of what was applied, which an interrupted start of version 0.1.0 left, is no older schema", async () => {
  const url = await database()
  const { query } = await session(url)
  await query(
    "CREATE TABLE schema_migrations (migration_id integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), name text NOT NULL)"
  )
  const settings = { DATABASE_URL: url, COUNTERSIGN_MASTER_KEY: released.environment.COUNTERSIGN_MASTER_KEY }
  const up = await runCommand(["migrate", "up"], settings)
  assert.strictEqual(up.status, 0, up.errors)
  const [{ last }] = await query("SELECT max(migration_id)::int AS last FROM schema_migrations")
  assert.isAtLeast(last, base)
})
