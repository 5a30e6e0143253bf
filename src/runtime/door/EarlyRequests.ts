import type { IncomingMessage, ServerResponse } from "node:http"

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
