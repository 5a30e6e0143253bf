import { Cause, Clock, Context, Effect, Exit, Latch, Layer, Random } from "effect"
import type { SlotUser } from "../../domain/delivery/InFlightSlots.ts"
import { InFlightSlots } from "../../domain/delivery/InFlightSlots.ts"
import type { LaneChange } from "../../domain/delivery/LaneChange.ts"
import type { LaneItem } from "../../domain/delivery/LaneState.ts"
import { LaneState, retriesInMemory } from "../../domain/delivery/LaneState.ts"
import type { DisabledReason } from "../../domain/webhooks/Webhook.ts"
import type { LiveSecret } from "../webhooks/WebhookSecrets.ts"
import { WebhookSecrets } from "../webhooks/WebhookSecrets.ts"
import { DeliveryMinutes } from "./DeliveryMinutes.ts"
import type { DirectoryEntry } from "./EndpointDirectory.ts"
import { EndpointDirectory, takes } from "./EndpointDirectory.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { LaneJournal } from "./LaneJournal.ts"
import { LaneStore } from "./LaneStore.ts"
import { Sender } from "./Sender.ts"

/** The most attempts that one node has in flight. */
const nodeInFlight = 512

/** From so many arrivals on, and after an attempt this slow (milliseconds), the cursor is written at once. */
const writeFrom = 64
const slowAttempt = 1_000

/** The room in the window from which it is filled up. */
const refillFrom = 64

const retryEventsAtOnce = 32

/** A lane waits in memory for what is due within this time, in milliseconds; later, the sweep wakes it. */
const linger = 10_000

/** A lane with nothing to do waits this long, in milliseconds, for more: that costs less than to stop and start. */
const idleFor = 2_000

/** How long a lane that is taken away waits for its attempts, and for its last writing. */
const drainFor = "5 seconds"

const retryAfterFailure = 500
const retryAfterDefect = 1_000

/** The lane of an endpoint while it is active on this node. */
export interface EndpointLane {
  /** Hints that there may be work. `reload`: the retry table may hold rows that are not known here. */
  readonly wake: (reload: boolean) => void
  /** Works until there is nothing to do; returns at once when it is working already. */
  readonly run: Effect.Effect<void>
  readonly isRunning: () => boolean
}

/** Makes lanes: all that a node shares among them is in here. */
export class Lanes extends Context.Service<Lanes, {
  /** The lane of an endpoint, as it was left; undefined when there is no such endpoint. */
  readonly open: (endpointId: string) => Effect.Effect<EndpointLane | undefined>
}>()("countersign/services/delivery/Lanes") {
  static readonly layer = Layer.effect(
    Lanes,
    Effect.gen(function*() {
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      const store = yield* LaneStore
      const journal = yield* LaneJournal
      const secrets = yield* WebhookSecrets
      const sender = yield* Sender
      const minutes = yield* DeliveryMinutes
      const nodeSlots = new InFlightSlots(nodeInFlight)

      const open = Effect.fnUntraced(function*(endpointId: string) {
        const clock = yield* Clock.Clock
        const random = yield* Random.Random
        const now = () => clock.currentTimeMillisUnsafe()
        const stored = yield* store.load(endpointId)
        if (stored === undefined) return undefined
        const readAt = now()
        const known = yield* store.retries(endpointId, retriesInMemory)
        const state = new LaneState<FeedEvent>(endpointId, stored, known, readAt)

        const signal = Latch.makeUnsafe(false)
        const slotUser: SlotUser = { wake: () => signal.openUnsafe() }
        const busy = new Set<string>()
        let isRunning = false
        let isStopping = false
        let waitsForSlot = false
        // What a sweep found and this lane does not know is read anew by the actor that comes after it.
        let mayIdle = true
        let liveSecrets: ReadonlyArray<LiveSecret> = []
        let secretsOf: DirectoryEntry | undefined
        let toDisable: DisabledReason | undefined
        let disabled: DirectoryEntry | undefined
        let timerAt = Number.POSITIVE_INFINITY

        const journaled = {
          takeChange: () => state.takeChange(now()),
          changeWritten: (change: LaneChange, hopeless: boolean) => {
            state.changeWritten(change)
            if (hopeless) toDisable = "failing"
            signal.openUnsafe()
          }
        }

        /** Whether attempts may be made; not when this lane has just asked for its endpoint to be disabled. */
        const isOn = (entry: DirectoryEntry | undefined): entry is DirectoryEntry =>
          entry !== undefined && entry.isActive && entry !== disabled

        /** Runs `effect` beside the loop, one of a name at a time; a failure is logged and the loop goes on. */
        const aside = (name: string, effect: Effect.Effect<void>): Effect.Effect<unknown> => {
          if (busy.has(name)) return Effect.void
          busy.add(name)
          return effect.pipe(
            Effect.catchCause((cause) =>
              Effect.andThen(Effect.logWarning(`A lane could not ${name}`, cause), Effect.sleep(retryAfterFailure))
            ),
            Effect.ensuring(Effect.sync(() => {
              busy.delete(name)
              signal.openUnsafe()
            })),
            Effect.forkChild
          )
        }

        const reading = "read the feed"
        const read = (entry: DirectoryEntry) =>
          aside(
            reading,
            Effect.map(
              feed.read({ position: state.window.position, eventTypes: entry.eventTypes, limit: state.window.room }),
              ({ events, position }) => state.window.offer(events, position)
            )
          )

        const fill = (entry: DirectoryEntry) => {
          const { window } = state
          if (busy.has(reading) || window.position >= feed.tail()) return Effect.void
          if (window.room < refillFrom && (window.room === 0 || window.hasWaiting)) return Effect.void
          const buffered = feed.buffered(window.position)
          if (buffered === undefined) return read(entry)
          window.offer(buffered.filter(({ type }) => takes(entry, type)), buffered.at(-1)?.sequence ?? window.position)
          return Effect.void
        }

        const learnRetries = () =>
          aside(
            "read its retries",
            Effect.suspend(() => {
              const before = state.inHand()
              const readAt = now()
              return Effect.map(store.retries(endpointId, retriesInMemory), (rows) => state.learn(rows, before, readAt))
            })
          )

        const supplyEvents = (sequences: ReadonlyArray<number>) =>
          aside(
            "read the events of its retries",
            Effect.map(feed.at(sequences), (events) => {
              state.supplyEvents(sequences, events)
              journal.mark(journaled, false)
            })
          )

        const learnSecrets = (entry: DirectoryEntry) =>
          aside(
            "read its secrets",
            Effect.map(secrets.live(endpointId), (live) => {
              liveSecrets = live
              secretsOf = entry
            })
          )

        const refresh = () =>
          aside(
            "learn what changed",
            Effect.flatMap(directory.refresh, (done) => done ? Effect.void : Effect.sleep(retryAfterFailure))
          )

        // Until it is done the lane stands still, so it is tried until it is done.
        const disable = (reason: DisabledReason) =>
          aside(
            "be disabled",
            store.disable(endpointId, reason).pipe(
              Effect.tapCause((cause) =>
                Effect.andThen(
                  Effect.logWarning("A webhook endpoint could not be disabled; trying again", cause),
                  Effect.sleep(retryAfterFailure)
                )
              ),
              Effect.sandbox,
              Effect.eventually,
              (disabling) => Effect.andThen(journal.flush(journaled), disabling)
            )
          )

        const withdraw = (item: LaneItem<FeedEvent>) =>
          Effect.sync(() => {
            state.withdraw(item, now())
            signal.openUnsafe()
          })

        /** A defect of ours must not lose the delivery: it goes back and is tried again. */
        const broken = (item: LaneItem<FeedEvent>, cause: Cause.Cause<unknown>) =>
          Cause.hasInterruptsOnly(cause)
            ? withdraw(item)
            : Effect.logError("An attempt broke", cause).pipe(
              Effect.andThen(Effect.sleep(retryAfterDefect)),
              Effect.interruptible,
              Effect.ensuring(withdraw(item))
            )

        const attempt = (item: LaneItem<FeedEvent>, entry: DirectoryEntry, inDoubt: boolean) =>
          Effect.suspend(() => {
            const started = now()
            return sender.send({
              endpointId,
              url: entry.url,
              keys: liveSecrets.filter(({ until }) => until > started).map(({ keys }) => keys),
              event: item.event,
              attempt: item.attempt
            })
          }).pipe(
            Effect.map((attempted) => {
              const at = now()
              const { arrived, disable } = state.settle(item, attempted, at, random.nextDoubleUnsafe())
              if (arrived) minutes.delivered(Math.max(0, directory.databaseTime(at) - item.event.createdAt))
              else minutes.failed()
              toDisable ??= disable
              journal.mark(journaled, !arrived || state.unwritten >= writeFrom || attempted.duration > slowAttempt)
            }),
            Effect.onExit((exit) => {
              nodeSlots.give(slotUser, inDoubt)
              signal.openUnsafe()
              return Exit.isSuccess(exit) ? Effect.void : broken(item, exit.cause)
            }),
            Effect.forkChild({ startImmediately: true })
          )

        /** Opens the signal at `at`, unless that happens earlier anyhow. */
        const arm = (at: number): Effect.Effect<unknown> => {
          if (at >= timerAt) return Effect.void
          timerAt = at
          return Effect.sleep(Math.max(1, at - now())).pipe(
            Effect.andThen(Effect.sync(() => {
              if (timerAt === at) timerAt = Number.POSITIVE_INFINITY
              signal.openUnsafe()
            })),
            Effect.forkChild
          )
        }

        /** Starts as many attempts as endpoint and node have room for. */
        const start = Effect.fnUntraced(function*(entry: DirectoryEntry, at: number) {
          while (state.mayStart(at)) {
            const { inDoubt } = state.breaker
            if (!nodeSlots.take(slotUser, inDoubt)) {
              waitsForSlot = true
              return
            }
            const item = state.next(at)
            if (item === undefined) return nodeSlots.give(slotUser, inDoubt)
            yield* attempt(item, entry, inDoubt)
          }
        })

        /** Starts all that can be started now; answers whether there is anything left to wait for. */
        const pump = Effect.fnUntraced(function*() {
          const at = now()
          const entry = directory.get(endpointId)
          if (toDisable !== undefined && isOn(entry)) {
            disabled = entry
            yield* disable(toDisable)
          }
          toDisable = undefined
          const isPending = () => state.slots > 0 || busy.size > 0
          if (isStopping || !isOn(entry)) return isPending()
          if (directory.isAging(at)) yield* refresh()
          if (secretsOf !== entry) yield* learnSecrets(entry)
          if (!state.allRetriesKnown && state.retries.size < retriesInMemory / 4) yield* learnRetries()
          if (state.breaker.allows(at)) {
            yield* fill(entry)
            const missing = state.missingEvents(at, retryEventsAtOnce)
            if (missing.length > 0) yield* supplyEvents(missing)
            if (directory.isFresh(at) && secretsOf === entry) {
              yield* start(entry, at)
            }
          } else if (state.breaker.state === "open") {
            if (state.breaker.probeAt - at > linger) return isPending()
            yield* arm(state.breaker.probeAt)
            return true
          }
          const due = (state.retries.first()?.due ?? Number.POSITIVE_INFINITY) - at
          if (due > 0 && due <= linger) yield* arm(at + due)
          return isPending() || due <= linger || state.window.hasWaiting || state.window.position < feed.tail()
        })

        const work = Effect.gen(function*() {
          let idleSince: number | undefined
          while (true) {
            signal.closeUnsafe()
            waitsForSlot = false
            const isPending = yield* pump()
            if (!waitsForSlot) nodeSlots.leave(slotUser)
            if (isPending) idleSince = undefined
            else idleSince ??= now()
            if (!isPending && !signal.isOpen()) {
              const left = (idleSince ?? 0) + idleFor - now()
              if (left <= 0 || !mayIdle) break
              yield* arm(now() + left)
            }
            yield* signal.await
          }
          journal.mark(journaled, false)
        })

        /** The lane goes to another node, or this one stops: what is under way may end, nothing new starts. */
        const drain = Effect.gen(function*() {
          isStopping = true
          while (state.underWay > 0) {
            signal.closeUnsafe()
            yield* signal.await
          }
        }).pipe(
          Effect.timeoutOption(drainFor),
          Effect.andThen(Effect.timeoutOption(journal.flush(journaled), drainFor))
        )

        return {
          wake: (reload) => {
            if (reload) state.allRetriesKnown = false
            mayIdle = !reload
            signal.openUnsafe()
          },
          run: Effect.suspend(() => {
            if (isRunning) return Effect.void
            isRunning = true
            isStopping = false
            timerAt = Number.POSITIVE_INFINITY
            return work.pipe(
              Effect.onInterrupt(() => drain),
              Effect.ensuring(Effect.sync(() => {
                isRunning = false
                nodeSlots.leave(slotUser)
              }))
            )
          }),
          isRunning: () => isRunning
        } satisfies EndpointLane
      })

      return Lanes.of({ open })
    })
  )
}
