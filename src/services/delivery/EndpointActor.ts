import { Context, Effect, Layer, Schema } from "effect"
import { ClusterSchema, Entity, EntityId, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ofItself } from "../log/Provenance.ts"
import { Lanes } from "./EndpointLane.ts"

/**
 * Hints that an endpoint may have work. A hint may be lost: the sweep finds every lane that is behind. The handler runs
 * the lane, and returns at once while another message's handler runs it.
 */
const Wake = Rpc.make("Wake", { payload: { reload: Schema.Boolean } })
  // The handler works for as long as there is work. It outlives its caller, and ends early when the lane moves.
  .annotate(ClusterSchema.InterruptOnTermination, true)

const Endpoint = Entity.make("WebhookEndpoint", [Wake])

/** An idle actor leaves memory after this time; the engine looks every 5 seconds. */
const maxIdleTime = "5 seconds"

/**
 * The actors that deliver, one for each endpoint, placed on one node at a time by the cluster. An actor owns order,
 * concurrency, circuit breaker and pacing of its endpoint. What must survive a crash is in the database.
 */
export class EndpointActor extends Context.Service<EndpointActor, {
  /** Whether this node is the one that delivers to the endpoint. */
  readonly isHere: (endpointId: string) => boolean
  /** Wakes the actor of an endpoint on this node. `reload`: retries may be due that it does not know of. */
  readonly wake: (endpointId: string, reload: boolean) => Effect.Effect<void>
}>()("countersign/services/delivery/EndpointActor") {
  static readonly layer = Layer.effect(
    EndpointActor,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const lanes = yield* Lanes

      const handlers = Effect.gen(function*() {
        const { entityId } = yield* Entity.CurrentAddress
        // Opened before the first message, so that there is one lane however many arrive at once.
        const lane = yield* lanes.open(String(entityId))
        return Endpoint.of({
          Wake: ({ payload }) =>
            Effect.gen(function*() {
              if (lane === undefined) return
              lane.wake(payload.reload)
              yield* ofItself(lane.run)
            }).pipe(
              Effect.catchCause((cause) => Effect.logWarning("A webhook lane stopped and is woken again", cause)),
              Effect.withTracerEnabled(false)
            )
        })
      })

      yield* sharding.registerEntity(Endpoint, handlers, { maxIdleTime, concurrency: "unbounded" })
      const client = yield* Endpoint.client
      const scope = yield* Effect.scope

      return EndpointActor.of({
        isHere: (id) => sharding.hasShardId(sharding.getShardId(EntityId.make(id), "default")),
        wake: (id, reload) =>
          Effect.suspend(() => {
            // A message costs as much as a delivery.
            if (lanes.wake(id, reload)) return Effect.void
            // In a fiber of its own, so that an actor that is slow to start delays no other.
            return client(id).Wake({ reload }, { discard: true }).pipe(
              Effect.catchCause((cause) => Effect.logDebug("A webhook endpoint could not be woken", cause)),
              Effect.withTracerEnabled(false),
              Effect.forkIn(scope),
              Effect.asVoid
            )
          })
      })
    })
  )
}
