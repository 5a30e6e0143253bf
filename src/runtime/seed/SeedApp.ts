import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Data, Effect, Layer, Redacted } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpBody, HttpClientRequest, HttpServerRequest } from "effect/http"
import { createServer } from "node:http"
import { routeOf } from "../../api/composition/docs/Operations.ts"
import { Exchanges } from "../../http/ground/edge/Exchanges.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { Halt, Readiness } from "../../services/ground/platform/Ports.ts"
import { RequestOrigin } from "../../services/log/Provenance.ts"
import * as BuiltConsole from "../BuiltConsole.ts"
import { AppConfig } from "../config/Config.ts"
import { makeEnvironmentApp } from "../environments/EnvironmentApp.ts"
import type { EnvironmentTarget } from "../environments/EnvironmentDatabase.ts"
import { databaseUseOf } from "../environments/EnvironmentDatabase.ts"
import { adminTokenOf } from "../environments/EnvironmentSettings.ts"
import * as GuideFiles from "../GuideFiles.ts"
import * as EventLoopDelay from "../node/EventLoopDelay.ts"
import * as NodeCompression from "../node/NodeCompression.ts"
import { DatabasePools } from "../postgres/DatabaseServer.ts"
import * as Telemetry from "../Telemetry.ts"

/** The service's answer is not what the story expects. The message says what. */
export class StoryBroken extends Data.TaggedError("StoryBroken")<{ readonly message: string }> {}

/** An answer; `data` is that of its body. */
interface SeedAnswer {
  readonly status: number
  // The story reads a few members of answers that the contract's own tests hold.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
  readonly page: { readonly has_more?: boolean; readonly next_cursor?: string }
  readonly code: string | undefined
}

/** How a request is made. */
interface RequestOptions {
  readonly body?: object
  /** An API key, a publishable key, or `License ` and a license key; the admin token where it is absent. */
  readonly as?: string
  readonly address?: string
  /** Unlike that of any other request. */
  readonly key?: string
  /** Whether a refusal is part of the story. */
  readonly mayBeRefused?: boolean
}

/** Asks the service. */
export type Ask = (
  method: HttpMethod.HttpMethod,
  path: string,
  options?: RequestOptions
) => Effect.Effect<SeedAnswer, StoryBroken>

const decoder = new TextDecoder()

/**
 * No commit waits for the disk: a story that the server's end breaks off is begun anew in any case. And statements are planned
 * once: planned for each call, as PostgreSQL does for arrays of a few keys, they took half of its time.
 */
const session = {
  search_path: "public, pg_catalog",
  synchronous_commit: "off",
  plan_cache_mode: "force_generic_plan"
}

const layerAdmission = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ doorLimits }) => Admission.layer({ ...doorLimits, room: doorLimits.inFlight, target: doorLimits.delayMillis })
  )
).pipe(Layer.provide(EventLoopDelay.layer))

/**
 * The context of a request that does not belong to the environment. The address is only recorded, and receives
 * nothing.
 */
export const layerEdge = Layer.mergeAll(
  Readiness.layer,
  Halt.layer,
  Identifiers.layer,
  Exchanges.layer(routeOf, () => {}),
  GuideFiles.layer,
  Telemetry.layerMetrics
).pipe(
  Layer.provideMerge(layerAdmission),
  Layer.provideMerge(Layer.mergeAll(
    BuiltConsole.layer,
    EventLoopDelay.layer,
    NodeCompression.layer,
    NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: 0 })
  ))
)

/** The application of an environment in this process, without rate limits, and allowed to send to this machine. */
export const makeSeedApp = Effect.fnUntraced(function*(target: EnvironmentTarget) {
  const pools = yield* DatabasePools
  const { app } = yield* makeEnvironmentApp(target, { gone: Effect.void }, {
    settings: (settings) => ({
      ...settings,
      webhookAllowedCidrs: ["127.0.0.0/8"],
      rates: { failuresPerMinute: 0, address: 0, key: 0, token: 0, trialsPerHour: 0 }
    }),
    pools: { ...pools, session }
  })
  const identifiers = yield* Identifiers
  const { masterKey } = yield* AppConfig
  const { turn } = yield* databaseUseOf(target)
  const token = Redacted.value(adminTokenOf("test", masterKey, turn))
  const ask: Ask = (method, path, { address = "192.0.2.10", as = token, body, key, mayBeRefused = false } = {}) =>
    Effect.gen(function*() {
      const sent = HttpClientRequest.make(method)(`http://countersign.invalid${path}`, {
        headers: {
          authorization: as.startsWith("License ") ? as : `Bearer ${as}`,
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        ...(body === undefined ? {} : { body: HttpBody.jsonUnsafe(body) })
      })
      const response = yield* app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(sent)),
        Effect.provideService(RequestOrigin, {
          requestId: identifiers.next("req"),
          ipAddress: address,
          traceparent: undefined
        })
      )
      const text = response.body._tag === "Uint8Array" ? decoder.decode(response.body.body) : ""
      const answer = text === "" ? {} : JSON.parse(text)
      const { status } = response
      if (status >= 500 || status >= 400 && !mayBeRefused) {
        return yield* new StoryBroken({ message: `The response to ${method} ${path} was ${status}: ${text}` })
      }
      return { status, data: answer.data, page: answer.page_info ?? {}, code: answer.error?.code }
    }).pipe(
      Effect.scoped,
      Effect.mapError((error) =>
        error instanceof StoryBroken ? error : new StoryBroken({ message: `${method} ${path} failed: ${error}` })
      )
    )
  return ask
})
