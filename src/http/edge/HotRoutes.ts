import { Context, Effect, Layer } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Exchange } from "./Exchanges.ts"

/** A request whose body has arrived. */
export interface HotRequest {
  /** The header fields by their names in lower case. A list stands for a field that must not be joined. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The address of the peer, before any proxy is looked at. */
  readonly remoteAddress: string | undefined
  readonly body: Uint8Array
  /** What its line in the log is made of. */
  readonly exchange: Exchange | undefined
}

/** What is sent for a {@link HotRequest}; `content-length` is left to the sender. */
export interface HotAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/**
 * Answers a POST. Undefined for a request that is not plain and well-formed: nothing was charged or done for it then,
 * and the whole pipeline judges it. The effect fails only by interruption.
 */
export type HotRoute = (request: HotRequest) => Effect.Effect<HotAnswer> | undefined

/** A response as an answer. It must not be a stream. */
export const answerOf = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): HotAnswer => {
  const { "content-length": _, ...own } = headers
  return { status, headers: own, body: body._tag === "Uint8Array" ? body.body : undefined }
}

/**
 * The operations that apps call all the time, by path. The router, the chain of middleware and the adapter of a general
 * request cost more than the answer itself, so a request that is plain and well-formed goes past them. The same
 * functions check its credential, decode its body, answer it and encode its failure.
 */
export class HotRoutes extends Context.Service<HotRoutes, {
  readonly add: (path: string, route: HotRoute) => void
  readonly find: (path: string) => HotRoute | undefined
}>()("countersign/http/HotRoutes") {
  static readonly layer = Layer.sync(HotRoutes, () => {
    const routes = new Map<string, HotRoute>()
    return HotRoutes.of({
      add: (path, route) => void routes.set(path, route),
      find: (path) => routes.get(path)
    })
  })
}
