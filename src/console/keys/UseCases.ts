import type { ApiKey, ManagementScope } from "../../client/api/index.ts"
import { count, some } from "../ground/design/Numbers.ts"

/** A key that nobody has used for so long is probably not needed, in milliseconds. */
const forgotten = 90 * 86_400_000

/** Whether a key that works has not been used for 90 days. */
export const isForgotten = ({ created_at, is_active, last_used_at }: ApiKey, now: number): boolean =>
  is_active && now - Date.parse(last_used_at ?? created_at) > forgotten

/** The state of a key: it works, has ended by itself, or was revoked. */
export const stateOf = ({ expires_at, is_active }: ApiKey, now: number): "active" | "expired" | "revoked" =>
  is_active ? "active" : expires_at !== undefined && Date.parse(expires_at) <= now ? "expired" : "revoked"

/** The limits of a key: its products, as a line, the tag of a reseller, and its addresses; undefined where it has none. */
export const limitsLine = (
  { allowed_cidrs, license_tag, max_licenses }: ApiKey,
  products: string | undefined
): string | undefined => {
  const parts = [
    ...(products === undefined ? [] : [products]),
    ...(license_tag === undefined ? [] : [`#${license_tag}`]),
    ...(max_licenses === undefined
      ? []
      : [`at most ${count(max_licenses)} ${max_licenses === 1 ? "license" : "licenses"}`]),
    ...(allowed_cidrs.length === 0 ? [] : [some(allowed_cidrs.length, "address range")])
  ]
  return parts.length === 0 ? undefined : parts.join(" · ")
}

/** The maker of a key, by name. */
export const makerOf = ({ created_by }: ApiKey): string | undefined =>
  created_by === undefined
    ? undefined
    : created_by.name ?? (created_by.id === "bootstrap" ? "Admin token" : created_by.id)

/** A command that works at once: the key asks who it is. */
export const tryCommand = (baseUrl: string, token: string): string =>
  `curl ${baseUrl}/api/v1/whoami -H "Authorization: Bearer ${token}"`

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
