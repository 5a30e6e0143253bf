import { Console, Effect } from "effect"
import { bareHttp } from "../harness/BarePage.ts"
import { loadOn, rounds } from "../harness/Comparison.ts"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { adminToken, BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import type { StatementAnswer, StatementQuestion } from "./limitReports.ts"
import { days, fillMonth } from "./MonthOfUse.ts"

/** Of how many licenses the uses are, with two features each. */
const licenses = 200

/** The size of a page of the ledger, and of those that are walked through to its last one. */
const limit = 100
const stride = 200

const warmUpSeconds = 2

/** What is asked for: milliseconds of a summary, and how many times the p99 of one page the p99 of another may be. */
const patience = 1000
const factor = 2

interface LastPage {
  readonly cursor: string
  /** The last entry of the page before. */
  readonly at: string
  readonly id: string
}

/** Walks through the ledger as a client does, up to the last page. */
const findLastPage = ({ port }: ServiceProcess, entries: number): Effect.Effect<LastPage, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      let cursor = ""
      for (let left = entries - limit;;) {
        const size = Math.min(stride, left)
        const query = `limit=${size}${cursor === "" ? "" : `&cursor=${cursor}`}`
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/reports/usage-ledger?${query}`, {
          headers: { authorization: `Bearer ${adminToken}` }
        })
        const { data, page_info } = await response.json() as {
          data: ReadonlyArray<{ id: string; occurred_at: string }>
          page_info: { next_cursor: string | null }
        }
        left -= data.length
        if (page_info.next_cursor === null || data.length === 0) throw new Error(`The ledger ends ${left} early`)
        cursor = page_info.next_cursor
        const { id, occurred_at } = data.at(-1)!
        if (left === 0) return { cursor, at: occurred_at, id }
      }
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })

/** The least that adds use up: the time and the amount of each. */
const bareSummary = (bucket: string) =>
  `SELECT date_bin('${bucket}', created_at, '2000-01-01T00:00:00Z') AS bucket, count(*) AS uses, sum(amount) AS amount
   FROM usage_records WHERE created_at >= $1::timestamptz AND created_at < $2::timestamptz GROUP BY 1 ORDER BY 1`

const barePage = (after: string) =>
  `SELECT id, occurred_at, action, license_id, feature_id, feature_code, amount, total_consumptions, max_consumptions,
     device_id, event_id, product_id, customer_id, order_id, subscription_id, request_id
   FROM usage_ledger ${after} ORDER BY occurred_at DESC, id DESC LIMIT ${limit + 1}`

const afterPosition = "WHERE occurred_at <= $1::timestamptz AND (occurred_at < $1::timestamptz OR id < $2)"

const copyOfRows = "COPY (SELECT * FROM usage_records) TO STDOUT"

/** What was measured of reports. */
interface Found {
  readonly entries: number
  readonly seconds: number
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly limitName: string
    readonly latency: Distribution
    readonly limit: Distribution
  }>
  /** The first page of the ledger by node:http and JSON.stringify alone. */
  readonly served: Distribution
  /** How long COPY of all uses takes, in milliseconds. */
  readonly copied: number
  /** How many times the p99 of the ledger's first page that of its last is. */
  readonly ratio: number
}

const printReports = ({ copied, entries, ratio, results, seconds, served }: Found) =>
  print(
    `reports: ${figure(entries)} uses in ${days} days, one caller, ${rounds} rounds of ${
      seconds / rounds
    } s each, in turns`,
    ["", "p50 ms", "p99 ms", "beside it", "p50 ms", "p99 ms", "p50 times"],
    [
      ...results.map(({ latency, limit, limitName, name }) => [
        name,
        figure(latency.p50, 1),
        figure(latency.p99, 1),
        limitName,
        figure(limit.p50, 1),
        figure(limit.p99, 1),
        figure(latency.p50 / limit.p50, 2)
      ]),
      ["all uses", "", "", "COPY to STDOUT", figure(copied, 1), "", ""]
    ],
    [
      `Asked for: a summary in at most ${figure(patience)} ms. By hour it takes ${
        figure(results[1]!.latency.p50 / copied, 2)
      } times what COPY of the uses takes, which somebody who adds them up elsewhere waits for.`,
      `The p99 of the last of ${figure(entries / limit)} pages is ${
        figure(ratio, 2)
      } times that of page 1; asked for: from ${figure(1 / factor, 2)} to ${figure(factor, 2)}.`,
      "Beside it: bare statements, prepared, over one connection in a bare loop: no HTTP, no JSON.",
      `The SELECT of the ledger's page 1 behind node:http and JSON.stringify takes ${
        figure(served.p50, 1)
      } ms (p50), the service ${figure(results[2]!.latency.p50 / served.p50, 2)} times as long.`
    ]
  )

/** Asks for summaries of a month and pages of the ledger, one after the other, and prints how long each takes. */
export const reports = ({ json, profile, rows, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const bare = yield* startWorker<StatementQuestion, StatementAnswer>(new URL("./limitReports.ts", import.meta.url))
    yield* issueLicenses(service, licenses)
    const [held] = yield* runSql(databaseUrl, [["SELECT count(*)::int AS entries FROM usage_ledger", []]])
    if (Number(held!["entries"]) === 0) yield* fillMonth(databaseUrl, rows)
    const [span] = yield* runSql(databaseUrl, [[
      `SELECT max(occurred_at) - $1::int * interval '24 hours' AS "from", max(occurred_at) + interval '1 ms' AS "to",
         count(*)::int AS entries FROM usage_ledger`,
      [days]
    ]])
    const [from, to] = [span!["from"] as Date, span!["to"] as Date].map((at) => at.toISOString()) as [string, string]
    const entries = Number(span!["entries"])
    const last = yield* findLastPage(service, entries)

    const ofService = (path: string) =>
      loadOn(load, {
        port: service.port,
        pid: service.pid,
        requests: [
          requestBytes(service.port, "GET", `/api/v1/reports/${path}`, { Authorization: `Bearer ${adminToken}` })
        ]
      }, 1)
    const ofLimit = (text: string, parameters: ReadonlyArray<unknown> = []) => (seconds: number) =>
      bare.ask({ databaseUrl, text, parameters, seconds })
    const summary = (bucket: string) => ofService(`usage-summary?from=${from}&to=${to}&bucket=${bucket}`)
    const side = (name: string, run: (seconds: number) => Effect.Effect<StatementAnswer, BenchError>) => ({
      name,
      run,
      answers: new Array<StatementAnswer>()
    })
    const pairs = [
      [side("summary by day", summary("1d")), side("SELECT over the uses", ofLimit(bareSummary("1 day"), [from, to]))],
      [
        side("summary by hour", summary("1h")),
        side("SELECT over the uses", ofLimit(bareSummary("1 hour"), [from, to]))
      ],
      [side("ledger, page 1", ofService(`usage-ledger?limit=${limit}`)), side("SELECT", ofLimit(barePage("")))],
      [
        side("ledger, last page", ofService(`usage-ledger?limit=${limit}&cursor=${last.cursor}`)),
        side("SELECT", ofLimit(barePage(afterPosition), [last.at, last.id]))
      ]
    ] as const
    const served = side(
      "ledger, page 1, bare HTTP",
      yield* bareHttp(load, { databaseUrl, text: barePage(""), parameters: [], limit })
    )
    const sides = [...pairs.flat(), served]
    for (const { run } of sides) yield* run(warmUpSeconds)
    for (let turn = 0; turn < rounds; turn++) {
      for (const { answers, run } of sides) answers.push(yield* run(seconds / rounds))
    }
    const copy = yield* ofLimit(copyOfRows)(seconds / rounds)

    const latencyOf = ({ answers }: (typeof sides)[number]) => distributionOf(answers.map(({ latencies }) => latencies))
    const results = pairs.map(([ours, limit]) => ({
      name: ours.name,
      limitName: limit.name,
      latency: latencyOf(ours),
      limit: latencyOf(limit)
    }))
    const copied = distributionOf([copy.latencies]).p50
    const ratio = results[3]!.latency.p99 / results[2]!.latency.p99
    const found = { entries, days, limit, seconds, results, served: latencyOf(served), copied, ratio }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* printReports(found)
    return found
  })
