import { Result } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { LicenseOfKnown } from "./License.ts"
import { issueOf } from "./LicenseIssue.ts"
import type { Issued, IssuingPolicy } from "./LicenseIssue.ts"
import type { FollowedSubscription } from "./SubscriptionStanding.ts"

interface OfProduct {
  readonly product_id: string
}

/** What exists of all that the rows of a bulk name, by id. */
export interface NamedByRows {
  readonly products: ReadonlyMap<string, unknown>
  readonly customers: ReadonlyMap<string, unknown>
  readonly policies: ReadonlyMap<string, OfProduct & IssuingPolicy>
  readonly orders: ReadonlyMap<string, OfProduct & { readonly subscription_id?: string }>
  readonly subscriptions: ReadonlyMap<string, OfProduct & FollowedSubscription>
  /** The findings about the further products of a license. */
  readonly further: (productId: string, ids: ReadonlyArray<string>) => ReadonlyArray<FieldFinding>
}

/** What a row is issued with; an order brings its subscription. */
export interface IssuedRow {
  readonly issued: Issued
  readonly subscription_id: string | undefined
}

/** The findings about a product or a customer that a row names. */
const missing = (path: "product_id" | "customer_id", id: string | undefined, found: ReadonlyMap<string, unknown>) =>
  id === undefined || found.has(id) ? [] : [{ path, code: "not_found", message: `names no ${path.slice(0, -3)}` }]

/** The findings about what a row names and must be of its product. */
const ofOther = (
  path: "policy_id" | "order_id" | "subscription_id",
  input: LicenseOfKnown,
  found: ReadonlyMap<string, OfProduct>
): ReadonlyArray<FieldFinding> => {
  const id = input[path]
  if (id === undefined) return []
  const named = found.get(id)
  if (named === undefined) return [{ path, code: "not_found", message: `names no ${path.slice(0, -3)}` }]
  return named.product_id === input.product_id
    ? []
    : [{ path, code: "other_product", message: "belongs to another product" }]
}

/**
 * What a row of a bulk is issued with, or every finding that goes beyond its own members: the same rules as for a single
 * license. `now` is Unix milliseconds on the database's clock.
 */
export const issueOfRow = (
  input: LicenseOfKnown,
  named: NamedByRows,
  now: number
): Result.Result<IssuedRow, ReadonlyArray<FieldFinding>> => {
  const policy = named.policies.get(input.policy_id)
  const brought = named.orders.get(input.order_id ?? "")?.subscription_id
  const subscription_id = input.subscription_id ?? brought
  const issued = policy === undefined ? Result.succeed({}) : issueOf(
    input,
    { ...policy, subscription: named.subscriptions.get(subscription_id ?? "") },
    now
  )
  const found: ReadonlyArray<FieldFinding> = [
    ...missing("product_id", input.product_id, named.products),
    ...named.further(input.product_id, input.product_ids ?? []),
    ...ofOther("policy_id", input, named.policies),
    ...missing("customer_id", input.customer_id, named.customers),
    ...ofOther("order_id", input, named.orders),
    ...ofOther("subscription_id", input, named.subscriptions),
    ...(brought === undefined || subscription_id === brought
      ? []
      : [{ path: "subscription_id", code: "not_of_order", message: "is another one than that of the order" }]),
    ...(Result.isFailure(issued) ? issued.failure : [])
  ]
  return found.length > 0
    ? Result.fail(found)
    : Result.succeed({ subscription_id, issued: Result.getOrThrow(issued) })
}
