import { Console, Effect } from "effect"
import { existsSync } from "node:fs"
import { loadInTurns, loadOn, printSummaries, rounds } from "../harness/Comparison.ts"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure } from "../harness/Report.ts"
import { startService } from "../harness/ServiceProcess.ts"
import { countTransactions } from "../harness/Transactions.ts"
import { startWorker } from "../harness/Worker.ts"
import type { LimitQuestion } from "./limitValidate.ts"
import { validateTarget } from "./ValidateTarget.ts"

/** What the peer is asked: its module is loaded only by its own process, because its packages may not be there. */
interface PeerQuestion {
  readonly databaseUrl: string
  readonly licenses: ReadonlyArray<{ readonly id: string; readonly licenseKey: string }>
}

/** What one would write by hand, where it is installed. */
const startPeer = (question: PeerQuestion) =>
  Effect.gen(function*() {
    if (!existsSync(new URL("../node_modules/fastify", import.meta.url))) return undefined
    const peer = yield* startWorker<PeerQuestion, number>(new URL("./peers/peerFastify.ts", import.meta.url))
    return { port: yield* peer.ask(question), pid: peer.pid }
  })

/** How many licenses callers ask about in turn. */
const licenses = 1000

/** PostgreSQL connections of the bare handler: one and four were slower on two cores. */
export const limitConnections = 2

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

    const targetOf = (port: number, pid: number) => validateTarget({ port, pid }, issued)
    const ours = targetOf(service.port, service.pid)
    // Before the others, and not at once: the server counts what an idle connection did only seconds later.
    yield* loadOn(load, ours, callers)(2)
    const { requests, transactions } = yield* countTransactions(databaseUrl, loadOn(load, ours, callers)(2))
    const byHand = yield* startPeer({ databaseUrl, licenses: issued })
    const [a, b, c] = yield* loadInTurns(
      load,
      [ours, targetOf(limitPort, limit.pid), ...(byHand === undefined ? [] : [targetOf(byHand.port, byHand.pid)])],
      { callers, seconds }
    )
    const ceiling = yield* loadOn(load, targetOf(barePort, bare.pid), callers)(2)

    const result = {
      callers,
      seconds,
      service: a!,
      limit: b!,
      ratio: a!.requestsPerSecond / b!.requestsPerSecond,
      ...(c === undefined ? {} : { byHand: c, ratioByHand: a!.requestsPerSecond / c.requestsPerSecond }),
      transactionsPerRequest: transactions / requests,
      generatorCeiling: ceiling.succeeded / ceiling.seconds
    }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(result)), result)
    yield* printSummaries(
      `validate: ${callers} callers, ${licenses} licenses, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      [["service", result.service], ["limit", result.limit], ...(c === undefined ? [] : [["by hand", c] as const])],
      [
        `The service reaches ${figure(result.ratio, 2)} of the limit's rate; asked for: 0.80.`,
        result.ratioByHand === undefined
          ? "What one would write by hand is not installed: npm ci --prefix bench."
          : `It reaches ${
            figure(result.ratioByHand, 2)
          } of the rate of fastify and pg by hand: two queries, a signature.`,
        `The limit is a bare node:http handler: the same SELECT, prepared and pipelined, and one Ed25519 signature.`,
        `PostgreSQL committed ${
          figure(result.transactionsPerRequest, 3)
        } transactions a request. A statement outside a ` +
        `transaction is one of its own, so this counts round trips; what is above 1 is the service's own timers.`,
        `The generator alone reaches ${figure(result.generatorCeiling)} requests/s against an empty handler.`
      ]
    )
    return result
  })
