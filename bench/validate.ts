import { Console, Effect } from "effect"
import { benchDatabase, temporaryDirectory } from "./Database.ts"
import { distributionOf } from "./Distribution.ts"
import { issueLicenses } from "./Fixture.ts"
import type { LimitQuestion } from "./limitValidate.ts"
import type { LoadAnswer, LoadQuestion } from "./load.ts"
import type { BenchOptions } from "./Options.ts"
import { usageOf } from "./ProcessUsage.ts"
import { figure, print } from "./Report.ts"
import { BenchError, startService } from "./ServiceProcess.ts"
import { countTransactions } from "./Transactions.ts"
import { startWorker } from "./Worker.ts"

/** How many licenses callers ask about in turn. */
const licenses = 1000

/** Rounds of each side, one after the other, so that what disturbs the machine disturbs both. */
const rounds = 5

/** Long enough for the compiler to have seen both sides. */
const warmUpSeconds = 8

/** PostgreSQL connections of the bare handler: one and four were slower on two cores. */
const limitConnections = 2

/** One side under load. */
interface Side {
  readonly port: number
  readonly pid: number
  readonly answers: Array<LoadAnswer>
  readonly cpu: Array<number>
}

const requestOf = (port: number, licenseKey: string, fingerprint: string): Uint8Array => {
  const body = JSON.stringify({
    fingerprint,
    hostname: "bench",
    os: "linux",
    app_version: "1.4.2",
    nonce: "n-0123456789"
  })
  return Buffer.from(
    `POST /api/v1/license/validate HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: License ${licenseKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** What one side did in all of its rounds. CPU in milliseconds a request, latencies in milliseconds, memory in MiB. */
const summaryOf = (side: Side) => {
  const succeeded = side.answers.reduce((sum, answer) => sum + answer.succeeded, 0)
  const seconds = side.answers.reduce((sum, answer) => sum + answer.seconds, 0)
  const { maximum, p50, p99 } = distributionOf(side.answers.map(({ latencies }) => latencies))
  const { peakRss, rss } = usageOf(side.pid)
  return {
    requestsPerSecond: succeeded / seconds,
    p50,
    p99,
    maximum,
    cpuPerRequest: side.cpu.reduce((sum, cpu) => sum + cpu, 0) * 1000 / succeeded,
    rss,
    peakRss
  }
}

/** Loads validate and its limit in turns and prints what they did. */
export const validate = ({ callers, json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const issued = yield* issueLicenses(service, licenses)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>("./load.ts")
    const limit = yield* startWorker<LimitQuestion, number>("./limitValidate.ts")
    const bare = yield* startWorker<LimitQuestion, number>("./limitValidate.ts")
    const limitPort = yield* limit.ask({ database: { url: databaseUrl, connections: limitConnections } })
    const barePort = yield* bare.ask({ database: undefined })

    const measure = Effect.fnUntraced(function*(port: number, seconds: number) {
      const requests = issued.map(({ fingerprint, licenseKey }) => requestOf(port, licenseKey, fingerprint))
      const answer = yield* load.ask({ port, requests, callers, seconds })
      if (answer.failed > 0) {
        return yield* new BenchError({
          message: `${answer.failed} requests failed, the first with:\n${answer.failure}`
        })
      }
      return answer
    })
    const round = Effect.fnUntraced(function*(side: Side) {
      const before = usageOf(side.pid).cpu
      side.answers.push(yield* measure(side.port, seconds / rounds))
      side.cpu.push(usageOf(side.pid).cpu - before)
    })

    const ours: Side = { port: service.port, pid: service.pid, answers: [], cpu: [] }
    const theirs: Side = { port: limitPort, pid: limit.pid, answers: [], cpu: [] }
    yield* measure(service.port, warmUpSeconds)
    yield* measure(limitPort, warmUpSeconds)
    for (let turn = 0; turn < rounds; turn++) {
      yield* round(ours)
      yield* round(theirs)
    }
    const ceiling = yield* measure(barePort, 2)
    const { requests, transactions } = yield* countTransactions(databaseUrl, measure(service.port, 2))

    const a = summaryOf(ours)
    const b = summaryOf(theirs)
    const result = {
      callers,
      seconds,
      service: a,
      limit: b,
      ratio: a.requestsPerSecond / b.requestsPerSecond,
      transactionsPerRequest: transactions / requests,
      generatorCeiling: ceiling.succeeded / ceiling.seconds
    }
    if (json) return yield* Console.log(JSON.stringify(result))
    return yield* print(
      `validate: ${callers} callers, ${licenses} licenses, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      ["", "requests/s", "p50 ms", "p99 ms", "max ms", "CPU us/request", "RSS MiB", "peak MiB"],
      (["service", "limit"] as const).map((name) => {
        const side = result[name]
        return [
          name,
          figure(side.requestsPerSecond),
          figure(side.p50, 1),
          figure(side.p99, 1),
          figure(side.maximum, 1),
          figure(side.cpuPerRequest * 1000),
          figure(side.rss),
          figure(side.peakRss)
        ]
      }),
      [
        `The service reaches ${figure(result.ratio, 2)} of the limit's rate; asked for: 0.50.`,
        `The limit is a bare node:http handler: the same SELECT, prepared and pipelined, and one Ed25519 signature.`,
        `PostgreSQL committed ${
          figure(result.transactionsPerRequest, 3)
        } transactions a request. A statement outside a ` +
        `transaction is one of its own, so this counts round trips; what is above 1 is the service's own timers.`,
        `The generator alone reaches ${figure(result.generatorCeiling)} requests/s against an empty handler.`
      ]
    )
  })
