import { Console, Effect } from "effect"
import { listedColumns } from "../../src/services/licensing/licenses/LicenseSearch.ts"
import { bareHttp } from "../harness/BarePage.ts"
import { loadOn, rounds } from "../harness/Comparison.ts"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { ServedPage } from "../harness/limitPage.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { adminToken, BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import type { PageAnswer, PageQuestion } from "./limitList.ts"

/** How many licenses there are; a whole number of pages, so that the last page is as full as the first. */
const licenses = 100_000

/** The size of a page. */
const limit = 100

const warmUpSeconds = 3

/** How many times the p99 of one page the p99 of another may be. */
const factor = 2

/** Issues licenses by SQL alone. Their keys are nobody's. */
const fillLicenses = (databaseUrl: string, productId: string, policyId: string) =>
  runSql(databaseUrl, [
    [
      `INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, customer_email,
         customer_name, expires_at, metadata)
       SELECT 'lic_0' || $3::text || lpad(n::text, 12, '0'), $1, $2, 'CS-BENCH', lpad((n % 10000)::text, 4, '0'),
         'someone-' || n || '@example.com', 'Customer ' || n, now() + (n % 700 + 40) * interval '24 hours', '{}'
       FROM generate_series(1, $4::int) AS n`,
      [productId, policyId, String(Date.now()).padStart(13, "0"), licenses]
    ],
    [
      `INSERT INTO license_keys (key_hash, license_id) SELECT sha256(id::bytea), id FROM licenses l
       WHERE NOT EXISTS (SELECT 1 FROM license_keys k WHERE k.license_id = l.id)`,
      []
    ],
    ["VACUUM ANALYZE", []]
  ])

interface LastPage {
  readonly cursor: string
  /** The last id of the page before. */
  readonly after: string
  readonly pages: number
}

/** The page of the service after an id, as a bare SELECT: the columns and the order of its list. */
const pageOf = (databaseUrl: string, after: string | undefined): ServedPage => ({
  databaseUrl,
  text: `SELECT ${listedColumns} FROM licenses l JOIN policies p ON p.id = l.policy_id
    ${after === undefined ? "" : "WHERE l.id < $2"} ORDER BY l.id DESC LIMIT $1`,
  parameters: after === undefined ? [limit + 1] : [limit + 1, after],
  limit
})

/** Walks through all pages as a client does, up to the last. */
const findLastPage = (
  { port }: ServiceProcess
): Effect.Effect<LastPage, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      let last: LastPage = { cursor: "", after: "", pages: 0 }
      for (let query = "";; query = `&cursor=${last.cursor}`) {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/licenses?limit=${limit}${query}`, {
          headers: { authorization: `Bearer ${adminToken}` }
        })
        const { data, page_info } = await response.json() as {
          data: ReadonlyArray<{ id: string }>
          page_info: { has_more: boolean; next_cursor: string | null }
        }
        if (!page_info.has_more) return { ...last, pages: last.pages + 1 }
        last = { cursor: page_info.next_cursor!, after: data.at(-1)!.id, pages: last.pages + 1 }
      }
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })

/** What was measured of pages. */
interface Found {
  readonly pages: number
  readonly seconds: number
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly pagesPerSecond: number
    readonly latency: Distribution
  }>
  /** How many times the p99 of the first page that of the last is. */
  readonly ratio: number
}

const printPages = ({ pages, ratio, results, seconds }: Found) =>
  print(
    `list: ${figure(licenses)} licenses, pages of ${limit}, one caller, ${rounds} rounds of ${
      seconds / rounds
    } s each, in turns`,
    ["", "pages/s", "p50 ms", "p95 ms", "p99 ms", "max ms"],
    results.map(({ latency, name, pagesPerSecond }) => [
      name,
      figure(pagesPerSecond),
      figure(latency.p50, 2),
      figure(latency.p95, 2),
      figure(latency.p99, 2),
      figure(latency.maximum, 2)
    ]),
    [
      `The p99 of the last of ${figure(pages)} pages is ${figure(ratio, 2)} times that of page 1; asked for: from ${
        figure(1 / factor, 2)
      } to ${figure(factor, 2)}.`,
      "The limit is the same SELECT, prepared, over one connection in a bare loop: no HTTP, no JSON. Bare HTTP is that " +
      "SELECT behind node:http and JSON.stringify: no credential, no routing, no schema."
    ]
  )

/** Asks for the first and for the last page of many licenses, one after the other, and prints how long each takes. */
export const list = ({ json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const bare = yield* startWorker<PageQuestion, PageAnswer>(new URL("./limitList.ts", import.meta.url))
    const call = (path: string, body: object) =>
      Effect.tryPromise({
        try: () => service.call("POST", path, body),
        catch: (cause) => new BenchError({ message: String(cause) })
      })
    const product = yield* call("/api/v1/products", { name: "Bench", code: `bench-${Date.now().toString(36)}` })
    const policy = yield* call(`/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: "annual",
      license_type: "subscription"
    })
    yield* fillLicenses(databaseUrl, product.id, policy.id)
    const last = yield* findLastPage(service)

    const ofService = (query: string) =>
      loadOn(load, {
        port: service.port,
        pid: service.pid,
        requests: [
          requestBytes(service.port, "GET", `/api/v1/licenses?limit=${limit}${query}`, {
            Authorization: `Bearer ${adminToken}`
          })
        ]
      }, 1)
    const ofLimit = (after: string | undefined) => (seconds: number) =>
      bare.ask({ ...pageOf(databaseUrl, after), seconds })
    const side = (
      name: string,
      run: (seconds: number) => Effect.Effect<Pick<LoadAnswer, "latencies" | "seconds">, BenchError>
    ) => ({ name, run, answers: new Array<Pick<LoadAnswer, "latencies" | "seconds">>() })
    const sides = [
      side("page 1", ofService("")),
      side("last page", ofService(`&cursor=${last.cursor}`)),
      side("page 1, SELECT alone", ofLimit(undefined)),
      side("last page, SELECT alone", ofLimit(last.after)),
      side("page 1, bare HTTP", yield* bareHttp(load, pageOf(databaseUrl, undefined)))
    ]
    for (const { run } of sides) yield* run(warmUpSeconds)
    for (let turn = 0; turn < rounds; turn++) {
      for (const { answers, run } of sides) answers.push(yield* run(seconds / rounds))
    }

    const results = sides.map(({ answers, name }) => ({
      name,
      pagesPerSecond: answers.reduce((sum, { latencies }) => sum + latencies.length, 0) /
        answers.reduce((sum, { seconds }) => sum + seconds, 0),
      latency: distributionOf(answers.map(({ latencies }) => latencies))
    }))
    const ratio = results[1]!.latency.p99 / results[0]!.latency.p99
    const found = { licenses, limit, pages: last.pages, seconds, results, ratio }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* printPages(found)
    return found
  })
