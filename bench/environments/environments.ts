import { Console, Effect } from "effect"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { medianDistributionOf } from "../harness/Distribution.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { forgetPeak, usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import { makeLoops } from "./TestNeighbour.ts"
import type { Loop } from "./TestNeighbour.ts"

/** Rounds of each kind, one after the other, so that what disturbs the machine disturbs all of them. */
const rounds = 7

const warmUpSeconds = 4

/** Licenses that are validated in live, and what share of the capacity is asked for. */
const licenses = 200
const share = 0.5

/** How many times the p99 of live may be what it is alone. */
const asked = 1.1

/** What test did to the validates of live. */
export interface BesideRow {
  readonly name: string
  /** Latencies of live's validates in the round in the middle, in milliseconds. */
  readonly latency: Distribution
  /** What was done in test, in a second. */
  readonly testRate: number
}

const newLoad = startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))

/** How live's validates at a fixed rate fare beside a loop that does in test whatever it can. */
export const environments = ({ callers, json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const issued = yield* issueLicenses(service, licenses)
    yield* runSql(databaseUrl, [["ANALYZE", []]])
    const live = yield* newLoad
    const requests = issued.map(({ fingerprint, licenseKey }) =>
      requestBytes(service.port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
        fingerprint,
        nonce: "n-0123456789"
      })
    )
    const validate = Effect.fnUntraced(function*(length: number, rate?: number) {
      const answer = yield* live.ask({ port: service.port, requests, callers, seconds: length, rate })
      if (answer.failed > 0) return yield* new BenchError({ message: `A validate failed:\n${answer.failure}` })
      return answer
    })
    yield* validate(warmUpSeconds)
    const { succeeded, seconds: took } = yield* validate(warmUpSeconds)
    const rate = Math.floor(succeeded / took * share)
    const { rss: rssBefore } = usageOf(service.pid)
    const loops = yield* makeLoops(service, databaseUrl, yield* newLoad)
    const { rss: rssUsed } = yield* forgetPeak(service.pid)

    const kinds: ReadonlyArray<readonly [name: string, loop: Loop]> = [
      ["nothing", () => Effect.succeed(0)],
      ["validates", loops.validates],
      ["writes", loops.writes],
      ["exports", loops.exports]
    ]
    const found = kinds.map(([name, loop]) => ({
      name,
      loop,
      live: new Array<LoadAnswer>(),
      rates: new Array<number>()
    }))
    const round = (length: number, loop: Loop) => Effect.all([validate(length, rate), loop(length)], { concurrency: 2 })
    for (const { loop } of found) yield* round(warmUpSeconds, loop)
    for (let turn = 0; turn < rounds; turn++) {
      for (const kind of found) {
        const [answer, testRate] = yield* round(seconds / rounds, kind.loop)
        kind.live.push(answer)
        kind.rates.push(testRate)
      }
    }
    const rows = found.map(({ live, name, rates }): BesideRow => ({
      name,
      latency: medianDistributionOf(live.map(({ latencies }) => latencies)),
      testRate: rates.reduce((sum, each) => sum + each, 0) / rates.length
    }))
    const { peakRss } = usageOf(service.pid)
    const result = { seconds, rate, rows, rssBefore, rssUsed, peakRss }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(result)), result)
    yield* printed(result)
    return result
  })

const printed = (
  { peakRss, rate, rows, rssBefore, rssUsed, seconds }: {
    readonly peakRss: number
    readonly rate: number
    readonly rows: ReadonlyArray<BesideRow>
    readonly rssBefore: number
    readonly rssUsed: number
    readonly seconds: number
  }
) =>
  print(
    `environments: validate in live, ${figure(rate)} a second, ${rounds} rounds of ${
      figure(seconds / rounds, 1)
    } s of each, in turns`,
    ["beside it in test", "p50 ms", "times", "p99 ms", "times", "in test a second"],
    rows.map(({ latency: { p50, p99 }, name, testRate }) => [
      name,
      figure(p50, 2),
      figure(p50 / rows[0]!.latency.p50, 2),
      figure(p99, 1),
      figure(p99 / rows[0]!.latency.p99, 2),
      figure(testRate, 1)
    ]),
    [
      `Asked for: at most ${
        figure(asked, 1)
      } times the p99. The rate is half of the capacity, and is kept whatever the answers do.`,
      "Percentiles are those of the round in the middle.",
      `Memory of the service: ${figure(rssBefore)} MiB before its test environment was used, ${
        figure(rssUsed)
      } after it was`,
      `filled, ${figure(peakRss)} at most.`
    ]
  )
