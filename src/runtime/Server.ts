import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Context, Effect, Layer, Logger, Metric, Option, References, Scope, Tracer } from "effect"
import { HttpIncomingMessage, HttpMiddleware, HttpServer } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { methodsOf, nearestPath, routeOf } from "../api/composition/docs/Operations.ts"
import { bodyLimit } from "../domain/ground/admission/DoorLimits.ts"
import { unsubscribeRouteOf } from "../domain/mail/Unsubscribe.ts"
import { HotRoutes, makeEdge, makeHotEdge } from "../http/ground/edge/Edge.ts"
import type { App } from "../http/ground/edge/Edge.ts"
import { Exchanges } from "../http/ground/edge/Exchanges.ts"
import { alwaysOpen, makeCors, makeTargetReader, pathOf } from "../http/ground/edge/Refusal.ts"
import type { Cors } from "../http/ground/edge/Refusal.ts"
import { NodeReadiness, starting } from "../http/ground/edge/StaticAnswer.ts"
import { consoleRouteOf } from "../http/ground/pages/Markdown.ts"
import { confirmingPath } from "../http/portal/confirming/ConfirmingPage.ts"
import { portalRouteOf } from "../http/portal/pages/SignInWords.ts"
import { Admission, EventLoop } from "../services/ground/admission/Admission.ts"
import { EventLoopTurns } from "../services/ground/admission/QuestionGroups.ts"
import { Identifiers } from "../services/ground/persistence/Identifiers.ts"
import { Halt, Readiness } from "../services/ground/platform/Ports.ts"
import { fromStart } from "../services/ground/platform/SeriesFromStart.ts"
import { Settings } from "../services/ground/platform/Settings.ts"
import { LivePeople } from "../services/people/access/LivePeople.ts"
import type { OfferedPeople } from "../services/people/access/LivePeople.ts"
import { announceReady } from "./Banner.ts"
import * as BuiltConsole from "./BuiltConsole.ts"
import { AddressUnusable } from "./config/AddressUnusable.ts"
import { AppConfig, logWarnings, settings } from "./config/Config.ts"
import { keepPort } from "./config/ServiceAddress.ts"
import { httpApplication, makeCutOff } from "./CutOff.ts"
import { makeHotHandler, makeProbeHandler, makeScrapeHandler } from "./door/DirectDoors.ts"
import type { HotKeeper } from "./door/DirectDoors.ts"
import { Door } from "./door/Door.ts"
import { makeForwardingNotice } from "./door/RequestHead.ts"
import { makeEnvironments } from "./environments/Environments.ts"
import * as GuideFiles from "./GuideFiles.ts"
import * as EventLoopDelay from "./node/EventLoopDelay.ts"
import * as NodeCompression from "./node/NodeCompression.ts"
import * as NodeCryptography from "./node/NodeCryptography.ts"
import * as Database from "./postgres/Database.ts"
import { child } from "./processes/Child.ts"
import { RequestLines } from "./requests/RequestLines.ts"
import { drained } from "./StopRequest.ts"
import * as Telemetry from "./Telemetry.ts"

/** How long a stop waits for the requests in flight before it answers them with 503. */
const answersWithin = "6 seconds"

/** How long it waits for the first request of a connection that was accepted. */
const firstWithin = "1 second"

/**
 * Connections that may wait to be accepted. When this queue is full, a caller gets no answer at all and retries after
 * 1, 3 and 7 seconds (RFC 6298 section 2), so the queue is longer than node's default of 511. The system may allow
 * less.
 */
const backlog = 4096

/** Node's server, before it listens. */
export class DoorServer extends Context.Service<DoorServer, Door>()("countersign/runtime/DoorServer") {
  static readonly layer = Layer.effect(DoorServer, Effect.map(AppConfig, ({ doorLimits }) => new Door(doorLimits)))
}

const layerHttpServer = Layer.unwrap(
  Effect.gen(function*() {
    const { host, port } = yield* AppConfig
    const door = yield* DoorServer
    return NodeHttpServer.layer(() => door, {
      host,
      port,
      backlog,
      gracefulShutdownTimeout: "2 seconds",
      ...(child?.isPortShared === true ? { reusePort: true } : {})
    })
  })
).pipe(Layer.provideMerge(DoorServer.layer))

/** Admission control. */
const layerAdmission = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ doorLimits }) => Admission.layer({ ...doorLimits, room: doorLimits.inFlight, target: doorLimits.delayMillis })
  )
).pipe(Layer.provideMerge(EventLoopDelay.layer))

/** The settings, once the port is known. */
const layerSettings = Layer.effect(
  Settings,
  Effect.gen(function*() {
    const config = yield* AppConfig
    const { address } = yield* HttpServer.HttpServer
    return settings(config, address._tag === "UnixPathAddress" ? config.port : address.port)
  })
)

/** Announces that the service is ready: to the parent process if there is one, which announces it once for all. */
const announce = Effect.gen(function*() {
  const config = yield* AppConfig
  const { publicUrl } = yield* Settings
  const { address } = yield* HttpServer.HttpServer
  const port = address._tag === "UnixPathAddress" ? config.port : address.port
  if (child !== undefined) return child.ready(port, publicUrl)
  yield* keepPort(port)
  yield* announceReady(config, publicUrl)
})

/** The route of an operation, of the portal or of a link in a notice, as metrics, logs and traces name it. */
const namedRouteOf = (path: string): string | undefined =>
  routeOf(path) ?? portalRouteOf(path) ?? unsubscribeRouteOf(path) ?? (path === confirmingPath ? path : undefined)

/** The requests, which are counted and logged. */
const layerExchanges = Layer.unwrap(Effect.map(RequestLines, ({ write }) => Exchanges.layer(namedRouteOf, write))).pipe(
  Layer.provide(RequestLines.layer)
)

/** Everything that needs no database: the port, the settings and the edge. */
export const layerEdge = Layer.mergeAll(
  Readiness.layer,
  Halt.layer,
  HotRoutes.layer,
  NodeReadiness.layer,
  layerExchanges,
  Telemetry.layerMetrics
)
  .pipe(
    Layer.provideMerge(layerAdmission),
    Layer.provideMerge(Identifiers.layer),
    Layer.provideMerge(layerSettings),
    Layer.provideMerge(layerHttpServer),
    Layer.provideMerge(
      Layer.mergeAll(BuiltConsole.layer, GuideFiles.layer, NodeCompression.layer, NodeCryptography.layer)
    )
  )

/** The logs and traces of a request, on the hot route and on the general one. */
const observing = [
  Logger.CurrentLoggers,
  References.MinimumLogLevel,
  References.TracerEnabled,
  Tracer.Tracer
] as const

/** The initial context of a request. It is copied for every request, so it holds only what a request needs. */
const lean = (context: Context.Context<HttpServer.HttpServer | Scope.Scope>) =>
  Context.pick(
    ...observing,
    HttpIncomingMessage.MaxBodySize,
    HttpMiddleware.TracerDisabledWhen,
    HttpServer.HttpServer,
    Scope.Scope
  )(context)

/** Probes come every few seconds and say the same each time: they have no spans. */
const isProbe = ({ url }: HttpServerRequest.HttpServerRequest): boolean => alwaysOpen.has(pathOf(url))

const untrustedForwarders = fromStart(Metric.gauge("countersign_http_untrusted_forwarding", {
  description: "1 once X-Forwarded-For came from a peer that is not in COUNTERSIGN_TRUSTED_PROXIES."
}))

/** Tells the operator that callers behind a peer count as one address. */
const untrustedForwarding = (peer: string) =>
  Effect.andThen(
    Metric.update(untrustedForwarders, 1),
    Effect.logWarning(
      `X-Forwarded-For came from ${peer}, which is not in COUNTERSIGN_TRUSTED_PROXIES, and was not believed. If that is your ` +
        "proxy, name it there: until then all callers behind it share one address, and so its limits."
    )
  )

/** From here on the door admits connections and requests. */
export const keepDoor = Effect.fnUntraced(function*(cors: Cors | undefined) {
  const door = yield* DoorServer
  const identifiers = yield* Identifiers
  const { now } = yield* EventLoop
  const { publicUrl, trustedProxies } = yield* Settings
  const requestId = () => identifiers.next("req")
  const exchanges = yield* Exchanges
  const admission = yield* Admission
  const turns = yield* EventLoopTurns
  const readTarget = makeTargetReader((path) => routeOf(path) ?? consoleRouteOf(path) ?? unsubscribeRouteOf(path))
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const noteForwarding = makeForwardingNotice(trustedProxies, (peer) => void fork(untrustedForwarding(peer)))
  door.keep({
    admission,
    exchanges,
    turns,
    requestId,
    readTarget,
    now,
    publicUrl,
    trustedProxies,
    noteForwarding,
    cors
  })
  door.keepOpen([yield* makeProbeHandler, yield* makeScrapeHandler])
  // After the graceful stop, a peer that is still slowly reading its answer must not keep the process alive.
  yield* Effect.addFinalizer(() => Effect.sync(() => door.closeAllConnections()))
})

/** Handles requests that have arrived whole, by the hot routes, which the handlers have added. */
const hotHandler = (inFlight: HotKeeper["inFlight"]) =>
  Effect.gen(function*() {
    const context = Context.pick(...observing)(yield* Effect.context<never>())
    return makeHotHandler({
      routes: yield* HotRoutes,
      edge: yield* makeHotEdge,
      admission: yield* Admission,
      exchanges: yield* Exchanges,
      inFlight,
      context
    })
  })

/**
 * Runs until interrupted. The port opens before the database: probes are answered from the first moment, all other
 * requests are asked to retry. On interruption, the node reports at once that it is not ready, and serves for the
 * duration of its drain. Then the port is closed, accepted requests are answered, and only then are the services and
 * the database closed.
 */
const serve = Effect.gen(function*() {
  const readiness = yield* Readiness
  const door = yield* DoorServer
  const cors = makeCors((yield* AppConfig).corsOrigins, methodsOf)
  yield* keepDoor(cors)
  const edge = yield* makeEdge(methodsOf, nearestPath, cors)
  const cutOff = yield* makeCutOff
  let app: App = yield* starting
  yield* HttpServer.serveEffect(cutOff.watch(edge.guard(Effect.suspend(() => app)))).pipe(
    Effect.updateContext(lean),
    // Provided to requests only: a limit in the context of the operations would override that of a request.
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyLimit)),
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, isProbe)
  )

  const { url } = Context.get(yield* Layer.build(Database.DatabaseTarget.layer), Database.DatabaseTarget)
  const people: OfferedPeople = { people: undefined }
  const live = yield* Effect.provideService(httpApplication(Database.layerOf(url)), LivePeople, people)
  app = (yield* Effect.provideService(makeEnvironments(live, url), LivePeople, people)).route
  door.keepHot(yield* hotHandler(cutOff))
  yield* readiness.enter("ready")
  yield* Effect.promise(() => door.open())
  yield* announce
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      yield* readiness.enter("draining")
      door.drain()
      yield* Effect.logInfo("draining")
      yield* drained
      yield* Effect.promise(() => door.closeToNewcomers())
      yield* Effect.sleep("10 millis").pipe(
        Effect.repeat({ while: () => door.isAwaited }),
        Effect.timeoutOption(firstWithin)
      )
      const answered = yield* edge.idle.pipe(Effect.timeoutOption(answersWithin))
      yield* readiness.enter("closing")
      door.keepHot(undefined)
      if (Option.isSome(answered)) return
      yield* Effect.logWarning(`${yield* cutOff.all} requests did not end in time and got status 503`)
    })
  )
  return yield* (yield* Halt).awaited
}).pipe(Effect.scoped)

/** The whole service of this process. The parent of several processes has reported wrong settings already. */
export const run = Effect.when(logWarnings, Effect.succeed(child === undefined)).pipe(
  Effect.andThen(Effect.provide(serve, layerEdge)),
  Effect.catchTag(
    "ServeError",
    ({ cause }) => Effect.flatMap(AppConfig, ({ host, port }) => Effect.fail(AddressUnusable.of(host, port, cause)))
  ),
  Effect.provide(Telemetry.layerTraces(namedRouteOf))
)
