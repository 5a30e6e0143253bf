import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { inCidrs } from "../../domain/admission/Address.ts"
import { headerLimit, networkOf } from "../../domain/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/admission/DoorLimits.ts"
import { hasBody } from "../../http/edge/Exchange.ts"
import { alwaysOpen, isDownload, kindOf, offeredRequestId } from "../../http/edge/Refusal.ts"
import type { Refusal } from "../../http/edge/Refusal.ts"
import { noPath, withoutSlash } from "../../http/edge/RequestTarget.ts"
import type { RequestTarget } from "../../http/edge/RequestTarget.ts"
import type { RefusalReason, Ticket } from "../../services/admission/Admission.ts"
import { follow, note } from "../requests/Followed.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"
import { messageOf, movedHeaders, prepareRefusals, refuse, requestIdOf } from "./DoorRefusals.ts"
import type { DoorRefusals } from "./DoorRefusals.ts"
import { DrainingServer } from "./DrainingServer.ts"
import { EarlyRequests } from "./EarlyRequests.ts"
import type { HotHandler } from "./HotRequests.ts"
import { PausedConnections } from "./PausedConnections.ts"
import { allowPages, environmentFor, networkOfCaller, unparsedRefusal, wrongHead } from "./RequestHead.ts"
import type { Arrival, Asked } from "./RequestHead.ts"
import { scraped } from "./Scrapes.ts"
import type { ScrapeHandler } from "./Scrapes.ts"
import { Watch } from "./Watch.ts"

/**
 * The interval of the sweep over arriving bodies and paused connections, and how long a refused peer may take to read
 * the refusal, in milliseconds.
 */
const sweepEvery = 20
const linger = 500

/** How many late bodies one sweep ends: thousands at once would delay all other requests. */
const atOnce = 2

/** Node's own limits apply this much later than ours, for cases that ours do not see; in milliseconds. */
const backstop = 5_000

/**
 * The HTTP server with limits on callers before they are authenticated. It caps connections, sets deadlines for
 * requests, closes connections whose peer does not read its answer, sheds load, and answers requests that node's parser
 * refuses in the common envelope.
 */
export class Door extends DrainingServer {
  private readonly limits: DoorLimits
  private keeper: DoorKeeper | undefined
  private refusals: DoorRefusals | undefined
  private readonly networks = new Map<string, number>()
  private readonly arrivals = new Map<IncomingMessage, Arrival>()
  /** The last response on each connection. */
  private readonly responses = new WeakMap<Socket, ServerResponse>()
  private readonly ended = new WeakSet<Socket>()
  private readonly paused = new PausedConnections(() => this.watch.start())
  private readonly watch = new Watch(
    sweepEvery,
    () => this.arrivals.size > 0 || !this.paused.isEmpty,
    () => this.sweep()
  )
  /** Requests with a body, until the sockets of this turn of the event loop are read. */
  private readonly waiting: Array<Asked> = []
  private isJudging = false
  private established = 0
  private hot: HotHandler | undefined
  private scrapes: ScrapeHandler | undefined
  private readonly early = new EarlyRequests()

  constructor(limits: DoorLimits) {
    const arrival = limits.arrivalSeconds * 1000
    super({
      keepAliveTimeout: 65_000,
      maxHeaderSize: headerLimit,
      headersTimeout: arrival,
      requestTimeout: 2 * arrival + backstop,
      connectionsCheckingInterval: Math.min(2_000, arrival / 4),
      // Checked below, to answer in the common envelope.
      requireHostHeader: false
    })
    this.limits = limits
    this.timeout = limits.stallSeconds * 1000
    super.on("connection", (socket) => this.connected(socket))
    super.on("timeout", (socket) => this.silent(socket))
    super.on("clientError", (error: NodeJS.ErrnoException, socket) => this.unreadable(error, socket as Socket))
    // A tunnel: node hands over the socket, of which it reads nothing more.
    super.on("connect", (_: IncomingMessage, socket: Socket) => {
      this.keeper?.admission.count("malformed")
      if (this.refusals === undefined) socket.destroy()
      else this.end(socket, this.refusals.method)
    })
    super.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      this.keeper?.admission.count("expectation")
      if (this.keeper === undefined || this.refusals === undefined) request.socket.destroy()
      else {
        this.read(request, response, this.keeper)
        this.refuse(request, response, this.refusals.expectation)
      }
    })
  }

  /** From here on requests are judged. Before this, none is handled. */
  keep(keeper: DoorKeeper): void {
    this.keeper = keeper
    this.refusals = prepareRefusals(keeper.publicUrl)
    this.once("close", () => this.watch.stop())
  }

  /** From here on, or no longer where there is none, requests that it takes go past everything else. */
  keepHot(handler: HotHandler | undefined): void {
    this.hot = handler
  }

  /** From here on the metrics are answered without anything else. */
  keepScrapes(handler: ScrapeHandler): void {
    this.scrapes = handler
  }

  /** Protocol upgrades are not supported: such a request is answered like any other. */
  override on(event: string, listener: (...args: Array<any>) => void): this {
    if (event === "upgrade") return this
    super.on(event, listener)
    if (event === "request") this.early.release((...request) => void this.emit(...request))
    return this
  }

  /** Every request passes here, whichever listener accepted it. */
  override emit(event: any, ...args: Array<any>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    const { keeper } = this
    this.begun(request, response)
    if (this.early.hold(event, request, response)) return true
    if (this.ended.has(request.socket)) return true
    this.responses.set(request.socket, response)
    if (keeper === undefined) return super.emit(event, request, response)
    const target = this.read(request, response, keeper)
    const path = target?.path ?? noPath
    if (keeper.cors !== undefined) allowPages(request, response, path, keeper.cors)
    const { environment } = keeper.exchanges.of(request)!
    const asked = { event, request, response, path, environment, since: keeper.now(), from: request.socket.bytesRead }
    if (this.isRefused(asked, keeper) || this.isLedElsewhere(asked, target, keeper)) return true
    if (this.scrapes?.(request, response, path) === true) return true
    if (alwaysOpen.has(path) && path !== scraped) return super.emit(event, request, response)
    if (!hasBody(request)) {
      const ticket = this.admit(asked, keeper)
      if (ticket === undefined) return true
      keeper.admission.begin(ticket)
      this.handOver(asked, keeper)
      return true
    }
    this.waiting.push(asked)
    this.judgeSoon(keeper)
    return true
  }

  /** Reads where a request leads, once for all who look at it from here on, and follows it. */
  private read(request: IncomingMessage, response: ServerResponse, keeper: DoorKeeper): RequestTarget | undefined {
    const target = keeper.readTarget(request.url ?? "")
    request.url = target === undefined ? noPath : target.path + target.query
    follow(keeper.exchanges, request, response, target?.path ?? noPath).environment = environmentFor(target, request)
    return target
  }

  /** Leads to the one spelling of a path that was sent with a slash at its end: answers whether it did. */
  private isLedElsewhere(
    { request, response }: Asked,
    target: RequestTarget | undefined,
    keeper: DoorKeeper
  ): boolean {
    const location = target === undefined ? undefined : withoutSlash(target)
    if (location === undefined) return false
    const requestId = requestIdOf(keeper, request)
    response.writeHead(308, {
      ...movedHeaders(keeper.publicUrl),
      location,
      "x-request-id": requestId,
      "content-length": 0
    })
    response.end()
    return true
  }

  private judgeSoon(keeper: DoorKeeper): void {
    if (this.isJudging || this.waiting.length === 0) return
    this.isJudging = true
    keeper.turns.before(() => {
      this.isJudging = false
      this.judgeWaiting(keeper)
      this.judgeSoon(keeper)
    })
  }

  /**
   * Judges the requests whose body has arrived, and one of the others, once in each turn of the event loop after its
   * sockets were read. What is complete is counted at once: a turn may read hundreds of requests, and all would find the
   * same room. For the others there is no hurry. To begin a request costs an authorization; a thousand callers that dial
   * at once and send no body would otherwise be authorized in one turn, and delay whoever sent all of a request.
   */
  private judgeWaiting(keeper: DoorKeeper): void {
    const all = this.waiting.splice(0)
    let slow = 0
    for (const asked of all) {
      const { request } = asked
      if (request.destroyed || this.ended.has(request.socket)) continue
      if (!request.complete && slow++ > 0) {
        this.waiting.push(asked)
        continue
      }
      const ticket = this.admit(asked, keeper)
      if (ticket === undefined) continue
      if (request.complete) keeper.admission.begin(ticket)
      else this.await(asked, ticket, keeper)
      this.handOver(asked, keeper)
    }
  }

  /** Has a request answered when its address has its turn. */
  private handOver({ event, path, request, response }: Asked, { trustedProxies, turns }: DoorKeeper): void {
    turns.add(networkOfCaller(request, trustedProxies), () => {
      if (request.destroyed || this.ended.has(request.socket)) return
      if (event !== "request" || this.hot?.(request, response, path) !== true) super.emit(event, request, response)
    })
  }

  /** Refuses what is wrong whatever the load: answers whether it did. */
  private isRefused({ environment, event, path, request, response }: Asked, keeper: DoorKeeper): boolean {
    const refusals = this.refusals!
    const wrong = wrongHead(request, path, event)
    if (wrong !== undefined) {
      keeper.admission.count(wrong.reason)
      this.refuse(request, response, refusals[wrong.refusal])
      return true
    }
    const network = () => networkOfCaller(request, keeper.trustedProxies)
    if (isDownload(request.method, path) && !keeper.admission.hasPlace(network(), environment)) {
      // The operation would find out too, but only after authentication.
      keeper.admission.count("large_answers")
      this.refuse(request, response, refusals.placeless)
      return true
    }
    return false
  }

  /** Lets a request in if there is room; otherwise refuses it, and answers undefined. */
  private admit({ environment, path, request, response }: Asked, keeper: DoorKeeper): Ticket | undefined {
    const ticket = keeper.admission.admit(request, kindOf(path), environment)
    if (ticket === undefined) {
      keeper.admission.count("overloaded")
      this.refuse(request, response, this.refusals!.overloaded)
      this.paused.pause(request.socket, response, keeper.now)
      return undefined
    }
    // In every case, so that a request whose caller has gone does not hold its place forever.
    response.once("close", () => keeper.admission.leave(request, 0))
    return ticket
  }

  /** A request counts as in flight only once its body is complete, so that a slow sender takes no capacity. */
  private await({ from, request, response, since }: Asked, ticket: Ticket, keeper: DoorKeeper): void {
    this.arrivals.set(request, { from, response, since })
    this.watch.start()
    request.once("end", () => {
      this.arrivals.delete(request)
      keeper.admission.begin(ticket)
    })
  }

  private sweep(): void {
    const { keeper, refusals } = this
    if (keeper === undefined || refusals === undefined) return
    const now = keeper.now()
    this.paused.resume(now)
    const whole = this.limits.arrivalSeconds * 1000
    let ended = 0
    // Oldest first.
    for (const [request, { from, response, since }] of this.arrivals) {
      const took = now - since
      if (took <= whole / 2 || ended === atOnce) return
      if (request.complete || request.destroyed) {
        this.arrivals.delete(request)
      } else if (
        (took > whole || (request.socket.bytesRead - from) * 1000 < took * this.limits.bodyRate) &&
        // A body that waits for us to read it is not late.
        request.readableLength < request.readableHighWaterMark
      ) {
        this.arrivals.delete(request)
        ended += 1
        keeper.admission.count("body_too_slow")
        if (response.headersSent) request.socket.destroy()
        else this.end(request.socket, refusals.slow, response, offeredRequestId(request.headers["x-request-id"]))
      }
    }
  }

  private connected(socket: Socket): void {
    const { keeper, limits, networks, refusals } = this
    if (keeper === undefined || refusals === undefined) return
    if (this.established >= limits.connections) {
      keeper.admission.count("connections")
      socket.destroy()
      return
    }
    this.established += 1
    keeper.admission.connections(1)
    socket.once("close", () => {
      this.established -= 1
      keeper.admission.connections(-1)
    })
    const peer = socket.remoteAddress
    if (peer === undefined) return
    const network = networkOf(peer)
    // A proxy carries many callers.
    if (inCidrs(peer, keeper.trustedProxies)) return
    const count = (networks.get(network) ?? 0) + 1
    networks.set(network, count)
    socket.once("close", () => {
      const left = (networks.get(network) ?? 1) - 1
      if (left === 0) networks.delete(network)
      else networks.set(network, left)
    })
    if (count <= limits.connectionsPerAddress) return
    keeper.admission.count("connections_per_address")
    this.end(socket, refusals.crowded)
  }

  /** Handles a connection without traffic for a while: it is idle, or its peer does not read its answer. */
  private silent(socket: Socket): void {
    const response = this.responses.get(socket)
    // The first headers of a connection have a deadline of their own, which is answered.
    if (response === undefined) return
    if (response.writableFinished) {
      socket.destroy()
    } else if (socket.writableLength > 0) {
      this.keeper?.admission.count("answer_not_taken")
      socket.destroy()
    }
    // Otherwise the service is still working on the answer, which has its own deadlines.
  }

  /** Handles a request that node's parser refused, or that exceeded node's timeouts. */
  private unreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const { keeper, refusals } = this
    if (this.ended.has(socket)) return
    if (keeper === undefined || refusals === undefined || error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const [reason, refusal]: readonly [RefusalReason, Refusal] = error.code === "HPE_HEADER_OVERFLOW"
      ? ["headers_too_large", refusals.headers]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ["headers_too_slow", refusals.slow]
      : error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW"
      ? ["body_too_large", refusals.chunks]
      : ["malformed", refusals[unparsedRefusal(error)]]
    // A peer that left in the middle of a request has done nothing wrong.
    if (error.code !== "HPE_INVALID_EOF_STATE") keeper.admission.count(reason)
    const response = this.responses.get(socket)
    // A second answer cannot be sent in the middle of one.
    if (response !== undefined && response.headersSent && !response.writableFinished) socket.destroy()
    else this.end(socket, refusal, response?.headersSent === false ? response : undefined)
  }

  private refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    refuse(this.keeper!, request, response, refusal)
  }

  /**
   * Writes a refusal where no response object exists, or past the one of a request that does not arrive, and closes the
   * connection.
   */
  private end(socket: Socket, refusal: Refusal, response?: ServerResponse, offered?: string): void {
    this.ended.add(socket)
    const requestId = offered ?? this.keeper!.requestId()
    if (response !== undefined) {
      note(this.keeper!.exchanges.of(response.req), refusal, requestId, response, refusal.status)
    }
    socket.end(messageOf(refusal, requestId, response?.getHeaders()))
    const timer = setTimeout(() => socket.destroy(), linger)
    socket.once("close", () => clearTimeout(timer))
  }
}
