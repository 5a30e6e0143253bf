import { Effect } from "effect"
import type { Scope } from "effect"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatLicenseKey } from "../../src/domain/keys/security/Credential.ts"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { bulkLoad } from "../harness/BulkLoad.ts"
import { runSql, sequenced } from "../harness/Database.ts"
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

/**
 * Versions and systems of devices, as vendors find them: most licenses run the newest line, a quarter the one before, one in twenty still
 * 1.x, one in a thousand a test version, and a tenth name none. A license's devices have one version and different systems.
 */
const versions = `
  UPDATE devices SET app_version_since = first_seen_at, app_version = CASE
      WHEN abs(hashtext(license_id)) % 1000 = 0 THEN '0.9.1'
      WHEN abs(hashtext(license_id)) % 1000 <= 50 THEN '1.' || abs(hashtext(license_id)) / 1000 % 10 || '.2'
      WHEN abs(hashtext(license_id)) % 1000 <= 300 THEN '2.' || abs(hashtext(license_id)) / 1000 % 20 || '.0'
      WHEN abs(hashtext(license_id)) % 1000 <= 900 THEN '3.' || abs(hashtext(license_id)) / 1000 % 40 || '.1'
    END, os = (ARRAY['Windows 10', 'Windows 11', 'macOS 15.1', 'Linux 6.8'])[1 + abs(hashtext(id)) % 4]`

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
    yield* runSql(databaseUrl, [["TRUNCATE event_tiles", []]])
    const every = Math.max(1, Math.ceil(licenses / knownAtMost))
    const known: Array<IssuedLicense> = []
    let licenseKey = ""
    const copied = copies({
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
    yield* bulkLoad(
      databaseUrl,
      [...templates.columns.keys(), "event_places", "event_tiles"],
      Effect.map(copied, (end) => [
        ["UPDATE event_chain SET last_sequence = $1::int8, tree_size = $1::int8", [String(end.sequence)]],
        ["SELECT setval(pg_get_serial_sequence('event_pending', 'ordinal'), $1::int8)", [String(end.ordinal)]],
        [versions, []],
        ["VACUUM FULL devices", []]
      ])
    )
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
