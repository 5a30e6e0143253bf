import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A separate connection pool for the delivery of webhooks, so that a backlog of deliveries never makes an API caller
 * wait for a connection.
 */
export class DeliverySql extends Context.Service<DeliverySql, SqlClient.SqlClient>()(
  "countersign/services/ground/persistence/DeliverySql"
) {}
