import { noPlace, prepareRefusal } from "../../http/edge/Refusal.ts"

/** What the door answers by itself. */
export type DoorRefusals = ReturnType<typeof prepareRefusals>

/** Prepares the refusals of the door, whose links lead to `publicUrl`. */
export const prepareRefusals = (publicUrl: string) => {
  const closing = { connection: "close" }
  return {
    // The connection stays open: a new one would cost more than the refusal.
    overloaded: prepareRefusal("UNAVAILABLE", "The service is overloaded.", publicUrl),
    crowded: prepareRefusal("UNAVAILABLE", "This address has too many connections open.", publicUrl, closing),
    placeless: prepareRefusal("UNAVAILABLE", noPlace, publicUrl),
    slow: prepareRefusal("REQUEST_TIMEOUT", "The request did not arrive in time.", publicUrl, closing),
    headers: prepareRefusal("HEADERS_TOO_LARGE", "The headers are larger than 16 KiB.", publicUrl, closing),
    chunks: prepareRefusal("PAYLOAD_TOO_LARGE", "The body's chunks carry too many extensions.", publicUrl, closing),
    malformed: prepareRefusal("INVALID_HEADER", "This is no well-formed HTTP request.", publicUrl, closing),
    host: prepareRefusal("INVALID_HEADER", "A request has exactly one Host header.", publicUrl, closing),
    expectation: prepareRefusal("INVALID_HEADER", "No expectation but 100-continue can be met.", publicUrl, closing)
  }
}
