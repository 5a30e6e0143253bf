import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { longestRequest } from "../../domain/evidence/witnessing/AddCheckpoint.ts"
import { Away } from "../terminal/ExitCode.ts"
import type { makeCosigner, WitnessAnswer } from "./Cosigner.ts"

/** How long a caller may take to send a request, and how many callers are served at once. */
const patienceMillis = 10_000
const maximumConnections = 256

/** The body of a request as text; undefined when it is too long, or is not UTF-8. */
const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of request) {
    length += piece.length
    if (length > longestRequest) return undefined
    pieces.push(piece)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch {
    return undefined
  }
}

const send = (response: ServerResponse, { body, status, type }: WitnessAnswer): void => {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) })
  response.end(body)
}

const text = (status: number, body: string): WitnessAnswer => ({ status, type: "text/plain; charset=utf-8", body })

/** Serves a witness until the scope closes; answers the port. */
export const serveWitness = Effect.fnUntraced(function*(
  cosigner: Effect.Success<ReturnType<typeof makeCosigner>>,
  { host, port }: { readonly host: string; readonly port: number }
) {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const posts = new Map([["/add-checkpoint", cosigner.add], ["/add-key-event", cosigner.follow]])

  const answer = async (request: IncomingMessage): Promise<WitnessAnswer> => {
    const path = (request.url ?? "").split("?")[0]!
    const monitored = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path)?.[1]
    if (monitored !== undefined && request.method === "GET") return run(cosigner.latest(monitored))
    const take = posts.get(path)
    if (take === undefined) return text(404, "There is nothing here.\n")
    if (request.method !== "POST") return text(405, "Send a POST.\n")
    const body = await bodyOf(request)
    return body === undefined
      ? text(400, `A request is UTF-8 of at most ${longestRequest} bytes.\n`)
      : run(take(body))
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const answered = await answer(request)
      if (!request.complete) response.setHeader("connection", "close")
      send(response, answered)
    } catch {
      // The state cannot be written, so nothing was cosigned; or the caller has gone.
      send(response, text(500, "The witness cannot keep its state.\n"))
    }
  }

  const server = createServer(
    { requestTimeout: patienceMillis, headersTimeout: patienceMillis },
    (request, response) => {
      void respond(request, response)
    }
  )
  server.maxConnections = maximumConnections
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        new Promise<void>((resolve, reject) => {
          server.once("error", reject)
          server.listen({ host, port }, resolve)
        }),
      catch: (cause) => new Away({ message: `${host}:${port} cannot be listened on: ${String(cause)}` })
    }),
    () =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.closeIdleConnections()
          server.close(() => resolve())
        })
      )
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : port
})
