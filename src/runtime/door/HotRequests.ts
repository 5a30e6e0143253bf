import { Effect, Exit } from "effect"
import type { Context, Fiber } from "effect"
import { HttpServerError } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { runtimeBodyLimit } from "../../domain/ground/admission/DoorLimits.ts"
import type { Exchanges } from "../../http/ground/edge/Exchanges.ts"
import type { HotResponse, HotRoutes, makeHotEdge } from "../../http/ground/edge/HotEdge.ts"
import type { Admission } from "../../services/ground/admission/Admission.ts"

/** Handles a request that has a hot route and has arrived whole; answers whether it does. */
export type HotHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/** The parts of the service that hot requests need. */
export interface HotKeeper {
  readonly routes: HotRoutes["Service"]
  readonly edge: Effect.Success<typeof makeHotEdge>
  readonly admission: Admission["Service"]
  readonly exchanges: Exchanges["Service"]
  /** The requests in flight. */
  readonly inFlight: {
    readonly enter: (fiber: Fiber.Fiber<unknown, unknown>, response: ServerResponse) => void
    readonly leave: (fiber: Fiber.Fiber<unknown, unknown>) => void
  }
  /** The input of a request's work. */
  readonly context: Context.Context<never>
}

const utf8 = new TextDecoder()

/** Reads a body that has arrived; undefined where there is none, or not all of it is there. */
const bodyOf = (request: IncomingMessage): Buffer | undefined => {
  const length = Number(request.headers["content-length"])
  if (!request.complete || !(length > 0 && length <= runtimeBodyLimit) || request.readableLength !== length) {
    return undefined
  }
  return request.read() as Buffer | null ?? undefined
}

// Node writes a head and the text after it as one, and a head and bytes as two. Each byte is a character in Latin-1.
const send = (response: ServerResponse, { body, headers, status }: HotResponse): void => {
  response.writeHead(status, { ...headers, "content-length": body?.length ?? 0 })
  if (body === undefined) response.end()
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"), "latin1")
}

/** Handles requests of {@link HotRoutes} without the adapter of a general request. */
export const makeHotHandler = ({ admission, context, edge, exchanges, inFlight, routes }: HotKeeper): HotHandler => {
  const fork = Effect.runForkWith(context)
  return (request, response, path) => {
    const route = routes.find(path)
    // A target with a query, or in absolute form, is not the path itself.
    if (route === undefined || request.method !== "POST" || request.url !== path) return false
    // The routes are those of the live environment.
    if (exchanges.of(request)?.environment !== "live") return false
    const body = bodyOf(request)
    if (body === undefined) return false
    const fiber = fork(edge(route, {
      method: "POST",
      url: path,
      headers: request.headers as Readonly<Record<string, string | undefined>>,
      text: Effect.succeed(utf8.decode(body)),
      arrayBuffer: Effect.sync(() => Uint8Array.from(body).buffer),
      remoteAddress: request.socket.remoteAddress,
      exchange: exchanges.of(request)
    }))
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
