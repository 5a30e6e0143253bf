import { once } from "node:events"
import { Server, STATUS_CODES } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:net"
import type { AddressInfo, ListenOptions, Server as Listener, Socket } from "node:net"
import { platform } from "node:process"
import { inCidrs } from "../../domain/admission/Address.ts"
import { headerLimit, networkOf } from "../../domain/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/admission/DoorLimits.ts"
import { clientAddress } from "../../http/edge/Edge.ts"
import {
  alwaysOpen,
  isDownload,
  kindOf,
  noPlace,
  offeredRequestId,
  pathOf,
  prepareRefusal
} from "../../http/edge/Refusal.ts"
import type { Refusal } from "../../http/edge/Refusal.ts"
import type { Admission, RefusalReason, Ticket } from "../../services/admission/Admission.ts"

/**
 * The interval of the sweep over arriving bodies, and how long a refused peer may take to read the refusal, in
 * milliseconds.
 */
const sweepEvery = 100
const linger = 500

/**
 * How long a connection is not read after its request was shed, in milliseconds. Callers that ignore Retry-After would
 * otherwise keep the service busy with refusals.
 */
const shedPause = 500

/** How many late bodies one sweep ends: thousands at once would delay all other requests. */
const atOnce = 10

/**
 * How many sockets listen on the address. libuv accepts one connection of each socket in a turn of the event loop, and
 * under load a turn takes tens of milliseconds. With one socket, callers would wait for seconds to be accepted,
 * invisible to load shedding.
 */
const listeners = 32

/** Node's own limits apply this much later than ours, for cases that ours do not see; in milliseconds. */
const backstop = 5_000

/** What the door needs from the service, once the service has started. */
export interface DoorKeeper {
  readonly admission: Admission["Service"]
  readonly requestId: () => string
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  readonly publicUrl: string
  readonly trustedProxies: ReadonlyArray<string>
}

/** A body that is still arriving. */
interface Arrival {
  readonly response: ServerResponse
  readonly since: number
  /** The bytes received on the connection when the headers were complete. */
  readonly from: number
}

const prepare = (publicUrl: string) => {
  const closing = { connection: "close" }
  return {
    // The connection stays open: a new one would cost more than the refusal.
    overloaded: prepareRefusal("UNAVAILABLE", "The service is overloaded.", publicUrl),
    crowded: prepareRefusal("UNAVAILABLE", "This address has too many connections open.", publicUrl, closing),
    placeless: prepareRefusal("UNAVAILABLE", noPlace, publicUrl),
    slow: prepareRefusal("REQUEST_TIMEOUT", "The request did not arrive in time.", publicUrl, closing),
    headers: prepareRefusal("HEADERS_TOO_LARGE", "The headers are larger than 16 KiB.", publicUrl, closing),
    chunks: prepareRefusal("PAYLOAD_TOO_LARGE", "The body's chunks carry too many extensions.", publicUrl, closing),
    malformed: prepareRefusal("INVALID_HEADER", "This is no well-formed HTTP request.", publicUrl, closing),
    host: prepareRefusal("INVALID_HEADER", "A request has exactly one Host header.", publicUrl, closing),
    expectation: prepareRefusal("INVALID_HEADER", "No expectation but 100-continue can be met.", publicUrl, closing)
  }
}

const hosts = (raw: ReadonlyArray<string>): number => {
  let count = 0
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.length === 4 && raw[at]!.toLowerCase() === "host") count += 1
  }
  return count
}

/**
 * The HTTP server with limits on callers before they are authenticated. It caps connections, sets deadlines for
 * requests, closes connections whose peer does not read its answer, sheds load, and answers requests that node's parser
 * refuses in the common envelope.
 */
export class Door extends Server {
  private readonly limits: DoorLimits
  private keeper: DoorKeeper | undefined
  private refusals: ReturnType<typeof prepare> | undefined
  private readonly networks = new Map<string, number>()
  private readonly arrivals = new Map<IncomingMessage, Arrival>()
  /** The last response on each connection. */
  private readonly responses = new WeakMap<Socket, ServerResponse>()
  private readonly ended = new WeakSet<Socket>()
  /** Connections whose reading is paused, with the end of the pause, earliest first. */
  private readonly paused = new Map<Socket, number>()
  /** Requests whose body did not come with their headers, with what begins them. */
  private unhurried: Array<readonly [IncomingMessage, () => void]> = []
  /** Further listeners on the same address. */
  private readonly besides: Array<Listener> = []
  private established = 0

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
    super.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      this.keeper?.admission.count("expectation")
      if (this.refusals === undefined) request.socket.destroy()
      else this.refuse(request, response, this.refusals.expectation, 417)
    })
  }

  /** From here on requests are judged. Before this, none is handled. */
  keep(keeper: DoorKeeper): void {
    this.keeper = keeper
    this.refusals = prepare(keeper.publicUrl)
    const timer = setInterval(() => this.sweep(), sweepEvery)
    timer.unref()
    this.once("close", () => clearInterval(timer))
  }

  /**
   * Listens on several sockets of one address where the kernel balances connections among them (SO_REUSEPORT). An
   * address in use by another program is still refused, with the error of `listen`.
   */
  override listen(...args: Array<any>): this {
    const [options, listening] = args as [ListenOptions, () => void]
    if (platform !== "linux" || options.port === undefined) return super.listen(options, listening)
    this.share(options).then(listening, (error: Error) => this.emit("error", error))
    return this
  }

  private async share(options: ListenOptions): Promise<void> {
    const probe = createServer().listen(options)
    await once(probe, "listening")
    probe.close()
    await once(probe, "close")
    const shared = { ...options, reusePort: true }
    super.listen(shared)
    await once(this, "listening")
    const { port } = this.address() as AddressInfo
    for (let count = 1; count < listeners; count++) {
      const listener = createServer(
        { allowHalfOpen: true, noDelay: true },
        (socket) => super.emit("connection", socket)
      )
      this.besides.push(listener.listen({ ...shared, port }))
    }
    await Promise.all(this.besides.map((listener) => once(listener, "listening")))
  }

  override close(closed?: (error?: Error) => void): this {
    for (const listener of this.besides.splice(0)) listener.close()
    return super.close(closed)
  }

  /** Protocol upgrades are not supported: such a request is answered like any other. */
  override on(event: string, listener: (...args: Array<any>) => void): this {
    return event === "upgrade" ? this : super.on(event, listener)
  }

  /** Every request passes here, whichever listener accepted it. */
  override emit(event: any, ...args: Array<any>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    if (!this.lets(request, response)) return true
    if (!this.arrivals.has(request)) return super.emit(event, request, response)
    const begin = () => {
      if (!request.destroyed && !this.ended.has(request.socket)) super.emit(event, request, response)
    }
    // The parser has not read on yet. A body that came with its headers is complete once it has.
    process.nextTick(() => {
      if (request.complete) begin()
      else if (this.unhurried.push([request, begin]) === 1) setImmediate(() => this.beginUnhurried())
    })
    return true
  }

  /**
   * Begins one request whose body has not arrived, and those whose body has arrived meanwhile, once in each turn of the
   * event loop. To begin a request costs an authorization; a thousand callers that dial at once and send no body would
   * otherwise be authorized in one turn, and delay whoever sent all of a request.
   */
  private beginUnhurried(): void {
    const [first, ...others] = this.unhurried
    this.unhurried = others.filter(([request]) => !request.complete)
    first?.[1]()
    for (const [request, begin] of others) if (request.complete) begin()
    if (this.unhurried.length > 0) setImmediate(() => this.beginUnhurried())
  }

  private lets(request: IncomingMessage, response: ServerResponse): boolean {
    const { keeper, refusals } = this
    if (this.ended.has(request.socket)) return false
    this.responses.set(request.socket, response)
    if (keeper === undefined || refusals === undefined) return true
    const found = hosts(request.rawHeaders)
    if (found > 1 || (found === 0 && request.httpVersion === "1.1")) {
      keeper.admission.count("host")
      this.refuse(request, response, refusals.host)
      return false
    }
    const path = pathOf(request.url ?? "/")
    if (alwaysOpen.has(path)) return true
    if (isDownload(request.method, path) && !keeper.admission.hasPlace(this.networkOfCaller(request, keeper))) {
      // The operation would find out too, but only after authentication.
      keeper.admission.count("large_answers")
      this.refuse(request, response, refusals.placeless)
      return false
    }
    const ticket = keeper.admission.admit(request, kindOf(path))
    if (ticket === undefined) {
      keeper.admission.count("overloaded")
      this.refuse(request, response, refusals.overloaded)
      this.pause(request.socket, response, keeper)
      return false
    }
    // In every case, so that a request whose caller has gone does not hold its place forever.
    response.once("close", () => keeper.admission.leave(request, 0))
    const { headers } = request
    if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") {
      keeper.admission.begin(ticket)
    } else {
      this.await(request, response, ticket, keeper)
    }
    return true
  }

  private networkOfCaller({ headers, socket }: IncomingMessage, { trustedProxies }: DoorKeeper): string {
    const forwarded = headers["x-forwarded-for"]
    const hops = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
    return networkOf(clientAddress(socket.remoteAddress ?? "", hops, trustedProxies))
  }

  private pause(socket: Socket, response: ServerResponse, { now }: DoorKeeper): void {
    // Node resumes reading when an answer is finished, to drain the rest of its request, so the pause starts after
    // that.
    response.once("finish", () =>
      setImmediate(() => {
        if (socket.destroyed) return
        socket.pause()
        this.paused.set(socket, now() + shedPause)
      }))
  }

  private resumeThem(now: number): void {
    for (const [socket, until] of this.paused) {
      if (until > now) return
      this.paused.delete(socket)
      socket.resume()
    }
  }

  /** A request counts as in flight only once its body is complete, so that a slow sender takes no capacity. */
  private await(request: IncomingMessage, response: ServerResponse, ticket: Ticket, keeper: DoorKeeper): void {
    this.arrivals.set(request, { response, since: keeper.now(), from: request.socket.bytesRead })
    request.once("end", () => {
      this.arrivals.delete(request)
      keeper.admission.begin(ticket)
    })
  }

  private sweep(): void {
    const { keeper, refusals } = this
    if (keeper === undefined || refusals === undefined) return
    const now = keeper.now()
    this.resumeThem(now)
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
        else this.end(request.socket, refusals.slow, offeredRequestId(request.headers["x-request-id"]))
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
    this.end(socket, refusals.crowded, undefined)
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
      : ["malformed", refusals.malformed]
    // A peer that left in the middle of a request has done nothing wrong.
    if (error.code !== "HPE_INVALID_EOF_STATE") keeper.admission.count(reason)
    const response = this.responses.get(socket)
    // A second answer cannot be sent in the middle of one.
    if (response !== undefined && response.headersSent && !response.writableFinished) socket.destroy()
    else this.end(socket, refusal, undefined)
  }

  private refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal, status = refusal.status): void {
    const requestId = offeredRequestId(request.headers["x-request-id"]) ?? this.keeper!.requestId()
    const body = refusal.body(requestId, new Date().toISOString())
    response.writeHead(status, {
      ...refusal.headers,
      "x-request-id": requestId,
      "content-length": Buffer.byteLength(body)
    })
    response.end(body)
  }

  /** Writes a refusal where no response object exists, and closes the connection. */
  private end(socket: Socket, { body, headers, status }: Refusal, offered: string | undefined): void {
    this.ended.add(socket)
    const requestId = offered ?? this.keeper!.requestId()
    const text = body(requestId, new Date().toISOString())
    const lines = Object.entries({
      ...headers,
      "x-request-id": requestId,
      "content-length": String(Buffer.byteLength(text))
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`)
    const timer = setTimeout(() => socket.destroy(), linger)
    socket.once("close", () => clearTimeout(timer))
  }
}
