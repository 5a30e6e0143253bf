import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../events/Events.ts"
import { DeliverySql } from "../persistence/DeliverySql.ts"

/** Appends events in transactions of the delivery pool. */
export class DeliveryEvents extends Context.Service<DeliveryEvents, Pick<Events["Service"], "append">>()(
  "countersign/services/delivery/DeliveryEvents"
) {
  static readonly layer = Layer.effect(DeliveryEvents, Effect.map(Events, ({ append }) => ({ append }))).pipe(
    Layer.provide(Layer.fresh(Events.layer)),
    Layer.provide(Layer.effect(SqlClient.SqlClient, DeliverySql))
  )
}
