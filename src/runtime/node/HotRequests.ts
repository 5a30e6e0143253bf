import { Effect, Exit } from "effect"
import type { Context, Fiber } from "effect"
import { HttpServerError } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { runtimeBodyLimit } from "../../domain/admission/DoorLimits.ts"
import type { Exchanges } from "../../http/edge/Exchanges.ts"
import type { HotAnswer, HotRoutes } from "../../http/edge/HotRoutes.ts"
import type { Admission } from "../../services/admission/Admission.ts"

/** Handles a request that has a hot route and is plain; answers whether it does. */
export type HotHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/** What hot requests need of the service. */
export interface HotKeeper {
  readonly routes: HotRoutes["Service"]
  readonly admission: Admission["Service"]
  readonly exchanges: Exchanges["Service"]
  /** The requests in flight. */
  readonly inFlight: {
    readonly enter: (fiber: Fiber.Fiber<unknown, unknown>, response: ServerResponse) => void
    readonly leave: (fiber: Fiber.Fiber<unknown, unknown>) => void
  }
  /** What the work of a request starts with. */
  readonly context: Context.Context<never>
}

/** Reads a body that has arrived; undefined where there is none, or only the general pipeline may read it. */
const bodyOf = (request: IncomingMessage): Buffer | undefined => {
  const length = Number(request.headers["content-length"])
  if (!request.complete || !(length > 0 && length <= runtimeBodyLimit) || request.readableLength !== length) {
    return undefined
  }
  return request.read() as Buffer | null ?? undefined
}

const send = (response: ServerResponse, { body, headers, status }: HotAnswer): void => {
  const length = body === undefined ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length
  response.writeHead(status, { ...headers, "content-length": length })
  response.end(body)
}

/** Handles requests of {@link HotRoutes} without the adapter of a general request. */
export const makeHotHandler = ({ admission, context, exchanges, inFlight, routes }: HotKeeper): HotHandler => {
  const fork = Effect.runForkWith(context)
  return (request, response, path) => {
    const route = routes.find(path)
    // A target with a query, or in absolute form, is not the path itself.
    if (route === undefined || request.method !== "POST" || request.url !== path) return false
    const body = bodyOf(request)
    if (body === undefined) return false
    const answer = route({
      headers: request.headers,
      remoteAddress: request.socket.remoteAddress,
      body,
      exchange: exchanges.of(request)
    })
    if (answer === undefined) {
      // The general pipeline reads it anew.
      request.unshift(body)
      return false
    }
    const fiber = fork(answer)
    inFlight.enter(fiber, response)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    })
    fiber.addObserver((exit) => {
      inFlight.leave(fiber)
      admission.leave(request, Exit.isSuccess(exit) ? exit.value.status : 0)
      if (response.destroyed || response.headersSent) return
      if (Exit.isSuccess(exit)) send(response, exit.value)
      else response.destroy()
    })
    return true
  }
}
