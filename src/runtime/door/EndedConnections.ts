import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Refusal } from "../../http/ground/edge/Refusal.ts"
import { note } from "../requests/Followed.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"
import { messageOf } from "./DoorRefusals.ts"

/** How long a peer may take to read the refusal that ends its connection, in milliseconds. */
const lingerMillis = 500

/** A refusal that ends a connection. */
export interface Ending {
  readonly refusal: Refusal
  /** The response of the request that does not arrive, where there is one. */
  readonly response?: ServerResponse | undefined
  /** The id that the caller gave its request. */
  readonly requestId?: string | undefined
}

/** The connections that a refusal has ended. What else they send is not read. */
export class EndedConnections {
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
