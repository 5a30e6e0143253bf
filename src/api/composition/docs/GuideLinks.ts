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
