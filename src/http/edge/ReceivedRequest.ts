import type { HttpServerRequest } from "effect/http"

/** What is judged of a request, whichever way it came in. Fields that no operation reads may be left out. */
export interface ReceivedRequest
  extends Pick<HttpServerRequest.HttpServerRequest, "method" | "url" | "text" | "arrayBuffer">
{
  /** The header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}
