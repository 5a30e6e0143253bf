import { isWithin } from "../../domain/admission/Address.ts"
import { missingScopes } from "../../domain/security/ManagementKey.ts"
import type { ManagementKey, ManagementKeyCreate } from "../../domain/security/ManagementKey.ts"

/** The limits that a key hands on to the keys that it makes. */
export type Maker = Pick<ManagementKey, "scopes" | "allowed_cidrs" | "expires_at" | "product_ids">

/** The rights of a new key beyond the key that makes it, in the words of a refusal: its scopes, addresses, end or products. */
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
    ...(isOfMore ? [`product_ids must lie within ${maker.product_ids!.join(", ")}`] : [])
  ]
}
