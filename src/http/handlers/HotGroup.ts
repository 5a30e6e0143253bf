import { Context, Effect, Layer, Scope } from "effect"
import { Envelope, Idempotency, LicenseKeyAuthorization, RequestBody } from "../api/Middleware.ts"

const kept = [Envelope, Idempotency, LicenseKeyAuthorization, RequestBody, Scope.Scope] as const

type Middleware = Envelope | Idempotency | LicenseKeyAuthorization | RequestBody

/**
 * A group of operations on the hot path. HttpApi merges the context that a group was built with into the context of
 * every request, service by service; with all of ours that is a twentieth of the cost of a validate. So the handlers
 * take their services first, and the group is built with the middleware alone.
 */
export const hotGroup = <A, E, E2, R>(
  group: Effect.Effect<Layer.Layer<A, E, Middleware>, E2, R>
): Layer.Layer<A, E | E2, Middleware | Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.flatMap(group, (layer) =>
      Effect.updateContext(
        Layer.build(layer),
        (context: Context.Context<Middleware | Scope.Scope>) => Context.pick(...kept)(context)
      ))
  )
