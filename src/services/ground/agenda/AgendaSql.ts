import type { Statement } from "effect/sql"
import type { Database, Query } from "../persistence/Database.ts"
import type { Topic } from "./Announcements.ts"

/** How often it is read what is due, in milliseconds, in case that nobody announced it. */
export const seldom = 30_000

/** When the next work of a kind is due, in milliseconds from now; NULL where none is. A hot row, which is cast. */
export interface DueRow {
  readonly topic: Topic
  readonly millis: number | null
}

/**
 * A kind of work, and the time at which the next of it is due: an expression that is NULL where there is none, and holds of all
 * that a look finds to do, so that what nobody announced is found by it. Made for each reading.
 */
export interface DueWork {
  readonly topic: Topic
  readonly due: () => Statement.Fragment
}

/** Finds when work is due, of all these kinds in one statement. */
export const listDueWork = (sql: Database, work: ReadonlyArray<DueWork>): Query<DueRow> =>
  sql<DueRow>`
    -- name: clock.list due work
    SELECT topic, (extract(epoch FROM due - clock_timestamp()) * 1000)::float8 AS millis FROM (
      ${
    sql.join(" UNION ALL ", false)(
      work.map(({ due, topic }) =>
        sql`SELECT ${sql.literal(`'${topic}'`)}::text AS topic, (${due()})::timestamptz AS due`
      )
    )
  }
    ) d`
