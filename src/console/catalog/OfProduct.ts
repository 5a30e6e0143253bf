import type { Product } from "../../client/api/index.ts"

/** The product that a tab is of. */
export interface OfProduct {
  readonly product: Product
}
