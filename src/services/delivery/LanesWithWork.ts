import { Clock, Context, Effect, Layer } from "effect"
import { familyOf } from "../../domain/log/EventKind.ts"
import type { EventKind } from "../../domain/log/EventKind.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { FeedSignal } from "../log/FeedPosition.ts"
import { listPlaces, listWork } from "./LanesWithWorkSql.ts"
import type { WorkRow } from "./LanesWithWorkSql.ts"
import type { DirectoryEntry } from "./webhooks/EndpointDirectory.ts"
import { EndpointDirectory, everything, subscriptions } from "./webhooks/EndpointDirectory.ts"

/** A lane that has work which it may do now. */
export interface LaneWithWork {
  readonly endpointId: string
  /** Whether retries are due. */
  readonly overdue: boolean
}

/**
 * All lanes are looked at anew after this time, in milliseconds: a cursor that something else than a lane set back, as a
 * restore under a running node does, is found then.
 */
const lookAtAllEvery = 60_000

/**
 * Finds the lanes of all nodes that are behind, have a retry due, or may be probed. Its cost depends on how many these
 * are and on what has happened since the last time, and not on how many endpoints there are: a lane that was not behind
 * can only be so once an event comes that it takes, or once its endpoint changes.
 */
export class LanesWithWork extends Context.Service<LanesWithWork, {
  /** The lanes that have work now. The directory is refreshed for it, and the head of the feed announced. */
  readonly find: Effect.Effect<ReadonlyArray<LaneWithWork>>
  /** Whether any lane was behind when they were last looked for, whatever it may do now. */
  readonly areBehind: () => boolean
}>()("countersign/services/delivery/LanesWithWork") {
  static readonly layer = Layer.effect(
    LanesWithWork,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const directory = yield* EndpointDirectory
      const signal = yield* FeedSignal
      const takeChanged = directory.followChanges()
      /** Endpoints whose lanes are behind, or were not looked at since they could be. */
      const suspects = new Set<string>()
      /** The last sequence by what a subscription may name: kinds, families and everything. */
      let newest = new Map<string, number>()
      let head = -1
      let lookedAtAll = Number.NEGATIVE_INFINITY

      /** Suspects those who take a kind of which there are other events than the last time. */
      const suspect = (kinds: ReadonlyArray<WorkRow>) => {
        const before = newest
        const now = new Map<string, number>()
        const raise = (name: string, sequence: number) => now.set(name, Math.max(now.get(name) ?? 0, sequence))
        for (const { name, sequence } of kinds) {
          raise(name, Number(sequence))
          raise(`${familyOf(name as EventKind)}.*`, Number(sequence))
          raise(everything, Number(sequence))
        }
        const grown = kinds.filter(({ name, sequence }) => before.get(name) !== Number(sequence))
        for (const { id } of directory.takers(grown.map(({ name }) => name as EventKind))) suspects.add(id)
        newest = now
      }

      const newestFor = (entry: DirectoryEntry): number =>
        Math.max(0, ...subscriptions(entry).map((name) => newest.get(name) ?? 0))

      /** Reads what has happened; answers the endpoints that changed, and those with retries that are due. */
      const lookAtFeed = Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const all = at - lookedAtAll >= lookAtAllEvery
        const rows = yield* listWork(sql, all ? -1 : head)
        const kinds = rows.filter(({ what }) => what === "kind")
        if (all) {
          newest = new Map()
          lookedAtAll = at
        }
        if (kinds.length > 0) suspect(kinds)
        const changed = takeChanged().map(({ id }) => id)
        for (const id of changed) suspects.add(id)
        head = Number(rows.find(({ what }) => what === "head")?.sequence ?? -1)
        yield* signal.publish(head)
        const overdue = rows.filter(({ what }) => what === "overdue").map(({ name }) => name)
        return { changed: new Set(changed), overdue: new Set(overdue) }
      })

      const find = Effect.gen(function*() {
        yield* directory.refresh
        // Without an active endpoint no lane can have work.
        if (!directory.isAwaited()) return []
        const { changed, overdue } = yield* lookAtFeed
        const candidates = new Set([...suspects, ...overdue])
        if (candidates.size === 0) return []
        const inOrder = [...candidates].filter((id) => directory.get(id)?.isInOrder === true)
        const rows = yield* listPlaces(sql, [...candidates], inOrder)
        const lanes = new Map(rows.map((row) => [row.endpoint_id, row]))
        const found: Array<LaneWithWork> = []
        for (const endpointId of candidates) {
          const entry = directory.get(endpointId)
          const lane = lanes.get(endpointId)
          const isActive = entry?.isActive === true && lane !== undefined
          // The newest event may have been read after this cursor: then the lane stays suspected for once more.
          const isBehind = isActive && newestFor(entry) > Number(lane.cursor_seq)
          if (!isBehind) suspects.delete(endpointId)
          // A lane that is in memory learns of a change when it is woken, and then tries at once.
          if (isActive && (lane.ready || changed.has(endpointId)) && (isBehind || overdue.has(endpointId))) {
            found.push({ endpointId, overdue: overdue.has(endpointId) })
          }
        }
        return found
      })

      return LanesWithWork.of({ find, areBehind: () => suspects.size > 0 })
    })
  )
}
