import type { IncomingMessage } from "node:http"
import type { LoopTurns } from "../../domain/ground/admission/LoopTurns.ts"
import type { Exchanges } from "../../http/ground/edge/Exchanges.ts"
import type { Cors, RequestTarget } from "../../http/ground/edge/Refusal.ts"
import type { Admission } from "../../services/ground/admission/Admission.ts"

/** The parts of the service that the door needs, once the service has started. */
export interface DoorKeeper {
  readonly admission: Admission["Service"]
  readonly exchanges: Exchanges["Service"]
  /** The turns in which admitted requests are handed over. */
  readonly turns: LoopTurns
  readonly requestId: () => string
  /** Reads the target of a request; undefined where it is spelt in another way than the one that counts. */
  readonly readTarget: (target: string) => RequestTarget | undefined
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  readonly publicUrl: string
  readonly trustedProxies: ReadonlyArray<string>
  /** Notices a peer that says for whom it forwards and is no trusted proxy. */
  readonly noteForwarding: (request: IncomingMessage) => void
  /** The pages that may read responses (CORS); undefined for none. */
  readonly cors?: Cors | undefined
}
