import { Console, Effect } from "effect"
import { loadInTurns, loadOn, printSummaries, rounds } from "../harness/Comparison.ts"
import type { Target } from "../harness/Comparison.ts"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure } from "../harness/Report.ts"
import { startService } from "../harness/ServiceProcess.ts"
import { countTransactions } from "../harness/Transactions.ts"
import { startWorker } from "../harness/Worker.ts"
import type { LimitQuestion } from "./limitValidate.ts"

/** How many licenses callers ask about in turn. */
const licenses = 1000

/** PostgreSQL connections of the bare handler: one and four were slower on two cores. */
const limitConnections = 2

/** Loads validate and its limit in turns and prints what they did. */
export const validate = ({ callers, json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const issued = yield* issueLicenses(service, licenses)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const limit = yield* startWorker<LimitQuestion, number>(new URL("./limitValidate.ts", import.meta.url))
    const bare = yield* startWorker<LimitQuestion, number>(new URL("./limitValidate.ts", import.meta.url))
    const limitPort = yield* limit.ask({ database: { url: databaseUrl, connections: limitConnections } })
    const barePort = yield* bare.ask({ database: undefined })

    const targetOf = (port: number, pid: number): Target => ({
      port,
      pid,
      requests: issued.map(({ fingerprint, licenseKey }) =>
        requestBytes(port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
          fingerprint,
          hostname: "bench",
          os: "linux",
          app_version: "1.4.2",
          nonce: "n-0123456789"
        })
      )
    })
    const ours = targetOf(service.port, service.pid)
    const [a, b] = yield* loadInTurns(load, [ours, targetOf(limitPort, limit.pid)], { callers, seconds })
    const ceiling = yield* loadOn(load, targetOf(barePort, bare.pid), callers)(2)
    const { requests, transactions } = yield* countTransactions(databaseUrl, loadOn(load, ours, callers)(2))

    const result = {
      callers,
      seconds,
      service: a!,
      limit: b!,
      ratio: a!.requestsPerSecond / b!.requestsPerSecond,
      transactionsPerRequest: transactions / requests,
      generatorCeiling: ceiling.succeeded / ceiling.seconds
    }
    if (json) return yield* Console.log(JSON.stringify(result))
    return yield* printSummaries(
      `validate: ${callers} callers, ${licenses} licenses, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      [["service", result.service], ["limit", result.limit]],
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
