import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * How long a connection is not read after its request was shed, in milliseconds. Callers that ignore Retry-After would
 * otherwise keep the service busy with refusals, each of which costs a quarter of a validate.
 */
const shedPause = 600

/** Connections that are not read for a while, because one of their requests was shed. */
export class PausedConnections {
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
