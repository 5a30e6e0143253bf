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

/** How often bodies under way are looked at, and how long a refused peer has to read why, in milliseconds. */
const sweepEvery = 100
const linger = 500

/**
 * For so long nothing is read from a connection whose request was shed, in milliseconds: whoever asks again at once,
 * against Retry-After, would have the service do nothing but refuse.
 */
const shedPause = 500

/** So many late bodies are given up in one look: thousands at once would keep everybody else waiting. */
const atOnce = 10

/**
 * On so many sockets it is listened. libuv accepts one connection of each in a turn of the event loop, and a turn under
 * load takes tens of milliseconds: with one socket whoever dials then waits for seconds, unseen by the shedding of load.
 */
const listeners = 32

/** Besides our own limits node's, a little later, for whatever ours do not see. */
const backstop = 5_000

/** What the door asks, once the service has it. */
export interface DoorKeeper {
  readonly admission: Admission["Service"]
  readonly requestId: () => string
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly publicUrl: string
  readonly trustedProxies: ReadonlyArray<string>
}

/** A body that is under way. */
interface Arrival {
  readonly response: ServerResponse
  readonly since: number
  /** What the connection had received when its headers were there. */
  readonly from: number
}

const prepare = (publicUrl: string) => {
  const closing = { connection: "close" }
  return {
    // The connection stays: a new one would cost more than the refusal.
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
 * The HTTP server, with a door before it: what a caller may take before it is known who it is. Connections are capped,
 * requests must arrive in time, who takes nothing of its answer is closed, load is shed, and what node's parser refuses
 * is answered in the one envelope.
 */
export class Door extends Server {
  private readonly limits: DoorLimits
  private keeper: DoorKeeper | undefined
  private refusals: ReturnType<typeof prepare> | undefined
  private readonly networks = new Map<string, number>()
  private readonly arrivals = new Map<IncomingMessage, Arrival>()
  /** The last response of each connection. */
  private readonly responses = new WeakMap<Socket, ServerResponse>()
  private readonly ended = new WeakSet<Socket>()
  /** Connections that are not read for a while, and until when, the earliest first. */
  private readonly paused = new Map<Socket, number>()
  /** What listens on the same address besides the server itself. */
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
      // We say it in our own words.
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

  /** From here on requests are judged. Before, none is served either. */
  keep(keeper: DoorKeeper): void {
    this.keeper = keeper
    this.refusals = prepare(keeper.publicUrl)
    const timer = setInterval(() => this.sweep(), sweepEvery)
    timer.unref()
    this.once("close", () => clearInterval(timer))
  }

  /**
   * Listens on several sockets of one address where the kernel shares connections out among them (SO_REUSEPORT). An
   * address that another program listens on is refused all the same, with the error of `listen`.
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

  /** Protocols cannot be changed here: who asks for it is answered as anybody else. */
  override on(event: string, listener: (...args: Array<any>) => void): this {
    return event === "upgrade" ? this : super.on(event, listener)
  }

  /** The one place that every request comes through, whoever listens for it. */
  override emit(event: any, ...args: Array<any>): boolean {
    return (event === "request" || event === "checkContinue") && !this.lets(args[0], args[1])
      ? true
      : super.emit(event, ...args)
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
      // The operation would find out too, after asking who calls.
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
    // Whatever becomes of it: a request that nobody waits for any more must not take room for ever.
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
    // node reads on when an answer is finished, to be rid of what is left of its request; afterwards it does not.
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

  /** A request counts as being answered when its body is there: who sends slowly takes nobody's room. */
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
        // What waits for us to read it is not late.
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
    // A proxy speaks for many.
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

  /** A connection on which nothing has moved for a while: it is idle, or its peer does not take its answer. */
  private silent(socket: Socket): void {
    const response = this.responses.get(socket)
    // For the first headers of a connection there is a deadline, which is answered.
    if (response === undefined) return
    if (response.writableFinished) {
      socket.destroy()
    } else if (socket.writableLength > 0) {
      this.keeper?.admission.count("answer_not_taken")
      socket.destroy()
    }
    // Otherwise the service is at work on the answer, which has deadlines of its own.
  }

  /** What node's parser refuses, or what did not arrive in node's time. */
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
    // Whoever went away in the middle of a request has done nothing wrong.
    if (error.code !== "HPE_INVALID_EOF_STATE") keeper.admission.count(reason)
    const response = this.responses.get(socket)
    // In the middle of an answer there is no place for another one.
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

  /** Answers where there is no response to write to, and ends the connection. */
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
