import type { LoadKind } from "../../../domain/ground/admission/LoadControl.ts"
import { docUrl } from "../../../domain/ground/guides/ErrorGuide.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { isRequestId } from "../../../domain/ground/wire/Fields.ts"
import { documentHeaders, securityHeaders } from "./SecurityHeaders.ts"

/** Paths that are always answered: probes and metrics. */
export const alwaysOpen: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz", "/metrics"])

/** The request id given by the caller, if it is fit for logs and events. */
export const offeredRequestId = (offered: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof offered === "string" && isRequestId(offered) ? offered : undefined

/** Whether a path is of the operations that apps ask with a license key. */
export const isOfApps = (path: string): boolean => path.startsWith("/api/v1/license/")

/** The kind of a request, by its path alone. */
export const kindOf = (path: string): LoadKind => {
  if (isOfApps(path)) {
    return path === "/api/v1/license/validate" || path === "/api/v1/license/check" ? "question" : "runtime"
  }
  return path === "/api/v1/system/public-keys" || path.startsWith("/.well-known/") ? "runtime" : "management"
}

/** Whether the answer to a request may be a file of an export. */
export const isDownload = (method: string | undefined, path: string): boolean =>
  method === "GET" && /^\/api\/v1\/reports\/exports\/[^/]+\/(download|snapshot)$/.test(path)

/** The message for a caller when no place for a large answer is free. */
export const noPlace = "Too many large responses are being sent. Try again when one has finished."

/** A refusal made without running any operation: status, headers and a body in the common envelope. */
export interface Refusal {
  readonly code: Code
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: (requestId: string, timestamp: string) => string
}

/** Prepares a refusal, so that producing it costs next to nothing. */
export const prepareRefusal = (
  code: Code,
  message: string,
  publicUrl: string,
  headers: Readonly<Record<string, string>> = {}
): Refusal => {
  const error = JSON.stringify({ code, message, doc_url: docUrl(publicUrl, code) })
  return {
    code,
    status: catalog[code].status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...securityHeaders(publicUrl),
      ...documentHeaders,
      ...(code === "UNAVAILABLE" ? { "retry-after": "1" } : {}),
      ...headers
    },
    body: (requestId, timestamp) => `{"error":${error},"meta":{"request_id":"${requestId}","timestamp":"${timestamp}"}}`
  }
}
