import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { escape, page } from "../pages/Markdown.ts"
import { pathOf } from "./Refusal.ts"
import { pageHeaders } from "./StaticAnswer.ts"

/** How much a type is wanted by an Accept header (RFC 9110 section 12.5.1), where it is named itself; otherwise 0. */
const weightOf = (accept: string, type: string): number => {
  for (const range of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith("q="))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}

/** Whether an Accept header asks for a page rather than for JSON. Wildcards are what programs send, and ask for none. */
const prefersPage = (accept: string | undefined): boolean => {
  const wanted = weightOf(accept ?? "", "text/html")
  return wanted > 0 && wanted > weightOf(accept ?? "", "application/json")
}

const ways = `<ul class="list">
<li><a href="/console">Console</a><p>Licenses, webhooks, operation and reports, for people.</p></li>
<li><a href="/docs">Reference</a><p>Every operation, to read and to try.</p></li>
<li><a href="/docs/guides">Guides</a><p>How things are done: devices, webhooks, offline, reports, operations.</p></li>
<li><a href="/docs/errors">Errors</a><p>Each error code, its meaning and how to fix it.</p></li>
<li><a href="/verify">Verify</a><p>Exports, offline licenses and signed responses, verified in your browser.</p></li>
<li><a href="/openapi.yaml">OpenAPI document</a><p>The contract for programs.</p></li>
<li><a href="/llms.txt">llms.txt</a><p>The contract for language models.</p></li>
<li><a href="/readyz">Readiness</a><p>Whether the service takes requests now.</p></li>
</ul>`

/** The page at `/`. */
export const frontPage = (): string =>
  page({
    title: "Countersign",
    main: `<h1>Countersign</h1>
<p class="lead">The licensing service that a software vendor runs: issue licenses, decide at run time, prove afterwards.</p>
${ways}`
  })

/** The page for a browser where nothing is. */
export const notFoundPage = (requestId: string): string =>
  page({
    title: "Not found · Countersign",
    main: `<h1>Page not found</h1>
<p class="lead">No page or resource has this URL. Continue here:</p>
${ways}
<p class="quiet">Request <code>${escape(requestId)}</code></p>`
  })

/** The page for a person at an address that does not exist, or at `/`; programs keep the answer as it is. */
export const asPage = (
  { headers, method, url }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  requestId: string
): HttpServerResponse.HttpServerResponse => {
  if (response.status !== 404 || (method !== "GET" && method !== "HEAD") || !prefersPage(headers["accept"])) {
    return response
  }
  const isFront = pathOf(url) === "/"
  return HttpServerResponse.text(isFront ? frontPage() : notFoundPage(requestId), {
    status: isFront ? 200 : 404,
    contentType: "text/html; charset=utf-8",
    headers: { ...pageHeaders(), vary: "accept" }
  })
}
