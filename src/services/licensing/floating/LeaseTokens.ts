import { Effect } from "effect"
import { formatLeaseToken } from "../../../domain/keys/security/Credential.ts"
import { leaseTokenHash } from "../entitlements/EntitlementState.ts"
import { Vault } from "../../keys/security/Vault.ts"

/**
 * The tokens of leases. They are derived and not stored, so that the retry of a heartbeat whose answer got lost gets the
 * same token.
 */
export const makeLeaseTokens = Effect.map(Vault, (vault) => ({
  /** The token of a lease; its generation is 1 for the first, and one more each time it is replaced. */
  of: (leaseId: string, generation: bigint): string =>
    formatLeaseToken(vault.keyedHash("lease-token", `${leaseId}:${generation}`)),
  /** The hash by which a lease is found. */
  hash: (token: string): Uint8Array => leaseTokenHash(vault, token)
}))
