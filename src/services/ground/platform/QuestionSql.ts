import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A separate connection pool for single-statement queries: validate, check, and the look-up of credentials. No
 * transaction uses it, so a transaction that waits for a lock never delays these queries.
 */
export class QuestionSql extends Context.Service<QuestionSql, SqlClient.SqlClient>()(
  "countersign/services/ground/platform/QuestionSql"
) {}
