import { Context } from "effect"
import type { Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  IdempotencyConflict,
  IdempotencyInFlight,
  IdempotencyKeyRequired,
  Internal,
  InvalidHeader,
  LicenseKeyInvalid,
  RateLimited,
  TokenExpired,
  TokenIpDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated,
  Unavailable
} from "../../domain/Errors.ts"

/** The one encoder: every failure of the operations under it becomes `{error, meta}`. */
export class Envelope extends HttpApiMiddleware.Service<Envelope>()("countersign/http/Envelope", {
  error: [Internal, Unavailable]
}) {}

/** The one place where scopes are checked: management keys, `Authorization: Bearer <token>`. */
export class Management extends HttpApiMiddleware.Service<Management>()("countersign/http/Management", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [Unauthenticated, TokenExpired, TokenRevoked, TokenIpDenied, TokenScopeDenied, RateLimited]
}) {}

/** Who calls the runtime API: the license key and its keyed hash. Whether a license has it, the database says. */
export class RuntimeCaller extends Context.Service<RuntimeCaller, {
  readonly keyHash: Uint8Array
  /** Normalised, as it was issued; what is encrypted for the caller alone is encrypted under it. */
  readonly licenseKey: Redacted.Redacted
}>()("countersign/http/RuntimeCaller") {}

/** Runtime credentials: `Authorization: License <license-key>`. */
export class LicenseKeyAuthorization
  extends HttpApiMiddleware.Service<LicenseKeyAuthorization, { provides: RuntimeCaller }>()(
    "countersign/http/LicenseKeyAuthorization",
    {
      security: { license: HttpApiSecurity.http({ scheme: "License" }) },
      error: [LicenseKeyInvalid, RateLimited]
    }
  )
{}

/** `Idempotency-Key` on writes: the answer is stored with its effect and replayed. */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency>()("countersign/http/Idempotency", {
  error: [IdempotencyConflict, IdempotencyInFlight, IdempotencyKeyRequired, InvalidHeader, RateLimited]
}) {}

/** Parse options of every operation: all findings at once, unknown members refused. */
export const strictness = { errors: "all", onExcessProperty: "error" } as const
