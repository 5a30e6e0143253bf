import type { IncomingMessage, ServerResponse } from "node:http"

/** More than anybody sends in the moment for which requests are held. */
const most = 1_000

/**
 * Requests that come after the port was opened and before there is anybody to answer them. Node forgets a request that
 * nothing listens for, and its caller would wait until the process ends: a probe of a machine that has much to do.
 */
export class EarlyRequests {
  private held: Array<readonly [string, IncomingMessage, ServerResponse]> | undefined = []

  /** Holds a request; answers false once there is somebody to answer. */
  hold(event: string, request: IncomingMessage, response: ServerResponse): boolean {
    if (this.held === undefined) return false
    if (this.held.length < most) this.held.push([event, request, response])
    else request.destroy()
    return true
  }

  /** Hands over what is held, and holds nothing from here on. */
  release(take: (event: string, request: IncomingMessage, response: ServerResponse) => void): void {
    const held = this.held ?? []
    this.held = undefined
    for (const [event, request, response] of held) if (!request.destroyed) take(event, request, response)
  }
}
