import { Effect, Schedule } from "effect"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import type { DeliverQuestion } from "./limitDeliver.ts"
import type { ReceiverAnswer, ReceiverQuestion } from "./receiver.ts"

const endpoints = 8

/** Drains of a backlog, each beside one of the bare loop. */
const rounds = 3
const backlog = 2000

/** Events a second while latencies are measured. */
const rate = 100
const seconds = 5

/** What the service has in flight to one endpoint at most, times the endpoints. */
const inFlight = 10 * endpoints

/** No POST starts later than this after a pause. */
const pauseTakes = "1100 millis"

/** What one side did. Deliveries a second, CPU in microseconds a delivery. */
interface Drain {
  readonly perSecond: number
  readonly cpu: number
}

const total = (drains: ReadonlyArray<Drain>, member: keyof Drain): number =>
  drains.reduce((sum, drain) => sum + drain[member], 0) / drains.length

/** Drains backlogs and then delivers at a steady rate, to receivers in a process of their own. */
export const measureService = ({ profile }: Pick<BenchOptions, "profile">) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const service = yield* startService(yield* benchDatabase(directory), directory, profile)
    const receiver = yield* startWorker<ReceiverQuestion, ReceiverAnswer>(new URL("./receiver.ts", import.meta.url))
    const limit = yield* startWorker<DeliverQuestion, number>(new URL("./limitDeliver.ts", import.meta.url))
    const { port } = yield* receiver.ask({ ask: "listen" })
    const origin = `http://127.0.0.1:${port}`

    const call = (...parameters: Parameters<typeof service.call>) =>
      Effect.tryPromise({
        try: () => service.call(...parameters),
        catch: (cause) => new BenchError({ message: String(cause) })
      })
    const product = yield* call("POST", "/api/v1/products", { name: "Bench", code: `bench-${Date.now().toString(36)}` })
    const webhooks = yield* Effect.forEach(
      Array.from({ length: endpoints }, (_, index) => index),
      (index) =>
        call("POST", "/api/v1/webhooks", {
          name: `Receiver ${index}`,
          url: `${origin}/${index}`,
          event_types: ["product.updated"]
        })
    )
    /** One write through the API, which commits one event. */
    const commit = (number: number) =>
      // On a busy machine load is shed, management first.
      Effect.retry(call("PATCH", `/api/v1/products/${product.id}`, { name: `Bench ${number}` }), {
        schedule: Schedule.spaced("250 millis"),
        times: 20
      })
    const setActive = (is_active: boolean) =>
      Effect.forEach(webhooks, ({ webhook }) => call("PATCH", `/api/v1/webhooks/${webhook.id}`, { is_active }), {
        concurrency: "unbounded",
        discard: true
      })
    const awaitDeliveries = Effect.fnUntraced(function*(deliveries: number) {
      const answer = yield* receiver.ask({ ask: "await", deliveries, seconds: 60 })
      if (answer.delivered < deliveries) {
        return yield* new BenchError({ message: `${answer.delivered} of ${deliveries} deliveries arrived within 60 s` })
      }
      return answer
    })

    const drainService = Effect.gen(function*() {
      yield* setActive(false)
      yield* Effect.sleep(pauseTakes)
      yield* receiver.ask({ ask: "reset" })
      yield* Effect.forEach(Array.from({ length: backlog }, (_, index) => index), commit, {
        concurrency: 16,
        discard: true
      })
      // The sequencer has numbered everything by then.
      yield* Effect.sleep("500 millis")
      const cpu = usageOf(service.pid).cpu
      const begin = performance.now()
      yield* setActive(true)
      const { duplicates, sample } = yield* awaitDeliveries(backlog * endpoints)
      const took = (performance.now() - begin) / 1000
      return {
        perSecond: backlog * endpoints / took,
        cpu: (usageOf(service.pid).cpu - cpu) * 1e6 / (backlog * endpoints),
        duplicates,
        sample
      }
    })
    const drainLimit = Effect.fnUntraced(function*(body: string) {
      yield* receiver.ask({ ask: "reset" })
      const cpu = usageOf(limit.pid).cpu
      const took = yield* limit.ask({ origin, body, deliveries: backlog * endpoints, inFlight })
      return {
        perSecond: backlog * endpoints / took,
        cpu: (usageOf(limit.pid).cpu - cpu) * 1e6 / (backlog * endpoints)
      }
    })

    const warm = yield* drainService
    yield* drainLimit(warm.sample)
    const ours: Array<Drain> = []
    const theirs: Array<Drain> = []
    let duplicates = warm.duplicates
    for (let turn = 0; turn < rounds; turn++) {
      const drained = yield* drainService
      duplicates += drained.duplicates
      ours.push(drained)
      theirs.push(yield* drainLimit(drained.sample))
    }

    yield* receiver.ask({ ask: "reset" })
    const events = rate * seconds
    const cpu = usageOf(service.pid).cpu
    yield* Effect.forEach(
      Array.from({ length: events }, (_, index) => index),
      (index) => Effect.delay(commit(index), index * 1000 / rate),
      { concurrency: "unbounded", discard: true }
    )
    const steady = yield* awaitDeliveries(events * endpoints)
    const steadyCpu = (usageOf(service.pid).cpu - cpu) / seconds
    duplicates += steady.duplicates
    const latency = distributionOf([steady.latencies])
    const { peakRss, rss } = usageOf(service.pid)

    return {
      endpoints,
      service: { drain: total(ours, "perSecond"), cpu: total(ours, "cpu"), rss, peakRss },
      limit: { drain: total(theirs, "perSecond"), cpu: total(theirs, "cpu"), rss: usageOf(limit.pid).rss },
      ratio: total(ours, "perSecond") / total(theirs, "perSecond"),
      duplicates,
      steady: { rate, seconds, ...latency, coresUsed: steadyCpu }
    }
  })

/** Prints what {@link measureService} found. */
export const printService = (
  { duplicates, limit, ratio, service, steady }: Effect.Success<ReturnType<typeof measureService>>
): Effect.Effect<void> =>
  print(
    `service: ${endpoints} endpoints, ${rounds} drains of ${backlog} events each (${
      figure(backlog * endpoints)
    } deliveries), in turns`,
    ["", "deliveries/s", "CPU us/delivery", "RSS MiB", "peak MiB"],
    [
      ["service", figure(service.drain), figure(service.cpu), figure(service.rss), figure(service.peakRss)],
      ["limit", figure(limit.drain), figure(limit.cpu), figure(limit.rss), "-"]
    ],
    [
      `The service drains at ${figure(ratio, 2)} of the limit's rate. The limit is a bare loop that signs and POSTs.`,
      `At ${steady.rate} events/s for ${steady.seconds} s, from commit to 2xx: p50 ${figure(steady.p50, 1)} ms, p95 ${
        figure(steady.p95, 1)
      } ms, p99 ${figure(steady.p99, 1)} ms, max ${figure(steady.maximum, 1)} ms, with ${
        figure(steady.coresUsed, 2)
      } of a core (the API's writes included).`,
      `Duplicates: ${duplicates}.`
    ]
  )
