import { Console, Effect } from "effect"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { distributionOf } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import { counterMark, requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"

/** Callers of the busy license. The other customer has one. */
const busyCallers = 100

/** Where they call from; the other customer's address is 127.0.0.1. */
const busyAddress = "127.0.0.2"

/** Rounds of each kind, one after the other, so that what disturbs the machine disturbs all of them. */
const rounds = 5

const warmUpSeconds = 3

/** What a caller asks about its license. */
type Ask = (port: number, license: IssuedLicense) => Uint8Array

const asking = (path: string, body: (license: IssuedLicense) => object, headers = {}): Ask => (port, license) =>
  requestBytes(port, "POST", path, { Authorization: `License ${license.licenseKey}`, ...headers }, body(license))

const validating = asking("/api/v1/license/validate", ({ fingerprint }) => ({ fingerprint, nonce: "n-0123456789" }))

/** What the callers of the busy license do: each device of the license is there, and no further one has a seat. */
const kinds: ReadonlyArray<readonly [name: string, ask: Ask | undefined]> = [
  ["nobody", undefined],
  ["100 validate one license", validating],
  [
    "100 activate one full license",
    asking("/api/v1/license/activate", () => ({ fingerprint: `bench-${counterMark}` }), {
      "Idempotency-Key": `bench-${counterMark}`
    })
  ],
  [
    "100 use one license",
    asking("/api/v1/license/consume", ({ fingerprint }) => ({
      fingerprint,
      feature_code: "export",
      amount: 1,
      event_id: `use-${counterMark}`
    }), { "Idempotency-Key": `bench-${counterMark}` })
  ]
]

/** What one kind of neighbour did to the other customer. */
export interface BusyRow {
  readonly name: string
  /** The latencies of the other customer's validates, in milliseconds, and how many it got in a second. */
  readonly latency: Distribution
  readonly rate: number
  /** The answers that the busy license's callers got in a second. */
  readonly busyRate: number
}

/** How a customer's validate fares beside a license that 100 callers ask about from another address. */
export const busy = ({ json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const [hot, other] = yield* issueLicenses(service, 2)
    yield* runSql(databaseUrl, [["UPDATE policies SET max_activations = 1", []], ["ANALYZE", []]])
    const newLoad = startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const own = yield* newLoad
    const beside = yield* newLoad

    const round = Effect.fnUntraced(function*(ask: Ask | undefined, length: number) {
      const calm = own.ask({
        port: service.port,
        requests: [validating(service.port, other!)],
        callers: 1,
        seconds: length
      })
      if (ask === undefined) return [yield* calm, undefined] as const
      const crowd = beside.ask({
        port: service.port,
        from: busyAddress,
        requests: [ask(service.port, hot!)],
        callers: busyCallers,
        seconds: length
      })
      return yield* Effect.all([calm, crowd], { concurrency: 2 })
    })

    const found = kinds.map(([name, ask]) => ({
      name,
      ask,
      own: new Array<LoadAnswer>(),
      busy: new Array<LoadAnswer>()
    }))
    for (const { ask } of found) yield* round(ask, warmUpSeconds)
    for (let turn = 0; turn < rounds; turn++) {
      for (const kind of found) {
        const [calm, crowd] = yield* round(kind.ask, seconds / rounds)
        if (calm.failed > 0) return yield* new BenchError({ message: `A validate failed:\n${calm.failure}` })
        kind.own.push(calm)
        if (crowd !== undefined) kind.busy.push(crowd)
      }
    }
    const sum = (answers: ReadonlyArray<LoadAnswer>) =>
      answers.reduce((all, { failed, succeeded }) => all + failed + succeeded, 0) / seconds
    const rows = found.map(({ busy, name, own }): BusyRow => ({
      name,
      latency: distributionOf(own.map(({ latencies }) => latencies)),
      rate: sum(own),
      busyRate: sum(busy)
    }))
    const result = { seconds, rows, peakRss: usageOf(service.pid).peakRss }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(result)), result)
    const [alone] = rows
    yield* print(
      `busy: one customer's validate, ${rounds} rounds of ${seconds / rounds} s of each, in turns`,
      ["beside it", "p50 ms", "times", "p99 ms", "times", "a second", "its share", "of the others"],
      rows.map(({ busyRate, latency: { p50, p99 }, name, rate }) => [
        name,
        figure(p50, 2),
        figure(p50 / alone!.latency.p50, 1),
        figure(p99, 1),
        figure(p99 / alone!.latency.p99, 1),
        figure(rate),
        figure(rate / alone!.rate, 2),
        figure(busyRate)
      ]),
      [
        `The customer has one caller at another address. Service, PostgreSQL and both generators share the processors.`,
        `The service had at most ${figure(result.peakRss)} MiB.`
      ]
    )
    return result
  })
