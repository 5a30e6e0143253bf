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
