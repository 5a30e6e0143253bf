import { Cause, Context, Effect, Layer, Schedule } from "effect"
import { Hex } from "effect/encoding"
import { bucketCount, bucketOf, InFlightSlots } from "../../domain/delivery/InFlightSlots.ts"
import type { SlotUser } from "../../domain/delivery/InFlightSlots.ts"
import type { LaneItem } from "../../domain/delivery/LaneChange.ts"
import { DeliveryTurns } from "../ground/environments/CurrentEnvironment.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Hint, supervised } from "../ground/platform/Supervised.ts"
import { deleteOldMinutes, insertMinute } from "./DeliveryHealthSql.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import type { Credentials, OpenLane } from "./LaneReads.ts"
import type { Attempted } from "./Sender.ts"
import { Sender } from "./Sender.ts"
import type { DirectoryEntry } from "./webhooks/EndpointDirectory.ts"
import { EndpointDirectory, takes } from "./webhooks/EndpointDirectory.ts"

/** How long a delivery may wait before it is written. */
const writeAfter = "2 seconds"

/** The deliveries of this node, minute by minute, kept for two hours so that health can be asked of any node. */
export class DeliveryMinutes extends Context.Service<DeliveryMinutes, {
  /** A delivery arrived; `latency` is in milliseconds from commit to answer. */
  readonly delivered: (latency: number) => void
  /** An attempt failed. */
  readonly failed: () => void
  /** Writes what is not written yet. */
  readonly write: Effect.Effect<void>
}>()("countersign/services/delivery/DeliveryMinutes") {
  static readonly layer = Layer.effect(
    DeliveryMinutes,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const crypto = yield* Cryptography
      const node = Hex.encode(crypto.randomBytes(8))
      const latency = Array.from({ length: bucketCount }, () => 0)
      let delivered = 0
      let failed = 0
      const counted = yield* Hint.make

      const write = Effect.gen(function*() {
        if (delivered + failed === 0) return
        const taken = { delivered, failed, latency: [...latency] }
        delivered = 0
        failed = 0
        latency.fill(0)
        yield* insertMinute(sql, node, taken)
        yield* deleteOldMinutes(sql)
      })

      yield* Effect.addFinalizer(() =>
        write.pipe(
          Effect.catchCause((cause) => Effect.logDebug("The last delivery statistics could not be written", cause)),
          Effect.withTracerEnabled(false)
        )
      )
      yield* Effect.forkScoped(
        supervised(
          "Writing delivery statistics",
          Effect.andThen(counted.await, Effect.delay(write, writeAfter)),
          Schedule.forever,
          { level: "Debug", retry: Schedule.spaced(writeAfter) }
        )
      )

      return DeliveryMinutes.of({
        delivered: (millis) => {
          const bucket = bucketOf(millis)
          latency[bucket] = latency[bucket]! + 1
          delivered += 1
          counted.wakeUnsafe()
        },
        failed: () => {
          failed += 1
          counted.wakeUnsafe()
        },
        write
      })
    })
  )
}

/** The most attempts that one node has in flight. */
const nodeInFlight = 512

/**
 * The cursor is written at once when this many deliveries are unwritten, or after an attempt this slow (milliseconds).
 */
const writeFrom = 64
const slowAttempt = 1_000

const retryAfterDefect = 1_000

/** The attempts of one lane. */
export interface AttemptsOfLane {
  /** Starts as many as endpoint and node have room for; answers whether the lane waits for a slot of the node. */
  readonly start: (entry: DirectoryEntry, credentials: Credentials, at: number) => boolean
  /** Leaves the queue for slots of the node. */
  readonly leave: () => void
  /** Ends what is under way; it is tried again later. */
  readonly abandon: () => void
}

/** The attempts of this node's lanes, and the slots that they share. */
export class LaneAttempts extends Context.Service<LaneAttempts, {
  readonly of: (lane: OpenLane) => AttemptsOfLane
}>()("countersign/services/delivery/LaneAttempts") {
  static readonly layer = Layer.effect(
    LaneAttempts,
    Effect.gen(function*() {
      const directory = yield* EndpointDirectory
      const minutes = yield* DeliveryMinutes
      const sender = yield* Sender
      const turns = yield* DeliveryTurns
      const slots = new InFlightSlots(nodeInFlight)
      const fork = Effect.runForkWith(yield* Effect.context<never>())

      const of = (lane: OpenLane): AttemptsOfLane => {
        const { chance, endpointId, now, state } = lane
        const slotUser: SlotUser = { wake: lane.wake }

        /** The functions that end the attempts in progress. */
        const underWay = new Set<() => void>()

        const withdraw = (item: LaneItem<FeedEvent>) => {
          state.withdraw(item, now())
          lane.wake()
        }

        /** A defect of ours must not lose the delivery: it goes back and is tried again. */
        const broken = (item: LaneItem<FeedEvent>, defect: unknown) => {
          const waiting = fork(
            Effect.andThen(
              Effect.logError("An attempt broke", Cause.die(defect)),
              Effect.sleep(retryAfterDefect)
            )
          )
          const giveUp = () => waiting.interruptUnsafe()
          underWay.add(giveUp)
          waiting.addObserver(() => {
            underWay.delete(giveUp)
            withdraw(item)
          })
        }

        /** Records the outcome of an attempt. */
        const settle = (item: LaneItem<FeedEvent>, attempted: Attempted) => {
          const at = now()
          const { arrived, disable, isThrottled } = state.settle(item, attempted, at, chance())
          if (arrived) minutes.delivered(Math.max(0, directory.databaseTime(at) - item.event.createdAt))
          else if (!isThrottled) minutes.failed()
          if (disable !== undefined) lane.disable(disable)
          lane.mark(!(arrived || isThrottled) || state.unwritten >= writeFrom || attempted.duration > slowAttempt)
        }

        const attempt = (
          item: LaneItem<FeedEvent>,
          { url }: DirectoryEntry,
          { headers, secrets }: Credentials,
          inDoubt: boolean,
          at: number
        ): void => {
          let takeBack = (): void => undefined
          let cancel = (): void => undefined
          const over = () => {
            underWay.delete(giveUp)
            slots.give(slotUser, inDoubt)
            lane.wake()
          }
          const giveUp = () => {
            takeBack()
            cancel()
            over()
            withdraw(item)
          }
          const orBroken = (step: () => void) => {
            try {
              step()
            } catch (defect) {
              over()
              broken(item, defect)
            }
          }
          underWay.add(giveUp)
          const send = () => {
            const keys = secrets.filter(({ until }) => until > at).map(({ keys }) => keys)
            cancel = sender.send(
              { endpointId, url, keys, headers, event: item.event, attempt: item.attempt },
              (attempted) =>
                orBroken(() => {
                  settle(item, attempted)
                  over()
                })
            )
          }
          takeBack = turns.begin(() => orBroken(send))
        }

        const start = (entry: DirectoryEntry, credentials: Credentials, at: number): boolean => {
          while (state.mayStart(at)) {
            const { inDoubt } = state.breaker
            if (!slots.take(slotUser, inDoubt)) return true
            const item = state.next(at)
            if (item === undefined) {
              slots.give(slotUser, inDoubt)
              break
            }
            // It may have been read, or have failed, while the endpoint still took such events.
            if (takes(entry, item.event)) attempt(item, entry, credentials, inDoubt, at)
            else {
              slots.give(slotUser, inDoubt)
              state.discard(item)
              lane.mark(false)
            }
          }
          return false
        }

        return {
          start,
          leave: () => slots.leave(slotUser),
          abandon: () => {
            for (const giveUp of underWay) giveUp()
          }
        }
      }

      return LaneAttempts.of({ of })
    })
  )
}
