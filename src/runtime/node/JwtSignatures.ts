import type { JWTPayload, JWTVerifyOptions, JWTVerifyResult } from "jose"

/** `jose`, which is loaded with the first token. */
export type Jose = typeof import("jose")

/** Signatures that need the issuer's private key. `none` needs nothing, and an HMAC what several may have. */
export const signatureAlgorithms: ReadonlyArray<string> = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
]

/** By how much the clocks of issuer and service may differ, in seconds. */
export const toleranceSeconds = 60

/** How many keys are tried for a token that names none. */
const mostCandidates = 10

/** A key set (RFC 7517). */
export interface PublishedKeys {
  readonly keys: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly kty: string }>
}

/**
 * Verifies a JWT by the published keys of its issuer, and the claims that are expected. A token that names no key (`kid`) is good by each
 * key that fits its algorithm: some issuers publish the next key, and name none.
 */
export const verifyJwt = async (
  jose: Jose,
  token: string,
  { keys }: PublishedKeys,
  expected: JWTVerifyOptions
): Promise<JWTVerifyResult<JWTPayload>> => {
  const options = {
    algorithms: [...signatureAlgorithms],
    clockTolerance: toleranceSeconds,
    // The clock of the issuer is not moved with that of an environment.
    currentDate: new Date(),
    ...expected
  }
  const { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } = jose.errors
  try {
    return await jose.jwtVerify(token, jose.createLocalJWKSet({ keys: [...keys] }), options)
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error
    let tried = 0
    for await (const key of error) {
      if (++tried > mostCandidates) break
      try {
        return await jose.jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new JWSSignatureVerificationFailed()
  }
}
