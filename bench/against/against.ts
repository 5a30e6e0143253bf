import { Console, Effect } from "effect"
import { loadInTurns, rounds } from "../harness/Comparison.ts"
import type { Summary, Target } from "../harness/Comparison.ts"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { medianOf } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, ownTree, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import { timeToReady } from "../start/start.ts"
import type { LimitQuestion } from "../validate/limitValidate.ts"
import { limitConnections as validateConnections } from "../validate/validate.ts"
import { validateTarget } from "../validate/ValidateTarget.ts"
import type { Write, WriteQuestion } from "../writes/limitWrites.ts"
import { limitConnections } from "../writes/writes.ts"
import { liftActivations, takeSeat, writeTarget } from "../writes/WriteTarget.ts"
import { checkOut } from "./Checkout.ts"

/** How many licenses callers ask about in turn; the limit writes to as many of its own. */
const licenses = 500

const writes: ReadonlyArray<Write> = ["activate", "consume", "checkout", "heartbeat"]

/** Later starts of each tree. */
const starts = 5

/** One service under test, on a database of its own. */
interface Side {
  readonly service: ServiceProcess
  readonly databaseUrl: string
  readonly issued: ReadonlyArray<IssuedLicense>
  readonly directory: string
}

const databaseNamed = (url: string, name: string) =>
  Effect.gen(function*() {
    yield* runSql(url, [[`CREATE DATABASE ${name}`, []]])
    const named = new URL(url)
    named.pathname = `/${name}`
    return named.href
  })

const startSide = (serverUrl: string, name: string, tree: string) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* databaseNamed(serverUrl, `${name}_${Date.now().toString(36)}`)
    const service = yield* startService(databaseUrl, directory, undefined, tree)
    const issued = yield* issueLicenses(service, licenses)
    yield* liftActivations(databaseUrl)
    return { service, databaseUrl, issued, directory } satisfies Side
  })

/** What one operation did on this tree, on the commit's, and at its limit. */
interface Row {
  readonly operation: string
  readonly now: Summary
  readonly before: Summary
  readonly limit: Summary
}

/**
 * Measures this tree and that of a commit in one run, in turns with the limit of each operation, each service on a database
 * of its own in one server, and how long a later start of each takes.
 */
export const against = ({ callers, commit: name, json, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    if (name === undefined) return yield* new BenchError({ message: "against needs a commit to compare with." })
    const { commit, tree } = yield* checkOut(name)
    const serverUrl = yield* benchDatabase(yield* temporaryDirectory)
    const now = yield* startSide(serverUrl, "now", ownTree)
    const before = yield* startSide(serverUrl, "before", tree)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const limitSide = yield* issueLicenses(now.service, licenses)

    const inTurns = (operation: string, targets: readonly [now: Target, before: Target, limit: Target]) =>
      Effect.map(
        loadInTurns(load, targets, { callers, seconds }),
        ([now, before, limit]): Row => ({ operation, now: now!, before: before!, limit: limit! })
      )
    const ofValidate = Effect.scoped(Effect.gen(function*() {
      const limit = yield* startWorker<LimitQuestion, number>(new URL("../validate/limitValidate.ts", import.meta.url))
      const port = yield* limit.ask({ database: { url: now.databaseUrl, connections: validateConnections } })
      return yield* inTurns("validate", [
        validateTarget(now.service, now.issued),
        validateTarget(before.service, before.issued),
        validateTarget({ port, pid: limit.pid }, now.issued)
      ])
    }))
    const ofWrite = (write: Write) =>
      Effect.scoped(Effect.gen(function*() {
        if (write === "heartbeat") yield* Effect.forEach(limitSide, (one) => takeSeat(now.service, one))
        const target = yield* writeTarget(now.service, write, now.issued)
        const limit = yield* startWorker<WriteQuestion, number>(new URL("../writes/limitWrites.ts", import.meta.url))
        const port = yield* limit.ask({
          write,
          databaseUrl: now.databaseUrl,
          connections: limitConnections,
          licenses: limitSide.map(({ id }) => id)
        })
        return yield* inTurns(write, [
          target,
          yield* writeTarget(before.service, write, before.issued),
          { port, pid: limit.pid, requests: target.requests }
        ])
      }))
    const rows = [yield* ofValidate, ...(yield* Effect.forEach(writes, ofWrite))]

    const startsOf = { now: new Array<number>(), before: new Array<number>() }
    const directories = { now: yield* temporaryDirectory, before: yield* temporaryDirectory }
    for (let turn = 0; turn <= starts; turn++) {
      const ofNow = yield* timeToReady(directories.now)
      const ofBefore = yield* timeToReady(directories.before, tree)
      // The first of each makes its data directory.
      if (turn === 0) continue
      startsOf.now.push(ofNow)
      startsOf.before.push(ofBefore)
    }
    const found = { commit, callers, seconds, rows, starts: startsOf }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* print(
      `This tree beside ${commit}: ${callers} callers, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      [
        "",
        "requests/s",
        "before",
        "times",
        "limit",
        "ratio",
        "before",
        "CPU us",
        "before",
        "p99 ms",
        "before",
        "MiB",
        "before"
      ],
      rows.map(({ limit, now, operation, before }) => [
        operation,
        figure(now.requestsPerSecond),
        figure(before.requestsPerSecond),
        figure(now.requestsPerSecond / before.requestsPerSecond, 2),
        figure(limit.requestsPerSecond),
        figure(now.requestsPerSecond / limit.requestsPerSecond, 2),
        figure(before.requestsPerSecond / limit.requestsPerSecond, 2),
        figure(now.cpuPerRequest * 1000),
        figure(before.cpuPerRequest * 1000),
        figure(now.p99, 1),
        figure(before.p99, 1),
        figure(now.peakRss),
        figure(before.peakRss)
      ]),
      [
        `A later start takes ${figure(medianOf(startsOf.now), 2)} s, before ${
          figure(medianOf(startsOf.before), 2)
        } s (the middle ` +
        `of ${starts}, in turns).`,
        "The ratio is to the rate of the limit: a bare handler that does the same SQL and one signature. MiB is the most " +
        "that the process had until then."
      ]
    )
    return found
  })
