import type { Approval } from "../../../client/api/index.ts"
import type { Sent } from "./Sent.ts"

/** Where each operation is sent that may need a second person. */
const routes: ReadonlyArray<readonly [Approval["operation"], route: string]> = [
  ["revokeLicense", "POST /licenses/{id}/revoke"],
  ["createLicenseJob", "POST /licenses/jobs"],
  ["retryJob", "POST /jobs/{id}/retry"],
  ["rotateLicenseKey", "POST /licenses/{id}/rotate-key"],
  ["transferLicense", "POST /licenses/{id}/transfer"],
  ["updateLicense", "PATCH /licenses/{id}"],
  ["decidePurchaseOwner", "POST /billing/purchases/{id}/owner"],
  ["updateCustomer", "PATCH /customers/{id}"],
  ["eraseCustomer", "POST /customers/{id}/erase"],
  ["eraseLicenseUser", "POST /licenses/{id}/users/{user_id}/erase"],
  ["rotateSigningKey", "POST /signing-keys/rotate"],
  ["revokeSigningKey", "POST /signing-keys/{id}/revoke"],
  ["updateWebhookEndpoint", "PATCH /webhooks/{id}"],
  ["createAPIKey", "POST /api-keys"],
  ["rotateAPIKey", "POST /api-keys/{id}/rotate"],
  ["createPerson", "POST /people"],
  ["updatePerson", "PATCH /people/{id}"],
  ["removePerson", "DELETE /people/{id}"],
  ["reinstatePerson", "POST /people/{id}/reinstate"],
  ["invitePerson", "POST /people/{id}/invite"],
  ["deletePasskey", "DELETE /passkeys/{id}"],
  ["createRole", "POST /roles"],
  ["updateRole", "PATCH /roles/{id}"],
  ["deleteRole", "DELETE /roles/{id}"]
]

/** The parameters of a path that has the form of a route; undefined where it has another form. */
const paramsOf = (route: string, at: string): Readonly<Record<string, string>> | undefined => {
  const names = route.split("/")
  const values = at.split("/")
  const params = names.flatMap((name, index) =>
    name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(values[index] ?? "")] as const] : []
  )
  const isIts = names.length === values.length &&
    names.every((name, index) => name.startsWith("{") || name === values[index])
  return isIts ? Object.fromEntries(params) : undefined
}

/** The operation that a request was, where it is one that may need a second person. */
export const operationOf = (
  { method, url }: Pick<Sent, "method" | "url">
): Pick<Approval, "operation" | "params"> | undefined => {
  const at = `${method} ${url.replace(/^.*?\/api\/v1(?=\/)/, "").replace(/\?.*/, "")}`
  for (const [operation, route] of routes) {
    const params = paramsOf(route, at)
    if (params !== undefined) return { operation, params }
  }
  return undefined
}
