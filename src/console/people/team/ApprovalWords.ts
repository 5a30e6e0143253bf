import type { Approval, SecondLookAction } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { visibleLine } from "../../../client/api/VisibleText.ts"

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
