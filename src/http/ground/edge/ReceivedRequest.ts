import type { HttpServerRequest } from "effect/http"

/** The parts of a request that are judged, whichever way it came in. Fields that no operation reads may be omitted. */
export interface ReceivedRequest
  extends Pick<HttpServerRequest.HttpServerRequest, "method" | "url" | "text" | "arrayBuffer">
{
  /** The header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}
