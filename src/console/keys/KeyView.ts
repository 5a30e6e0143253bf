import type { ApiKey } from "../../client/api/index.ts"
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
