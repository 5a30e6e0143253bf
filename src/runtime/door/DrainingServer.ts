import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { SharedPortServer } from "./SharedPortServer.ts"

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
