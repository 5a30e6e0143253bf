import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A pool of connections of its own for the delivery of webhooks, so that a backlog of deliveries never makes a caller
 * of the API wait for a connection.
 */
export class DeliverySql extends Context.Service<DeliverySql, SqlClient.SqlClient>()(
  "countersign/services/persistence/DeliverySql"
) {}
