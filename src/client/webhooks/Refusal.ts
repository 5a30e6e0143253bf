import type { DeliveryErrorCode } from "../verify/verifyDelivery.ts"

/** The response to a delivery. */
export interface ReceiverAnswer {
  readonly status: 204 | 400 | 405 | 413 | 500
  readonly body: string
}

/** The reason why a delivery was not taken. */
export type RefusalCode = DeliveryErrorCode | "environment_mismatch" | "too_large" | "body_parsed"

/** The cure for a body that was read before. */
export const bodyParsed =
  "The body was parsed before it could be verified: mount the receiver before express.json(), or " +
  "use express.raw(); in an API route of Next.js, export const config = { api: { bodyParser: false } }"

/** The probable cause of each, for readers of the receiver's log. */
const causes: Readonly<Record<RefusalCode, string>> = {
  missing_header: "No signature: it does not come from the service, or a proxy drops headers",
  malformed_header: "The signature cannot be read: it does not come from the service, or a proxy changes headers",
  timestamp_out_of_tolerance:
    "Signed too long ago or in the future: it is a replay, or the clock of this machine is wrong",
  signature_mismatch:
    "No secret matches the signature: use the signing secret of this endpoint, and let nothing change the body",
  malformed_body: "The body is not unambiguous JSON",
  environment_mismatch:
    "Genuine, but of the test environment: give this receiver the secret of an endpoint of the live one, or " +
    "allowTest: true if it is there for tests",
  too_large: "The body is larger than maxBytes",
  body_parsed: bodyParsed
}

/** A delivery that was not taken. Told of to `onError`; it holds neither a secret nor anything of what was sent. */
export class DeliveryRefused extends Error {
  override readonly name = "DeliveryRefused"
  readonly code: RefusalCode
  /** How many were refused with this code since the last report, this one included. */
  readonly count: number
  constructor(code: RefusalCode, count: number, cause?: unknown) {
    super(
      `${count === 1 ? "A delivery was" : `${count} deliveries were`} refused (${code}). ${causes[code]}`,
      cause === undefined ? {} : { cause }
    )
    this.code = code
    this.count = count
  }
}

/** The response to a refused delivery. The service tries again whatever the status. */
export const refusalAnswer = (code: RefusalCode): ReceiverAnswer =>
  code === "too_large"
    ? { status: 413, body: code }
    : code === "body_parsed"
    ? { status: 500, body: "failed" }
    : { status: 400, body: code }

/** How often refusals with the same code are reported at most. */
const pauseMs = 60_000

/** Throttles the reports of refusals: anybody can cause one, and must not be able to fill a log. */
export class RefusalReports {
  readonly #of = new Map<RefusalCode, { at: number; unreported: number }>()

  /** Counts a refusal; answers how many to report now: none while another was reported lately. */
  countToReport(code: RefusalCode, now: number = Date.now()): number {
    const { at, unreported } = this.#of.get(code) ?? { at: -Infinity, unreported: 0 }
    const isDue = Math.abs(now - at) >= pauseMs
    this.#of.set(code, isDue ? { at: now, unreported: 0 } : { at, unreported: unreported + 1 })
    return isDue ? unreported + 1 : 0
  }
}
