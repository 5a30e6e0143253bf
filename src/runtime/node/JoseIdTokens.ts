import { Effect, Layer } from "effect"
import type { JWTPayload } from "jose"
import { subjectLength } from "../../domain/licensing/users/LicenseUser.ts"
import { verifiedEmail } from "../../domain/people/ClaimRules.ts"
import { IdTokenRefused, IdTokens } from "../../services/licensing/users/IssuerKeys.ts"
import type { ExpectedToken, IdTokenFault } from "../../services/licensing/users/IssuerKeys.ts"
import { toleranceSeconds, verifyJwt } from "./JwtSignatures.ts"
import type { Jose } from "./JwtSignatures.ts"

const faultOfClaim: Readonly<Record<string, IdTokenFault>> = { iss: "issuer", aud: "audience", nbf: "not_yet_valid" }

const faultOf = (library: Jose, error: unknown): IdTokenFault => {
  const { errors } = library
  if (error instanceof errors.JWTExpired) return "expired"
  if (error instanceof errors.JWTClaimValidationFailed) return faultOfClaim[error.claim] ?? "malformed"
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return "algorithm"
  if (error instanceof errors.JWKSNoMatchingKey) return "unknown_key"
  return error instanceof errors.JWSSignatureVerificationFailed ? "signature" : "malformed"
}

const textOf = (payload: JWTPayload, name: string): string | undefined => {
  const value = payload[name]
  return typeof value === "string" && value !== "" && value.length <= 255 && value.isWellFormed() &&
      !value.includes("\u0000")
    ? value
    : undefined
}

/** The fault of a token whose signature is good that the library does not judge; undefined where nothing is wrong. */
const faultIn = (payload: JWTPayload, { audience, nonce }: ExpectedToken, now: number): IdTokenFault | undefined => {
  if (textOf(payload, "sub") === undefined || payload.sub!.length > subjectLength) return "malformed"
  if (payload.iat! > now + toleranceSeconds) return "not_yet_valid"
  // A token for several says to which one it was given.
  const azp = payload["azp"]
  if (azp !== undefined ? azp !== audience : Array.isArray(payload.aud) && payload.aud.length > 1) return "audience"
  return nonce !== undefined && payload["nonce"] !== nonce ? "nonce" : undefined
}

const isEmail = (text: string | undefined): text is string => text !== undefined && /^[^@\s]+@[^@\s]+$/.test(text)

/** Verifies ID tokens by `jose`, which is loaded with the first of them. */
export const layer = Layer.effect(
  IdTokens,
  Effect.gen(function*() {
    const loaded = yield* Effect.cached(Effect.promise(() => import("jose")))

    return IdTokens.of({
      verify: Effect.fnUntraced(function*(token, expected) {
        const library = yield* loaded
        const { audience, issuer, keys } = expected
        const { payload } = yield* Effect.tryPromise({
          try: () => verifyJwt(library, token, keys, { audience, issuer, requiredClaims: ["sub", "exp", "iat"] }),
          catch: (error) => new IdTokenRefused({ fault: faultOf(library, error) })
        })
        const fault = faultIn(payload, expected, Math.floor(Date.now() / 1000))
        if (fault !== undefined) return yield* new IdTokenRefused({ fault })
        const email = textOf(payload, "email")
        return {
          issuer,
          subject: payload.sub!,
          email: isEmail(email) ? email : undefined,
          isVerified: email !== undefined && verifiedEmail(payload) === email,
          name: textOf(payload, "name")
        }
      })
    })
  })
)
