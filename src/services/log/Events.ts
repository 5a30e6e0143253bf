import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import type { JsonObject } from "../../domain/ground/wire/CanonicalJson.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import type { ApprovalRequired } from "../../domain/ground/wire/Errors.ts"
import { CursorAhead, CursorBehind, failing } from "../../domain/ground/wire/Errors.ts"
import type { PageInfo } from "../../domain/ground/wire/Page.ts"
import { movedLimits } from "../../domain/licensing/metering/MovedLimits.ts"
import { commonUpTo, currentEpoch, cursorOf, readCursor } from "../../domain/log/EpochPlace.ts"
import type { EpochStart, Place } from "../../domain/log/EpochPlace.ts"
import type { AuditActorType, EventKind } from "../../domain/log/EventKind.ts"
import { resourceTypeOf } from "../../domain/log/EventKind.ts"
import type { EventColumns, ServedEvent } from "../../domain/log/EventLeaf.ts"
import { disclose, leafOf, withhold } from "../../domain/log/EventLeaf.ts"
import type { EventMetadata } from "../../domain/log/GivenReason.ts"
import { withGivenReason } from "../../domain/log/GivenReason.ts"
import { personalOf, withActingPerson } from "../../domain/log/PersonalMembers.ts"
import type { SecondLookAction } from "../../domain/log/SecondLook.ts"
import { lookOf, withOpener, withSecondPerson } from "../../domain/log/SecondPerson.ts"
import { Announcements } from "../ground/agenda/Announcements.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, requireTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { activityOf } from "./ActivityRecorder.ts"
import type { NewActivity } from "./ActivityRecorder.ts"
import { readDropped } from "./DroppedEvents.ts"
import { insertEvents, insertMoved, listFeed } from "./EventSql.ts"
import type { EventRow, RecordValues } from "./EventSql.ts"
import type { FeedFilters } from "./FeedPosition.ts"
import { findHead } from "./FeedSql.ts"
import { knownEpochStarts } from "./MerkleLog.ts"
import {
  approvalRequired,
  CurrentActor,
  CurrentJob,
  CurrentReason,
  CurrentSecondPerson,
  needsSecondLook,
  RequestOrigin
} from "./Provenance.ts"
import type { Actor, Origin, SecondPerson } from "./Provenance.ts"
import { SequencerSignal } from "./Sequencer.ts"

/** An event as it was recorded: what happened, by whom, and at whose request. */
interface EventToRecord {
  readonly id: string
  readonly type: EventKind
  readonly resourceId: string
  /** The resource after the change. */
  readonly data: object
  readonly metadata?: JsonObject
  /** JSON Pointers (RFC 6901) to personal values outside the data, for which {@link personalOf} has them. */
  readonly personal?: ReadonlyArray<string>
  readonly actor: Pick<Actor, "type" | "id">
  readonly origin: Origin
}

/** The row of `event_records` of an event, whose personal values are withheld, and the activity that goes with it. */
export const recordedEvent = (
  { randomBytes, sha256 }: Pick<Cryptography["Service"], "randomBytes" | "sha256">,
  event: EventToRecord
): { readonly values: RecordValues; readonly activity: NewActivity | undefined } => {
  const { actor, id, origin } = event
  const pointers = ["/ip_address", ...personalOf(event.type), ...(event.personal ?? [])]
  const { leaf, personal } = withhold(
    {
      metadata: event.metadata ?? {},
      // A resource of the contract, whose type has no index.
      data: event.data as JsonObject,
      ...(origin.ipAddress === undefined ? {} : { ip_address: origin.ipAddress })
    },
    pointers,
    pointers.map(() => randomBytes(16)),
    sha256
  )
  return {
    values: {
      id,
      event_type: event.type,
      actor_type: actor.type,
      actor_id: actor.id,
      resource_id: event.resourceId,
      metadata: canonicalJson(leaf.metadata),
      data: canonicalJson(leaf.data),
      commitments: leaf.commitments === undefined ? null : JSON.stringify(leaf.commitments),
      personal: Object.keys(personal).length === 0 ? null : JSON.stringify(personal),
      request_id: origin.requestId ?? null,
      traceparent: origin.traceparent ?? null
    },
    activity: activityOf({ ...event, requestId: origin.requestId })
  }
}

const restored = "The log was restored to an earlier state, before this cursor."

const headOf = (sql: Database) => Effect.map(findHead(sql), ([chain]) => Number(chain!.last_sequence))

/**
 * The error for a reader whose position was lost with the rest of an earlier epoch; undefined when it can continue. The
 * head is read only for the error's text.
 */
const lostPlace = Effect.fnUntraced(
  function*(sql: Database, starts: ReadonlyArray<EpochStart>, place: Place) {
    const epoch = currentEpoch(starts)
    const common = commonUpTo(starts, place.epoch)
    if (common !== undefined && place.sequence <= common) return undefined
    const head = yield* headOf(sql)
    const here = `This log is in epoch ${epoch} and its head is event ${head}.`
    const cursor = cursorOf({ epoch, sequence: common ?? 0 })
    return failing(CursorAhead, restored, {
      detail: common === undefined
        ? `${here} It has never been in epoch ${place.epoch}, which the cursor is of: drop the events that you have of that ` +
          `epoch, and continue from the beginning with cursor=${cursor}.`
        : `${here} The cursor is event ${place.sequence} of epoch ${place.epoch}, of which the events after ${common} ` +
          `are lost: drop those that you have, and continue with cursor=${cursor}.`
    })
  }
)

/**
 * The error for a reader whose position is beyond the head of the feed; undefined otherwise. Call it when nothing was
 * found.
 */
const beyondHead = Effect.fnUntraced(
  function*(sql: Database, starts: ReadonlyArray<EpochStart>, place: Place) {
    const head = yield* headOf(sql)
    if (place.sequence <= head) return undefined
    const epoch = currentEpoch(starts)
    return failing(CursorAhead, restored, {
      detail: `This log is in epoch ${epoch} and its head is event ${head}; the cursor is event ${place.sequence}. ` +
        "Either the operator restored a backup without countersign restore --new-epoch, or the cursor was never issued. " +
        ` With cursor=${cursorOf({ epoch, sequence: head })} you read what comes after the head.`
    })
  }
)

/** The error for a reader whose position is before the oldest event that is kept: events between them were dropped. */
const beforeKept = (starts: ReadonlyArray<EpochStart>, place: Place, dropped: number): CursorBehind =>
  failing(CursorBehind, "The events at this cursor were archived and are no longer served.", {
    detail: `The cursor is event ${place.sequence}, and the events up to ${dropped} are in the archive that the ` +
      `operator keeps. The feed begins with event ${dropped + 1}: read the missing events from the archive, and ` +
      `continue with cursor=${cursorOf({ epoch: currentEpoch(starts), sequence: dropped })}.`
  })

/** An event to be appended by the transaction that caused it. */
export interface NewEvent {
  /** The event's id, given when a row written in the same transaction refers to the event. */
  readonly id?: string
  readonly type: EventKind
  readonly resourceId: string
  /** The resource after the change. */
  readonly data: object
  readonly metadata?: EventMetadata
  /** The action that it is for second looks, where its kind does not say; `none` where it only is a person's own way in. */
  readonly look?: SecondLookAction | "none"
  /** The actor and the request, when they differ from those of the current work. */
  readonly actor?: Actor
  readonly origin?: Origin
}

/** Filters and position of a read of the feed. */
export interface FeedQuery extends FeedFilters {
  readonly limit: number
  /** A cursor of the feed, as its pages return it. */
  readonly cursor: number | undefined
  readonly order: "asc" | "desc"
}

/** The columns of a row that enter the leaf, in the leaf format. */
const columnsOf = (environment: EnvironmentName, row: EventRow): EventColumns => ({
  id: row.id,
  environment,
  sequence: row.sequence,
  event_type: row.event_type,
  actor_type: row.actor_type,
  actor_id: row.actor_id,
  resource_type: resourceTypeOf(row.event_type),
  resource_id: row.resource_id,
  metadata: row.metadata,
  data: row.data,
  request_id: row.request_id,
  created_at: row.created_at.toISOString(),
  commitments: row.commitments,
  license_id: row.license_id,
  license_previous: row.license_previous,
  license_previous_hash: row.license_previous_hash
})

/** The parts of an event that come from its work. */
interface Surroundings {
  readonly origin: Origin
  readonly actor: Actor
  readonly reason: string | undefined
  readonly job: string | undefined
  readonly second: SecondPerson | undefined
}

/**
 * The refusal of an event that needs a second person, where none has been asked: whichever way led here. A job was asked about when it
 * was created, which is an event, too.
 */
const unasked = (event: NewEvent, { actor, job, second }: Surroundings): ApprovalRequired | undefined => {
  const look = lookOf(event)
  const acting = event.actor ?? actor
  return look !== undefined && second === undefined && job === undefined && needsSecondLook(acting, look)
    ? approvalRequired(acting, look)
    : undefined
}

/** An event with the job that its work was a row of. */
const ofJob = (event: NewEvent, job: string | undefined): NewEvent =>
  job === undefined ? event : { ...event, metadata: { ...event.metadata, job_id: job } }

/** A served event of a registered kind: the sequencer writes no others. */
export type FeedEvent = ServedEvent & { readonly event_type: EventKind; readonly actor_type: AuditActorType }

const served = (environment: EnvironmentName, row: EventRow): FeedEvent => ({
  ...disclose(leafOf(columnsOf(environment, row)), row.personal),
  event_type: row.event_type,
  actor_type: row.actor_type,
  previous_hash: Hex.encode(row.previous_hash),
  hash: Hex.encode(row.hash)
})

/** The event log: business transactions append to it, readers read it by position. */
export class Events extends Context.Service<Events, {
  /**
   * Appends in the surrounding transaction, so that the change and its event commit together. Dies outside a
   * transaction, and with APPROVAL_REQUIRED where a second person was not asked about the event: the transaction is rolled back, and the
   * edge answers the refusal.
   */
  readonly append: (event: NewEvent) => Effect.Effect<void>
  /** Appends many events in this order, in one statement. */
  readonly appendAll: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
  /** One page of the sequenced feed; for a limited key, of the events of its products. */
  readonly list: (query: FeedQuery) => Effect.Effect<{
    readonly items: ReadonlyArray<FeedEvent>
    readonly page_info: PageInfo
  }, CursorAhead | CursorBehind>
}>()("countersign/services/log/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const identifiers = yield* Identifiers
      const signal = yield* SequencerSignal
      const announcements = yield* Announcements
      const epochStarts = yield* knownEpochStarts(sql)

      // An event of another than the actor of the work, such as apps whose writes share a transaction, has no reason.
      const recorded = (event: NewEvent, { actor, job, origin, reason, second }: Surroundings) =>
        recordedEvent(crypto, {
          ...withOpener(
            withActingPerson(
              withGivenReason(
                withSecondPerson(ofJob(event, job), second),
                event.actor === undefined ? reason : undefined
              ),
              (event.actor ?? actor).person
            ),
            (event.actor ?? actor).openedBy
          ),
          id: event.id ?? identifiers.next("evt"),
          actor: event.actor ?? actor,
          origin: event.origin ?? origin
        })

      /** Appends events in one statement, together with their activities. */
      const append = Effect.fnUntraced(function*(events: ReadonlyArray<NewEvent>) {
        if (events.length === 0) return
        const surroundings = {
          origin: yield* RequestOrigin,
          actor: yield* CurrentActor,
          reason: yield* CurrentReason,
          job: yield* CurrentJob,
          second: yield* CurrentSecondPerson
        }
        for (const event of events) {
          const refusal = unasked(event, surroundings)
          if (refusal !== undefined) return yield* Effect.die(refusal)
        }
        const rows = events.map((event) => recorded(event, surroundings))
        const activities = rows.flatMap(({ activity }) => activity ?? [])
        yield* insertEvents(sql, rows.map(({ values }) => values), activities)
        yield* sql.afterCommit(signal.committed)
        const moved = movedLimits(events)
        if (moved.length > 0 && (yield* insertMoved(sql, moved)).length > 0) {
          yield* sql.afterCommit(announcements.announce("warnings"))
        }
        // Their end may be near, or another one now.
        if (events.some(({ type }) => /^(license|policy)\./.test(type))) {
          yield* sql.afterCommit(announcements.announce("licenses"))
        }
      })

      const list = Effect.fn("Events.list")(function*(query: FeedQuery) {
        const ascending = query.order === "asc"
        const starts = yield* epochStarts
        const requested = query.cursor === undefined ? undefined : readCursor(query.cursor)
        // Without a cursor the feed begins with the oldest event that is kept.
        const place = requested === undefined && ascending
          ? { epoch: currentEpoch(starts), sequence: (yield* readDropped(sql)).sequence }
          : requested
        if (place !== undefined) {
          const lost = yield* lostPlace(sql, starts, place)
          if (lost !== undefined) return yield* lost
        }
        const rows = yield* listFeed(sql, query, {
          ascending,
          beyond: place?.sequence,
          limit: query.limit + 1,
          products: yield* CurrentProducts
        })
        const head = Number(rows[0]!.head)
        const dropped = Number(rows[0]!.dropped)
        if (place !== undefined && place.sequence < dropped) return yield* beforeKept(starts, place, dropped)
        // Their rows may not be deleted yet; only descending order can meet them.
        const kept = rows.filter((row) => row.sequence !== null && row.sequence > dropped)
        const isFull = kept.length > query.limit
        const page = isFull ? kept.slice(0, query.limit) : kept
        const last = page.at(-1)
        // A page of a limited key may be short, or empty, and have more behind it.
        const end = Number(rows[0]!.reached ?? 0)
        const next = isFull ? Number(last!.sequence) : end > dropped ? end : undefined
        const has_more = next !== undefined
        if (ascending && last === undefined && place !== undefined && place.sequence > head) {
          const ahead = yield* beyondHead(sql, starts, place)
          if (ahead !== undefined) return yield* ahead
        }
        const cursorAfter = (sequence: number) => String(cursorOf({ epoch: currentEpoch(starts), sequence }))
        // A poller always has a cursor. Up to the head nothing else matches, and the snapshot in which that holds is the
        // one that the head was read in: a reader of few kinds does not fall behind what is dropped.
        const next_cursor = ascending
          ? cursorAfter(next ?? Math.max(head, place?.sequence ?? 0))
          : next === undefined
          ? null
          : cursorAfter(next)
        // A place whose record is missing is skipped.
        const items = page.flatMap((row) => row.data === null ? [] : served(environment, row))
        return { items, page_info: { next_cursor, has_more } }
      })

      return Events.of({
        append: Effect.fn("Events.append")((event) =>
          Effect.andThen(requireTransaction(sql, "Events.append"), append([event]))
        ),
        appendAll: Effect.fn("Events.appendAll")((events) =>
          Effect.andThen(requireTransaction(sql, "Events.appendAll"), append(events))
        ),
        list
      })
    })
  )
}
