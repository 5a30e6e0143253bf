import { Clock, Context, Effect, Latch, Layer, Random, Semaphore } from "effect"
import { Breaker } from "../domain/Breaker.ts"
import { DeliveryWindow } from "../domain/DeliveryWindow.ts"
import { LaneLedger } from "../domain/LaneLedger.ts"
import { LanePace } from "../domain/LanePace.ts"
import { nextDelay } from "../domain/RetryPolicy.ts"
import { RetryList } from "../domain/RetryList.ts"
import type { DisabledReason } from "../domain/Webhook.ts"
import { DeliveryMinutes } from "./DeliveryMinutes.ts"
import type { DirectoryEntry } from "./EndpointDirectory.ts"
import { EndpointDirectory, takes } from "./EndpointDirectory.ts"
import type { FeedEvent } from "./Feed.ts"
import { Feed } from "./Feed.ts"
import { LaneJournal } from "./LaneJournal.ts"
import { LaneStore } from "./LaneStore.ts"
import type { Attempted } from "./Sender.ts"
import { Sender } from "./Sender.ts"
import type { LiveSecret } from "./WebhookSecrets.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"

/** The most attempts that one node has in flight. */
const nodeInFlight = 512

/** The most deliveries that a crash may repeat beside those in flight. */
const maximumUnwritten = 128
const writeFrom = 64

/** The room in the window from which it is filled up. */
const refillFrom = 64

const retriesInMemory = 256
const retryEventsAtOnce = 32

/** A lane waits in memory for what is due within this time, in milliseconds; later, the sweep wakes it. */
const linger = 10_000

/** How long a lane that is taken away waits for its attempts, and for its last writing. */
const drainFor = "5 seconds"

/** One delivery in hand. `attempt` counts from 1. */
interface Item {
  readonly event: FeedEvent
  readonly attempt: number
  readonly fromTable: boolean
  readonly probe: boolean
}

/** The lane of an endpoint while it is active on this node. */
export interface Lane {
  /** Hints that there may be work. `reload`: the retry table may hold rows that are not known here. */
  readonly wake: (reload: boolean) => void
  /** Works until there is nothing to do; returns at once when it is working already. */
  readonly run: Effect.Effect<void>
  readonly isRunning: () => boolean
}

/** Makes lanes: all a node shares among them is in here. */
export class Lanes extends Context.Service<Lanes, {
  readonly open: (endpointId: string) => Effect.Effect<Lane | undefined>
}>()("countersign/services/Lanes") {
  static readonly layer = Layer.effect(
    Lanes,
    Effect.gen(function*() {
      const directory = yield* EndpointDirectory
      const feed = yield* Feed
      const store = yield* LaneStore
      const journal = yield* LaneJournal
      const secrets = yield* WebhookSecrets
      const sender = yield* Sender
      const minutes = yield* DeliveryMinutes
      const nodeLimit = yield* Semaphore.make(nodeInFlight)

      const open = Effect.fnUntraced(function*(endpointId: string) {
        const stored = yield* store.load(endpointId)
        if (stored === undefined) return undefined
        const clock = yield* Clock.Clock
        const nowMillis = () => clock.currentTimeMillisUnsafe()
        const opened = nowMillis()
        const known = yield* store.retries(endpointId, retriesInMemory)

        const window = new DeliveryWindow<FeedEvent>(stored.cursor)
        const retries = new RetryList()
        for (const { attempt, dueIn, sequence } of known) retries.add({ sequence, attempt, due: opened + dueIn })
        const ledger = new LaneLedger(endpointId, {
          ...stored,
          failingSequences: known.filter(({ recent }) => recent).map(({ sequence }) => sequence)
        })
        const breaker = new Breaker({ ...stored.breaker, probeAt: opened + stored.breaker.probeAt })
        const pace = new LanePace(stored.breaker.state !== "closed")

        const signal = Latch.makeUnsafe(false)
        const underWay = new Set<number>()
        const retryEvents = new Map<number, FeedEvent>()
        let slots = 0
        let running = false
        let stopping = false
        let allRetriesKnown = known.length < retriesInMemory
        let preferRetry = false
        let secretsOf: DirectoryEntry | undefined
        let liveSecrets: ReadonlyArray<LiveSecret> = []
        let timerAt = Number.POSITIVE_INFINITY
        let jobs = 0
        const busy = new Set<string>()

        const journaled = {
          takeChange: () => ledger.take(window.cursor, breaker.snapshot, Math.max(0, breaker.probeAt - nowMillis())),
          changeWritten: (change: Parameters<LaneLedger["written"]>[0], hopeless: boolean) => {
            ledger.written(change)
            slots -= change.retries.length + change.exhausted.length
            if (hopeless) toDisable = "failing"
            signal.openUnsafe()
          }
        }
        let toDisable: DisabledReason | undefined
        let disabled: DirectoryEntry | undefined

        /** Runs `effect` beside the loop, one of a name at a time; a failure is logged and the loop goes on. */
        const aside = (name: string, effect: Effect.Effect<void>): Effect.Effect<void> | undefined => {
          if (busy.has(name)) return undefined
          busy.add(name)
          jobs += 1
          return effect.pipe(
            Effect.catchCause((cause) =>
              Effect.andThen(Effect.logWarning(`A lane could not ${name}`, cause), Effect.sleep(500))
            ),
            Effect.ensuring(Effect.sync(() => {
              busy.delete(name)
              jobs -= 1
              signal.openUnsafe()
            })),
            Effect.forkChild,
            Effect.asVoid
          )
        }

        const fill = () => aside("read the feed", Effect.suspend(() => {
          const entry = directory.get(endpointId)
          if (entry === undefined) return Effect.void
          return Effect.map(
            feed.read({ position: window.position, eventTypes: entry.eventTypes, limit: window.room }),
            (read) => window.offer(read.events, read.position)
          )
        }))

        const loadRetries = () => aside("read its retries", Effect.gen(function*() {
          const skip = new Set([...retries.sequences(), ...underWay, ...ledger.pending()])
          const started = nowMillis()
          const rows = yield* store.retries(endpointId, retriesInMemory)
          for (const { attempt, dueIn, sequence } of rows) {
            // What was in hand when the question was asked may have been settled before it was answered.
            if (skip.has(sequence) || underWay.has(sequence) || ledger.isPending(sequence)) continue
            retries.add({ sequence, attempt, due: started + dueIn })
          }
          allRetriesKnown = rows.length < retriesInMemory
        }))

        const loadRetryEvents = (sequences: ReadonlyArray<number>) =>
          aside("read the events of its retries", Effect.map(feed.at(sequences), (events) => {
            for (const event of events) retryEvents.set(event.sequence, event)
            for (const sequence of sequences) {
              if (retryEvents.has(sequence)) continue
              // No event is ever deleted; a row without one could only be tried for ever.
              retries.remove(sequence)
              ledger.dropped(sequence, true)
              journal.mark(journaled, false)
            }
          }))

        const loadSecrets = (entry: DirectoryEntry) =>
          aside("read its secrets", Effect.map(secrets.live(endpointId), (live) => {
            liveSecrets = live
            secretsOf = entry
          }))

        const refresh = () => aside("learn what changed", Effect.flatMap(
          directory.refresh,
          (done) => done ? Effect.void : Effect.sleep(500)
        ))

        const disable = (reason: DisabledReason) =>
          aside("be disabled", Effect.andThen(journal.flush, store.disable(endpointId, reason)))

        /** The next delivery: retries that are due and fresh events take turns. */
        const next = (now: number): Omit<Item, "probe"> | undefined => {
          const due = retries.due(now, 1)[0]
          const event = due === undefined ? undefined : retryEvents.get(due.sequence)
          if (due !== undefined && event !== undefined && (preferRetry || !window.hasWaiting)) {
            preferRetry = false
            retries.remove(due.sequence)
            retryEvents.delete(due.sequence)
            return { event, attempt: due.attempt + 1, fromTable: true }
          }
          preferRetry = true
          const fresh = window.take()
          return fresh === undefined ? undefined : { event: fresh, attempt: 1, fromTable: false }
        }

        /** Whether attempts may be made; not when this lane has just asked for its endpoint to be disabled. */
        const isOn = (entry: DirectoryEntry | undefined): entry is DirectoryEntry =>
          entry !== undefined && entry.isActive && entry !== disabled

        const withdraw = (item: Item, now: number) => {
          slots -= 1
          breaker.abandon(item.probe)
          if (item.fromTable) {
            retries.add({ sequence: item.event.sequence, attempt: item.attempt - 1, due: now })
            retryEvents.set(item.event.sequence, item.event)
          } else window.putBack(item.event.sequence)
        }

        const settle = (item: Item, { congested, duration, outcome, reason, retryAfter, status }: Attempted, u: number) => {
          const now = nowMillis()
          const { sequence } = item.event
          const arrived = outcome === "delivered" || (outcome === "disable" && status !== undefined && status < 300)
          if (arrived || outcome === "drop") {
            slots -= 1
            if (breaker.succeed(item.probe, now)) pace.recover()
            else pace.succeed()
            if (arrived) {
              ledger.delivered(sequence, item.fromTable)
              minutes.delivered(Math.max(0, directory.databaseTime(now) - item.event.createdAt))
            } else ledger.dropped(sequence, item.fromTable)
          } else {
            // The slot stays taken until the failure is written.
            if (congested) pace.congest()
            breaker.fail(item.probe, now)
            minutes.failed()
            const delay = nextDelay(item.attempt, u, retryAfter)
            if (delay === undefined) ledger.exhausted({ sequence, attempts: item.attempt, outcome: reason })
            else {
              ledger.failed({ sequence, attempt: item.attempt, delay, outcome: reason })
              retries.add({ sequence, attempt: item.attempt, due: now + delay })
              if (retries.size > 2 * retriesInMemory) {
                retries.dropLast()
                allRetriesKnown = false
              }
            }
          }
          if (!item.fromTable) window.settle(sequence)
          if (outcome === "disable") toDisable = status === 410 ? "gone" : "requested_by_receiver"
          journal.mark(journaled, !arrived || ledger.unwritten >= writeFrom || duration > 1000)
        }

        const attempt = (item: Item) =>
          Effect.gen(function*() {
            const u = yield* Random.next
            const attempted = yield* nodeLimit.withPermits(1)(Effect.suspend(() => {
              const now = nowMillis()
              const entry = directory.get(endpointId)
              if (stopping || !isOn(entry) || !directory.isFresh(now)) return Effect.undefined
              return sender.send({
                endpointId,
                url: entry.url,
                secrets: liveSecrets.filter(({ until }) => until > now).map(({ secret }) => secret),
                event: item.event,
                attempt: item.attempt
              })
            }))
            if (attempted === undefined) withdraw(item, nowMillis())
            else settle(item, attempted, u)
          }).pipe(
            // A defect of ours must not lose the delivery: it goes back and is tried again.
            Effect.catchCause((cause) =>
              Effect.logError("An attempt broke", cause).pipe(
                Effect.andThen(Effect.sleep(1000)),
                Effect.andThen(Effect.sync(() => withdraw(item, nowMillis())))
              )
            ),
            Effect.onInterrupt(() => Effect.sync(() => withdraw(item, nowMillis()))),
            Effect.ensuring(Effect.sync(() => {
              underWay.delete(item.event.sequence)
              signal.openUnsafe()
            })),
            Effect.forkChild({ startImmediately: true })
          )

        const arm = (at: number): Effect.Effect<void> | undefined => {
          if (at >= timerAt) return undefined
          timerAt = at
          return Effect.sleep(Math.max(1, at - nowMillis())).pipe(
            Effect.andThen(Effect.sync(() => {
              if (timerAt === at) timerAt = Number.POSITIVE_INFINITY
              signal.openUnsafe()
            })),
            Effect.forkChild,
            Effect.asVoid
          )
        }

        /** Starts all that can be started now; answers whether there is anything left to wait for. */
        const pump = Effect.fnUntraced(function*() {
          const now = nowMillis()
          const entry = directory.get(endpointId)
          if (toDisable !== undefined && isOn(entry)) {
            disabled = entry
            yield* disable(toDisable) ?? Effect.void
          }
          toDisable = undefined
          if (stopping || !isOn(entry)) return slots > 0 || jobs > 0
          if (directory.isAging(now)) yield* refresh() ?? Effect.void
          if (secretsOf !== entry) yield* loadSecrets(entry) ?? Effect.void
          if (!allRetriesKnown && retries.size < retriesInMemory / 4) yield* loadRetries() ?? Effect.void
          const ready = directory.isFresh(now) && secretsOf === entry
          const allowed = breaker.allows(now)
          if (allowed && (window.room >= refillFrom || !window.hasWaiting) && window.position < feed.tail()) {
            const buffered = feed.buffered(window.position)
            if (buffered === undefined) yield* fill() ?? Effect.void
            else if (!busy.has("read the feed")) {
              window.offer(buffered.filter(({ type }) => takes(entry, type)), buffered.at(-1)!.sequence)
            }
          }
          if (allowed) {
            const missing = retries.due(now, retryEventsAtOnce).filter(({ sequence }) => !retryEvents.has(sequence))
            if (missing.length > 0) yield* loadRetryEvents(missing.map(({ sequence }) => sequence)) ?? Effect.void
          }
          while (ready && slots < pace.limit && ledger.unwritten < maximumUnwritten && breaker.allows(now)) {
            const item = next(now)
            if (item === undefined) break
            slots += 1
            underWay.add(item.event.sequence)
            yield* attempt({ ...item, probe: breaker.begin() })
          }
          if (breaker.state === "open" && now < breaker.probeAt) {
            if (breaker.probeAt - now > linger) return slots > 0 || jobs > 0
            yield* arm(breaker.probeAt) ?? Effect.void
            return true
          }
          const due = retries.first()?.due ?? Number.POSITIVE_INFINITY
          if (due > now && due - now <= linger) yield* arm(due) ?? Effect.void
          return slots > 0 || jobs > 0 || window.hasWaiting || due - now <= linger || window.position < feed.tail()
        })

        const loop = Effect.gen(function*() {
          while (true) {
            signal.closeUnsafe()
            if (!(yield* pump()) && !signal.isOpen()) break
            yield* signal.await
          }
          journal.mark(journaled, false)
        })

        /** The lane goes to another node, or this one stops: what is under way may end, nothing new starts. */
        const drain = Effect.gen(function*() {
          stopping = true
          while (underWay.size > 0) {
            signal.closeUnsafe()
            yield* signal.await
          }
        }).pipe(Effect.timeoutOption(drainFor), Effect.andThen(Effect.timeoutOption(journal.flush, drainFor)))

        const run = Effect.suspend(() => {
          if (running) {
            signal.openUnsafe()
            return Effect.void
          }
          running = true
          stopping = false
          timerAt = Number.POSITIVE_INFINITY
          return loop.pipe(
            Effect.onInterrupt(() => drain),
            Effect.ensuring(Effect.sync(() => {
              running = false
            }))
          )
        })

        return {
          wake: (reload: boolean) => {
            if (reload) allRetriesKnown = false
            signal.openUnsafe()
          },
          run,
          isRunning: () => running
        } satisfies Lane
      })

      return Lanes.of({ open })
    })
  )
}
