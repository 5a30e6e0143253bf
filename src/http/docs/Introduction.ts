import { guideLink } from "./GuideLinks.ts"
import type { GuideName } from "./GuideLinks.ts"

/** What a newcomer needs before any operation, in Markdown. */
export const introduction = (publicUrl: string): string => {
  const guide = (name: GuideName): string => guideLink(name, publicUrl)
  return `The licensing service that a software vendor runs: issue licenses, decide at run time whether a copy
may run, and prove afterwards what happened.

## Credentials

- **Your backend** manages licenses with \`Authorization: Bearer <token>\`: the admin token that the service printed at its
  first start, or better a management key with the scopes that it needs. Each operation names its scope.
- **Your app** asks with \`Authorization: License <license-key>\`, and has no other credential.

## The first five calls

1. \`POST /api/v1/products\`: what you sell.
2. \`POST /api/v1/products/{id}/policies\`: the rules under which you sell it.
3. \`POST /api/v1/licenses\`: a license. Its answer is the only one that shows the license key.
4. \`POST /api/v1/license/activate\`, from the app: this device takes a seat.
5. \`POST /api/v1/license/validate\`, from the app at each start: may I run?

${guide("quick-start")} makes them with curl, in ten minutes. Then: ${guide("sell-online")}, ${
    guide("float-in-an-office")
  }, ${guide("meter-usage")}, ${guide("migrate")}.

## Answers

- An answer is \`{data, meta}\`; lists add \`page_info\`. Answers may gain members: ignore those that you do not know.
- **Signatures**: answers to apps have a \`signature\`, Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of \`data\`, by
  one of the keys at \`/api/v1/system/public-keys\`. An app ships the keys and believes nothing else: ${
    guide("runtime")
  }.
- **Paging**: a list goes on at \`page_info.next_cursor\` while \`has_more\`; \`limit\` is the size of a page.
- **Instants** are RFC 3339: in requests with any offset, in answers in UTC with milliseconds.

## Requests

- Requests are closed: a member or a parameter that the service does not know is refused, never ignored. Lengths of
  texts count UTF-16 code units, and no text contains NUL.
- **Idempotency**: with an \`Idempotency-Key\` on any write it is safe to send it again; the first answer is replayed for at
  least 24 hours. Seven operations require one.
- **Concurrent edits**: reading what PATCH changes answers an \`ETag\`. Sent as \`If-Match\` with a PATCH or DELETE, it lets you
  change only what you read: 412 PRECONDITION_FAILED when somebody else was faster.

## Errors

\`{error: {code, message, detail?, fields?, doc_url}, meta}\`. Programs read \`code\`, whose meaning never changes; \`message\`
is for a person; \`fields\` names each wrong member; \`doc_url\` leads to a page with causes and cures. Try 429 and 503 again
after \`Retry-After\`; other codes below 500 mean that the request is to be changed.

## Webhooks, offline, evidence

- Everything that happens is an event, delivered to your endpoints at least once and signed with HMAC-SHA-256: ${
    guide("receive-webhooks")
  }, ${guide("event-kinds")}.
- Devices without a network run on envelopes: ${guide("work-offline")}.
- The log of events proves itself, and reports freeze into signed files: ${guide("audit-and-file")}.`
}
