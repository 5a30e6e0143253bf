import { Clock, Context, Deferred, Effect, Exit, Layer } from "effect"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { familyOf } from "../../../domain/log/EventKind.ts"
import { matches } from "../../../domain/log/Subscription.ts"
import { databaseOf } from "../../ground/persistence/Database.ts"
import { DeliverySql } from "../../ground/persistence/TransactionSql.ts"
import { listChanged } from "./WebhookEndpointSql.ts"

/** The facts that a node has of an endpoint. Every change makes a new object. */
export interface DirectoryEntry {
  readonly id: string
  readonly url: string
  readonly eventTypes: ReadonlyArray<string>
  readonly isActive: boolean
  /** Whether it takes one delivery at a time, each after the one before was accepted. */
  readonly isInOrder: boolean
  /** Nothing up to this sequence is sent any more. */
  readonly skippedTo: number
  /** Headers of the receiver, sealed; null: none. */
  readonly sealedHeaders: Uint8Array | null
  /** Differs after every change, a new secret included. */
  readonly revision: string
}

/** The horizon before the first read: every transaction is after it. */
const beginning = "0"

/**
 * An attempt starts only if the directory was read at most this long ago, in milliseconds, so that a pause takes effect
 * within a second.
 */
const freshFor = 700

/** From this age on, in milliseconds, the directory is refreshed ahead of need, so that no attempt waits for it. */
const renewAfter = 350

/** Stands for a subscription to everything; it is neither a kind of event nor a family. */
export const everything = "*"

/** The subscriptions of an endpoint: kinds, families, or {@link everything}. */
export const subscriptions = ({ eventTypes }: DirectoryEntry): ReadonlyArray<string> =>
  eventTypes.length === 0 ? [everything] : eventTypes

/**
 * The endpoints as this node knows them: a cache that one small query refreshes for all of them. It misses no change,
 * in whatever order changes commit.
 */
export class EndpointDirectory extends Context.Service<EndpointDirectory, {
  readonly get: (id: string) => DirectoryEntry | undefined
  /** Whether any endpoint takes anything. */
  readonly isAwaited: () => boolean
  /** The active endpoints that subscribe to one of these kinds, each once, found by an index of subscriptions. */
  readonly takers: (kinds: Iterable<EventKind>) => Iterable<DirectoryEntry>
  /** Whether the directory is fresh enough at `now` (milliseconds of this node's clock) for attempts to start. */
  readonly isFresh: (now: number) => boolean
  /** Whether it is time to refresh ahead of need. */
  readonly isAging: (now: number) => boolean
  /** A time of this node's clock as the database's clock shows it, in Unix milliseconds. */
  readonly databaseTime: (now: number) => number
  /**
   * Answers a function that answers the endpoints which were found new or changed since it was called last. Those that
   * the first read finds are no changes.
   */
  readonly followChanges: () => () => ReadonlyArray<DirectoryEntry>
  /**
   * Reads what changed, everything included that was committed before this was asked; answers false when the database
   * could not be asked. Those who ask during a read share the next one.
   */
  readonly refresh: Effect.Effect<boolean>
  /**
   * Makes the directory fresh, by the read under way if there is one; answers false when the database could not be
   * asked. That read may have begun before what was committed last.
   */
  readonly renew: Effect.Effect<boolean>
}>()("countersign/services/delivery/webhooks/EndpointDirectory") {
  static readonly layer = Layer.effect(
    EndpointDirectory,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const entries = new Map<string, DirectoryEntry>()
      /** The ids of endpoints that changed, of each who follows. */
      const followed: Array<Set<string>> = []
      /** The active endpoints by the kinds and families they subscribe to; `everything` for an empty subscription. */
      const subscribed = new Map<string, Set<DirectoryEntry>>()
      let active = 0

      const put = (id: string, entry: DirectoryEntry | undefined) => {
        const before = entries.get(id)
        if (before?.isActive === true) {
          active -= 1
          for (const name of subscriptions(before)) {
            const others = subscribed.get(name)!
            others.delete(before)
            if (others.size === 0) subscribed.delete(name)
          }
        }
        if (entry === undefined) entries.delete(id)
        else entries.set(id, entry)
        if (entry?.isActive !== true) return
        active += 1
        for (const name of subscriptions(entry)) {
          const others = subscribed.get(name)
          if (others === undefined) subscribed.set(name, new Set([entry]))
          else others.add(entry)
        }
      }

      const takers = (kinds: Iterable<EventKind>): Iterable<DirectoryEntry> => {
        const names = new Set([everything, ...[...kinds].flatMap((kind) => [kind, `${familyOf(kind)}.*`])])
        const found = new Set<DirectoryEntry>()
        for (const name of names) for (const entry of subscribed.get(name) ?? []) found.add(entry)
        return found
      }

      let since = beginning
      let asOf = Number.NEGATIVE_INFINITY
      let skew = 0
      let running: Deferred.Deferred<boolean> | undefined

      const read = Effect.gen(function*() {
        const started = yield* Clock.currentTimeMillis
        const rows = yield* listChanged(sql, since)
        for (const row of rows) {
          const { id, deleted, revision } = row
          if (id === null) continue
          if (deleted) put(id, undefined)
          else if (entries.get(id)?.revision !== revision) {
            put(id, {
              id,
              url: row.url,
              eventTypes: row.event_types,
              isActive: row.is_active,
              isInOrder: row.ordered,
              skippedTo: Number(row.skipped_seq),
              sealedHeaders: row.headers,
              revision
            })
            if (since !== beginning) followed.forEach((changed) => changed.add(id))
          }
        }
        if (rows[0] !== undefined) skew = rows[0].clock.getTime() - (yield* Clock.currentTimeMillis)
        // Transactions that were still running are seen by the next read, whenever they commit.
        since = rows[0]?.horizon ?? since
        asOf = started
        return true
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("The webhook endpoints could not be read", cause), false)
        ),
        Effect.withTracerEnabled(false)
      )

      const renew = Effect.suspend(() => {
        if (running !== undefined) return Deferred.await(running)
        const done = Deferred.makeUnsafe<boolean>()
        running = done
        return Effect.onExit(read, (exit) =>
          Effect.sync(() => {
            running = undefined
            Deferred.doneUnsafe(done, Exit.isSuccess(exit) ? exit : Exit.succeed(false))
          }))
      })

      // A read under way may not see what the caller has just learned of, such as an endpoint whose event it was given.
      const refresh = Effect.suspend(() =>
        running === undefined ? renew : Effect.andThen(Deferred.await(running), renew)
      )

      return EndpointDirectory.of({
        get: (id) => entries.get(id),
        isAwaited: () => active > 0,
        takers,
        isFresh: (now) => now - asOf <= freshFor,
        isAging: (now) => now - asOf > renewAfter,
        databaseTime: (now) => now + skew,
        followChanges: () => {
          const changed = new Set<string>()
          followed.push(changed)
          return () => {
            const found = [...changed].flatMap((id) => entries.get(id) ?? [])
            changed.clear()
            return found
          }
        },
        refresh,
        renew
      })
    })
  )
}

/** Whether an endpoint takes an event now. */
export const takes = (
  entry: DirectoryEntry,
  { sequence, type }: { readonly type: EventKind; readonly sequence: number }
): boolean => entry.isActive && sequence > entry.skippedTo && matches(entry.eventTypes, type)
