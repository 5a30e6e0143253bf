import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { SharedPortServer } from "./SharedPortServer.ts"

/** How long a quiet turn of the event loop is waited for, in milliseconds. */
const patience = 1_000

/**
 * An HTTP server that is left by its callers before it stops. A proxy keeps connections for later and learns of a stop
 * from what it is answered, so each answer of a drain ends its connection; and a connection that was accepted is answered,
 * also where its first request comes after the server has stopped accepting.
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

  /** From here on each answer says `connection: close`. */
  drain(): void {
    this.isDraining = true
  }

  /** Whether a connection waits for its first request. */
  get isAwaited(): boolean {
    return this.unused.size > 0
  }

  /**
   * Accepts no further connection. What waits to be accepted at that moment is reset by the kernel, and its caller cannot
   * know whether its request was read: so this happens right after a turn of the event loop in which nobody waited.
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

  /** To be called with each request, before anything of its answer is written. */
  protected begun({ socket }: IncomingMessage, response: ServerResponse): void {
    this.unused.delete(socket)
    if (this.isDraining) response.shouldKeepAlive = false
  }
}
