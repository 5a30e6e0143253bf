import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A pool of connections of its own for questions of one statement: validate, check, and whose a credential is. No
 * transaction ever takes one of them, so that whoever waits for a lock makes nobody wait who only asks.
 */
export class QuestionSql extends Context.Service<QuestionSql, SqlClient.SqlClient>()(
  "countersign/services/platform/QuestionSql"
) {}
