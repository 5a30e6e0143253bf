import { isWithin } from "../../../domain/ground/admission/Address.ts"
import { missingScopes } from "../../../domain/keys/security/ManagementKey.ts"
import type { ManagementKey, ManagementKeyCreate } from "../../../domain/keys/security/ManagementKey.ts"
import { resellerScopes } from "../../../domain/keys/security/ProductRule.ts"

/** The limits that a key hands on to the keys that it makes. */
export type Maker = Pick<ManagementKey, "scopes" | "allowed_cidrs" | "expires_at" | "product_ids" | "license_tag">

/** The rights of a new key beyond the key that makes it, in the words of a refusal: its scopes, addresses, end, products or tag. */
export const beyondMaker = (
  maker: Maker,
  { allowed_cidrs = [], expires_at, product_ids, scopes = ["admin"] }: ManagementKeyCreate
): ReadonlyArray<string> => {
  const wider = missingScopes(maker.scopes, scopes)
  const isFromAnywhere = allowed_cidrs.length === 0 ||
    !allowed_cidrs.every((range) => isWithin(range, maker.allowed_cidrs))
  const isLonger = maker.expires_at !== undefined &&
    (expires_at === undefined || Date.parse(expires_at) > Date.parse(maker.expires_at))
  const isOfMore = maker.product_ids !== undefined &&
    !(product_ids?.every((id) => maker.product_ids!.includes(id)) ?? false)
  return [
    ...(wider.length > 0 ? [wider.join(" ")] : []),
    ...(maker.allowed_cidrs.length > 0 && isFromAnywhere
      ? [`allowed_cidrs must lie within ${maker.allowed_cidrs.join(", ")}`]
      : []),
    ...(isLonger ? [`expires_at must be at most ${maker.expires_at}`] : []),
    // A reseller is let to no operation that makes a key. What would let it makes none that is not a reseller's.
    ...(maker.license_tag !== undefined ? [`license_tag is ${maker.license_tag}, and a reseller makes no keys`] : []),
    ...(isOfMore ? [`product_ids must lie within ${maker.product_ids!.join(", ")}`] : [])
  ]
}

/** Findings about a reseller's key that would not be one. */
export const resellerFindings = ({ license_tag, max_licenses, product_ids, scopes }: ManagementKeyCreate) => {
  const is = (path: string, code: string, message: string) => ({ path, code, message })
  if (license_tag === undefined) {
    return max_licenses === undefined ? [] : [is("max_licenses", "contradiction", "needs license_tag")]
  }
  const allowed: ReadonlyArray<string> = resellerScopes
  const isOfAll = (product_ids ?? null) === null
  return [
    ...(isOfAll ? [is("product_ids", "required", "is required with license_tag")] : []),
    ...(scopes?.every((scope) => allowed.includes(scope)) === true
      ? []
      : [is("scopes", "contradiction", `with license_tag must be among ${resellerScopes.join(", ")}`)])
  ]
}
