// What every sender does in a process of its own: it is prepared once, and then asked to take events and to deliver.
import { answerQuestions } from "../harness/Worker.ts"

/** Where one endpoint is, and which kind of event it takes. */
export interface SenderEndpoint {
  readonly url: string
  readonly kind: number
}

/** What a sender works on. */
export interface SenderSetup {
  readonly databaseUrl: string
  /** The Unix socket of Redis; empty where there is none. */
  readonly redisSocket: string
  /** One queue for all endpoints, or one for each. */
  readonly queues: "one" | "each"
  readonly endpoints: ReadonlyArray<SenderEndpoint>
  /** Attempts in flight at most: to one endpoint, and to all. */
  readonly inFlight: { readonly endpoint: number; readonly all: number }
}

export type SenderQuestion =
  | { readonly ask: "prepare"; readonly setup: SenderSetup }
  /** Delivers from now on, or no longer. */
  | { readonly ask: "start" }
  | { readonly ask: "stop" }
  /** Commits so many events, numbered from `first`, as fast as it can; answers the seconds that took. */
  | { readonly ask: "enqueue"; readonly first: number; readonly events: number }
  /** Commits them at `rate` a second. */
  | { readonly ask: "pace"; readonly first: number; readonly events: number; readonly rate: number }

/** An event as the benchmark makes it. */
export interface BenchEvent {
  readonly number: number
  readonly kind: number
  /** About what the service says of a product. */
  readonly data: { readonly [name: string]: string | boolean }
}

/** One way to deliver. */
export interface DeliverySender {
  /** Commits one event, and all that delivers it to the endpoints which take it, in one transaction. */
  readonly enqueue: (event: BenchEvent) => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Transactions at once while events are committed as fast as possible. */
const callers = 16

const eventOf = (number: number, kinds: number): BenchEvent => ({
  number,
  kind: number % kinds,
  data: {
    code: "acme-studio",
    created_at: "2026-01-01T00:00:00.000Z",
    description: "Everything that a studio needs to cut, mix and publish, on one desk.",
    id: "prd_01k6f3q8zve8rbkm1v4t2c9dxa",
    is_active: true,
    name: `Acme Studio ${number}`,
    updated_at: "2026-01-01T00:00:00.000Z",
    url: "https://example.com/products/acme-studio"
  }
})

const sleepUntil = (at: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())))

/** Answers the questions of the benchmark with the sender that `prepare` makes. */
export const serveSender = (prepare: (setup: SenderSetup) => Promise<DeliverySender>): void => {
  let sender: DeliverySender | undefined
  let kinds = 1

  const commit = async (sender: DeliverySender, first: number, events: number): Promise<void> => {
    let next = first
    await Promise.all(Array.from({ length: callers }, async () => {
      while (next < first + events) await sender.enqueue(eventOf(next++, kinds))
    }))
  }

  const pace = async (sender: DeliverySender, first: number, events: number, rate: number): Promise<void> => {
    const begin = performance.now()
    const running: Array<Promise<void>> = []
    for (let index = 0; index < events; index++) {
      await sleepUntil(begin + index * 1000 / rate)
      running.push(sender.enqueue(eventOf(first + index, kinds)))
    }
    await Promise.all(running)
  }

  answerQuestions(async (question: SenderQuestion): Promise<number> => {
    const begin = performance.now()
    if (question.ask === "prepare") {
      kinds = 1 + Math.max(...question.setup.endpoints.map(({ kind }) => kind))
      sender = await prepare(question.setup)
    } else if (sender === undefined) throw new Error("Not prepared")
    else if (question.ask === "enqueue") await commit(sender, question.first, question.events)
    else if (question.ask === "pace") await pace(sender, question.first, question.events, question.rate)
    else await sender[question.ask]()
    return (performance.now() - begin) / 1000
  })
}
