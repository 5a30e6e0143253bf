import { Schema } from "effect"

/** The actions that may need a second person. */
export const SecondLookAction = Schema.Literals([
  "revoke_license",
  "rotate_license_key",
  "erase_customer",
  "rotate_signing_key",
  "revoke_signing_key",
  "rotate_webhook_secret",
  "create_api_key",
  "rotate_api_key",
  "change_people",
  "change_roles"
]).annotate({
  identifier: "SecondLookAction",
  description:
    "An action that may need a second person. `revoke_license` is also for jobs that revoke. `rotate_license_key` is also for another owner of " +
    "a license and another address of its owner. `erase_customer` is also for erasing a user of a license. `change_people` is for adding, inviting and removing people and for passkeys of others, and " +
    "`change_roles` for creating, changing and deleting roles."
})
export type SecondLookAction = typeof SecondLookAction.Type

/**
 * The actions that lead around every second look: a key needs nobody, a person who was just added may approve, and a changed role
 * may need nobody any more.
 */
export const waysAround: ReadonlyArray<SecondLookAction> = [
  "create_api_key",
  "rotate_api_key",
  "change_people",
  "change_roles"
]

/** The actions that a person needs a second one for whose roles name some: with any of them, also for what leads around it. */
export const withWaysAround = (named: ReadonlyArray<SecondLookAction>): ReadonlyArray<SecondLookAction> =>
  named.length === 0 ? [] : [...new Set([...named, ...waysAround])]

/** The operations that may need a second person, by their IDs. A role that asks for an action asks for each of its operations. */
export const secondLooks = {
  revokeLicense: "revoke_license",
  createLicenseJob: "revoke_license",
  retryJob: "revoke_license",
  rotateLicenseKey: "rotate_license_key",
  // The mailbox of the owner leads to the key, in the portal.
  transferLicense: "rotate_license_key",
  decidePurchaseOwner: "rotate_license_key",
  updateLicense: "rotate_license_key",
  updateCustomer: "rotate_license_key",
  eraseCustomer: "erase_customer",
  eraseLicenseUser: "erase_customer",
  rotateSigningKey: "rotate_signing_key",
  revokeSigningKey: "revoke_signing_key",
  updateWebhookEndpoint: "rotate_webhook_secret",
  createAPIKey: "create_api_key",
  rotateAPIKey: "rotate_api_key",
  createPerson: "change_people",
  updatePerson: "change_people",
  removePerson: "change_people",
  reinstatePerson: "change_people",
  invitePerson: "change_people",
  deletePasskey: "change_people",
  createRole: "change_roles",
  updateRole: "change_roles",
  deleteRole: "change_roles"
} as const satisfies Readonly<Record<string, SecondLookAction>>

/** An operation that may need a second person. */
export type ApprovableOperation = keyof typeof secondLooks

/** Whether an operation may need a second person. */
export const isApprovable = (operation: string): operation is ApprovableOperation =>
  Object.hasOwn(secondLooks, operation)

/** The rules about bodies; every other operation is its action whatever its body. */
const inBody: Readonly<Partial<Record<ApprovableOperation, (body: Readonly<Record<string, unknown>>) => boolean>>> = {
  createLicenseJob: ({ action }) => action === "revoke",
  // The job that is repeated says its action, which the service knows.
  retryJob: () => false,
  // The service knows whose passkey it is: nobody is asked about an own one.
  deletePasskey: () => false,
  // The service knows whether the address is another one, and of somebody who has a license.
  updateCustomer: () => false,
  decidePurchaseOwner: ({ owner }) => owner === "follow",
  updateLicense: ({ customer_email, customer_id }) => customer_email !== undefined || customer_id !== undefined,
  updateWebhookEndpoint: ({ rotate_secret, secret }) => rotate_secret === true || secret !== undefined
}

/** The action that a request is, as far as its body says; undefined where it is none of them. */
export const secondLookOf = (
  operation: ApprovableOperation,
  body: Readonly<Record<string, unknown>>
): SecondLookAction | undefined => (inBody[operation] ?? (() => true))(body) ? secondLooks[operation] : undefined
