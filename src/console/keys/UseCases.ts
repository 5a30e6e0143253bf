import type { ManagementScope } from "../../client/api/index.ts"

/** The use of a key. */
export type UseCase = "shop" | "support" | "reseller" | "metrics" | "own"

/** The rights of each use; a choice of one's own begins with none. */
export const useCases: Readonly<
  Record<UseCase, {
    readonly name: string
    readonly hint: string
    readonly scopes: ReadonlyArray<ManagementScope>
  }>
> = {
  shop: {
    name: "Shop",
    hint: "Issues licenses to customers, and renews them.",
    scopes: ["product:read", "license:write", "customer:write"]
  },
  support: {
    name: "Support tool",
    hint: "Looks after licenses, customers and devices.",
    scopes: ["product:read", "license:write", "customer:write", "device:write", "event:read"]
  },
  reseller: {
    name: "Reseller",
    hint: "Issues licenses of some products, and sees no others.",
    scopes: ["license:write", "device:write"]
  },
  metrics: {
    name: "Metrics",
    hint: "Reads reports and the health of the service.",
    scopes: ["report:read", "ops:read"]
  },
  own: { name: "Own choice", hint: "You choose for each area.", scopes: [] }
}

/** How long a key lasts, in days; `never` has no end. */
export const lifetimes: ReadonlyArray<readonly [string, string]> = [
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["never", "Never"]
]

const day = 86_400_000

/** The end of a key that lasts so long from an instant; undefined where it does not end. */
export const endOf = (lifetime: string, now: number): string | undefined =>
  lifetime === "never" ? undefined : new Date(now + Number(lifetime) * day).toISOString()

/** The address ranges in a text: one a line, or with commas between. */
export const rangesIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((range) => range !== "")
