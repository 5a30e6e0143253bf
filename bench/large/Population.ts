import { Effect } from "effect"
import type { Scope } from "effect"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatLicenseKey } from "../../src/domain/security/Credential.ts"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { runSql } from "../harness/Database.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { copies } from "./Copies.ts"
import { keyHasher } from "./KeyHashes.ts"
import { fingerprints, tellStory } from "./LicenseStory.ts"
import { storyRows } from "./StoryRows.ts"

/** How much there is. */
export interface PopulationSize {
  readonly licenses: number
  readonly endpoints: number
}

/** A database with a population, on a server of its own that runs for the scope. */
export interface Population {
  readonly size: PopulationSize
  readonly directory: string
  readonly databaseUrl: string
  /** Licenses whose keys are known, spread evenly over all. */
  readonly known: ReadonlyArray<IssuedLicense>
  /** Seconds that it took to make; 0 when it was there. */
  readonly seconds: number
  /** Seconds until the server accepted connections. */
  readonly serverSeconds: number
}

/** What is written beside the database. */
interface Manifest {
  readonly size: PopulationSize
  readonly known: ReadonlyArray<IssuedLicense>
}

/** At most so many licenses have a key that is known. */
const knownAtMost = 20_000

const endpointsAtOnce = 8

const startServer = (directory: string, durable: boolean) =>
  EmbeddedPostgres.start({ directory, durable }).pipe(
    Effect.map(({ url }) => Redacted.value(url)),
    Effect.mapError(({ message }) => new BenchError({ message }))
  )

/** Waits until every event has its place. */
const sequenced = (databaseUrl: string) =>
  Effect.gen(function*() {
    while (true) {
      const [row] = yield* runSql(databaseUrl, [[
        "SELECT EXISTS (SELECT FROM event_pending) OR (SELECT tree_size < last_sequence FROM event_chain) AS waits",
        []
      ]])
      if (row?.["waits"] === false) return
      yield* Effect.sleep("100 millis")
    }
  })

/** Indexes that nothing but speed depends on: they are made after the rows. */
const indexesOf = (databaseUrl: string, tables: ReadonlyArray<string>) =>
  Effect.map(
    runSql(databaseUrl, [[
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
       WHERE i.indrelid = ANY($1::text[]::regclass[]) AND c.oid IS NULL`,
      [tables]
    ]]),
    (rows) => rows.map((row) => ({ name: String(row["name"]), definition: String(row["definition"]) }))
  )

const underLoad = ["max_wal_size = '4GB'", "checkpoint_timeout = '1h'", "autovacuum = off"]

/** Tells the story, and copies it: everything but the endpoints. */
const populate = ({ licenses }: PopulationSize, directory: string) =>
  Effect.scoped(Effect.gen(function*() {
    // Whoever is interrupted here begins again, so nothing waits for the disk.
    const databaseUrl = yield* startServer(directory, false)
    const story = yield* Effect.scoped(Effect.gen(function*() {
      const service = yield* startService(databaseUrl, directory, undefined)
      const told = yield* tellStory(service)
      yield* sequenced(databaseUrl)
      return told
    }))
    const templates = yield* storyRows(databaseUrl, story)
    const keyHash = yield* keyHasher(databaseUrl)
    const tables = [...templates.columns.keys(), "event_places", "event_tiles"]
    const indexes = yield* indexesOf(databaseUrl, tables)
    yield* runSql(databaseUrl, [
      ...underLoad.map((setting) => [`ALTER SYSTEM SET ${setting}`, []] as const),
      ["SELECT pg_reload_conf()", []],
      ...indexes.map(({ name }) => [`DROP INDEX ${name}`, []] as const),
      ["TRUNCATE event_tiles", []]
    ])
    const every = Math.max(1, Math.ceil(licenses / knownAtMost))
    const known: Array<IssuedLicense> = []
    let licenseKey = ""
    const end = yield* copies({
      databaseUrl,
      story: templates,
      licenses,
      licenseId: story.licenseId,
      keyHashOf: (copy) => {
        if (copy % every !== 0) return undefined
        licenseKey = formatLicenseKey(randomBytes(15))
        return keyHash(licenseKey)
      },
      onKnown: (_, id) => known.push({ id, licenseKey, fingerprint: fingerprints[0] })
    })
    yield* runSql(databaseUrl, [
      ["UPDATE event_chain SET last_sequence = $1::int8, tree_size = $1::int8", [String(end.sequence)]],
      ["SELECT setval(pg_get_serial_sequence('event_pending', 'ordinal'), $1::int8)", [String(end.ordinal)]],
      ["SET maintenance_work_mem = '512MB'", []],
      ...indexes.map(({ definition }) => [definition, []] as const),
      ["VACUUM ANALYZE", []],
      ["ALTER SYSTEM RESET ALL", []],
      ["CHECKPOINT", []]
    ])
    return known
  }))

/** Endpoints that nothing happens for: their kind of event never comes. The port is one where nobody listens. */
const addEndpoints = ({ call }: ServiceProcess, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) =>
      Effect.tryPromise({
        try: () =>
          call("POST", "/api/v1/webhooks", {
            name: `Receiver ${index}`,
            url: `http://127.0.0.1:9/${index}`,
            event_types: ["device.blacklisted", "order.deleted"].slice(index % 2, index % 2 + 1)
          }),
        catch: (cause) => new BenchError({ message: String(cause) })
      }),
    { concurrency: endpointsAtOnce, discard: true }
  )

const readManifest = (file: string): Manifest | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) as Manifest : undefined

/** Makes a population in a directory, unless it is there, and runs its server for the scope. */
export const openPopulation = (
  directory: string,
  size: PopulationSize
): Effect.Effect<Population, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const begin = performance.now()
    const file = join(directory, "population.json")
    const found = readManifest(file)
    if (found !== undefined && JSON.stringify(found.size) !== JSON.stringify(size)) {
      return yield* new BenchError({ message: `${directory} holds ${JSON.stringify(found.size)}: name another one` })
    }
    if (found === undefined && existsSync(directory)) {
      return yield* new BenchError({ message: `${directory} holds no finished population: remove it` })
    }
    mkdirSync(directory, { recursive: true, mode: 0o755 })
    const known = found?.known ?? (yield* populate(size, directory))
    const started = performance.now()
    const databaseUrl = yield* startServer(directory, true)
    const serverSeconds = (performance.now() - started) / 1000
    if (found === undefined) {
      yield* Effect.scoped(Effect.gen(function*() {
        yield* addEndpoints(yield* startService(databaseUrl, directory, undefined), size.endpoints)
        yield* sequenced(databaseUrl)
      }))
      yield* runSql(databaseUrl, [["VACUUM ANALYZE", []], ["CHECKPOINT", []]])
      writeFileSync(file, JSON.stringify({ size, known } satisfies Manifest))
    }
    const seconds = found === undefined ? (performance.now() - begin) / 1000 : 0
    return { size, directory, databaseUrl, known, seconds, serverSeconds }
  })
