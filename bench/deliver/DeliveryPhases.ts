import { Effect } from "effect"
import type { Distribution } from "../harness/Distribution.ts"
import { distributionOf } from "../harness/Distribution.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import { costBetween } from "./DeliveryCost.ts"
import type { StagedSender } from "./DeliveryStage.ts"
import type { ReceiverAnswer } from "./receiver.ts"

/** What deliveries cost. CPU in microseconds a delivery. */
export interface UnitCost {
  readonly wal: number
  readonly commits: number
  readonly senderCpu: number
  readonly storeCpu: number
}

/** Deliveries as they come. */
export interface Steady {
  /** From before the commit to the 2xx. */
  readonly latency: Distribution
  readonly samples: Float64Array
  /** Deliveries that did not arrive in time; their latencies are infinite. */
  readonly missing: number
  readonly duplicates: number
  readonly cost: UnitCost
}

/** Deliveries that waited: events and deliveries a second. */
export interface Burst {
  /** Deliveries that did not arrive in time; `drain` is the rate of those that did. */
  readonly missing: number
  readonly enqueue: number
  readonly drain: number
  readonly latency: Distribution
  readonly samples: Float64Array
  readonly duplicates: number
  readonly cost: UnitCost
}

/** Long enough for what a sender writes after the 2xx to be written. */
const settling = "700 millis"

/** How long, in seconds, a warm-up and a drain may take. */
export const patience = 20

const measured = <A, E>(sender: StagedSender, deliveries: number, work: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const before = yield* sender.cost
    const answer = yield* work
    yield* Effect.sleep(settling)
    const used = costBetween(before, yield* sender.cost)
    return {
      answer,
      cost: {
        wal: used.wal / deliveries,
        commits: used.commits / deliveries,
        senderCpu: used.sender * 1e6 / deliveries,
        storeCpu: used.store * 1e6 / deliveries
      } satisfies UnitCost
    }
  })

const awaitAll = Effect.fnUntraced(function*(sender: StagedSender, deliveries: number) {
  const answer = yield* sender.receiver.ask({ ask: "await", deliveries, seconds: patience })
  if (answer.delivered >= deliveries) return answer
  return yield* new BenchError({
    message: `${answer.delivered} of ${deliveries} deliveries arrived within ${patience} s`
  })
})

/** Latencies of all that should have arrived: what did not is later than everything. */
const samplesOf = ({ latencies }: ReceiverAnswer, expected: number): Float64Array => {
  const samples = new Float64Array(Math.max(expected, latencies.length)).fill(Number.POSITIVE_INFINITY)
  samples.set(latencies)
  return samples
}

/** Lets the compiler see it all: events that are delivered as they come. Leaves it delivering. */
export const warmUp = Effect.fnUntraced(function*(sender: StagedSender, events: number, perEvent: number) {
  yield* sender.receiver.ask({ ask: "reset" })
  yield* sender.ask({ ask: "start" })
  yield* sender.ask({ ask: "enqueue", first: sender.number(events), events })
  yield* awaitAll(sender, events * perEvent)
})

/** Events at a steady rate, delivered as they come. `wait`: how long, in seconds, the last may take to arrive. */
export const steadily = Effect.fnUntraced(function*(
  sender: StagedSender,
  { events, expected, rate, wait }: {
    readonly events: number
    readonly expected: number
    readonly rate: number
    readonly wait: number
  }
) {
  yield* sender.receiver.ask({ ask: "reset" })
  const { answer, cost } = yield* measured(
    sender,
    expected,
    Effect.andThen(
      sender.ask({ ask: "pace", first: sender.number(events), events, rate }),
      sender.receiver.ask({ ask: "await", deliveries: expected, seconds: wait })
    )
  )
  const samples = samplesOf(answer, expected)
  return {
    latency: distributionOf([samples]),
    samples,
    missing: expected - answer.delivered,
    duplicates: answer.duplicates,
    cost
  } satisfies Steady
})

/** Events that are committed one by one while nothing is delivered, and then drained. Leaves it delivering. */
export const burst = Effect.fnUntraced(function*(sender: StagedSender, events: number, perEvent: number) {
  yield* sender.ask({ ask: "stop" })
  yield* sender.receiver.ask({ ask: "reset" })
  const deliveries = events * perEvent
  const { answer, cost } = yield* measured(
    sender,
    deliveries,
    Effect.gen(function*() {
      const seconds = yield* sender.ask({ ask: "enqueue", first: sender.number(events), events })
      yield* sender.ask({ ask: "start" })
      return { seconds, arrived: yield* sender.receiver.ask({ ask: "await", deliveries, seconds: patience }) }
    })
  )
  const samples = samplesOf(answer.arrived, deliveries)
  return {
    missing: deliveries - answer.arrived.delivered,
    enqueue: events / answer.seconds,
    drain: answer.arrived.delivered / answer.arrived.span,
    latency: distributionOf([samples]),
    samples,
    duplicates: answer.arrived.duplicates,
    cost
  } satisfies Burst
})

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const costOf = (costs: ReadonlyArray<UnitCost>): UnitCost => ({
  wal: mean(costs.map(({ wal }) => wal)),
  commits: mean(costs.map(({ commits }) => commits)),
  senderCpu: mean(costs.map(({ senderCpu }) => senderCpu)),
  storeCpu: mean(costs.map(({ storeCpu }) => storeCpu))
})

/** Rounds of the same length as one. */
export const steadyOf = (rounds: ReadonlyArray<Steady>): Steady => ({
  latency: distributionOf(rounds.map(({ samples }) => samples)),
  samples: new Float64Array(),
  missing: rounds.reduce((sum, { missing }) => sum + missing, 0),
  duplicates: rounds.reduce((sum, { duplicates }) => sum + duplicates, 0),
  cost: costOf(rounds.map(({ cost }) => cost))
})

/** Bursts of the same size as one. */
export const burstOf = (rounds: ReadonlyArray<Burst>): Burst => ({
  missing: rounds.reduce((sum, { missing }) => sum + missing, 0),
  enqueue: mean(rounds.map(({ enqueue }) => enqueue)),
  drain: mean(rounds.map(({ drain }) => drain)),
  latency: distributionOf(rounds.map(({ samples }) => samples)),
  samples: new Float64Array(),
  duplicates: rounds.reduce((sum, { duplicates }) => sum + duplicates, 0),
  cost: costOf(rounds.map(({ cost }) => cost))
})
