import type { Approval, Role, SecondLookAction } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { visibleLine } from "../../../client/api/Texts.ts"
import { some } from "../../ground/design/Numbers.ts"

/** The first name of a person, for a sentence. */
export const shortName = (name: string): string => name.trim().split(/\s+/)[0] ?? name

/** A name as an email address suggests it: "jun.sato@acme.example" is "Jun Sato". */
export const nameFromEmail = (email: string): string =>
  (email.split("@")[0] ?? "").split(/[._\-+]+/).filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ")

/** The effect of a change of roles: when, and on which sessions. */
export const effectOn = (name: string, sessions: number): string =>
  sessions === 0
    ? `Takes effect at once. ${shortName(name)} is not signed in.`
    : sessions === 1
    ? `Takes effect at once, on ${shortName(name)}’s session: it ends, and ${shortName(name)} signs in again.`
    : `Takes effect at once, on all of ${shortName(name)}’s ${some(sessions, "session")}: they end, and ${
      shortName(name)
    } signs in again.`

/** The name of a role that limits another role to products. */
export const limitedRoleName = (role: string, products: string): string => `${role} · ${products}`.slice(0, 255)

/** A role with the same scopes that is limited to the same products; undefined where there is none. */
export const limitedTwin = (
  roles: ReadonlyArray<Role>,
  { scopes }: Pick<Role, "scopes">,
  productIds: ReadonlyArray<string>
): Role | undefined => {
  const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
    a.length === b.length && a.every((each) => b.includes(each))
  return roles.find((role) => same(role.scopes, scopes) && same(role.product_ids ?? [], productIds))
}

/** Actions in one line. */
export const actionsLine = (actions: ReadonlyArray<SecondLookAction>): string =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(actions.map((action) => labels.secondLook[action]))

const operations: Readonly<Record<Approval["operation"], string>> = {
  revokeLicense: "Revoke a license",
  createLicenseJob: "Change many licenses",
  retryJob: "Retry a job",
  rotateLicenseKey: "Rotate a license key",
  transferLicense: "Transfer a license",
  decidePurchaseOwner: "Give a license to the payer of its purchase",
  updateLicense: "Change the owner of a license",
  updateCustomer: "Change the address of a customer",
  eraseCustomer: "Erase a customer",
  eraseLicenseUser: "Erase a user of a license",
  rotateSigningKey: "Rotate the signing key",
  revokeSigningKey: "Revoke a signing key",
  updateWebhookEndpoint: "Change a webhook endpoint",
  createAPIKey: "Create an API key",
  rotateAPIKey: "Rotate an API key",
  createPerson: "Add a person",
  updatePerson: "Change a person",
  removePerson: "Remove a person",
  reinstatePerson: "Reinstate a person",
  invitePerson: "Invite a person",
  deletePasskey: "Remove a passkey",
  createRole: "Create a role",
  updateRole: "Change a role",
  deleteRole: "Delete a role"
}

/** The operation in words. */
export const operationText = ({ operation }: Pick<Approval, "operation">): string => operations[operation]

/** The page of what a request is about; undefined where it has none. */
export const placeOf = ({ params: { id = "" } }: Pick<Approval, "params">): string | undefined =>
  id.startsWith("lic_")
    ? `/console/licenses/${id}`
    : id.startsWith("cus_")
    ? `/console/customers/${id}`
    : id.startsWith("per_")
    ? `/console/people/${id}`
    : id.startsWith("job_")
    ? `/console/licenses/jobs/${id}`
    : undefined

/** The members of a body, each as a line; its reason is that of the request. */
export const bodyLines = ({ body = {} }: Pick<Approval, "body">): ReadonlyArray<readonly [string, string]> =>
  Object.entries(body).filter(([name]) => name !== "reason").map(([name, value]) => [
    name,
    visibleLine(typeof value === "string" ? value : JSON.stringify(value))
  ])

/** Whether the answer of an operation has a secret, which is for whoever asked. */
export const hasSecret = ({ operation }: Pick<Approval, "operation">): boolean =>
  ["rotateLicenseKey", "createAPIKey", "rotateAPIKey", "invitePerson", "updateWebhookEndpoint"].includes(operation)
