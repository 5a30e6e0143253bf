import { Context, Layer } from "effect"
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ReceivedRequest } from "./ReceivedRequest.ts"

/**
 * Answers a POST to a hot operation, whatever is wrong with it; fails only by interruption. Origin and exchange of the
 * request are in its context.
 */
export type HotRoute = (request: ReceivedRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/**
 * The routes of the operations that apps call all the time, by path. The router has them too, for requests that arrive
 * bit by bit. One that has arrived whole goes past the server and the edge of general requests, which cost a fifth of a
 * validate, and not past any rule of the operation.
 */
export class HotRoutes extends Context.Service<HotRoutes, {
  readonly add: (path: string, route: HotRoute) => void
  readonly find: (path: string) => HotRoute | undefined
}>()("countersign/http/ground/edge/HotRoutes") {
  static readonly layer = Layer.sync(HotRoutes, () => {
    const routes = new Map<string, HotRoute>()
    return HotRoutes.of({
      add: (path, route) => void routes.set(path, route),
      find: (path) => routes.get(path)
    })
  })
}
