import type { Operation } from "./Operations.ts"
import type { Node } from "./Schemas.ts"

/** The guides that operations and chapters lead to: their names at `/docs/guides` and their titles. */
export const guides = {
  "quick-start": "Your first license",
  "how-do-i-sell": "Licensing models",
  "test-environment": "Test environment",
  "use-the-client": "Use the client",
  "sell-with-stripe": "Sell with Stripe in ten minutes",
  "sell-online": "Sell online",
  "move-in": "Move in with customers",
  "sell-through-resellers": "Sell through resellers",
  "float-in-an-office": "Floating seats in an office",
  "work-offline": "Work offline",
  "name-users": "Seats that are people",
  "send-mail": "Send mails to customers",
  "meter-usage": "Meter usage",
  "receive-webhooks": "Receive webhooks",
  "audit-and-file": "Audit and archive",
  "containers": "Run in containers",
  "migrate": "Migrate from another system",
  "run-it": "Operate",
  "people": "People and roles",
  "policy-fields": "Policy fields",
  "runtime": "Runtime API",
  "offline": "Offline envelopes",
  "webhooks": "Webhooks",
  "event-kinds": "Event types",
  "events": "The event feed",
  "reports": "Activities and reports",
  "exports": "Report exports",
  "operations": "Operations",
  "states": "State machines"
} as const

export type GuideName = keyof typeof guides

/** Which guide tells more about the operations of a group. */
const byGroup: Readonly<Record<string, GuideName>> = {
  "products": "quick-start",
  "versions": "runtime",
  "policies": "policy-fields",
  "features": "meter-usage",
  "custom-fields": "migrate",
  "customers": "sell-online",
  "customer-erasures": "events",
  "licenses": "how-do-i-sell",
  "license-grants": "how-do-i-sell",
  "customer-pools": "how-do-i-sell",
  "license-users": "name-users",
  "user-sign-ins": "name-users",
  "receipts": "audit-and-file",
  "usage": "meter-usage",
  "license-notes": "people",
  "license-views": "people",
  "mail-templates": "send-mail",
  "mail-suppressions": "send-mail",
  "jobs": "how-do-i-sell",
  "customer-notes": "people",
  "devices": "states",
  "leases": "float-in-an-office",
  "runtime": "quick-start",
  "floating": "float-in-an-office",
  "self-service": "states",
  "offline": "work-offline",
  "offline-files": "work-offline",
  "revocations": "offline",
  "commerce": "sell-online",
  "billing": "sell-with-stripe",
  "billing-inbox": "sell-with-stripe",
  "webhooks": "receive-webhooks",
  "ops": "webhooks",
  "events": "audit-and-file",
  "activities": "reports",
  "reports": "reports",
  "report-exports": "audit-and-file",
  "api-keys": "sell-through-resellers",
  "people": "people",
  "roles": "people",
  "approvals": "people",
  "sessions": "people",
  "sign-ins": "people",
  passkeys: "people",
  "publishable-keys": "policy-fields",
  "trials": "runtime",
  "signing-keys": "run-it",
  "environments": "test-environment",
  "settings": "people",
  "system": "operations"
}

/** Where an operation belongs to another guide than the rest of its group. */
const byOperation: Readonly<Record<string, GuideName>> = {
  consumeLicense: "meter-usage",
  refundOwnUsage: "meter-usage",
  resetLicenseUsage: "meter-usage",
  rehearsePolicy: "how-do-i-sell",
  listPolicyFeatures: "how-do-i-sell",
  assignPolicyFeature: "how-do-i-sell",
  removePolicyFeature: "how-do-i-sell",
  createLicenses: "migrate",
  lookupLicense: "runtime",
  searchLicenses: "runtime",
  explainLicense: "runtime",
  getMailSettings: "send-mail",
  listPublicKeys: "quick-start"
}

/** The address of a guide. */
const placeOf = (name: GuideName, publicUrl: string): string => `${publicUrl}/docs/guides/${name}`

/** A guide as a link of Markdown. */
export const guideLink = (name: GuideName, publicUrl: string): string =>
  `[${guides[name]}](${placeOf(name, publicUrl)})`

/** A guide as `externalDocs` of an OpenAPI document. */
export const externalDocs = (name: GuideName, publicUrl: string): Node => ({
  description: guides[name],
  url: placeOf(name, publicUrl)
})

/** The guide that tells more about an operation. */
export const guideOf = ({ group, operationId }: Operation): GuideName => {
  const name = byOperation[operationId] ?? byGroup[group]
  if (name === undefined) throw new TypeError(`No guide is named for the operations of ${group}`)
  return name
}

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
