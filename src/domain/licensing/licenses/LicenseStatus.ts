import type { LicenseState, LicenseStatus } from "./License.ts"

/** What a license's standing depends on; instants are Unix milliseconds on the database's clock. */
export interface StandingInput {
  readonly state: LicenseState
  readonly starts_at: number | undefined
  readonly expires_at: number | undefined
  readonly grace_period_days: number
  readonly now: number
}

const day = 86_400_000

/** The state that people gave a license, from its status. Expiry is left out, because the clock decides it. */
export const stateOf = ({ status }: { readonly status: LicenseStatus }): LicenseState =>
  status === "suspended" || status === "revoked" ? status : "active"

/**
 * Why a license has no grace, whatever the rules say: its canceled subscription ends it, or it was not started before
 * the time for that was over.
 */
export const withoutGrace = (
  license: { readonly awaits_activation?: boolean; readonly ends_without_grace?: boolean }
): "license" | "subscription" | undefined =>
  license.awaits_activation === true ? "license" : license.ends_without_grace === true ? "subscription" : undefined

/** The instant at which a license stops serving: its expiry plus the policy's grace period. */
export const servesUntil = (
  input: Pick<StandingInput, "expires_at" | "grace_period_days">
): number | undefined => input.expires_at === undefined ? undefined : input.expires_at + input.grace_period_days * day

/**
 * The status that everyone sees, computed from what people decided and from the clock: revoked outranks suspended,
 * suspended outranks the clock. At the very instant of `expires_at` the license has expired.
 */
export const statusOf = (input: StandingInput): LicenseStatus => {
  if (input.state !== "active") return input.state
  if (input.expires_at === undefined || input.now < input.expires_at) return "active"
  return input.now < servesUntil(input)! ? "grace_period" : "expired"
}

/** Whether `starts_at` still lies ahead. */
export const hasNotStarted = (input: Pick<StandingInput, "starts_at" | "now">): boolean =>
  input.starts_at !== undefined && input.now < input.starts_at
