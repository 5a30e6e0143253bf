import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A separate connection pool for snapshots of the database that are read while others write what follows from them. Who holds a
 * connection of a pool never asks the same pool for another: a pool of which each is held by such a one would lend none any more.
 */
export class LongReadSql extends Context.Service<LongReadSql, SqlClient.SqlClient>()(
  "countersign/services/ground/persistence/LongReadSql"
) {}
