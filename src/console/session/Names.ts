import { signal } from "@preact/signals"
import type { Countersign, Policy, Product } from "../../client/api/index.ts"
import { client, may } from "./Session.ts"

/** How many products are named; a vendor with more sees ids for the rest. */
const most = 1000

/** The products by their ids, once they were asked for. */
export const products = signal<ReadonlyMap<string, Product> | undefined>(undefined)

/** The policies by their ids, of the products that were looked at. */
export const policies = signal<ReadonlyMap<string, Policy>>(new Map())

let asked = false
const askedPolicies = new Set<string>()

const all = async <A>(list: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of list) {
    found.push(each)
    if (found.length >= most) break
  }
  return found
}

/** Has the products named: asked once, and again when that failed. */
export const nameProducts = (from: Countersign = client): void => {
  if (asked || !may("product:read")) return
  asked = true
  all(from.products.list({ limit: 200 })).then(
    (found) => {
      products.value = new Map(found.map((product) => [product.id, product]))
    },
    () => {
      asked = false
    }
  )
}

/** Has the policies of a product named. */
export const namePolicies = (productId: string, from: Countersign = client): void => {
  if (askedPolicies.has(productId) || !may("product:read")) return
  askedPolicies.add(productId)
  all(from.policies.list(productId, { limit: 200 })).then(
    (found) => {
      policies.value = new Map([...policies.value, ...found.map((policy) => [policy.id, policy] as const)])
    },
    () => askedPolicies.delete(productId)
  )
}

/** Forgets the names, as another token may not see them. */
export const forgetNames = (): void => {
  asked = false
  askedPolicies.clear()
  products.value = undefined
  policies.value = new Map()
}
