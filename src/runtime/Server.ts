import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Console, Context, Effect, Layer, Logger, Option, Redacted, References, Scope, Tracer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { methodsOf } from "../http/Contract.ts"
import { makeEdge } from "../http/Edge.ts"
import type { App } from "../http/Edge.ts"
import { routes } from "../http/Http.ts"
import { starting } from "../http/Starting.ts"
import { Identifiers } from "../services/Identifiers.ts"
import { Readiness } from "../services/Readiness.ts"
import { Settings } from "../services/Settings.ts"
import { AddressUnusable } from "./AddressUnusable.ts"
import * as Application from "./App.ts"
import { AppConfig, settings } from "./Config.ts"
import { makeCutOff } from "./CutOff.ts"
import * as Database from "./Database.ts"
import * as NodeCryptography from "./NodeCryptography.ts"
import * as Telemetry from "./Telemetry.ts"

/** The largest request body, in bytes. */
const bodyLimit = ByteSize.kibibytes(256)

/** How long a stop waits for requests that are being answered, before it answers them with 503. */
const drainFor = "6 seconds"

const layerHttpServer = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ host, port }) =>
      NodeHttpServer.layer(() => createServer({ keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 }), {
        host,
        port,
        gracefulShutdownTimeout: "2 seconds"
      })
  )
)

/** The settings, once the port is known. */
const layerSettings = Layer.effect(
  Settings,
  Effect.gen(function*() {
    const config = yield* AppConfig
    const { address } = yield* HttpServer.HttpServer
    return settings(config, address._tag === "UnixPathAddress" ? config.port : address.port)
  })
)

const banner = Effect.gen(function*() {
  const config = yield* AppConfig
  const { publicUrl } = yield* Settings
  const database = config.databaseUrl === undefined
    ? `embedded PostgreSQL in ${config.dataDirectory}`
    : Database.addressOf(config.databaseUrl)
  yield* Console.log(`Countersign is ready at ${publicUrl} (${database})`)
  yield* config.isAdminTokenNew
    ? Console.log(
      `Admin token, shown this once and kept in ${config.adminTokenFile}:\n  ${Redacted.value(config.adminToken)}`
    )
    : Console.log(`Admin token: COUNTERSIGN_ADMIN_TOKEN, or the one kept in ${config.adminTokenFile}`)
})

/** What stands before the database: the port, the settings and the edge. */
const layerEdge = Readiness.layer.pipe(
  Layer.provideMerge(Identifiers.layer),
  Layer.provideMerge(layerSettings),
  Layer.provideMerge(layerHttpServer),
  Layer.provideMerge(Telemetry.layerMetrics),
  Layer.provideMerge(NodeCryptography.layer)
)

/** What a request's context starts with. It is copied for every request, and the rest is of no use to one. */
const lean = (context: Context.Context<HttpServer.HttpServer | Scope.Scope>) =>
  Context.pick(
    HttpIncomingMessage.MaxBodySize,
    HttpServer.HttpServer,
    Logger.CurrentLoggers,
    References.TracerEnabled,
    Scope.Scope,
    Tracer.Tracer
  )(context)

/**
 * Runs until interrupted. The port is open before the database is: probes are answered from the first moment, anything
 * else is told to come back. On interruption new requests are refused, those being answered are finished, and only
 * then are the services and the database closed.
 */
const serve = Effect.gen(function*() {
  const readiness = yield* Readiness
  const edge = yield* makeEdge(methodsOf)
  const cutOff = yield* makeCutOff
  let app: App = yield* starting
  yield* HttpServer.serveEffect(cutOff.watch(edge.guard(Effect.suspend(() => app)))).pipe(Effect.updateContext(lean))

  app = yield* HttpRouter.toHttpEffect(routes.pipe(Layer.provide(Application.layer), Layer.provide(Database.layer)))
  yield* readiness.enter("ready")
  yield* banner
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      yield* readiness.enter("draining")
      yield* Effect.logInfo("draining")
      const drained = yield* edge.idle.pipe(Effect.timeoutOption(drainFor))
      if (Option.isSome(drained)) return
      yield* Effect.logWarning(`${yield* cutOff.all} requests did not end in time and were answered with 503`)
    })
  )
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit)
)

/** The whole service of this process. */
export const run = serve.pipe(
  Effect.provide(layerEdge),
  Effect.catchTag(
    "ServeError",
    ({ cause }) => Effect.flatMap(AppConfig, ({ host, port }) => Effect.fail(AddressUnusable.of(host, port, cause)))
  ),
  Effect.provide(
    Telemetry.layerTraces.pipe(Layer.provideMerge(Telemetry.layerLogger), Layer.provideMerge(AppConfig.layer))
  )
)
