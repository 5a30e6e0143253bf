import { Context, Effect, Layer } from "effect"
import { retriesInMemory } from "../../domain/delivery/LaneRetries.ts"
import type { LaneState } from "../../domain/delivery/LaneState.ts"
import type { RequestHeaders } from "../../domain/delivery/webhooks/RequestHeaders.ts"
import type { DisabledReason } from "../../domain/delivery/webhooks/Webhook.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { LaneStore } from "./LaneStore.ts"
import type { DirectoryEntry } from "./webhooks/EndpointDirectory.ts"
import { EndpointDirectory, takes } from "./webhooks/EndpointDirectory.ts"
import type { LiveSecret } from "./webhooks/WebhookSecrets.ts"
import { WebhookSecrets } from "./webhooks/WebhookSecrets.ts"

/** The window is refilled once it has room for this many events. */
const refillFrom = 64

const retryEventsAtOnce = 32

const retryAfterFailure = 500

/** A lane while this node has it: what its loop, its reads and its attempts share. */
export interface OpenLane {
  readonly endpointId: string
  readonly state: LaneState<FeedEvent>
  /** Milliseconds of this node's clock. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly chance: () => number
  /** Has the loop look again at what can be started. */
  readonly wake: () => void
  /** Says that there is something to write; `urgent`: at once. */
  readonly mark: (urgent: boolean) => void
  /** Asks for the endpoint to be disabled. */
  readonly disable: (reason: DisabledReason) => void
}

/**
 * Reads of a lane in fibers beside its loop, one of each name at a time (single flight). A failure is logged, and the
 * loop asks for it again. A turn is a plain function and leaves them to the loop's fiber.
 */
export class Errands {
  readonly #underWay = new Set<string>()
  readonly #wake: () => void
  #left: Array<Effect.Effect<void>> = []

  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Whether any of a name is under way. */
  get any(): boolean {
    return this.#underWay.size > 0
  }

  has(name: string): boolean {
    return this.#underWay.has(name)
  }

  /** Leaves `effect` to the loop's fiber, unless one of this name is under way. Wakes the loop when it has ended. */
  start(name: string, effect: Effect.Effect<void>): void {
    if (this.#underWay.has(name)) return
    this.#underWay.add(name)
    this.leave(effect.pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(Effect.logWarning(`A lane could not ${name}`, cause), Effect.sleep(retryAfterFailure))
      ),
      Effect.ensuring(Effect.sync(() => {
        this.#underWay.delete(name)
        this.#wake()
      }))
    ))
  }

  /** Leaves `effect` to the loop's fiber. */
  leave(effect: Effect.Effect<void>): void {
    this.#left.push(effect)
  }

  /** Begins what was left, in fibers of the one that runs this. */
  readonly begin: Effect.Effect<void> = Effect.suspend(() => {
    const left = this.#left
    if (left.length === 0) return Effect.void
    this.#left = []
    return Effect.forEach(left, (effect) => Effect.forkChild(effect), { discard: true })
  })
}

/** Wakes a loop at the earliest of the times that it is set to. */
export class Alarm {
  #at = Number.POSITIVE_INFINITY
  readonly #now: () => number
  readonly #wake: () => void
  readonly #errands: Errands

  constructor(now: () => number, wake: () => void, errands: Errands) {
    this.#now = now
    this.#wake = wake
    this.#errands = errands
  }

  /** Wakes at `at`, unless it is already set to an earlier time. */
  set(at: number): void {
    if (at >= this.#at) return
    this.#at = at
    this.#errands.leave(
      Effect.sleep(Math.max(1, at - this.#now())).pipe(
        Effect.andThen(Effect.sync(() => {
          if (this.#at === at) this.clear()
          this.#wake()
        }))
      )
    )
  }

  /** Forgets what it was set to: the fibers that waited for it ended with their loop. */
  clear(): void {
    this.#at = Number.POSITIVE_INFINITY
  }
}

/** The marks of a delivery for the receiver of an endpoint: the secrets that sign, and headers of its own. */
export interface Credentials {
  readonly secrets: ReadonlyArray<LiveSecret>
  readonly headers: RequestHeaders
}

/** The reads of one lane. Each is an errand: the loop never waits for one, and finds its result in a later turn. */
export interface ReadsOfLane {
  /** Keeps up to date what the lane must know: its endpoint, the secrets that sign, and the retries that are due. */
  readonly know: (entry: DirectoryEntry, at: number) => void
  /** Reads the events that can be sent next: those of the feed, and those of the retries. */
  readonly supply: (entry: DirectoryEntry, at: number) => void
  /** The credentials of the endpoint as it is in `entry`; undefined until they are read. */
  readonly credentialsOf: (entry: DirectoryEntry) => Credentials | undefined
}

/** The reads of lanes. */
export class LaneReads extends Context.Service<LaneReads, {
  readonly of: (lane: OpenLane, errands: Errands) => ReadsOfLane
}>()("countersign/services/delivery/LaneReads") {
  static readonly layer = Layer.effect(
    LaneReads,
    Effect.gen(function*() {
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      const store = yield* LaneStore
      const secrets = yield* WebhookSecrets

      const renew = Effect.flatMap(
        directory.renew,
        (done) => done ? Effect.void : Effect.sleep(retryAfterFailure)
      )

      const of = (lane: OpenLane, errands: Errands): ReadsOfLane => {
        const { endpointId, state } = lane
        /** The newest credentials that were read, and for which state of the endpoint. */
        let known: { readonly entry: DirectoryEntry; readonly credentials: Credentials } | undefined
        const credentialsOf = (entry: DirectoryEntry) => known?.entry === entry ? known.credentials : undefined

        const learnCredentials = (entry: DirectoryEntry) =>
          Effect.map(
            Effect.all({
              secrets: secrets.live(endpointId),
              headers: secrets.headers(endpointId, entry.sealedHeaders)
            }),
            (credentials) => {
              known = { entry, credentials }
            }
          )

        const learnRetries = Effect.suspend(() => {
          const before = state.inHand()
          const readAt = lane.now()
          const which = { isInOrder: state.isInOrder, limit: retriesInMemory }
          // Read under the order of before, they would be taken for those that come first.
          return Effect.map(
            store.retries(endpointId, which),
            (rows) => which.isInOrder === state.isInOrder ? state.learn(rows, before, readAt) : undefined
          )
        })

        const know = (entry: DirectoryEntry, at: number): void => {
          if (directory.isAging(at)) errands.start("learn what changed", renew)
          if (known?.entry !== entry) errands.start("read its secrets", learnCredentials(entry))
          if (!state.retries.areAllKnown && state.retries.size < retriesInMemory / 4) {
            errands.start("read its retries", learnRetries)
          }
        }

        const reading = "read the feed"
        const readFeed = ({ eventTypes, skippedTo }: DirectoryEntry) =>
          Effect.map(
            feed.read({
              position: Math.max(state.window.position, skippedTo),
              eventTypes,
              limit: state.window.room
            }),
            ({ events, position }) => state.window.offer(events, position)
          )

        /** Fills the window up: from memory, where the events are there. */
        const fill = (entry: DirectoryEntry): void => {
          const { window } = state
          if (errands.has(reading) || window.position >= feed.tail()) return
          if (window.room < refillFrom && (window.room === 0 || window.hasWaiting)) return
          const buffered = feed.buffered(window.position)
          if (buffered === undefined) return errands.start(reading, readFeed(entry))
          window.offer(buffered.filter((event) => takes(entry, event)), buffered.at(-1)?.sequence ?? window.position)
        }

        const supplyRetries = (sequences: ReadonlyArray<number>) =>
          Effect.map(feed.at(sequences), (events) => {
            state.supplyEvents(sequences, events)
            lane.mark(false)
          })

        const supply = (entry: DirectoryEntry, at: number): void => {
          fill(entry)
          const missing = state.missingEvents(at, retryEventsAtOnce)
          if (missing.length > 0) errands.start("read the events of its retries", supplyRetries(missing))
        }

        return { know, supply, credentialsOf }
      }

      return LaneReads.of({ of })
    })
  )
}
