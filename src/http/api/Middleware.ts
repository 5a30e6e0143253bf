import { Context } from "effect"
import type { Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  IdempotencyConflict,
  IdempotencyInFlight,
  IdempotencyKeyRequired,
  Internal,
  InvalidHeader,
  InvalidJson,
  LicenseKeyInvalid,
  RateLimited,
  TokenExpired,
  TokenIpDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated,
  Unavailable,
  UnknownField,
  ValidationError
} from "../../domain/wire/Errors.ts"

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

/**
 * Judges bodies: lengths before elements, and the findings about a body that does not decode. Every operation with a
 * body has it, inside of everything else.
 */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("countersign/http/RequestBody", {
  error: [InvalidJson, UnknownField, ValidationError]
}) {}

/** Parse options of queries: all findings at once, unknown members refused. The headers' limit bounds them. */
export const queryStrictness = { errors: "all", onExcessProperty: "error" } as const

/** Parse options of bodies: unknown members refused, and nothing read beyond the first thing wrong. */
export const bodyStrictness = { errors: "first", onExcessProperty: "error" } as const
