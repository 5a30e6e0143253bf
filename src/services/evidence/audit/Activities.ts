import { Context, Effect, Layer, Schema } from "effect"
import type { Activity, ActivityRecord } from "../../../domain/evidence/audit/Activity.ts"
import { comparisonOf } from "../../../domain/evidence/audit/ActivityChange.ts"
import {
  askedScopes,
  changesIn,
  scopeLackedFor,
  shownTo,
  withNames
} from "../../../domain/evidence/audit/ActivityDetails.ts"
import type { NameLookup } from "../../../domain/evidence/audit/ActivityDetails.ts"
import { dataOf } from "../../../domain/evidence/audit/DeviceReplay.ts"
import type { StoredEvent } from "../../../domain/evidence/audit/DeviceReplay.ts"
import { windowFindings } from "../../../domain/evidence/reports/Report.ts"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, InvalidQuery } from "../../../domain/ground/wire/Errors.ts"
import { invalidQuery } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import { EventKindSchema, wholeLicenseKinds } from "../../../domain/log/EventKind.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { isNarrowed, pageLimits, timedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { findLastEvent } from "../../licensing/entitlements/LicenseHistorySql.ts"
import { lackedScopes } from "../../log/Provenance.ts"
import type { ActivityFilters } from "./ActivityQuery.ts"
import { activityQuery } from "./ActivityQuery.ts"
import {
  activityRows,
  deletePurged,
  findActivity,
  findPurgeBorder,
  listActivities,
  listActivityNames,
  listEventsBehind
} from "./ActivitySql.ts"
import type { EventWithBefore } from "./ActivitySql.ts"

/** The parts that are added to activities. */
interface Details {
  readonly changes: boolean
  readonly names: boolean
}

const isKind = Schema.is(EventKindSchema)

/** The events behind activities, by their ids. */
const eventsBehind = (sql: Database, activities: ReadonlyArray<Activity>, changes: boolean) => {
  const asked = activities.flatMap(({ action, audit_event_id }) => {
    if (audit_event_id === undefined || !isKind(action)) return []
    return [{ id: audit_event_id, ...(changes ? comparisonOf(action) : {}) }]
  })
  return Effect.map(
    asked.length === 0 ? Effect.succeed([]) : listEventsBehind(sql, asked),
    (rows) => new Map(rows.map((row) => [row.id, row]))
  )
}

const distinct = (ids: ReadonlyArray<string | undefined>): ReadonlyArray<string> => [
  ...new Set(ids.filter((id) => id !== undefined))
]

/** The names of all ids of some activities. */
const namesOf = (sql: Database, activities: ReadonlyArray<Activity>) => {
  const actors = (type: Activity["actor_type"]) =>
    distinct(activities.filter(({ actor_type }) => actor_type === type).map(({ actor_id }) => actor_id))
  return Effect.map(
    listActivityNames(sql, {
      people: actors("person"),
      keys: actors("api_key"),
      products: distinct(activities.map(({ product_id }) => product_id)),
      customers: distinct(activities.map(({ customer_id }) => customer_id)),
      licenses: distinct(activities.map(({ license_id }) => license_id)),
      devices: distinct(activities.map(({ device_id }) => device_id))
    }),
    (rows): NameLookup => {
      const found = new Map(rows.map(({ id, kind, name }) => [`${kind} ${id}`, name]))
      const lookup = (kind: string) => (id: string | undefined) =>
        id === undefined ? undefined : found.get(`${kind} ${id}`)
      return { of: lookup("own"), policyOf: lookup("policy"), holderOf: lookup("holder") }
    }
  )
}

const changesOf = (
  row: EventWithBefore | undefined,
  held: ReadonlySet<Scope>
): Pick<Activity, "changes" | "withheld"> => {
  if (row === undefined) return {}
  const withheld = scopeLackedFor(row.event_type, held)
  if (withheld !== undefined) return { withheld }
  const changes = changesIn({
    event: shownTo(row, held),
    before: row.before === null ? undefined : shownTo(row.before, held),
    isCut: row.is_cut
  })
  return changes === undefined ? {} : { changes }
}

/** The scopes of the caller, of those that decide what it sees. */
const heldScopes = Effect.map(
  Effect.forEach(
    askedScopes,
    (scope) => Effect.map(lackedScopes([scope]), ({ length }) => length === 0 ? [scope] : [])
  ),
  (held): ReadonlySet<Scope> => new Set(held.flat())
)

/**
 * Activities with what changed, or with the names behind their ids. Nothing of it is stored with them: events have what changed
 * and who it was, so that what is erased there is gone here too.
 */
const detailed = Effect.fnUntraced(
  function*(sql: Database, activities: ReadonlyArray<Activity>, details: Details) {
    if (activities.length === 0) return activities
    const held = yield* heldScopes
    const events = yield* eventsBehind(sql, activities, details.changes)
    const names = details.names ? yield* namesOf(sql, activities) : undefined
    return activities.map((activity): Activity => {
      const event = events.get(activity.audit_event_id ?? "")
      return {
        ...(names === undefined ? activity : withNames(activity, { event, held, names })),
        ...(details.changes ? changesOf(event, held) : {})
      }
    })
  }
)

/** The last event of a license at an instant, as it is read from the log. */
const readLast = rowReader(
  Schema.Struct({
    event_type: Schema.Literals(wholeLicenseKinds),
    place: Schema.Unknown,
    data: Schema.String,
    personal: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Struct({ salt: Schema.String, value: Schema.Json }))
    )
  })
)

/** The JSON of what an event shows, without what was erased, and without its place in other records. */
const jsonOf = (event: StoredEvent): Readonly<Record<string, Schema.Json>> => {
  const { custom_field: _field, ...data } = dataOf(event)
  // A value that was erased is a symbol, which JSON leaves out.
  return readJson(JSON.stringify(data))
}
const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

/** A license right after an activity, by its last event until then. */
const licenseThen = Effect.fnUntraced(function*(sql: Database, id: string, at: string) {
  const [row] = yield* findLastEvent(sql, id, wholeLicenseKinds, new Date(at))
  if (row === undefined) return undefined
  const { data, event_type, personal } = readLast(row)
  return jsonOf({
    event_type,
    resource_id: id,
    metadata: "{}",
    data,
    commitments: personal === undefined ? null : Object.fromEntries(Object.keys(personal).map((name) => [name, ""])),
    personal: personal ?? null
  })
})

/** One activity with all that is known of it. */
const recordOf = Effect.fnUntraced(function*(sql: Database, activity: Activity) {
  const held = yield* heldScopes
  const [known = activity] = yield* detailed(sql, [activity], { changes: true, names: true })
  const { audit_event_id, license_id, occurred_at } = activity
  const event = (yield* eventsBehind(sql, [activity], false)).get(audit_event_id ?? "")
  const isWhole = event !== undefined && wholeLicenseKinds.includes(event.event_type)
  const seesLicense = scopeLackedFor("license.created", held) === undefined
  const license = license_id === undefined || isWhole || !seesLicense
    ? undefined
    : yield* licenseThen(sql, license_id, occurred_at)
  const isErased = event !== undefined &&
    Object.keys(event.commitments ?? {}).some((pointer) => event.personal?.[pointer] === undefined)
  return {
    ...known,
    ...(event === undefined || known.withheld !== undefined ? {} : { resource: jsonOf(shownTo(event, held)) }),
    ...(license === undefined ? {} : { license }),
    is_erased: isErased
  } satisfies ActivityRecord
})

/** Rows that one statement deletes. */
const purgeBatch = 1000

/**
 * Activities: who did what to which license, when and with what outcome. A success is written with its event, in the same
 * statement; a metered use is shown from the usage ledger; a refusal is written by the refusal log (write-behind).
 */
export class Activities extends Context.Service<Activities, {
  /** One page, newest first. */
  readonly list: (
    filters: ActivityFilters,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<Activity>, InvalidCursor | InvalidQuery>
  /** The same with what changed, or with the names behind the ids. */
  readonly listDetailed: (
    filters: ActivityFilters,
    page: PageRequest,
    details: Details
  ) => Effect.Effect<Page<Activity>, InvalidCursor | InvalidQuery>
  /** One activity with all that is known of it, and the resource as it left it. */
  readonly get: (id: string) => Effect.Effect<ActivityRecord, NotFound>
  /**
   * Deletes what is older than `days`, refusals that are past their own time, and all but the newest refusals, of which
   * `refusals` are kept; answers how many rows. 0 days keep everything but refusals.
   */
  readonly purge: (keep: { readonly days: number; readonly refusals: number }) => Effect.Effect<number>
}>()("countersign/services/evidence/audit/Activities") {
  static readonly layer = Layer.effect(
    Activities,
    Effect.gen(function*() {
      const sql = yield* Database

      const list = Effect.fn("Activities.list")(function*(filters: ActivityFilters, page: PageRequest) {
        const { from, to } = filters
        const fields = from === undefined || to === undefined ? [] : windowFindings("usage-ledger", { from, to })
        if (fields.length > 0) return yield* invalidQuery(fields)
        const products = yield* CurrentProducts
        const isFiltered = isNarrowed(filters, products)
        return yield* timedPage({
          list: "activities",
          products: "narrowed",
          filters,
          page,
          rows: (after, limit) => {
            const limits = pageLimits(sql, limit, isFiltered)
            const page = { after, limit: limits.read }
            return listActivities(sql, activityQuery(sql, filters, { limit: products, page }), limits)
          },
          write: activityRows
        })
      })

      const listDetailed = Effect.fn("Activities.listDetailed")(
        function*(filters: ActivityFilters, page: PageRequest, details: Details) {
          const { page_info, rows } = yield* list(filters, page)
          return { items: yield* detailed(sql, activityRows.read(rows), details), page_info }
        }
      )

      const get = Effect.fn("Activities.get")(function*(id: string) {
        const [row] = yield* findActivity(sql, id, yield* CurrentProducts)
        const [activity] = row === undefined ? [] : activityRows.read(activityRows.write([row.record]))
        if (activity === undefined) return yield* failing(NotFound, "No activity has this id.")
        return yield* recordOf(sql, activity)
      })

      /**
       * Deletes in small steps, so that nobody waits long for what a step locks. Each of them says in the same
       * transaction up to when rows may be gone.
       */
      const purge: Activities["Service"]["purge"] = Effect.fn("Activities.purge")(function*({ days, refusals }) {
        // The limits are found once, because the newest refusals are many to count.
        const [since] = yield* findPurgeBorder(sql, days, refusals)
        let purged = 0
        for (let step = purgeBatch; step === purgeBatch; purged += step) {
          step = (yield* deletePurged(sql, since!, purgeBatch)).length
        }
        return purged
      })

      return Activities.of({ list, listDetailed, get, purge })
    })
  )
}
