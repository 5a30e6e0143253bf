import { Effect } from "effect"
import type { Ask } from "./SeedApp.ts"
import { plans, products, staff } from "./Story.ts"
import type { Plan } from "./Story.ts"

/** The vendor of the story in the service: what it sells, and its keys. */
export interface Vendor {
  readonly tokens: Readonly<Record<keyof typeof staff, string>>
  /** The publishable key in the app that opens trials. */
  readonly trialKey: string
  /** The ids of policies, by their codes. */
  readonly policies: ReadonlyMap<string, string>
  /** The id of the product of a plan. */
  readonly productOf: (plan: Pick<Plan, "product">) => string
}

/** Creates the vendor's keys, products, features and policies. */
export const makeVendor = Effect.fnUntraced(function*(ask: Ask) {
  const post = (path: string, body: object) => Effect.map(ask("POST", `/api/v1/${path}`, { body }), ({ data }) => data)
  const tokens: Record<string, string> = {}
  for (const [name, key] of Object.entries(staff)) tokens[name] = (yield* post("api-keys", key)).token
  const ids = new Map<string, string>()
  const features = new Map<string, string>()
  for (const { code, features: offered, name } of products) {
    const { id } = yield* post("products", { name, code })
    ids.set(code, id)
    for (const [feature, name] of Object.entries(offered)) {
      features.set(feature, (yield* post(`products/${id}/features`, { code: feature, name })).id)
    }
  }
  const policies = new Map<string, string>()
  let trialKey = ""
  for (const { grants, policy, product, sale } of plans) {
    const path = `products/${ids.get(product)}`
    const { id } = yield* post(`${path}/policies`, policy)
    policies.set(policy.code, id)
    for (const [feature, terms] of Object.entries(grants)) {
      yield* post(`${path}/policies/${id}/features`, { feature_id: features.get(feature), ...terms })
    }
    if (sale === "trial") {
      trialKey = (yield* post(`${path}/publishable-keys`, { name: "Desktop app", policy_id: id })).key
    }
  }
  const vendor: Vendor = {
    tokens: tokens as Vendor["tokens"],
    trialKey,
    policies,
    productOf: ({ product }) => ids.get(product)!
  }
  return vendor
})
