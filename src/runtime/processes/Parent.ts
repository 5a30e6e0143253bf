import { Data, Deferred, Effect, Redacted, Runtime } from "effect"
import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"
import { announceReady } from "../Banner.ts"
import { AppConfig, logWarnings } from "../config/Config.ts"
import { table } from "../config/ConfigTable.ts"
import { keepPort } from "../config/ServiceAddress.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import { hurried, signalOfStop, stopWithin } from "../StopRequest.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import { countVariable, databaseEmbeddedVariable, numberVariable, portSharedVariable } from "./Child.ts"
import type { ToChild, ToParent } from "./Child.ts"

/** The metrics of one process, in the Prometheus text format. */
interface ProcessMetrics {
  /** The number of the process, from 1. */
  readonly process: number
  readonly text: string
}

/** A metric with what is said about it, and its samples of all processes. */
interface Family {
  readonly comments: Array<string>
  readonly samples: Array<string>
}

const comment = /^# (?:HELP|TYPE|UNIT) (\S+)/
const sample = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (.+)$/

/**
 * One text of the metrics of several processes (Prometheus text format 0.0.4): each sample has the label `process`, and
 * each metric is described once, as the format asks.
 */
export const joinMetrics = (all: ReadonlyArray<ProcessMetrics>): string => {
  const families = new Map<string, Family>()
  for (const { process, text } of all) {
    const described = new Set<string>()
    let family: Family | undefined
    for (const line of text.split("\n")) {
      const name = comment.exec(line)?.[1]
      if (name !== undefined) {
        const known = families.get(name)
        family = known ?? { comments: [], samples: [] }
        if (known === undefined) {
          families.set(name, family)
          described.add(name)
        }
        if (described.has(name)) family.comments.push(line)
        continue
      }
      const [, metric, labels = "", value] = sample.exec(line) ?? []
      if (metric === undefined) continue
      if (family === undefined) families.set(metric, family = { comments: [], samples: [] })
      family.samples.push(`${metric}{process="${process}"${labels === "" ? "" : `,${labels}`}} ${value}`)
    }
  }
  return [...families.values()].map(({ comments, samples }) => [...comments, ...samples, ""].join("\n")).join("")
}

/** The pause before a process that ended is started again, in milliseconds: at first, and at most. */
const pauses = { first: 500, most: 30_000 } as const

/** How long a process must have run to count as healthy, in milliseconds. */
const settled = 30_000

/**
 * How long to wait before a process that has ended is started again, in milliseconds. `before`: how long was waited the last time;
 * undefined: never. `ran`: for how long it has run since.
 */
export const waitAfterEnd = (before: number | undefined, ran: number): number =>
  before === undefined || ran > settled ? pauses.first : Math.min(2 * before, pauses.most)

/** How much less time a child has to stop than the parent, in milliseconds. */
const headStart = 1_000

/** The timeout for a child's metrics; one that does not answer is left out. */
const metricsWithin = 2_000

/**
 * No process is left, and the last one did not start. It has printed the reason, and its exit code becomes that of
 * the parent; NaN if a signal ended it.
 */
class ProcessFailed extends Data.TaggedError("ProcessFailed")<{
  readonly message: string
  readonly status: number
}> {
  override get [Runtime.errorExitCode]() {
    return this.status || exitCode.found
  }
}

interface Ready {
  readonly port: number
  readonly publicUrl: string
}

const ends = (child: ChildProcess): Effect.Effect<string> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed("")) as undefined
    child.once("exit", (code, signal) => resume(Effect.succeed(String(signal ?? code))))
    // The system cannot start another process.
    child.once("error", ({ message }) => child.pid === undefined && resume(Effect.succeed(message)))
  })

/**
 * Asks a process to stop. Not by a signal: it may have received the parent's, and would skip its drain at a second
 * one.
 */
const sendSignal = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.connected) child.send({ type: "stop", signal } satisfies ToChild, () => {})
}

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (child.pid === undefined) return Effect.void
    sendSignal(child, signalOfStop())
    // A signal that ends the drain of the parent ends that of its children.
    const hurry = Effect.andThen(hurried, Effect.sync(() => sendSignal(child, "SIGINT")))
    return Effect.timeoutOrElse(Effect.raceFirst(Effect.asVoid(ends(child)), Effect.andThen(hurry, Effect.never)), {
      duration: stopWithin() - headStart,
      orElse: () => Effect.sync(() => void child.kill("SIGKILL"))
    })
  })

/**
 * Runs several processes of the service on one port and one database, each a node of the same cluster. The kernel
 * balances connections among them (SO_REUSEPORT). A process that ends is started again, and this one fails when none is
 * left and the last one could not start; a stop drains all of them, and then the embedded database ends.
 */
const several = Effect.fnUntraced(function*(count: number) {
  yield* logWarnings
  const config = yield* AppConfig
  const { url } = yield* DatabaseTarget
  const { DATABASE_URL_FILE: _file, ...given } = process.env
  const environment = {
    ...given,
    COUNTERSIGN_PROCESSES: "1",
    [table.drainSeconds.name]: String(config.drainSeconds),
    DATABASE_URL: Redacted.value(url),
    ...(config.databaseUrl === undefined ? { [databaseEmbeddedVariable]: "1" } : {}),
    ...(config.masterKeyFile === undefined ? {} : { COUNTERSIGN_MASTER_KEY_FILE: config.masterKeyFile }),
    ...(config.isAdminTokenGiven ? {} : { COUNTERSIGN_ADMIN_TOKEN_FILE: config.adminTokenFile })
  }
  const children = new Map<number, ChildProcess>()
  /** The numbers of the processes that are ready. */
  const serving = new Set<number>()
  const first = yield* Deferred.make<Ready>()
  let port: number | undefined
  let collections = 0

  /** Asks every process for its metrics, and answers them as one text. */
  const collect = (answer: (text: string) => void) => {
    const id = ++collections
    const texts = new Map<number, string>()
    const scraped = [...children]
    const listeners = scraped.map(([number, child]) => {
      const listener = (message: ToParent) => {
        if (message.type !== "rendered" || message.id !== id) return
        texts.set(number, message.text)
        if (texts.size === scraped.length) finish()
      }
      child.on("message", listener)
      if (child.connected) child.send({ type: "render", id } satisfies ToChild, () => {})
      return () => child.off("message", listener)
    })
    const finish = () => {
      clearTimeout(timer)
      for (const remove of listeners) remove()
      const found = [...texts].map(([process, text]) => ({ process, text }))
      answer(joinMetrics(found.toSorted((one, other) => one.process - other.process)))
    }
    const timer = setTimeout(finish, metricsWithin)
  }

  const start = (number: number) =>
    Effect.sync(() => {
      const child = fork(process.argv[1]!, process.argv.slice(2), {
        env: {
          ...environment,
          [numberVariable]: String(number),
          // A node has a port of its own for the others.
          ...(config.clusterPort === 0 ? {} : { COUNTERSIGN_CLUSTER_PORT: String(config.clusterPort + number - 1) }),
          ...(port === undefined
            ? { [countVariable]: String(count) }
            : { PORT: String(port), [portSharedVariable]: "1" })
        }
      })
      const ready = Deferred.makeUnsafe<Ready>()
      children.set(number, child)
      child.on("message", (message: ToParent) => {
        if (message.type === "ready") Deferred.doneUnsafe(ready, Effect.succeed(message))
        else if (message.type === "collect") {
          const { id } = message
          collect((text) => {
            if (child.connected) child.send({ type: "collected", id, text } satisfies ToChild, () => {})
          })
        }
      })
      return { child, ready: Deferred.await(ready) }
    })

  /** Runs a process to its end; answers why it ended, and whether it had become ready. */
  const once = (number: number) =>
    Effect.acquireUseRelease(
      start(number),
      Effect.fnUntraced(function*({ child, ready }) {
        yield* Effect.forkChild(Effect.gen(function*() {
          const where = yield* ready
          serving.add(number)
          if (!(yield* Deferred.succeed(first, where))) yield* Effect.logInfo(`Process ${number} is ready`)
        }))
        const reason = yield* ends(child)
        return { reason, wasReady: serving.delete(number) }
      }),
      ({ child }) => Effect.andThen(stop(child), Effect.sync(() => void children.delete(number)))
    )

  const keep = Effect.fnUntraced(function*(number: number) {
    for (let wait: number | undefined;;) {
      const begun = performance.now()
      const { reason, wasReady } = yield* once(number)
      if (!wasReady && serving.size === 0) {
        return yield* new ProcessFailed({
          message: `Process ${number} ended with ${reason}.`,
          status: Number(reason)
        })
      }
      wait = waitAfterEnd(wait, performance.now() - begun)
      yield* Effect.logError(`Process ${number} ended with ${reason} and is started again`)
      yield* Effect.sleep(wait)
    }
  })

  const others = Effect.gen(function*() {
    const { port: bound, publicUrl } = yield* Deferred.await(first)
    port = bound
    yield* keepPort(bound)
    yield* announceReady(config, publicUrl, url)
    return yield* Effect.forEach(Array.from({ length: count - 1 }, (_, index) => index + 2), keep, {
      concurrency: "unbounded"
    })
  })
  // The first one settles the port and migrates the database; the others join it.
  return yield* Effect.all([keep(1), others], { concurrency: "unbounded", discard: true })
})

/** Runs so many processes until interrupted. */
export const run = (count: number) => several(count).pipe(Effect.scoped, Effect.provide(DatabaseTarget.layer))
