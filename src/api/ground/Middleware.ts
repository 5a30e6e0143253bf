import { Context } from "effect"
import type { Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  ApprovalRequired,
  IdempotencyConflict,
  IdempotencyInFlight,
  IdempotencyKeyRequired,
  Internal,
  InvalidHeader,
  InvalidJson,
  LicenseKeyInvalid,
  PayloadTooLarge,
  PersonMismatch,
  PreconditionFailed,
  RateLimited,
  RequestTimeout,
  TokenExpired,
  TokenIpDenied,
  TokenProductDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated,
  Unavailable,
  UnknownField,
  UnsupportedMediaType,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import type { FieldFinding } from "../../domain/ground/wire/Errors.ts"
import type { PublishableKey } from "../../domain/keys/security/SigningKey.ts"

/** The one encoder: every failure of an operation becomes `{error, meta}`. */
export class Envelope extends HttpApiMiddleware.Service<Envelope>()("countersign/http/Envelope", {
  error: [Internal, Unavailable]
}) {}

/** API keys, `Authorization: Bearer <token>`: the only place where scopes and limits to products are checked. */
export class Management extends HttpApiMiddleware.Service<Management>()("countersign/http/Management", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [
    Unauthenticated,
    TokenExpired,
    TokenRevoked,
    TokenIpDenied,
    PersonMismatch,
    TokenScopeDenied,
    TokenProductDenied,
    RateLimited
  ]
}) {}

/** The caller of the runtime API: the license key and its keyed hash. The database decides whether a license has it. */
export class RuntimeCaller extends Context.Service<RuntimeCaller, {
  readonly keyHash: Uint8Array
  /** The normalised key, as issued. Values for this caller alone are encrypted under it. */
  readonly licenseKey: Redacted.Redacted
}>()("countersign/api/ground/RuntimeCaller") {}

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

/** The app that opens a trial: its publishable key, and the address that new trials are counted by. */
export class PublishableCaller extends Context.Service<PublishableCaller, {
  readonly key: PublishableKey
  readonly address: string
}>()("countersign/api/ground/PublishableCaller") {}

/** Publishable keys, `Authorization: Bearer <publishable-key>`. */
export class PublishableKeyAuthorization
  extends HttpApiMiddleware.Service<PublishableKeyAuthorization, { provides: PublishableCaller }>()(
    "countersign/http/PublishableKeyAuthorization",
    {
      security: { publishable: HttpApiSecurity.bearer },
      error: [Unauthenticated, RateLimited]
    }
  )
{}

/** `Idempotency-Key` on writes: the answer is stored in the same transaction and replayed. */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency>()("countersign/http/Idempotency", {
  error: [IdempotencyConflict, IdempotencyInFlight, IdempotencyKeyRequired, InvalidHeader, RateLimited]
}) {}

/** `If-Match` on the changes of a resource, and the `ETag` of its answers. */
export class Preconditions extends HttpApiMiddleware.Service<Preconditions>()("countersign/http/Preconditions", {
  error: [InvalidHeader, PreconditionFailed]
}) {}

/** Refuses an operation that a role of the caller needs a second person for. */
export class SecondLook extends HttpApiMiddleware.Service<SecondLook>()("countersign/http/SecondLook", {
  error: [ApprovalRequired]
}) {}

/** Whether the operation is only asked about: `dry_run` of a body that may be left out. */
export const DryRun = Context.Reference<boolean>("countersign/http/DryRun", { defaultValue: () => false })

/**
 * Losses in rows as they were sent, by the index of the row: of an operation that judges rows one by one,
 * when it is asked to.
 */
export const RowFindings = Context.Reference<ReadonlyMap<number, FieldFinding>>("countersign/http/RowFindings", {
  defaultValue: () => new Map()
})

/**
 * Judges bodies: lengths before elements, and the findings about a body that does not decode, or that an operation does
 * not take. It is the innermost middleware of every operation.
 */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("countersign/http/RequestBody", {
  error: [InvalidJson, UnknownField, RequestTimeout, PayloadTooLarge, UnsupportedMediaType, ValidationError]
}) {}

/** Parse options of queries: report all findings with what was sent, refuse unknown members. The header limit bounds the work. */
export const queryStrictness = { errors: "all", onExcessProperty: "error", reportInput: true } as const

/** Parse options of bodies: refuse unknown members, and stop at the first error. */
export const bodyStrictness = { errors: "first", onExcessProperty: "error" } as const
