import { Console, Effect } from "effect"
import { loadOn } from "../harness/Comparison.ts"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { childrenOf, forgetPeak, usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import type { CopyAnswer, CopyQuestion } from "./limitExport.ts"
import { fillUsage } from "./UsageHistory.ts"

/** Licenses that the uses are of, each with two features and a device. */
const licenses = 100

/** How many MiB the service may have in memory while it exports, and how many times the p99 of validate may grow. */
const memory = 200
const factor = 2

const warmUpSeconds = 5

/** Rows of a PDF, at most: some 4,000 pages. */
const pdfRows = 100_000

const formats = ["json", "csv", "pdf"] as const

/** Freezes the usage ledger in every format, and asks validate meanwhile; prints how fast it is and what it takes. */
export const exporting = ({ callers, json, profile, rows, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const issued = yield* issueLicenses(service, licenses)
    const [held] = yield* runSql(databaseUrl, [["SELECT count(*)::int AS rows FROM usage_ledger", []]])
    if (Number(held!["rows"]) === 0) yield* fillUsage(databaseUrl, rows)
    const bare = yield* startWorker<CopyQuestion, CopyAnswer>(new URL("./limitExport.ts", import.meta.url))
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))

    const call = (method: string, path: string, body?: object) =>
      Effect.tryPromise({
        try: () => service.call(method, `/api/v1/reports/exports${path}`, body),
        catch: (cause) => new BenchError({ message: String(cause) })
      })
    const [last] = yield* runSql(databaseUrl, [[
      "SELECT occurred_at FROM usage_ledger ORDER BY occurred_at DESC, id DESC OFFSET $1::int LIMIT 1",
      [pdfRows - 1]
    ]])
    const newest = last === undefined ? {} : { from: (last["occurred_at"] as Date).toISOString() }
    const create = (format: string) =>
      call("POST", "", { report_kind: "usage-ledger", format, filters: format === "pdf" ? newest : {} })
    const ended = Effect.fnUntraced(function*(id: string) {
      let renderer = 0
      for (;;) {
        const record = yield* call("GET", `/${id}`)
        for (const child of childrenOf(service.pid)) renderer = Math.max(renderer, usageOf(child).peakRss || 0)
        if (record.status === "ready") return { record, renderer }
        if (record.status === "failed") return yield* new BenchError({ message: JSON.stringify(record.failure) })
        yield* Effect.sleep("100 millis")
      }
    })
    const validate = loadOn(load, {
      port: service.port,
      pid: service.pid,
      requests: issued.map(({ fingerprint, licenseKey }) =>
        requestBytes(service.port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
          fingerprint,
          nonce: "n-0123456789"
        })
      )
    }, callers)

    yield* bare.ask({ databaseUrl })
    const copied = yield* bare.ask({ databaseUrl })
    const results = []
    for (const format of formats) {
      const before = yield* forgetPeak(service.pid)
      const started = performance.now()
      const { record, renderer } = yield* ended((yield* create(format)).id)
      const took = (performance.now() - started) / 1000
      const { peakRss } = usageOf(service.pid)
      results.push({
        format,
        rows: record.progress.total as number,
        seconds: took,
        rowsPerSecond: record.progress.total / took,
        megabytes: record.artifact_size / 1e6,
        rssBefore: before.rss,
        peakRss,
        renderer,
        ratio: record.progress.total / took / (copied.rows / copied.seconds)
      })
    }

    yield* validate(warmUpSeconds)
    const pressed = []
    for (const format of formats) {
      const quiet = yield* validate(seconds / 2)
      const { id } = yield* create(format)
      // Long enough for the worker to be at it; what is too short to be asked through is not judged.
      yield* Effect.sleep("500 millis")
      const busy = yield* validate(seconds / 2)
      const { status } = yield* call("GET", `/${id}`)
      yield* ended(id)
      const after = yield* validate(seconds / 2)
      const [alone, meanwhile] = [distributionOf([quiet.latencies, after.latencies]), distributionOf([busy.latencies])]
      pressed.push({ format, whole: status === "running", alone, meanwhile, ratio: meanwhile.p99 / alone.p99 })
    }

    const found = { copied, results, callers, pressed }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* print(
      `export: the usage ledger, ${figure(copied.rows)} rows`,
      ["", "rows", "rows/s", "s", "MB", "RSS before, MiB", "peak RSS, MiB", "renderer, MiB", "of COPY"],
      [
        ...results.map((side) => [
          side.format,
          figure(side.rows),
          figure(side.rowsPerSecond),
          figure(side.seconds, 1),
          figure(side.megabytes),
          figure(side.rssBefore),
          figure(side.peakRss),
          side.renderer === 0 ? "" : figure(side.renderer),
          figure(side.ratio, 3)
        ]),
        [
          "COPY",
          figure(copied.rows),
          figure(copied.rows / copied.seconds),
          figure(copied.seconds, 1),
          figure(copied.bytes / 1e6),
          "",
          "",
          "",
          figure(1, 3)
        ]
      ],
      [
        `Asked for: at most ${memory} MiB of the service. A PDF is made by a process beside it, which ends with the export;`,
        "what both have of the same program and libraries counts twice.",
        "COPY is the same SELECT to STDOUT, read over one connection and thrown away. An export reads it in one snapshot,",
        "writes it as canonical JSON, renders the file from that, stores both in the database, and signs for both."
      ]
    )
    yield* print(
      `validate meanwhile: ${callers} callers, ${seconds / 2} s at a time`,
      ["", "p50 ms", "p99 ms", "p50 ms alone", "p99 ms alone", "p99 times"],
      pressed.map(({ alone, format, meanwhile, ratio, whole }) => [
        `${format}${whole ? "" : " (ended meanwhile)"}`,
        figure(meanwhile.p50, 1),
        figure(meanwhile.p99, 1),
        figure(alone.p50, 1),
        figure(alone.p99, 1),
        figure(ratio, 2)
      ]),
      [`Asked for: at most ${figure(factor, 2)}. Alone is before and after the export.`]
    )
    return found
  })
