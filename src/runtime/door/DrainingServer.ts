import { once } from "node:events"
import { Server } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, Server as NetServer } from "node:net"
import type { AddressInfo, ListenOptions, Socket } from "node:net"
import { platform } from "node:process"
import { setImmediate } from "node:timers/promises"
import { inCidrs } from "../../domain/ground/admission/Address.ts"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"

/** The limit that a connection exceeds. */
export type ConnectionExcess = "connections" | "connections_per_address"

/** Counts connections, in all and of each network. */
export class ConnectionLimits {
  private readonly limits: Pick<DoorLimits, "connections" | "connectionsPerAddress">
  private readonly networks = new Map<string, number>()
  private established = 0

  constructor(limits: Pick<DoorLimits, "connections" | "connectionsPerAddress">) {
    this.limits = limits
  }

  /** Counts a connection until it closes, unless there are too many. Answers the limit that it exceeds. */
  count(socket: Socket, { admission, trustedProxies }: DoorKeeper): ConnectionExcess | undefined {
    if (this.established >= this.limits.connections) return "connections"
    this.established += 1
    admission.connections(1)
    socket.once("close", () => {
      this.established -= 1
      admission.connections(-1)
    })
    const peer = socket.remoteAddress
    // A proxy carries many callers.
    if (peer === undefined || inCidrs(peer, trustedProxies)) return undefined
    const count = this.add(socket, networkOf(peer))
    return count > this.limits.connectionsPerAddress ? "connections_per_address" : undefined
  }

  private add(socket: Socket, network: string): number {
    const { networks } = this
    const count = (networks.get(network) ?? 0) + 1
    networks.set(network, count)
    socket.once("close", () => {
      const left = (networks.get(network) ?? 1) - 1
      if (left === 0) networks.delete(network)
      else networks.set(network, left)
    })
    return count
  }
}

/**
 * How many sockets listen on the address. libuv accepts one connection of each socket in a turn of the event loop, and
 * under load a turn takes tens of milliseconds. With one socket, callers would wait for seconds to be accepted,
 * invisible to load shedding.
 */
const listeners = 32

/** An HTTP server that listens on several sockets of one address, which other processes may share. */
class SharedPortServer extends Server {
  /** The shared address, until the server listens on it. */
  private shut: ListenOptions | undefined
  /** Further listeners on the same address. */
  private readonly besides: Array<NetServer> = []

  /**
   * Listens on several sockets of one address where the kernel balances connections among them (SO_REUSEPORT). An
   * address in use by another program is still refused, with the error of `listen`. Where the address is shared with
   * other processes (`reusePort`), none of their callers may come to this one before it is ready: see {@link open}.
   */
  override listen(...args: Array<any>): this {
    const [options, listening] = args as [ListenOptions, () => void]
    if (platform !== "linux" || options.port === undefined) return super.listen(...(args as [any]))
    if (options.reusePort === true) {
      this.shut = options
      queueMicrotask(listening)
      return this
    }
    this.share(options).then(listening, (error: Error) => this.emit("error", error))
    return this
  }

  private async share(options: ListenOptions): Promise<void> {
    const probe = createServer().listen(options)
    await once(probe, "listening")
    probe.close()
    await once(probe, "close")
    await this.attend(options)
  }

  /** Starts to listen on an address that is shared with other processes. */
  async open(): Promise<void> {
    const { shut } = this
    this.shut = undefined
    if (shut !== undefined) await this.attend(shut)
  }

  override address(): AddressInfo | string | null {
    const { shut } = this
    return shut === undefined ? super.address() : { address: shut.host!, family: "IPv4", port: shut.port! }
  }

  private async attend(options: ListenOptions): Promise<void> {
    const shared = { ...options, reusePort: true }
    super.listen(shared)
    await once(this, "listening")
    const port = (this.address() as AddressInfo | null)?.port
    // Closed as soon as it has started to listen.
    if (port === undefined) return
    for (let count = 1; count < listeners; count++) {
      const listener = createServer(
        { allowHalfOpen: true, noDelay: true },
        (socket) => super.emit("connection", socket)
      )
      this.besides.push(listener.listen({ ...shared, port }))
    }
    await Promise.all(this.besides.map((listener) => once(listener, "listening")))
  }

  /** Accepts no further connections. Open ones continue, whether or not they carry a request. */
  closeToNew(): void {
    for (const listener of this.besides.splice(0)) listener.close()
    if (this.listening) NetServer.prototype.close.call(this)
  }

  override close(closed?: (error?: Error) => void): this {
    for (const listener of this.besides.splice(0)) listener.close()
    return super.close(closed)
  }
}

/** The longest wait for a turn of the event loop without new connections, in milliseconds. */
const patience = 1_000

/**
 * An HTTP server that drains before it stops. A proxy keeps connections open and learns of a stop only from
 * responses, so each response of a drain ends its connection. Every accepted connection is answered, even if its
 * first request comes after the server has stopped accepting.
 */
export class DrainingServer extends SharedPortServer {
  /** The connections that carried no request yet. */
  private readonly unused = new Set<Socket>()
  private accepted = 0
  private isDraining = false

  constructor(...options: ConstructorParameters<typeof SharedPortServer>) {
    super(...options)
    super.on("connection", (socket: Socket) => {
      this.accepted += 1
      this.unused.add(socket)
      socket.once("close", () => this.unused.delete(socket))
    })
  }

  /** Ends each connection with its next response from here on. */
  drain(): void {
    this.isDraining = true
  }

  /** Whether a connection waits for its first request. */
  get isAwaited(): boolean {
    return this.unused.size > 0
  }

  /**
   * Accepts no further connections. The kernel resets those that wait to be accepted, and their callers cannot know
   * whether a request was read: so this happens right after a turn of the event loop in which none waited.
   */
  async closeToNewcomers(): Promise<void> {
    const end = performance.now() + patience
    for (let before = -1; before !== this.accepted && performance.now() < end;) {
      before = this.accepted
      await setImmediate()
      await setImmediate()
    }
    this.closeToNew()
  }

  /** Called with each request, before its response is written. */
  protected begun({ socket }: IncomingMessage, response: ServerResponse): void {
    this.unused.delete(socket)
    if (this.isDraining) response.shouldKeepAlive = false
  }
}
