import { guideLink } from "./GuideLinks.ts"
import type { GuideName } from "./GuideLinks.ts"

/** The introduction of the document, in Markdown. */
export const introduction = (publicUrl: string): string => {
  const guide = (name: GuideName): string => guideLink(name, publicUrl)
  return `A self-hosted licensing service for software vendors: issue license keys, validate them at runtime, and
prove every change afterwards.

## Credentials

- **Your backend** manages licenses with \`Authorization: Bearer <token>\`: the admin token that the service printed at its
  first start, or better an API key with the scopes that it needs. Each operation lists its scope.
- **Your app** sends \`Authorization: License <license-key>\`, and has no other credential.

## The first five calls

1. \`POST /api/v1/products\`: create a product.
2. \`POST /api/v1/products/{id}/policies\`: create a policy, the rules of its licenses.
3. \`POST /api/v1/licenses\`: issue a license. Only this response shows the license key.
4. \`POST /api/v1/license/activate\`, from the app: take a seat for the device.
5. \`POST /api/v1/license/validate\`, from the app at each start: check whether it may run.

${guide("quick-start")} shows them with curl, in ten minutes. Then: ${guide("sell-online")}, ${
    guide("float-in-an-office")
  }, ${guide("meter-usage")}, ${guide("migrate")}.

## Responses

- A response is \`{data, meta}\`; lists add \`page_info\`. Responses may get more fields: ignore fields that you do not know.
- **Signatures**: responses to apps have a \`signature\`, Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of \`data\`, by
  one of the keys at \`/api/v1/system/public-keys\`. An app ships the keys and trusts no others: ${guide("runtime")}.
- **Pages**: while \`has_more\` is true, \`page_info.next_cursor\` leads to the next page; \`limit\` is the size of a page.
- **Times** are RFC 3339: in requests with any offset, in responses in UTC with milliseconds.

## Requests

- Unknown fields and parameters are refused, never ignored. Lengths of texts count UTF-16 code units, and no text
  contains NUL.
- **Idempotency**: with an \`Idempotency-Key\`, any write is safe to retry; the first response is returned again for at
  least 24 hours. Seven operations require one.
- **Concurrent edits**: a resource that PATCH changes is returned with an \`ETag\`. Send it as \`If-Match\` with a PATCH or
  DELETE to change only the version that you read: 412 PRECONDITION_FAILED means that it has changed since.

## Errors

\`{error: {code, message, detail?, fields?, doc_url}, meta}\`. Programs read \`code\`, whose meaning never changes; \`message\`
is for people; \`fields\` lists the invalid fields; \`doc_url\` leads to a page with causes and cures. Retry 429 and 503
after \`Retry-After\`. For other codes below 500, change the request.

## Webhooks, offline, evidence

- Every change is an event, delivered to your endpoints at least once and signed with HMAC-SHA-256: ${
    guide("receive-webhooks")
  }, ${guide("event-kinds")}.
- Devices without a network use envelopes: ${guide("work-offline")}.
- The event log is tamper-evident, and reports are exported to signed files: ${guide("audit-and-file")}.`
}
