import type { Countersign, License, Policy, PolicyCreateRequest, Product } from "../../../client/api/index.ts"

/** A way to sell, as a policy has it. */
export type Way = "year" | "once" | "trial"

/** The ways, as they are called. */
export const ways: ReadonlyArray<readonly [Way, string]> = [
  ["year", "A year, then renew"],
  ["once", "One-time, permanent"],
  ["trial", "A trial of 14 days"]
]

/** The first policy of each way. */
export const policies: Readonly<Record<Way, PolicyCreateRequest>> = {
  year: { name: "Yearly", code: "yearly", license_type: "time_limited", duration: "P1Y", max_activations: 3 },
  once: { name: "One-time", code: "one-time", license_type: "perpetual", max_activations: 3 },
  trial: { name: "Trial", code: "trial", license_type: "trial", duration: "P14D", max_activations: 1 }
}

/** Whether a text is a way. */
export const isWay = (text: string): text is Way => Object.hasOwn(policies, text)

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
