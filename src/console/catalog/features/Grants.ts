import type { Countersign, Policy, PolicyFeature } from "../../../client/api/index.ts"
import { firstOf } from "../../ground/session/Load.ts"

/** The most policies whose features are read: each takes a request. */
const most = 60

/** The policies of a product, and what each of them grants. */
export interface Grants {
  readonly policies: ReadonlyArray<Policy>
  readonly grants: ReadonlyArray<PolicyFeature>
  /** Whether the product has no further policies. */
  readonly isWhole: boolean
}

/** Reads what the newest policies of a product grant. */
export const findGrants = async (client: Countersign, productId: string, signal: AbortSignal): Promise<Grants> => {
  const found = await firstOf(client.policies.list(productId, { limit: most + 1 }, { signal }), most + 1)
  const policies = found.slice(0, most)
  const grants = await Promise.all(
    policies.map(({ id }) => firstOf(client.policies.listFeatures(productId, id, { limit: 200 }, { signal }), 1000))
  )
  return { policies, grants: grants.flat(), isWhole: found.length <= most }
}

/** How many policies grant a feature, in words. */
export const grantedIn = ({ grants, isWhole }: Grants, featureId: string): string => {
  const many = grants.filter(({ feature_id }) => feature_id === featureId).length
  return `in ${many}${isWhole ? "" : " or more"} ${many === 1 && isWhole ? "policy" : "policies"}`
}
