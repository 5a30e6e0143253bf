import { Context, Effect, Layer } from "effect"
import { activityDays, maximumRefusals, refusalDays } from "../../domain/audit/Activity.ts"
import { Activity } from "../../domain/audit/Activity.ts"
import { windowFindings } from "../../domain/reports/Report.ts"
import { failing, InvalidQuery } from "../../domain/wire/Errors.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Database } from "../persistence/Database.ts"
import { timedPage } from "../persistence/KeysetPagination.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { periodically } from "../platform/Supervised.ts"
import type { ActivityFilters } from "./ActivityQuery.ts"
import { activityQuery } from "./ActivityQuery.ts"

/** Rows that one statement deletes. */
const purgeBatch = 1000

const purgeEvery = "5 minutes"

const readActivity = rowReader(Activity)

/**
 * Who did what to which license, when and with what outcome. A success is written with its event, in the same
 * statement; a metered use is shown from the usage ledger; a refusal is written by the refusal log (write-behind).
 */
export class Activities extends Context.Service<Activities, {
  /** One page, newest first. */
  readonly list: (
    filters: ActivityFilters,
    page: PageRequest
  ) => Effect.Effect<Page<Activity>, InvalidCursor | InvalidQuery>
  /**
   * Deletes what is past its retention, and all but the newest refusals, of which `refusals` are kept; answers how many
   * rows.
   */
  readonly purge: (refusals: number) => Effect.Effect<number>
}>()("countersign/services/audit/Activities") {
  static readonly layer = Layer.effect(
    Activities,
    Effect.gen(function*() {
      const sql = yield* Database

      const list = Effect.fn("Activities.list")(function*(filters: ActivityFilters, page: PageRequest) {
        const { from, to } = filters
        const fields = from === undefined || to === undefined ? [] : windowFindings("usage-ledger", { from, to })
        if (fields.length > 0) return yield* failing(InvalidQuery, "The query is not valid.", { fields })
        return yield* timedPage({
          list: "activities",
          filters,
          page,
          rows: (after, limit) =>
            sql`${activityQuery(sql, filters, { page: { after, limit } })}`.pipe(
              Effect.map((rows) => rows.map(readActivity))
            )
        })
      })

      /** Deletes in small steps, so that nobody waits long for what a step locks. */
      const purge = Effect.fn("Activities.purge")(function*(refusals: number) {
        // The limits are found once, because the newest refusals are many to count.
        const [since] = yield* sql<{ readonly happened: string; readonly refused: string }>`
          SELECT (now() - ${activityDays} * interval '24 hours')::text AS happened,
            greatest(now() - ${refusalDays} * interval '24 hours',
              (SELECT occurred_at FROM activities WHERE result_class = 'refused'
                ORDER BY occurred_at DESC OFFSET ${refusals - 1} LIMIT 1))::text AS refused`
        let purged = 0
        for (let step = purgeBatch; step === purgeBatch; purged += step) {
          const rows = yield* sql`
            DELETE FROM activities WHERE id = ANY(ARRAY(
              SELECT id FROM activities
              WHERE occurred_at < ${since!.happened}::text::timestamptz
                OR (result_class = 'refused' AND occurred_at < ${since!.refused}::text::timestamptz)
              ORDER BY occurred_at LIMIT ${purgeBatch}
              FOR UPDATE SKIP LOCKED
            )) RETURNING 1`
          step = rows.length
        }
        return purged
      })

      // Every node purges, which is harmless.
      yield* periodically("Deleting old activities", purge(maximumRefusals), purgeEvery)

      return Activities.of({ list, purge })
    })
  )
}
