import { Context, Effect, Layer } from "effect"
import type { Activity, ActivityRecord } from "../../../domain/evidence/audit/Activity.ts"
import { windowFindings } from "../../../domain/evidence/reports/Report.ts"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, InvalidQuery } from "../../../domain/ground/wire/Errors.ts"
import { invalidQuery } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { isNarrowed, pageLimits, timedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { detailed, recordOf } from "./ActivityDetails.ts"
import type { Details } from "./ActivityDetails.ts"
import type { ActivityFilters } from "./ActivityQuery.ts"
import { activityQuery } from "./ActivityQuery.ts"
import { activityRows, deletePurged, findActivity, findPurgeBorder, listActivities } from "./ActivitySql.ts"

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
