import { Console, Effect } from "effect"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { distributionOf } from "../harness/Distribution.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { usageOf } from "../harness/ProcessUsage.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"
import { licenseWatch } from "./LicenseWatch.ts"
import type { SendAnswer, SendQuestion } from "./sender.ts"
import { eventsOfCheckout, price } from "./StripeEvents.ts"

/** Events a second, and what is asked for: milliseconds of their p99, and of a license after its event. */
const rate = 500
const asked = { p99: 50, license: 300 }

const callers = 64
const warmUpSeconds = 3

/** How long, in seconds, licenses may be waited for that are still due. */
const patience = 60

/** What events fared like while something else went on. */
interface PurchasesRow {
  readonly name: string
  /** Events that were accepted in a second, and from when they were due to their answer, in milliseconds. */
  readonly rate: number
  readonly latency: Distribution
  /** How often one was refused because the service had too much to do, and sent again. */
  readonly refused: number
  /** From when the deciding event was due to the license, in milliseconds. */
  readonly license: Distribution
  /** Processor time of the service for an event with all that follows from it, in microseconds; that of validates included. */
  readonly cpu: number
  readonly validates: { readonly rate: number; readonly latency: Distribution } | undefined
}

const connect = ({ call }: ServiceProcess, secret: string) =>
  Effect.tryPromise({
    try: async () => {
      const product = await call("POST", "/api/v1/products", { name: "Bench", code: `sold-${Date.now().toString(36)}` })
      const policy = await call("POST", `/api/v1/products/${product.id}/policies`, {
        name: "Pro",
        code: "pro",
        license_type: "subscription",
        follows_subscription: true
      })
      const connection = await call("POST", "/api/v1/billing/connections", {
        provider: "stripe",
        name: "Bench",
        secret,
        mapping: { prices: [{ by: "price", value: price, policy_id: policy.id, quantity: "seats" }] }
      })
      return String(connection.events_path)
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })

/** How fast events of a payment provider are accepted, and how long after them their licenses are there. */
export const purchases = ({ json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const secret = `whsec_${"bench".repeat(6)}`
    const path = yield* connect(service, secret)
    const issued = yield* issueLicenses(service, 200)
    yield* runSql(databaseUrl, [["ANALYZE", []]])
    const sender = yield* startWorker<SendQuestion, SendAnswer>(new URL("./sender.ts", import.meta.url))
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const requests = issued.map(({ fingerprint, licenseKey }) =>
      requestBytes(service.port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
        fingerprint
      })
    )
    const validate = (length: number, pace?: number) =>
      load.ask({
        port: service.port,
        requests,
        callers,
        seconds: length,
        ...(pace === undefined ? {} : { rate: pace })
      })

    let rounds = 0
    const round = Effect.fnUntraced(function*(name: string, length: number, pace: number | undefined) {
      const run = `r${++rounds}x${Date.now().toString(36)}x`
      const watch = yield* licenseWatch(databaseUrl)
      const cpu = usageOf(service.pid).cpu
      const question = { port: service.port, path, secret, run, rate, seconds: length }
      const [sent, validated] = pace === undefined
        ? [yield* sender.ask(question), undefined] as const
        : yield* Effect.all([sender.ask(question), validate(length, pace)], { concurrency: 2 })
      if (sent.refusal !== undefined && !sent.refusal.startsWith("503")) {
        return yield* new BenchError({ message: `An event was refused: ${sent.refusal}` })
      }
      const license = yield* watch.delaysOf(sent.decided, patience)
      const events = sent.latencies.length
      return {
        name,
        rate: events / sent.seconds,
        refused: sent.refused,
        latency: distributionOf([sent.latencies]),
        license: distributionOf([license]),
        cpu: (usageOf(service.pid).cpu - cpu) * 1e6 / events,
        validates: validated === undefined
          ? undefined
          : { rate: validated.succeeded / validated.seconds, latency: distributionOf([validated.latencies]) }
      } satisfies PurchasesRow
    })

    yield* round("warm-up", warmUpSeconds, undefined)
    yield* validate(warmUpSeconds)
    const full = yield* validate(warmUpSeconds)
    const half = full.succeeded / full.seconds / 2
    const calm = yield* validate(seconds / 2, half)
    const rows = [
      yield* round("events alone", seconds / 2, undefined),
      yield* round("beside validates at half load", seconds / 2, half)
    ]
    const alone = { rate: calm.succeeded / calm.seconds, latency: distributionOf([calm.latencies]) }
    const result = { seconds, rows, alone, peakRss: usageOf(service.pid).peakRss }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(result)), result)
    yield* print(
      `purchases: ${rate} events a second of checkouts at Stripe, ${eventsOfCheckout} each, ${seconds / 2} s`,
      ["", "events/s", "p50 ms", "p99 ms", "refused", "license p50", "p99 ms", "CPU us", "validates/s", "p99 ms"],
      [
        ...rows.map(({ cpu, latency, license, name, rate, refused, validates }) => [
          name,
          figure(rate),
          figure(latency.p50, 1),
          figure(latency.p99, 1),
          figure(refused),
          figure(license.p50),
          figure(license.p99),
          figure(cpu),
          validates === undefined ? "" : figure(validates.rate),
          validates === undefined ? "" : figure(validates.latency.p99, 1)
        ]),
        ["validates alone", "", "", "", "", "", "", "", figure(alone.rate), figure(alone.latency.p99, 1)]
      ],
      [
        `Asked for: p99 below ${asked.p99} ms, and a license ${asked.license} ms after its event. A latency counts from when`,
        "an event was due. The processor time is that of the service alone, with all that follows from an event.",
        `The service had at most ${figure(result.peakRss)} MiB.`
      ]
    )
    return result
  })
