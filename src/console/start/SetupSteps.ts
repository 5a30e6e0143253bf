import type { Countersign, License, Policy, Product } from "../../client/api/index.ts"

/** How far a vendor is: what there is of what the first sale takes. */
export interface Setup {
  readonly product: Product | undefined
  readonly policy: Policy | undefined
  readonly license: License | undefined
  /** Whether a device was ever activated. */
  readonly isSelling: boolean
}

/** The steps, in their order. */
export const steps = ["Product", "Policy", "License", "Your app"] as const

/** How many steps are done. */
export const doneOf = ({ isSelling, license, policy, product }: Setup): number =>
  isSelling ? 4 : license !== undefined ? 3 : policy !== undefined ? 2 : product !== undefined ? 1 : 0

/** Reads how far the vendor is: from what exists, so that a reload, or another person, goes on at the same step. */
export const readSetup = async (client: Countersign, signal: AbortSignal): Promise<Setup> => {
  const [licenses, products] = await Promise.all([
    client.licenses.list({ limit: 1, include_names: true }, { signal }),
    client.products.list({ limit: 1 }, { signal })
  ])
  const [license] = licenses
  const [product] = products
  const [policy] = product === undefined ? [] : await client.policies.list(product.id, { limit: 1 }, { signal })
  if (license === undefined) return { product, policy, license, isSelling: false }
  const [activated] = license.times_activated > 0
    ? [license]
    : await client.activities.list({ action: "license.activated", result_class: "success", limit: 1 }, { signal })
  return { product, policy, license, isSelling: activated !== undefined }
}
