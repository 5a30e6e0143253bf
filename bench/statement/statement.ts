import { Console, Effect } from "effect"
import { gzipSync } from "node:zlib"
import { verifyFiles } from "../../src/client/evidence/verifyFiles.ts"
import { benchDatabase, runSql, sequenced, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { forgetPeak, usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { adminToken, BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { sha256 } from "../harness/Sha256.ts"
import { spreadUses } from "./EventLog.ts"

/** Uses that the statement is of, spread evenly over the log. */
const uses = 10_000

/** Uses that are reported at once. */
const usesAtOnce = 1000

/** What is asked for: seconds until the statement is ready, and megabytes of it as one compressed file. */
const patience = 10
const size = 5

const formats = ["json", "csv", "pdf"] as const

/** Days around the uses, in milliseconds. */
const day = 86_400_000

const asking = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchError({ message: String(cause) }) })

const bytesOf = async ({ port }: ServiceProcess, path: string): Promise<Uint8Array> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${adminToken}` }
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** How long a file takes to be verified, in seconds, and in how many points it is wrong. */
const verified = async (service: ServiceProcess, format: string, path: string, file: Uint8Array) => {
  const textOf = async (from: string) => ({
    name: `${from.split("/").at(-1)}.json`,
    bytes: await bytesOf(service, from)
  })
  const manifest = await textOf(`${path}/manifest`)
  const keys = JSON.parse(new TextDecoder().decode((await textOf("/api/v1/system/public-keys")).bytes))
  const begun = performance.now()
  const [report] = await verifyFiles([{ name: `statement.${format}`, bytes: file }, manifest], {
    publicKeys: keys.data,
    revokedKeys: [],
    witnesses: [],
    quorum: 0,
    licenseKey: undefined,
    fingerprint: undefined,
    now: Date.now(),
    sha256
  })
  for (const { outcome, text } of report!.findings) if (outcome === "wrong") console.error(text)
  return { seconds: (performance.now() - begun) / 1000, report }
}

/** Freezes one statement in a format; answers how long that took, how large it is, and how long it takes to verify. */
const frozen = (service: ServiceProcess, license: string, format: string) =>
  Effect.gen(function*() {
    const before = yield* forgetPeak(service.pid)
    const begun = performance.now()
    const created = yield* asking(() =>
      service.call("POST", "/api/v1/reports/exports", {
        report_kind: "statement",
        format,
        filters: {
          license_id: license,
          from: new Date(Date.now() - 30 * day).toISOString(),
          to: new Date(Date.now() + day).toISOString()
        }
      })
    )
    const path = `/api/v1/reports/exports/${created.id}`
    for (;;) {
      const { failure, status } = yield* asking(() => service.call("GET", path))
      if (status === "ready") break
      if (status === "failed") return yield* new BenchError({ message: JSON.stringify(failure) })
      yield* Effect.sleep("20 millis")
    }
    const seconds = (performance.now() - begun) / 1000
    const after = usageOf(service.pid)
    const file = yield* asking(() => bytesOf(service, `${path}/download`))
    const { report, seconds: verifying } = yield* asking(() => verified(service, format, path, file))
    return {
      format,
      seconds,
      cpu: after.cpu - before.cpu,
      memory: after.peakRss - before.rss,
      megabytes: file.length / 1e6,
      packed: gzipSync(file).length / 1e6,
      verifying,
      report
    }
  })

/** Records the uses, and has them spread over a log of so many events; answers the license. */
const prepare = (databaseUrl: string, directory: string, events: number) =>
  Effect.gen(function*() {
    const license = yield* Effect.scoped(Effect.gen(function*() {
      const service = yield* startService(databaseUrl, directory, undefined)
      const [issued] = yield* issueLicenses(service, 1)
      for (let first = 0; first < uses; first += usesAtOnce) {
        const some = Array.from({ length: usesAtOnce }, (_, index) => ({
          license_id: issued!.id,
          feature_code: "export",
          event_id: `use-${first + index}`
        }))
        yield* asking(() => service.call("POST", "/api/v1/usage", { uses: some }))
      }
      yield* sequenced(databaseUrl)
      return issued!.id
    }))
    yield* spreadUses(databaseUrl, Math.round(events / uses))
    return license
  })

/** How long the statement of a license takes whose uses are spread over a large log, and how large its file is. */
export const statement = ({ json, profile, rows }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const [made] = yield* runSql(databaseUrl, [["SELECT to_regclass('usage_records') IS NOT NULL AS is_there", []]])
    const [held] = made?.["is_there"] === true
      ? yield* runSql(databaseUrl, [["SELECT license_id FROM usage_records LIMIT 1", []]])
      : []
    const license = held === undefined ? yield* prepare(databaseUrl, directory, rows) : String(held["license_id"])
    const starting = performance.now()
    const service = yield* startService(databaseUrl, directory, profile)
    const started = (performance.now() - starting) / 1000
    const [log] = yield* runSql(databaseUrl, [["SELECT last_sequence::float8 AS events FROM event_chain", []]])
    const results = []
    // The first one warms up.
    for (const format of ["json", ...formats]) results.push(yield* frozen(service, license, format))
    const figures = { events: Number(log!["events"]), started, results: results.slice(1) }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(figures)), figures)
    yield* print(
      `statement: ${figure(uses)} uses of one license among ${figure(figures.events)} events, with a proof of each`,
      ["format", "ready s", "CPU s", "memory MiB", "MB", "MB gzip", "verified s", "verdict"],
      figures.results.map((result) => [
        result.format,
        figure(result.seconds, 2),
        figure(result.cpu, 2),
        figure(result.memory),
        figure(result.megabytes, 2),
        figure(result.packed, 2),
        figure(result.verifying, 2),
        String(result.report?.verdict)
      ]),
      [
        `Asked for: at most ${patience} s, and ${size} MB in one file. The service was ready after ${
          figure(started, 1)
        } s.`
      ]
    )
    return figures
  })
