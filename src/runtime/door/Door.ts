import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { headerLimit } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import { hasBody } from "../../http/ground/edge/Exchanges.ts"
import { isDownload, kindOf, noPath, offeredRequestId, withoutSlash } from "../../http/ground/edge/Refusal.ts"
import type { Refusal, RequestTarget } from "../../http/ground/edge/Refusal.ts"
import type { Ticket } from "../../services/ground/admission/Admission.ts"
import { Watch } from "../node/Watch.ts"
import { follow, note } from "../requests/Followed.ts"
import type { HotHandler, OpenHandler } from "./DirectDoors.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"
import { ConnectionLimits, DrainingServer } from "./DrainingServer.ts"
import {
  AdmissionQueue,
  allowPages,
  BodyDeadlines,
  environmentFor,
  messageOf,
  movedHeaders,
  networkOfCaller,
  prepareRefusals,
  refuse,
  requestIdOf,
  unreadableRefusal,
  wrongHead
} from "./RequestHead.ts"
import type { DoorRefusal, DoorRefusals, PendingRequest } from "./RequestHead.ts"

/**
 * How long a connection is not read after its request was shed, in milliseconds. Callers that ignore Retry-After would
 * otherwise keep the service busy with refusals, each of which costs a quarter of a validate.
 */
const shedPause = 600

/** Connections that are not read for a while, because one of their requests was shed. */
class PausedConnections {
  /** With the end of the pause, earliest first. */
  private readonly paused = new Map<Socket, number>()
  private readonly onPause: () => void

  /** `onPause` is called for every pause, so that {@link resume} is called from then on. */
  constructor(onPause: () => void) {
    this.onPause = onPause
  }

  get isEmpty(): boolean {
    return this.paused.size === 0
  }

  /** Pauses a connection once its response is sent. `now` is a clock in milliseconds. */
  pause(socket: Socket, response: ServerResponse, now: () => number): void {
    // Node resumes reading when an answer is finished, to drain the rest of its request, so the pause starts after
    // that.
    response.once("finish", () =>
      setImmediate(() => {
        if (socket.destroyed) return
        socket.pause()
        this.paused.set(socket, now() + shedPause)
        this.onPause()
      }))
  }

  /** Resumes the connections whose pause is over. */
  resume(now: number): void {
    for (const [socket, until] of this.paused) {
      if (until > now) return
      this.paused.delete(socket)
      socket.resume()
    }
  }
}

/** How long a peer may take to read the refusal that ends its connection, in milliseconds. */
const lingerMillis = 500

/** A refusal that ends a connection. */
interface Ending {
  readonly refusal: Refusal
  /** The response of the request that does not arrive, where there is one. */
  readonly response?: ServerResponse | undefined
  /** The id that the caller gave its request. */
  readonly requestId?: string | undefined
}

/** The connections that a refusal has ended. What else they send is not read. */
class EndedConnections {
  private readonly ended = new WeakSet<Socket>()

  has(socket: Socket): boolean {
    return this.ended.has(socket)
  }

  /** Writes a refusal where no response object exists, or past that of a request that does not arrive, and closes. */
  end(socket: Socket, { refusal, requestId: offered, response }: Ending, keeper: DoorKeeper): void {
    this.ended.add(socket)
    const requestId = offered ?? keeper.requestId()
    if (response !== undefined) {
      note(keeper.exchanges.of(response.req), refusal, requestId, response, refusal.status)
    }
    socket.end(messageOf(refusal, requestId, response?.getHeaders()))
    const timer = setTimeout(() => socket.destroy(), lingerMillis)
    socket.once("close", () => clearTimeout(timer))
  }
}

/** More than anybody sends while requests are held. */
const most = 1_000

/**
 * Requests that arrive after the port was opened and before there is a listener. Node drops a request without a
 * listener, and its caller, such as a probe of a busy machine, would wait until the process ends.
 */
export class EarlyRequests {
  private held: Array<readonly [string, IncomingMessage, ServerResponse]> | undefined = []

  /** Holds a request; answers false once there is a listener. */
  hold(event: string, request: IncomingMessage, response: ServerResponse): boolean {
    if (this.held === undefined) return false
    if (this.held.length < most) this.held.push([event, request, response])
    else request.destroy()
    return true
  }

  /** Hands over the held requests, and holds none from here on. */
  release(take: (event: string, request: IncomingMessage, response: ServerResponse) => void): void {
    const held = this.held ?? []
    this.held = undefined
    for (const [event, request, response] of held) if (!request.destroyed) take(event, request, response)
  }
}

/** The interval of the sweep over arriving bodies and paused connections, in milliseconds. */
const sweepEveryMillis = 20

/** Node's own limits apply this much later than ours, for cases that ours do not see; in milliseconds. */
const backstopMillis = 5_000

/**
 * The HTTP server with limits on callers before they are authenticated. It caps connections, sets deadlines for
 * requests, closes connections whose peer does not read its answer, sheds load, and answers requests that node's parser
 * refuses in the common envelope.
 */
export class Door extends DrainingServer {
  private keeper: DoorKeeper | undefined
  private refusals: DoorRefusals | undefined
  private readonly connectionLimits: ConnectionLimits
  private readonly bodies: BodyDeadlines
  private readonly ended = new EndedConnections()
  private readonly paused = new PausedConnections(() => this.watch.start())
  private readonly queue = new AdmissionQueue(
    (pending, keeper) => this.judge(pending, keeper),
    ({ request }) => this.isGone(request)
  )
  private readonly watch = new Watch(
    sweepEveryMillis,
    () => !this.bodies.isEmpty || !this.paused.isEmpty,
    () => this.sweep()
  )
  private readonly early = new EarlyRequests()
  /** The last response on each connection. */
  private readonly responses = new WeakMap<Socket, ServerResponse>()
  private hot: HotHandler | undefined
  private openHandlers: ReadonlyArray<OpenHandler> = []

  constructor(limits: DoorLimits) {
    const arrival = limits.arrivalSeconds * 1000
    super({
      keepAliveTimeout: 65_000,
      maxHeaderSize: headerLimit,
      headersTimeout: arrival,
      requestTimeout: 2 * arrival + backstopMillis,
      connectionsCheckingInterval: Math.min(2_000, arrival / 4),
      // Checked below, to answer in the common envelope.
      requireHostHeader: false
    })
    this.connectionLimits = new ConnectionLimits(limits)
    this.bodies = new BodyDeadlines(limits)
    this.timeout = limits.stallSeconds * 1000
    super.on("connection", (socket) => this.connected(socket))
    super.on("timeout", (socket) => this.silent(socket))
    super.on("clientError", (error: NodeJS.ErrnoException, socket) => this.unreadable(error, socket as Socket))
    // A tunnel: node hands over the socket, of which it reads nothing more.
    super.on("connect", (_: IncomingMessage, socket: Socket) => {
      this.keeper?.admission.count("malformed")
      this.end(socket, "method")
    })
    super.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      this.keeper?.admission.count("expectation")
      if (this.keeper === undefined) request.socket.destroy()
      else {
        this.read(request, response, this.keeper)
        this.inTurn(request, this.keeper, () => this.refuse(request, response, "expectation"))
      }
    })
  }

  /** Admits requests from here on. Before this, none is handled. */
  keep(keeper: DoorKeeper): void {
    this.keeper = keeper
    this.refusals = prepareRefusals(keeper.publicUrl)
    this.once("close", () => this.watch.stop())
  }

  /** Sets the handler of hot routes, which bypasses everything else; `undefined` removes it. */
  keepHot(handler: HotHandler | undefined): void {
    this.hot = handler
  }

  /** Sets the handlers of what is answered under any load: probes and metrics. They bypass everything else. */
  keepOpen(handlers: ReadonlyArray<OpenHandler>): void {
    this.openHandlers = handlers
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
    keeper.noteForwarding(request)
    const path = target?.path ?? noPath
    if (keeper.cors !== undefined) allowPages(request, response, path, keeper.cors)
    const { environment } = keeper.exchanges.of(request)!
    const pending = { event, request, response, path, environment, since: keeper.now(), from: request.socket.bytesRead }
    if (this.isRefused(pending, keeper) || this.isRedirected(pending, target, keeper)) return true
    if (this.openHandlers.some((answers) => answers(request, response, path))) return true
    if (hasBody(request)) this.queue.add(pending, keeper)
    else this.judge(pending, keeper)
    return true
  }

  /** Reads the target of a request, once for all later steps, and follows the request for the log. */
  private read(request: IncomingMessage, response: ServerResponse, keeper: DoorKeeper): RequestTarget | undefined {
    const target = keeper.readTarget(request.url ?? "")
    request.url = target === undefined ? noPath : target.path + target.query
    follow(keeper.exchanges, request, response, target?.path ?? noPath).environment = environmentFor(target, request)
    return target
  }

  /** Redirects a path with a slash at its end to the one without: answers whether it did. */
  private isRedirected(
    { request, response }: PendingRequest,
    target: RequestTarget | undefined,
    keeper: DoorKeeper
  ): boolean {
    const location = target === undefined ? undefined : withoutSlash(target)
    if (location === undefined) return false
    const requestId = requestIdOf(keeper, request)
    const headers = { ...movedHeaders(keeper.publicUrl), location, "x-request-id": requestId, "content-length": 0 }
    this.inTurn(request, keeper, () => response.writeHead(308, headers).end())
    return true
  }

  /** Whether the caller has gone. */
  private isGone(request: IncomingMessage): boolean {
    return request.destroyed || this.ended.has(request.socket)
  }

  /** Admits a request and hands it over, or refuses it. */
  private judge(pending: PendingRequest, keeper: DoorKeeper): void {
    const { request } = pending
    const ticket = this.admit(pending, keeper)
    if (ticket === undefined) return
    if (request.complete || !hasBody(request)) keeper.admission.begin(ticket)
    else {
      // It counts as in flight only once its body is complete, so that a slow sender takes no capacity.
      this.bodies.add(request, pending, () => keeper.admission.begin(ticket))
      this.watch.start()
    }
    this.handOver(pending, keeper)
  }

  /** Hands a request over when its network has its turn. */
  private handOver({ event, path, request, response }: PendingRequest, keeper: DoorKeeper): void {
    this.inTurn(request, keeper, () => {
      if (event !== "request" || this.hot?.(request, response, path) !== true) super.emit(event, request, response)
    })
  }

  /** Does what a request needs when its network has its turn, however little it is: many of them are much. */
  private inTurn(request: IncomingMessage, { trustedProxies, turns }: DoorKeeper, task: () => void): void {
    turns.add(networkOfCaller(request, trustedProxies), () => {
      if (!this.isGone(request)) task()
    })
  }

  /** Refuses what is wrong whatever the load: answers whether it did. */
  private isRefused({ environment, event, path, request, response }: PendingRequest, keeper: DoorKeeper): boolean {
    const wrong = wrongHead(request, path, event)
    if (wrong !== undefined) {
      keeper.admission.count(wrong.reason)
      this.inTurn(request, keeper, () => this.refuse(request, response, wrong.refusal))
      return true
    }
    const network = () => networkOfCaller(request, keeper.trustedProxies)
    if (isDownload(request.method, path) && !keeper.admission.hasPlace(network(), environment)) {
      // The operation would find out too, but only after authentication.
      keeper.admission.count("large_answers")
      this.inTurn(request, keeper, () => this.refuse(request, response, "placeless"))
      return true
    }
    return false
  }

  /** Lets a request in if there is room; otherwise refuses it, and answers undefined. */
  private admit({ environment, path, request, response }: PendingRequest, keeper: DoorKeeper): Ticket | undefined {
    const ticket = keeper.admission.admit(request, kindOf(path), environment)
    if (ticket === undefined) {
      keeper.admission.count("overloaded")
      this.refuse(request, response, "overloaded")
      this.paused.pause(request.socket, response, keeper.now)
      return undefined
    }
    // Registered in every case, so that a request whose caller has gone does not keep its place.
    response.once("close", () => keeper.admission.leave(request, 0))
    return ticket
  }

  private sweep(): void {
    const { keeper } = this
    if (keeper === undefined) return
    const now = keeper.now()
    this.paused.resume(now)
    for (const { request, response } of this.bodies.takeLate(now)) {
      keeper.admission.count("body_too_slow")
      if (response.headersSent) request.socket.destroy()
      else this.end(request.socket, "slow", response, offeredRequestId(request.headers["x-request-id"]))
    }
  }

  private connected(socket: Socket): void {
    const { keeper } = this
    const excess = keeper === undefined ? undefined : this.connectionLimits.count(socket, keeper)
    if (excess === undefined) return
    keeper?.admission.count(excess)
    if (excess === "connections") socket.destroy()
    else this.end(socket, "crowded")
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
    const { keeper } = this
    if (this.ended.has(socket)) return
    if (keeper === undefined || error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const [reason, refusal] = unreadableRefusal(error)
    // A peer that left in the middle of a request has done nothing wrong.
    if (error.code !== "HPE_INVALID_EOF_STATE") keeper.admission.count(reason)
    const response = this.responses.get(socket)
    // A second answer cannot be sent in the middle of one.
    if (response !== undefined && response.headersSent && !response.writableFinished) socket.destroy()
    else this.end(socket, refusal, response?.headersSent === false ? response : undefined)
  }

  private refuse(request: IncomingMessage, response: ServerResponse, refusal: DoorRefusal): void {
    refuse(this.keeper!, request, response, this.refusals![refusal])
  }

  /** Ends a connection with a refusal, where no response object exists or that of a request that does not arrive. */
  private end(socket: Socket, refusal: DoorRefusal, response?: ServerResponse, requestId?: string): void {
    const { keeper, refusals } = this
    if (keeper === undefined || refusals === undefined) socket.destroy()
    else this.ended.end(socket, { refusal: refusals[refusal], response, requestId }, keeper)
  }
}
