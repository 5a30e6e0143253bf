import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { adminToken, BenchError, serviceEnvironment, startService } from "../harness/ServiceProcess.ts"
import { soakReceiver } from "./SoakReceiver.ts"
import type { SoakReceiver } from "./SoakReceiver.ts"
import { soakWatch } from "./SoakWatch.ts"
import { makeWorld, soakCalls, works } from "./SoakWorld.ts"
import type { SoakCall, World } from "./SoakWorld.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The share of what the service can do that is asked of it. */
const share = 0.6

/** How many work at once while the capacity is measured, and at most afterwards. */
const callers = 24
const most = 256

/** How much more memory the service may have at the end than after its warm-up, by the linear fit: MiB and share. */
const growth = { mebibytes: 32, share: 0.1 }

/** Endpoints that get every event of licenses. */
const endpoints = ["/a", "/b", "/c", "/d"]

const trying = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({ try: work, catch: (cause) => new BenchError({ message: `${what}: ${String(cause)}` }) })

/** What came of the work, all of it. */
class Account {
  /** How long requests took, in milliseconds. */
  readonly latencies: Array<number> = []
  readonly statuses = new Map<number, number>()
  /** Answers and failures that must not be, with an example each. */
  readonly unexpected = new Map<string, { count: number; readonly example: string }>()
  /** Works that were not begun, because too many were under way. */
  late = 0

  private wrong(what: string, example: string): void {
    const known = this.unexpected.get(what)
    if (known === undefined) this.unexpected.set(what, { count: 1, example })
    else known.count++
  }

  /** The same calls, with an account of them. */
  of(call: SoakCall): SoakCall {
    return async (method, path, body, licenseKey) => {
      const begun = performance.now()
      const answer = await call(method, path, body, licenseKey).catch((cause: unknown) => {
        this.wrong(`${method} ${path.replaceAll(/\w+_[0-9a-z]{20,}/g, "{id}").split("?")[0]}: no answer`, String(cause))
        throw cause
      })
      this.latencies.push(performance.now() - begun)
      const { status, text } = answer
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      // What collides with somebody else's work is refused; nothing else may be.
      if (status >= 300 && ![403, 404, 409].includes(status)) {
        const place = path.replaceAll(/\w+_[0-9a-z]{20,}/g, "{id}").split("?")[0]
        this.wrong(`${method} ${place}: ${status}`, text.slice(0, 300))
      }
      return answer
    }
  }
}

const total = works.reduce((sum, [, weight]) => sum + weight, 0)

/** A work, by the weights. */
const pick = () => {
  let place = Math.random() * total
  return (works.find(([, weight]) => (place -= weight) < 0) ?? works[0]!)[2]
}

/** Works without a pause, `callers` at once; answers works a second. */
const measureCapacity = async (call: SoakCall, world: World, seconds: number): Promise<number> => {
  const begun = performance.now()
  let done = 0
  await Promise.all(Array.from({ length: callers }, async () => {
    while (performance.now() - begun < seconds * 1000) {
      await pick()(call, world).catch(() => undefined)
      done++
    }
  }))
  return done / ((performance.now() - begun) / 1000)
}

/** Works so many times a second, whatever is answered. */
const goOn = async (account: Account, call: SoakCall, world: World, rate: number, seconds: number): Promise<void> => {
  const counted = account.of(call)
  const begun = performance.now()
  const underWay = new Set<Promise<unknown>>()
  for (let started = 0; performance.now() - begun < seconds * 1000;) {
    for (const due = (performance.now() - begun) / 1000 * rate; started < due; started++) {
      if (underWay.size >= most) {
        account.late++
        continue
      }
      const work: Promise<unknown> = pick()(counted, world).catch(() => undefined).finally(() => underWay.delete(work))
      underWay.add(work)
    }
    await delay(5)
  }
  await Promise.all(underWay)
}

/** Mebibytes a second, and the mean, of the straight line nearest to the samples. */
const line = (samples: ReadonlyArray<readonly [number, number]>) => {
  const n = samples.length
  const [meanX, meanY] = [0, 1].map((at) => samples.reduce((sum, sample) => sum + sample[at]!, 0) / n) as [
    number,
    number
  ]
  const [covariance, variance] = samples.reduce(
    ([xy, xx], [x, y]) => [xy + (x - meanX) * (y - meanY), xx + (x - meanX) ** 2],
    [0, 0]
  )
  return { slope: covariance! / variance!, mean: meanY }
}

/** Every event of licenses that the feed has after a place, once it has all. */
const eventsOf = async (call: SoakCall, from: string): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let cursor = from, quiet = 0; quiet < 3;) {
    const { text } = await call("GET", `/api/v1/events?limit=200&cursor=${cursor}`)
    const { data, page_info } = JSON.parse(text)
    for (const { event_type, id } of data) if (event_type.startsWith("license.")) ids.push(id)
    cursor = page_info.next_cursor
    // An empty page is the end when nothing follows for a while.
    quiet = data.length === 0 ? quiet + 1 : 0
    if (data.length === 0) await delay(1_000)
  }
  return ids
}

/** How many events did not come to how many endpoints, after they had time. */
const missing = async (receiver: SoakReceiver, ids: ReadonlyArray<string>, seconds: number): Promise<number> => {
  const lost = () =>
    endpoints.reduce((sum, path) => sum + ids.filter((id) => !receiver.accepted(path).has(id)).length, 0)
  for (const until = performance.now() + seconds * 1000; lost() > 0 && performance.now() < until;) await delay(500)
  return lost()
}

/** Runs the command line of the service; answers its exit code and what it printed. */
const cli = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve, reject) => {
    const child = spawn(process.execPath, ["src/runtime/cli.ts", ...args], {
      cwd: root,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    }
    child.once("error", reject)
    child.once("close", (code) => resolve({ code: code ?? -1, output }))
  })

/**
 * All writers, readers, sweepers and exports and a receiver that fails now and then, at a share of the capacity that is
 * measured at the start; fails when anything was not as it must be.
 */
export const soak = ({ json, minutes }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, undefined)
    const receiver = yield* soakReceiver
    const { call, close } = soakCalls(service.port)
    yield* Effect.addFinalizer(() => Effect.promise(close))
    const world = yield* trying("The beginning", () => makeWorld(call, receiver.url))
    for (const path of endpoints) {
      yield* trying("A webhook", () =>
        service.call("POST", "/api/v1/webhooks", {
          name: `Soak ${path}`,
          url: receiver.url + path,
          event_types: ["license.*"]
        }))
    }
    const from = yield* trying("The feed", async () => {
      const { text } = await call("GET", "/api/v1/events?order=desc&limit=1")
      return String(JSON.parse(text).data[0]?.sequence ?? 0)
    })

    const seconds = minutes * 60
    const warmUp = Math.min(300, seconds * 0.2)
    const capacity = yield* trying("The capacity", () => measureCapacity(call, world, Math.min(30, seconds / 6)))
    yield* Console.error(`${figure(capacity)} works a second; ${minutes} minutes at ${share * 100} % of that`)
    const watch = yield* soakWatch(databaseUrl, service.pid)
    const account = new Account()
    yield* trying("The work", () => goOn(account, call, world, capacity * share, seconds))
    const memory = watch.memory.filter(([at]) => at > warmUp)
    const longTransactions = watch.longTransactions()
    const deadlocks = yield* watch.deadlocks

    receiver.recover()
    const ids = yield* trying("The feed", () => eventsOf(call, from))
    const lost = yield* trying("The deliveries", () => missing(receiver, ids, 180))
    const environment = { ...serviceEnvironment(directory), DATABASE_URL: databaseUrl, COUNTERSIGN_TOKEN: adminToken }
    const doctor = yield* trying("The doctor", () => cli(["doctor"], environment))
    const [file, keys] = [join(directory, "events.ndjson"), join(directory, "keys.json")]
    const base = `http://127.0.0.1:${service.port}`
    const exported = yield* trying("The export", async () => {
      writeFileSync(keys, (await call("GET", "/api/v1/system/public-keys")).text)
      return cli(["events", "export", "--base", base, "--out", file], environment)
    })
    const verified = yield* trying("The proof", () => cli(["verify", "events", file, "--keys", keys], environment))

    const { mean, slope } = line(memory)
    const grown = slope * (seconds - warmUp)
    const bound = Math.max(growth.mebibytes, growth.share * mean)
    const { count, maximum, p50, p99 } = distributionOf([Float64Array.from(account.latencies)])
    const unexpected = [...account.unexpected].toSorted(([, a], [, b]) => b.count - a.count)
    const wrong = unexpected.reduce((sum, [, { count }]) => sum + count, 0)
    const violations = [
      ...(grown > bound ? [`Memory grew by ${figure(grown)} MiB, more than ${figure(bound)} MiB`] : []),
      ...(deadlocks > 0 ? [`${deadlocks} deadlocks`] : []),
      ...longTransactions.slice(0, 5).map(({ query, seconds }) =>
        `A transaction with an id was open for ${figure(seconds, 1)} s or longer: ${query.replaceAll(/\s+/g, " ")}`
      ),
      ...unexpected.slice(0, 10).map(([what, { count, example }]) => `${count} times ${what}: ${example}`),
      ...(account.late > 0 ? [`${account.late} works were not begun: ${most} were under way`] : []),
      ...(lost > 0 ? [`${lost} deliveries did not come`] : []),
      ...(doctor.code === 0 ? [] : [`The doctor: ${doctor.output.slice(0, 2_000)}`]),
      ...(exported.code === 0 ? [] : [`events export: ${exported.output.slice(0, 2_000)}`]),
      ...(verified.code === 0 ? [] : [`verify events: ${verified.output.slice(0, 2_000)}`])
    ]
    if (json) {
      yield* Console.log(JSON.stringify({
        minutes,
        capacity,
        requests: count,
        p50,
        p99,
        maximum,
        statuses: Object.fromEntries(account.statuses),
        mean,
        grown,
        deadlocks,
        longTransactions,
        events: ids.length,
        lost,
        violations
      }))
    } else {
      const rows: ReadonlyArray<readonly [string, string, string]> = [
        ["requests", `${figure(count)} (${figure(count / seconds)} /s)`, ""],
        ["works a second", figure(capacity * share), `${share * 100} % of ${figure(capacity)}`],
        ["p50, p99, longest", `${figure(p50)}, ${figure(p99)}, ${figure(maximum)} ms`, ""],
        ["statuses", [...account.statuses].map(([status, times]) => `${status}: ${times}`).join(", "), ""],
        ["unexpected answers", figure(wrong), "0"],
        ["memory", `${figure(mean)} MiB, ${grown < 0 ? "" : "+"}${figure(grown)} MiB`, `at most +${figure(bound)} MiB`],
        ["deadlocks", figure(deadlocks), "0"],
        ["transactions with an id over 1 s", figure(longTransactions.length), "0"],
        ["deliveries refused by the receiver", figure(receiver.refused()), ""],
        ["events of licenses", figure(ids.length), ""],
        ["deliveries that did not come", figure(lost), "0"],
        ["doctor", doctor.code === 0 ? "finds nothing" : "finds something", "finds nothing"],
        ["events export, verify events", exported.code + verified.code === 0 ? "genuine" : "not so", "genuine"]
      ]
      yield* print(`Soak of ${minutes} minutes`, ["", "is", "must be"], rows, [])
    }
    if (violations.length > 0) return yield* new BenchError({ message: violations.join("\n") })
  })
