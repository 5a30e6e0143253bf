import { failing, TokenScopeDenied } from "../../ground/wire/Errors.ts"

/** The resources that belong to products and that a path may name first. */
export type LimitedResource =
  | "product"
  | "policy"
  | "feature"
  | "license"
  | "customer"
  | "order"
  | "subscription"
  | "publishable_key"
  | "report_export"
  | "api_key"
  | "job"

/**
 * How an operation keeps to the products that an API key is limited to.
 * - `{ of }`: it concerns what its path names first, which must be of these products; to the key nothing else is there.
 *   With `whole`, nothing of it may belong to other products either.
 * - `narrowed`: its statements leave out, and do not count, what is of other products
 * - `refused`: it concerns all products, so that a limited key may not do it
 * - `open`: it tells nothing of any product
 */
export type ProductRule =
  | { readonly of: LimitedResource; readonly whole?: true }
  | "narrowed"
  | "refused"
  | "open"

/** The licenses that the key of a reseller is limited to, beside its products. */
export interface Reseller {
  /** The tag, as it is stored, that its licenses have. */
  readonly tag: string
  /** How many of them there may be before it issues no more; undefined where there is no such limit. */
  readonly most: number | undefined
}

/**
 * The operations that a reseller's key may call, each about licenses with its tag alone. An operation of which nobody thought is
 * closed to it.
 */
export const resellerOperations: ReadonlySet<string> = new Set([
  "getWhoami",
  "createLicense",
  "listLicenses",
  "searchLicenses",
  "lookupLicense",
  "getLicense",
  "explainLicense",
  "suspendLicense",
  "reinstateLicense",
  "renewLicense",
  "listLicenseDevices",
  "getLicenseDevice",
  "resetLicenseDevice",
  "freeLicenseDeviceSeat",
  "blacklistLicenseDevice"
])

/**
 * The members that a reseller may send of a new license, and of a renewal. The rest is the policy's: the end, what it covers, and to whom of the
 * vendor's customers and purchases a license belongs. The tag is given by the service, and other tags are others'.
 */
const resellerMembers: Readonly<Record<"issue" | "renewal", ReadonlySet<string>>> = {
  issue: new Set(["product_id", "policy_id", "customer_email", "customer_name", "starts_at", "metadata"]),
  renewal: new Set(["renew_from", "reason"])
}

/** The members of a body that a reseller may not send. */
export const beyondReseller = (of: "issue" | "renewal", body: object): ReadonlyArray<string> =>
  Object.keys(body).filter((name) => !resellerMembers[of].has(name))

/** The refusal of a request of a reseller that says more than it may, by the names of the members. */
export const notForResellers = (members: ReadonlyArray<string>): TokenScopeDenied =>
  failing(
    TokenScopeDenied,
    "This API key is a reseller's, whose licenses are as their policy says. Leave out what `detail` names.",
    {
      detail: members.join(" ")
    }
  )

/** The scopes that a reseller's key may have: those of its operations. */
export const resellerScopes = ["license:read", "license:write", "device:write"] as const
