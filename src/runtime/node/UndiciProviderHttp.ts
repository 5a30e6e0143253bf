import { Effect, Layer } from "effect"
import type { Agent } from "undici"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { NoAnswer, ProviderHttp } from "../../services/ground/platform/Transport.ts"
import type { HttpAnswer, HttpQuestion } from "../../services/ground/platform/Transport.ts"
import { guardedConnect, kindOf, loadUndici, TransportSurroundings } from "./GuardedConnect.ts"

/**
 * Sizes are in bytes. A page of a hundred objects with what is expanded in them has a megabyte or two. Sockets are counted by
 * host, and several connections, of which each has a few requests, may be to accounts at one.
 */
const limits = { headerBytes: 32 * 1024, bodyBytes: 8 * 1024 * 1024, connections: 32 } as const

const kept = ["date", "retry-after"] as const

/** Reads a body to its end; undefined of one that is too large. */
const wholeOf = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limits.bodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The requests to the APIs of payment providers, under the rules that deliveries are sent by. */
export const layer = Layer.effect(
  ProviderHttp,
  Effect.gen(function*() {
    const { version, webhookAllowedCidrs } = yield* Settings
    const surroundings = yield* TransportSurroundings
    const { connectorOf } = guardedConnect(surroundings, webhookAllowedCidrs)
    let agent: Agent | undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => agent?.destroy().catch(() => undefined)))

    const ask = async (
      { headers, patienceMillis, url }: HttpQuestion,
      signal: AbortSignal
    ): Promise<HttpAnswer | undefined> => {
      const undici = await loadUndici()
      agent ??= new undici.Agent({
        connect: connectorOf(undici),
        allowH2: false,
        connections: limits.connections,
        maxHeaderSize: limits.headerBytes,
        keepAliveTimeout: 4_000
      })
      const answer = await undici.request(url, {
        dispatcher: agent,
        headers: { accept: "application/json", "user-agent": `Countersign/${version}`, ...headers },
        headersTimeout: patienceMillis,
        bodyTimeout: patienceMillis,
        signal
      })
      const body = await wholeOf(answer.body)
      if (body === undefined) return undefined
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(kept.map((name) => {
          const value = answer.headers[name]
          return [name, typeof value === "string" ? value : undefined]
        })),
        body
      }
    }

    return ProviderHttp.of({
      get: (question) =>
        Effect.tryPromise({
          try: (signal) => ask(question, signal),
          catch: (error) => new NoAnswer({ reason: kindOf(error) })
        }).pipe(
          Effect.timeoutOrElse({
            duration: question.patienceMillis,
            orElse: () => Effect.fail(new NoAnswer({ reason: "timeout" }))
          }),
          Effect.filterOrFail(
            (answer) => answer !== undefined,
            () => new NoAnswer({ reason: "too_large" })
          )
        )
    })
  })
)
