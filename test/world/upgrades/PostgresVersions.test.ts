import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { dirname } from "node:path"
import { beforeAll } from "vitest"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import * as Migrations from "../../../src/runtime/postgres/Migrations.ts"
import { catalogOf } from "../../fixtures/Catalog.ts"
import { guardDirectory } from "../../fixtures/Guarded.ts"
import { mainLine } from "../../fixtures/mainLine.ts"
import { embedded, installed, promised, startPostgres } from "../../fixtures/PostgresPrograms.ts"
import type { PostgresPrograms, RunningPostgres } from "../../fixtures/PostgresPrograms.ts"
import { atEnd, database, migrated, session } from "../../fixtures/Session.ts"

const target = (url: string) =>
  Database.layerTarget.pipe(Layer.provideMerge(Layer.succeed(DatabaseTarget, { url: Redacted.make(url) })))

const migrate = (url: string) =>
  Effect.runPromise(Effect.scoped(Layer.build(Migrations.layer.pipe(Layer.provide(target(url))))))

/** The kinds of lines of a catalog that every version words alike, but for the names of NOT NULL, which PostgreSQL 18 has. */
const alike = /^(relation|column|constraint(?!.* NOT NULL )|index|trigger|sequence|statistics|row) /

/** What the schema is, in words that are the same in every version. */
const schemaOf = async (url: string): Promise<ReadonlyArray<string>> => {
  const inside = await session(url)
  const lines = await catalogOf(inside.query)
  await inside.close()
  return lines.filter((line) => alike.test(line))
}

/** The server of each promised version that the operating system has, the newest of it. */
const servers: ReadonlyMap<number, PostgresPrograms> = new Map(
  installed().map((programs) => [programs.major, programs])
)

/** `npm run test:postgres` is at work: the server of this run is the one to test. */
const isGiven = (process.env["TEST_POSTGRES"] ?? "") !== ""

/** A server that stops with the file. */
const started = async (programs: PostgresPrograms): Promise<RunningPostgres> => {
  const server = await startPostgres(programs, { durable: false })
  // Its files are in memory, which nobody tidies up; a server that misses them ends.
  guardDirectory(dirname(server.socket))
  atEnd(server.remove)
  return server
}

/** A database of its own on the server. */
const inside = async (url: string, name: string): Promise<string> => {
  const maintenance = await session(url)
  await maintenance.query(`CREATE DATABASE ${name}`)
  await maintenance.close()
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

/** Makes the tables of a database, and holds its schema to that of one on the embedded PostgreSQL. */
const expectSameSchema = async (url: string, migratedUrl: string): Promise<void> => {
  await migrate(url)
  const [found, reference] = await Promise.all([url, migratedUrl].map(schemaOf))
  assert.isAbove(found!.length, 300)
  assert.deepStrictEqual(found, reference)
}

// Without `npm run test:postgres` it is the one that every other test of the run proves this of.
describe.runIf(isGiven)("the PostgreSQL of this run", () => {
  it("runs the main line: licenses, answers, webhooks, exports, a restart", async () => mainLine(await database()))

  it("has the schema that the embedded PostgreSQL has", async () => {
    const { url } = await started(await embedded())
    await expectSameSchema(await inside(url, "reference"), await migrated())
  })
})

// The embedded one is 18, and everything else is tested on it.
for (const major of isGiven ? [] : promised.filter((major) => major < 18)) {
  const programs = servers.get(major)
  const where = programs?.directory ?? "skipped: this machine has none; npm run test:postgres fetches it"
  describe.skipIf(programs === undefined)(`PostgreSQL ${major} (${where})`, () => {
    let server: RunningPostgres

    beforeAll(async () => {
      server = await started(programs!)
    })

    it("has the schema that the embedded PostgreSQL has", async () =>
      expectSameSchema(await inside(server.url, "migrated"), await migrated()))

    it("runs the main line: licenses, answers, webhooks, exports, a restart", async () =>
      mainLine(await inside(server.url, "main_line")))
  })
}
