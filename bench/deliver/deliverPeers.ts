import { Console, Effect } from "effect"
import type { Scope } from "effect"
import { figure } from "../harness/Report.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Burst, Steady } from "./DeliveryPhases.ts"
import { burst, burstOf, steadily, steadyOf, warmUp } from "./DeliveryPhases.ts"
import type { DeliveryStage, StagedSender } from "./DeliveryStage.ts"
import { stageSender } from "./DeliveryStage.ts"
import type { SenderChoice } from "./Senders.ts"

const endpoints = 8
const rate = 100
/** Before anything is measured: events as fast as they go, and then, for so many seconds, as they come. */
const warming = { events: 300, seconds: 5 }

/** Of each sender, in turns. */
const rounds = 2
const steadySeconds = 10
const burstEvents = 3000

/** Longer than a receiver may take until it answers, so that attempts run out while it is measured. */
const hangingSeconds = 11

/** Events to one endpoint whose receiver refuses one attempt in so many, and the rest, in seconds, that it asks for. */
const refusing = { events: 1500, every: 17, rests: [undefined, 1] } as const

/** How long the last deliveries may take, in seconds, when nothing and when something is wrong. */
const wait = { undisturbed: 30, disturbed: 4 }

/** Endpoints and deliveries of an event while many are dead: one of five is. */
const many = { endpoints: 1000, kinds: 50, rate: 25, seconds: 3 }

/** How the healthy endpoints fared before something was wrong, and while it was. */
export interface Disturbance {
  readonly undisturbed: Steady
  readonly disturbed: Steady
}

/** What was measured of a sender; what was not asked for is left out. */
export interface PeerResult {
  readonly name: string
  readonly isInstalled: boolean
  /** Why something is left out that was asked for. */
  readonly failure?: string | undefined
  readonly steady?: Steady | undefined
  readonly burst?: Burst | undefined
  readonly hanging?: Disturbance | undefined
  readonly dead?: Disturbance | undefined
  /** A drain to a receiver that refuses by chance: without a header, and with one. */
  readonly refusing?: ReadonlyArray<Burst> | undefined
}

const eight = Array.from({ length: endpoints }, (_, index) => ({ path: `/${index}`, kind: 0, mortal: false }))

/** A sender that takes its turns. */
interface Side {
  readonly name: string
  readonly sender: StagedSender | undefined
  readonly steady: Array<Steady>
  readonly burst: Array<Burst>
  /** Why it takes no more turns. */
  failure: string | undefined
}

/** Runs what a sender does, says how long it took, and keeps the others out of its failure. */
const ofSender = <A>(what: string, work: Effect.Effect<A, BenchError>) =>
  Effect.gen(function*() {
    const begin = performance.now()
    const result = yield* Effect.result(work)
    const seconds = figure((performance.now() - begin) / 1000, 1)
    const failure = result._tag === "Failure" ? result.failure.message : undefined
    yield* Console.error(`${what}: ${failure ?? `${seconds} s`}`)
    return { value: result._tag === "Success" ? result.success : undefined, failure }
  })

const ready = Effect.fnUntraced(function*(sender: StagedSender) {
  yield* warmUp(sender, warming.events, endpoints)
  const events = rate * warming.seconds
  yield* steadily(sender, { events, expected: events * endpoints, rate, wait: wait.undisturbed })
  yield* sender.ask({ ask: "stop" })
})

const takeTurn = Effect.fnUntraced(function*(side: Side, sender: StagedSender, scenarios: ReadonlySet<string>) {
  yield* sender.ask({ ask: "start" })
  if (scenarios.has("steady")) {
    const events = rate * steadySeconds
    side.steady.push(
      yield* steadily(sender, { events, expected: events * endpoints, rate, wait: wait.undisturbed })
    )
  }
  if (scenarios.has("burst")) {
    const drained = yield* burst(sender, burstEvents, endpoints)
    side.burst.push(drained)
    // What is left of it would be delivered in the next turn.
    if (drained.missing > 0) return yield* new BenchError({ message: `${drained.missing} deliveries did not arrive` })
  }
  yield* sender.ask({ ask: "stop" })
})

/** Senders with eight endpoints: a steady rate and a burst of each, in turns, so that what disturbs disturbs all. */
export const measureInTurns = (
  stage: DeliveryStage,
  choices: ReadonlyArray<SenderChoice>,
  scenarios: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<Pick<PeerResult, "steady" | "burst" | "failure">>, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const sides: Array<Side> = []
    for (const choice of choices) {
      const { name } = choice
      const sender = yield* stageSender(stage, choice, eight)
      const { failure } = sender === undefined
        ? { failure: undefined }
        : yield* ofSender(`${name}, warming up`, ready(sender))
      sides.push({ name, sender, steady: [], burst: [], failure })
    }
    for (let turn = 0; turn < rounds; turn++) {
      for (const side of sides) {
        const { name, sender } = side
        if (sender === undefined || side.failure !== undefined) continue
        const { failure } = yield* ofSender(`${name}, turn ${turn + 1}`, takeTurn(side, sender, scenarios))
        side.failure = failure
        // What it has left would arrive among the deliveries of the others.
        if (failure !== undefined) yield* sender.ask({ ask: "stop" })
      }
    }
    return sides.map(({ burst, failure, steady }) => ({
      steady: steady.length === 0 ? undefined : steadyOf(steady),
      burst: burst.length === 0 ? undefined : burstOf(burst),
      failure
    }))
  })

/** One of eight endpoints never answers. */
const amongEight = (stage: DeliveryStage, choice: SenderChoice) =>
  Effect.gen(function*() {
    const sender = yield* stageSender(stage, choice, eight)
    if (sender === undefined) return undefined
    yield* warmUp(sender, warming.events, endpoints)
    const before = rate * steadySeconds
    const undisturbed = yield* steadily(sender, {
      events: before,
      expected: before * endpoints,
      rate,
      wait: wait.undisturbed
    })
    yield* stage.receiver.ask({ ask: "hang", paths: ["/0"] })
    const events = rate * hangingSeconds
    const disturbed = yield* steadily(sender, {
      events,
      expected: events * (endpoints - 1),
      rate,
      wait: wait.disturbed
    })
    return { undisturbed, disturbed }
  })

const perKind = many.endpoints / many.kinds
const isMortal = (index: number) => Math.floor(index / many.kinds) % 5 === 0

/** One sender with a thousand endpoints, twenty for each kind of event, of which a fifth stops to be there. */
const amongMany = (stage: DeliveryStage, choice: SenderChoice) =>
  Effect.gen(function*() {
    const sender = yield* stageSender(
      stage,
      choice,
      Array.from({ length: many.endpoints }, (_, index) => ({
        path: `/${index}`,
        kind: index % many.kinds,
        mortal: isMortal(index)
      }))
    )
    if (sender === undefined) return undefined
    yield* warmUp(sender, 2 * many.kinds, perKind)
    const events = many.rate * many.seconds
    const undisturbed = yield* steadily(sender, {
      events,
      expected: events * perKind,
      rate: many.rate,
      wait: wait.undisturbed
    })
    yield* stage.receiver.ask({ ask: "die" })
    const disturbed = yield* steadily(sender, {
      events,
      expected: events * perKind * 4 / 5,
      rate: many.rate,
      wait: wait.disturbed
    })
    return { undisturbed, disturbed }
  })

/** One endpoint, whose receiver refuses some attempts whatever their rate is. */
const ofRefusing = (stage: DeliveryStage, choice: SenderChoice, retryAfter: number | undefined) =>
  Effect.gen(function*() {
    const sender = yield* stageSender(stage, choice, eight.slice(0, 1))
    if (sender === undefined) return undefined
    yield* warmUp(sender, warming.events, 1)
    yield* stage.receiver.ask({ ask: "refuse", every: refusing.every, retryAfter })
    return yield* burst(sender, refusing.events, 1)
  })

/** What something wrong does to the senders, one after the other. */
export const measureDisturbed = (
  stage: DeliveryStage,
  choice: SenderChoice,
  scenarios: ReadonlySet<string>
): Effect.Effect<Pick<PeerResult, "hanging" | "dead" | "refusing">, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const { name } = choice
    const hanging = scenarios.has("hanging")
      ? yield* ofSender(`${name}, hanging`, Effect.scoped(amongEight(stage, choice)))
      : undefined
    const dead = scenarios.has("dead")
      ? yield* ofSender(`${name}, dead`, Effect.scoped(amongMany(stage, choice)))
      : undefined
    const drains: Array<Burst> = []
    for (const rest of scenarios.has("refusing") ? refusing.rests : []) {
      const { value } = yield* ofSender(`${name}, refusing`, Effect.scoped(ofRefusing(stage, choice, rest)))
      if (value !== undefined) drains.push(value)
    }
    return {
      hanging: hanging?.value,
      dead: dead?.value,
      refusing: drains.length < refusing.rests.length ? undefined : drains
    }
  })

/** What the tables say of how it was measured. */
export const figures = {
  endpoints,
  rate,
  rounds,
  steadySeconds,
  burstEvents,
  hangingSeconds,
  wait,
  refusing,
  many,
  perKind
} as const
