import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { longestParameter } from "../api/ground/Parameters.ts"
import { routes } from "../http/Http.ts"
import * as Application from "./App.ts"

/** Every route, and the services behind it. `surroundings` are the database and what else is one environment's alone. */
export const applicationRoutes = <A, E, R>(surroundings: Layer.Layer<A, E, R>) =>
  routes.pipe(Layer.provide(Application.layer), Layer.provide(surroundings))

/** The HTTP application on a database. It is made once for each environment. */
export const httpApplication = <A, E, R>(surroundings: Layer.Layer<A, E, R>) =>
  HttpRouter.toHttpEffect(applicationRoutes(surroundings)).pipe(
    // Targets have one spelling, which the door has read. A route takes no parameter of more than 100 characters by itself.
    Effect.provideService(HttpRouter.RouterConfig, {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: longestParameter
    })
  )
