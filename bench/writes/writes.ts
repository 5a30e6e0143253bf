import { Console, Effect } from "effect"
import { loadInTurns, loadOn, printSummaries, rounds } from "../harness/Comparison.ts"
import type { Target } from "../harness/Comparison.ts"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure } from "../harness/Report.ts"
import { startService } from "../harness/ServiceProcess.ts"
import { countTransactions } from "../harness/Transactions.ts"
import { startWorker } from "../harness/Worker.ts"
import type { Write, WriteQuestion } from "./limitWrites.ts"
import { liftActivations, takeSeat, writeTarget } from "./WriteTarget.ts"

/** How many licenses each side has; a side writes to its own, so that both find tables of the same size. */
const licenses = 500

/** PostgreSQL connections of the bare handler: as many as the service has. */
export const limitConnections = 10

/** One row of a benchmark: an operation, and how many of the licenses it is asked for. */
interface Case {
  readonly name: string
  readonly write: Write
  readonly licenses: number
}

/** Loads operations that write, and the limit of each, in turns and prints what they did. */
const compareWrites = (title: string, cases: ReadonlyArray<Case>) =>
  Effect.fnUntraced(function*({ callers, json, profile, seconds }: BenchOptions) {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const ours = yield* issueLicenses(service, licenses)
    const theirs = yield* issueLicenses(service, licenses)
    yield* liftActivations(databaseUrl)

    const results = yield* Effect.forEach(cases, ({ licenses, name, write }) =>
      Effect.scoped(Effect.gen(function*() {
        if (write === "heartbeat") yield* Effect.forEach(theirs.slice(0, licenses), (one) => takeSeat(service, one))
        const target: Target = yield* writeTarget(service, write, ours.slice(0, licenses))
        const limit = yield* startWorker<WriteQuestion, number>(new URL("./limitWrites.ts", import.meta.url))
        const limitPort = yield* limit.ask({
          write,
          databaseUrl,
          connections: limitConnections,
          licenses: theirs.slice(0, licenses).map(({ id }) => id)
        })
        const [a, b] = yield* loadInTurns(
          load,
          [target, { port: limitPort, pid: limit.pid, requests: target.requests }],
          { callers, seconds }
        )
        const counted = yield* write === "heartbeat"
          ? Effect.undefined
          : countTransactions(databaseUrl, loadOn(load, target, callers)(2))
        return {
          name,
          licenses,
          service: a!,
          limit: b!,
          ratio: a!.requestsPerSecond / b!.requestsPerSecond,
          transactionsPerRequest: counted === undefined ? undefined : counted.transactions / counted.requests
        }
      })))

    const found = { callers, seconds, results }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* printSummaries(
      `${title}: ${callers} callers, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      results.flatMap(({ limit, name, service }) => [[name, service], [`  its limit`, limit]] as const),
      [
        ...results.map(({ name, ratio, transactionsPerRequest }) =>
          `${name}: the service reaches ${figure(ratio, 2)} of the limit's rate` +
          (transactionsPerRequest === undefined
            ? "."
            : `; PostgreSQL committed ${
              figure(transactionsPerRequest, 3)
            } transactions a request, the sequencer's too.`)
        ),
        `The limit is a bare node:http handler on ${limitConnections} connections: the SQL without which the operation ` +
        `is not done, in one transaction, prepared and pipelined without a wait, and one Ed25519 signature.`
      ]
    )
    return found
  })

/** Activates a fresh device in every request, over many licenses. */
export const activate = compareWrites("activate", [{
  name: `activate, ${licenses} licenses`,
  write: "activate",
  licenses
}])

/** Counts a fresh use in every request: all of one license, and of many. */
export const consume = compareWrites("consume", [
  { name: "consume, one hot license", write: "consume", licenses: 1 },
  { name: `consume, ${licenses} licenses`, write: "consume", licenses }
])

/** Takes a floating seat for a fresh device in every request, and keeps seats that were taken. */
export const lease = compareWrites("lease", [
  { name: `checkout, ${licenses} licenses`, write: "checkout", licenses },
  { name: `heartbeat, ${licenses} licenses`, write: "heartbeat", licenses }
])
