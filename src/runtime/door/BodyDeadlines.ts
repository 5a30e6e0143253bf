import type { IncomingMessage, ServerResponse } from "node:http"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"

/** How many late bodies are ended at once: thousands would delay all other requests. */
const atOnce = 2

/** A body that is still arriving. */
export interface Arrival {
  readonly response: ServerResponse
  readonly since: number
  /** The bytes received on the connection when the headers were complete. */
  readonly from: number
}

/** A body that did not arrive in time. */
export interface LateBody {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The bodies that are arriving, each with its deadline: the whole of it after a while, and a rate from half of that on. */
export class BodyDeadlines {
  /** Oldest first. */
  private readonly arrivals = new Map<IncomingMessage, Arrival>()
  private readonly wholeMillis: number
  private readonly bodyRate: number

  constructor({ arrivalSeconds, bodyRate }: Pick<DoorLimits, "arrivalSeconds" | "bodyRate">) {
    this.wholeMillis = arrivalSeconds * 1000
    this.bodyRate = bodyRate
  }

  get isEmpty(): boolean {
    return this.arrivals.size === 0
  }

  /** Waits for the rest of a body. */
  add(request: IncomingMessage, arrival: Arrival, onEnd: () => void): void {
    this.arrivals.set(request, arrival)
    request.once("end", () => {
      this.arrivals.delete(request)
      onEnd()
    })
  }

  /** Takes a few of those out that are late. `now` is in milliseconds. */
  takeLate(now: number): ReadonlyArray<LateBody> {
    const late: Array<LateBody> = []
    for (const [request, { from, response, since }] of this.arrivals) {
      const took = now - since
      if (took <= this.wholeMillis / 2 || late.length === atOnce) break
      if (request.complete || request.destroyed) {
        this.arrivals.delete(request)
      } else if (
        (took > this.wholeMillis || (request.socket.bytesRead - from) * 1000 < took * this.bodyRate) &&
        // A body that waits for us to read it is not late.
        request.readableLength < request.readableHighWaterMark
      ) {
        this.arrivals.delete(request)
        late.push({ request, response })
      }
    }
    return late
  }
}
