import { Context } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * A separate connection pool for single-statement queries: validate, check, and the look-up of credentials. No
 * transaction uses it, so a transaction that waits for a lock never delays these queries.
 */
export class QuestionSql extends Context.Service<QuestionSql, SqlClient.SqlClient>()(
  "countersign/services/ground/platform/QuestionSql"
) {}

/** How many connections a process may have. */
export interface Room {
  /** Connections that the server, the database and the user allow this process, including those it has. */
  readonly room: number
  readonly limit: number
  readonly limited_by: string
}

/**
 * The narrowest limit of the connections of the process whose connections all have this name, and of no other process.
 * Those that it has to another database, which is that of another environment, are others: they take room here.
 * `rolconnlimit` and `datconnlimit` are -1 when unlimited. Superusers may use all slots and have no limits of their own.
 */
export const findRoom = (sql: SqlClient.SqlClient, applicationName: string): Statement.Statement<Room> =>
  sql<Room>`
    -- name: catalog.find room for sessions
    WITH sessions AS (
      SELECT usename = current_user AS of_user, datname = current_database() AS of_database,
        application_name = ${applicationName} AND datname = current_database() AS own
      FROM pg_stat_activity WHERE backend_type = 'client backend'
    ), me AS (
      SELECT r.rolsuper, r.rolconnlimit, d.datconnlimit FROM pg_roles r, pg_database d
      WHERE r.rolname = current_user AND d.datname = current_database()
    ), limits AS (
      SELECT 'max_connections' AS limited_by, current_setting('max_connections')::int
        - CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) END AS "limit",
        (SELECT count(*) FROM sessions WHERE NOT own) AS others
      FROM me
      UNION ALL SELECT 'the CONNECTION LIMIT of the user ' || current_user, rolconnlimit,
        (SELECT count(*) FROM sessions WHERE of_user AND NOT own)
      FROM me WHERE rolconnlimit >= 0 AND NOT rolsuper
      UNION ALL SELECT 'the CONNECTION LIMIT of the database ' || current_database(), datconnlimit,
        (SELECT count(*) FROM sessions WHERE of_database AND NOT own)
      FROM me WHERE datconnlimit >= 0 AND NOT rolsuper
    )
    SELECT limited_by, "limit"::int, ("limit" - others)::int AS room FROM limits ORDER BY room LIMIT 1`

/** One row, from a database that answers. */
export const findAnswer = (sql: SqlClient.SqlClient): Statement.Statement<object> =>
  sql`
    -- name: catalog.find answer
    SELECT 1`
