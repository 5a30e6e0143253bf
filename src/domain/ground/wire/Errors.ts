import { Schema } from "effect"
import { field, optional } from "./Fields.ts"
import { SignedRefusal } from "./Signed.ts"

/** The codes about what the terms of a license allow: its users, the machines that it runs on, and self-service. */
const licenseVerdicts = {
  USER_SIGN_IN_REQUIRED: {
    status: 403,
    verdict: true,
    meaning: "The license is for people who sign in. `detail` has the problem of the sign-in."
  },
  USER_NOT_ALLOWED: {
    status: 403,
    verdict: true,
    meaning: "The person may not use the license. `detail` has the reason."
  },
  USER_LIMIT_EXCEEDED: { status: 403, verdict: true, meaning: "All seats for users of the license are in use." },
  USER_DEVICE_LIMIT_EXCEEDED: {
    status: 403,
    verdict: true,
    meaning: "The user has as many devices in use as the terms allow."
  },
  ID_TOKEN_INVALID: {
    status: 403,
    verdict: true,
    meaning: "The ID token is not valid for this license. `detail` has the reason."
  },
  MAILBOX_NOT_PROVEN: {
    status: 403,
    verdict: true,
    meaning:
      "The person has not proven the mailbox yet. `detail` is `pending`, or `invalid` for a wrong code or a sign-in that is over."
  },
  VM_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow virtual machines." },
  CONTAINER_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow containers." },
  OFFLINE_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow this device to run offline." },
  SELF_SERVICE_NOT_ALLOWED: {
    status: 403,
    verdict: true,
    meaning: "The terms of the license do not allow its holder to manage devices."
  },
  SELF_SERVICE_LIMIT_EXCEEDED: {
    status: 403,
    verdict: true,
    meaning: "The self-service reset limit for this period is reached. `detail` says when it resets."
  },
  PRODUCT_MISMATCH: {
    status: 403,
    verdict: true,
    meaning: "The license belongs to another product than `product_code` names."
  }
} as const

/**
 * Every error code of the wire, with its HTTP status and what it means. `code` is for programs, the meaning for people;
 * the OpenAPI document, llms.txt and the error page are derived from this table. A `verdict` is about a license, a device or
 * its use: an app is told it with a signature. All else says that nothing was decided.
 */
export const catalog = {
  INVALID_JSON: { status: 400, meaning: "The body is not well-formed JSON." },
  UNKNOWN_FIELD: {
    status: 400,
    meaning: "The body has unknown fields; `fields` lists up to 20."
  },
  INVALID_QUERY: { status: 400, meaning: "A query parameter is unknown or has a value that is not allowed." },
  INVALID_CURSOR: { status: 400, meaning: "The cursor was not issued by this list, or was issued for other filters." },
  INVALID_HEADER: { status: 400, meaning: "A request header is malformed." },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, meaning: "This operation needs an Idempotency-Key header." },
  UNAUTHENTICATED: { status: 401, meaning: "The credential is missing or unknown." },
  TOKEN_EXPIRED: { status: 401, meaning: "The API key has expired." },
  TOKEN_REVOKED: { status: 401, meaning: "The API key was revoked." },
  TOKEN_IP_DENIED: { status: 401, meaning: "The API key may not be used from this IP address." },
  PERSON_MISMATCH: { status: 401, meaning: "The session belongs to another person than the request names." },
  LICENSE_KEY_INVALID: { status: 401, verdict: true, meaning: "The license key is missing, mistyped or unknown." },
  TOKEN_SCOPE_DENIED: { status: 403, meaning: "The API key lacks the scope that `detail` names, or is a reseller's." },
  TOKEN_PRODUCT_DENIED: {
    status: 403,
    meaning: "The API key is limited to products that do not include this."
  },
  APPROVAL_REQUIRED: { status: 403, meaning: "A role needs a second person for this: POST /api/v1/approvals." },
  LICENSE_INACTIVE: { status: 403, verdict: true, meaning: "The license is suspended, revoked or has not started." },
  LICENSE_EXPIRED: { status: 403, verdict: true, meaning: "The license has expired, including its grace period." },
  DEVICE_BLACKLISTED: { status: 403, verdict: true, meaning: "The device is blocked for this license." },
  ACTIVATION_LIMIT_EXCEEDED: { status: 403, verdict: true, meaning: "The device limit of the policy is reached." },
  FLOATING_LIMIT_EXCEEDED: { status: 403, verdict: true, meaning: "All floating seats of the policy are in use." },
  FEATURE_NOT_ENTITLED: {
    status: 403,
    verdict: true,
    meaning: "The license does not grant this feature: not assigned, disabled or expired."
  },
  FEATURE_QUOTA_EXCEEDED: {
    status: 403,
    verdict: true,
    meaning: "The amount exceeds the remaining quota of the feature."
  },
  TRIAL_USED: {
    status: 403,
    verdict: true,
    meaning: "This device has already used its trial. `detail` has the start date."
  },
  REFUND_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The terms do not let the app refund the usage event." },
  ...licenseVerdicts,
  NOT_FOUND: { status: 404, meaning: "No such resource." },
  ROUTE_NOT_FOUND: { status: 404, meaning: "No operation has this path." },
  DEVICE_NOT_ACTIVATED: { status: 404, verdict: true, meaning: "This device has no active binding on the license." },
  LEASE_NOT_FOUND: {
    status: 404,
    verdict: true,
    meaning: "No lease of the license has this lease_token. Check out a new one."
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, the method does not; see the Allow header." },
  CONFLICT: { status: 409, meaning: "Another resource already has a value that must be unique." },
  STATE_CONFLICT: { status: 409, meaning: "The resource is in a state that does not allow this." },
  IN_USE: { status: 409, meaning: "The resource is in use; `detail` says by what." },
  CURSOR_AHEAD: {
    status: 409,
    meaning: "The log was restored to an earlier state, before this cursor; `detail` says where to continue."
  },
  CURSOR_BEHIND: {
    status: 410,
    meaning:
      "The events at this cursor were archived and are no longer in the feed; `detail` says where the feed begins."
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    verdict: true,
    meaning: "The Idempotency-Key was used before with another request."
  },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    meaning: "The first request with this Idempotency-Key is still running; try again."
  },
  LEASE_EXPIRED: { status: 409, verdict: true, meaning: "The lease has expired. Check out a new one." },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request did not arrive in time, or too slowly; send it again." },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: "The resource is in another state than the one that If-Match names; nothing was changed."
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is larger than 256 KiB, or 16 KiB on a runtime operation." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "A body must be sent as application/json." },
  RANGE_NOT_SATISFIABLE: { status: 416, meaning: "The range begins after the end of the file; see Content-Range." },
  VALIDATION_ERROR: {
    status: 422,
    meaning: "The request is well-formed but not valid; `fields` names the findings, at most 20."
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request line and the headers are larger than 16 KiB." },
  RATE_LIMITED: { status: 429, meaning: "Too many requests; see Retry-After." },
  INTERNAL: { status: 500, meaning: "Internal error. Include the request ID when you contact support." },
  UNAVAILABLE: {
    status: 503,
    meaning: "Service unavailable (database down, disk full, overload or shutdown). See Retry-After."
  }
} as const satisfies Record<string, { readonly status: number; readonly verdict?: true; readonly meaning: string }>

export type Code = keyof typeof catalog

/** Whether a code decides about a license, a device or its use, where the request brought its credential. */
export const isVerdict = (code: Code): boolean => "verdict" in catalog[code]

/** Something that was done as asked and is likely not what is wanted. `code` is for programs, `message` for people. */
export const Warning = Schema.Struct({
  code: field(Schema.String, "The kind of warning, for programs."),
  message: field(Schema.String, "The message for people. The wording may change."),
  field: optional(Schema.String, "The field or parameter of the warning.")
}).annotate({
  identifier: "ResponseWarning",
  description: "A warning: the request succeeded, but the result may not be what you want.",
  examples: [{
    code: "SCOPES_OMITTED",
    message: "The key has the scope admin, because none was named. Name the scopes that it needs."
  }]
})
export type Warning = typeof Warning.Type

/** The result of an operation, and the warnings about it. */
export interface Warned<A> {
  readonly data: A
  readonly warnings: ReadonlyArray<Warning>
}

/** The `meta` member of every envelope. */
export const Meta = Schema.Struct({
  request_id: field(Schema.String, "The ID of the request. Include it when you contact support."),
  timestamp: field(Schema.String.annotate({ format: "date-time" }), "Time of the response, on the service's clock."),
  warnings: optional(Schema.Array(Warning), "Omitted if empty."),
  refusal: optional(SignedRefusal, "Of a refusal that decides about the license of an app.")
}).annotate({
  identifier: "ResponseMeta",
  description: "About the response itself.",
  examples: [{ request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c", timestamp: "2026-11-21T10:30:00.000Z" }]
})
export type Meta = typeof Meta.Type

/**
 * One finding about one member of a request. `path` is dotted, with indexes as numbers; `message` completes a sentence that
 * begins with it.
 */
export const FieldFinding = Schema.Struct({
  path: field(Schema.String, "The field: names and indexes joined by dots, for example `licenses.3.expires_at`."),
  code: field(Schema.String, "The kind of error, for programs."),
  message: field(Schema.String, "The message for people. The wording may change.")
}).annotate({ identifier: "FieldFinding", description: "The error of one field of a request." })
export type FieldFinding = typeof FieldFinding.Type

const codes = Object.keys(catalog) as ReadonlyArray<Code>

/** Any error as it is answered. */
export const ErrorEnvelope = Schema.Struct({
  error: Schema.Struct({
    code: Schema.Literals(codes).annotate({
      identifier: "ErrorCode",
      description: "Error code, for programs. The meaning of a code never changes; new codes may be added."
    }),
    message: field(Schema.String, "Error message, for people. The wording may change."),
    detail: optional(
      Schema.String,
      "More about this one case, such as the scope that is missing or what still refers to a resource."
    ),
    fields: optional(Schema.Array(FieldFinding), "The invalid fields of the request, at most 20."),
    doc_url: Schema.String.annotate({ format: "uri", description: "Where the code is explained." })
  }).annotate({ identifier: "ErrorObject", description: "The error." }),
  meta: Meta
}).annotate({
  identifier: "ErrorEnvelope",
  description: "Every failure of every operation."
})

/**
 * The wire shape of one error code. `doc_url` and `meta` are filled in by the one encoder at the edge, so that code
 * which raises an error states only what it knows.
 */
const members = <const C extends Code>(code: C) => ({
  _tag: Schema.tagDefaultOmit(code),
  error: Schema.Struct({
    code: Schema.tag(code),
    message: field(Schema.String, "The message for people. The wording may change."),
    detail: optional(Schema.String, "More about this case."),
    fields: optional(Schema.Array(FieldFinding), "Every invalid field."),
    doc_url: Schema.optionalKey(Schema.String)
  }),
  meta: Schema.optionalKey(Meta)
})

/** The parts of an error besides its code. */
export interface Reason {
  readonly message: string
  readonly detail?: string
  readonly fields?: ReadonlyArray<FieldFinding>
}

/**
 * Builds an error instance: `failing(NotFound, "No product has this id.")`.
 */
export const failing = <E>(
  Failure: new(input: { readonly error: Reason }) => E,
  message: string,
  more: Omit<Reason, "message"> = {}
): E => new Failure({ error: { message, ...more } })

/** Any error of the catalog. */
export interface DomainError {
  readonly _tag: Code
  readonly error: Reason & { readonly code: Code }
}

/** Tells an error of the catalog from any other value. */
export const isDomainError = (u: unknown): u is DomainError =>
  typeof u === "object" && u !== null && "_tag" in u && typeof u._tag === "string" && Object.hasOwn(catalog, u._tag) &&
  "error" in u

/**
 * The class of one error code: its wire shape, and the status that the catalog gives it. What each class means stands
 * there too.
 */
const failureOf = <Self>() => <const C extends Code>(code: C) =>
  Schema.Error<Self>(code)(members(code), { httpApiStatus: catalog[code].status })

export class InvalidJson extends failureOf<InvalidJson>()("INVALID_JSON") {}
export class UnknownField extends failureOf<UnknownField>()("UNKNOWN_FIELD") {}
export class InvalidQuery extends failureOf<InvalidQuery>()("INVALID_QUERY") {}
export class InvalidCursor extends failureOf<InvalidCursor>()("INVALID_CURSOR") {}
export class InvalidHeader extends failureOf<InvalidHeader>()("INVALID_HEADER") {}
export class IdempotencyKeyRequired extends failureOf<IdempotencyKeyRequired>()("IDEMPOTENCY_KEY_REQUIRED") {}
export class Unauthenticated extends failureOf<Unauthenticated>()("UNAUTHENTICATED") {}
export class TokenExpired extends failureOf<TokenExpired>()("TOKEN_EXPIRED") {}
export class TokenRevoked extends failureOf<TokenRevoked>()("TOKEN_REVOKED") {}
export class TokenIpDenied extends failureOf<TokenIpDenied>()("TOKEN_IP_DENIED") {}
export class PersonMismatch extends failureOf<PersonMismatch>()("PERSON_MISMATCH") {}
export class LicenseKeyInvalid extends failureOf<LicenseKeyInvalid>()("LICENSE_KEY_INVALID") {}
export class TokenScopeDenied extends failureOf<TokenScopeDenied>()("TOKEN_SCOPE_DENIED") {}
export class TokenProductDenied extends failureOf<TokenProductDenied>()("TOKEN_PRODUCT_DENIED") {}
export class ApprovalRequired extends failureOf<ApprovalRequired>()("APPROVAL_REQUIRED") {}
export class LicenseInactive extends failureOf<LicenseInactive>()("LICENSE_INACTIVE") {}
export class LicenseExpired extends failureOf<LicenseExpired>()("LICENSE_EXPIRED") {}
export class DeviceBlacklisted extends failureOf<DeviceBlacklisted>()("DEVICE_BLACKLISTED") {}
export class ActivationLimitExceeded extends failureOf<ActivationLimitExceeded>()("ACTIVATION_LIMIT_EXCEEDED") {}
export class FloatingLimitExceeded extends failureOf<FloatingLimitExceeded>()("FLOATING_LIMIT_EXCEEDED") {}
export class FeatureNotEntitled extends failureOf<FeatureNotEntitled>()("FEATURE_NOT_ENTITLED") {}
export class FeatureQuotaExceeded extends failureOf<FeatureQuotaExceeded>()("FEATURE_QUOTA_EXCEEDED") {}
export class TrialUsed extends failureOf<TrialUsed>()("TRIAL_USED") {}
export class UserSignInRequired extends failureOf<UserSignInRequired>()("USER_SIGN_IN_REQUIRED") {}
export class UserNotAllowed extends failureOf<UserNotAllowed>()("USER_NOT_ALLOWED") {}
export class UserLimitExceeded extends failureOf<UserLimitExceeded>()("USER_LIMIT_EXCEEDED") {}
export class UserDeviceLimitExceeded extends failureOf<UserDeviceLimitExceeded>()("USER_DEVICE_LIMIT_EXCEEDED") {}
export class IdTokenInvalid extends failureOf<IdTokenInvalid>()("ID_TOKEN_INVALID") {}
export class MailboxNotProven extends failureOf<MailboxNotProven>()("MAILBOX_NOT_PROVEN") {}
export class VmNotAllowed extends failureOf<VmNotAllowed>()("VM_NOT_ALLOWED") {}
export class ContainerNotAllowed extends failureOf<ContainerNotAllowed>()("CONTAINER_NOT_ALLOWED") {}
export class OfflineNotAllowed extends failureOf<OfflineNotAllowed>()("OFFLINE_NOT_ALLOWED") {}
export class RefundNotAllowed extends failureOf<RefundNotAllowed>()("REFUND_NOT_ALLOWED") {}
export class SelfServiceNotAllowed extends failureOf<SelfServiceNotAllowed>()("SELF_SERVICE_NOT_ALLOWED") {}
export class SelfServiceLimitExceeded extends failureOf<SelfServiceLimitExceeded>()("SELF_SERVICE_LIMIT_EXCEEDED") {}
export class ProductMismatch extends failureOf<ProductMismatch>()("PRODUCT_MISMATCH") {}
export class NotFound extends failureOf<NotFound>()("NOT_FOUND") {}
export class RouteNotFound extends failureOf<RouteNotFound>()("ROUTE_NOT_FOUND") {}
export class DeviceNotActivated extends failureOf<DeviceNotActivated>()("DEVICE_NOT_ACTIVATED") {}
export class LeaseNotFound extends failureOf<LeaseNotFound>()("LEASE_NOT_FOUND") {}
export class MethodNotAllowed extends failureOf<MethodNotAllowed>()("METHOD_NOT_ALLOWED") {}
export class Conflict extends failureOf<Conflict>()("CONFLICT") {}
export class StateConflict extends failureOf<StateConflict>()("STATE_CONFLICT") {}
export class InUse extends failureOf<InUse>()("IN_USE") {}
export class CursorAhead extends failureOf<CursorAhead>()("CURSOR_AHEAD") {}
export class CursorBehind extends failureOf<CursorBehind>()("CURSOR_BEHIND") {}
export class IdempotencyConflict extends failureOf<IdempotencyConflict>()("IDEMPOTENCY_CONFLICT") {}
export class IdempotencyInFlight extends failureOf<IdempotencyInFlight>()("IDEMPOTENCY_IN_FLIGHT") {}
export class LeaseExpired extends failureOf<LeaseExpired>()("LEASE_EXPIRED") {}
export class RequestTimeout extends failureOf<RequestTimeout>()("REQUEST_TIMEOUT") {}
export class PreconditionFailed extends failureOf<PreconditionFailed>()("PRECONDITION_FAILED") {}
export class PayloadTooLarge extends failureOf<PayloadTooLarge>()("PAYLOAD_TOO_LARGE") {}
export class UnsupportedMediaType extends failureOf<UnsupportedMediaType>()("UNSUPPORTED_MEDIA_TYPE") {}
export class RangeNotSatisfiable extends failureOf<RangeNotSatisfiable>()("RANGE_NOT_SATISFIABLE") {}
export class ValidationError extends failureOf<ValidationError>()("VALIDATION_ERROR") {}
export class RateLimited extends failureOf<RateLimited>()("RATE_LIMITED") {}
export class Internal extends failureOf<Internal>()("INTERNAL") {}
export class Unavailable extends failureOf<Unavailable>()("UNAVAILABLE") {}
