import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { HotRoutes } from "./edge/Edge.ts"
import { makeHotRoute } from "./middleware/HotRoute.ts"
import type { HotAnswer } from "./middleware/HotRoute.ts"

/** The groups of the contract whose operations apps call all the time. */
export type HotGroupName = "floating" | "runtime"

type Endpoints<Name extends HotGroupName> = (typeof Api)["groups"][Name]["endpoints"]

/** An answer for each operation of a group. */
type HotAnswers<Name extends HotGroupName> = {
  readonly [Id in keyof Endpoints<Name>]: HotAnswer<HttpApiEndpoint.Payload<Endpoints<Name>[Id]>["Type"]>
}

/**
 * Answers the operations of a group by hot routes. The router has them for requests that arrive bit by bit, and HttpApi
 * makes no routes of its own for the group.
 */
export const hotGroup = <Name extends HotGroupName, E, R>(name: Name, answers: Effect.Effect<HotAnswers<Name>, E, R>) =>
  HttpRouter.addAll(Effect.gen(function*() {
    const hot = yield* HotRoutes
    const hotRoute = yield* makeHotRoute
    const answerOf = new Map<string, HotAnswer<any>>(Object.entries(yield* answers))
    const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups[name].endpoints)
    return endpoints.map((endpoint) => {
      const route = hotRoute(endpoint, answerOf.get(endpoint.identifier)!)
      hot.add(endpoint.path, route)
      return HttpRouter.route("POST", endpoint.path as HttpRouter.PathInput, route)
    })
  }))
