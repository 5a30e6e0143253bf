import { Schema } from "effect"

/**
 * Every error code of the wire, with its HTTP status and what it means. `code` is for programs, the meaning for people;
 * the OpenAPI document, llms.txt and the error page are derived from this table.
 */
export const catalog = {
  INVALID_JSON: { status: 400, meaning: "The body is not well-formed JSON." },
  UNKNOWN_FIELD: {
    status: 400,
    meaning: "The body has a member that this operation does not know; `fields` names them, at most 20."
  },
  INVALID_QUERY: { status: 400, meaning: "A query parameter is unknown or has a value that is not allowed." },
  INVALID_CURSOR: { status: 400, meaning: "The cursor was not issued by this list, or was issued for other filters." },
  INVALID_HEADER: { status: 400, meaning: "A request header is malformed." },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, meaning: "This operation needs an Idempotency-Key header." },
  UNAUTHENTICATED: { status: 401, meaning: "The credential is missing or unknown." },
  TOKEN_EXPIRED: { status: 401, meaning: "The management key has expired." },
  TOKEN_REVOKED: { status: 401, meaning: "The management key was revoked." },
  TOKEN_IP_DENIED: { status: 401, meaning: "The management key may not be used from this address." },
  LICENSE_KEY_INVALID: { status: 401, meaning: "The license key is missing, mistyped or unknown." },
  TOKEN_SCOPE_DENIED: { status: 403, meaning: "The management key lacks the scope that `detail` names." },
  LICENSE_INACTIVE: { status: 403, meaning: "The license is suspended, revoked or has not started." },
  LICENSE_EXPIRED: { status: 403, meaning: "The license has expired and any grace period is over." },
  DEVICE_BLACKLISTED: { status: 403, meaning: "The device is blocked for this license." },
  ACTIVATION_LIMIT_EXCEEDED: { status: 403, meaning: "Every seat that the policy allows is taken." },
  FLOATING_LIMIT_EXCEEDED: { status: 403, meaning: "Every floating seat that the policy allows is taken." },
  FEATURE_NOT_ENTITLED: {
    status: 403,
    meaning: "The license does not grant this feature: not assigned, switched off or expired."
  },
  FEATURE_QUOTA_EXCEEDED: { status: 403, meaning: "The amount is more than what is left of the feature's quota." },
  VM_NOT_ALLOWED: { status: 403, meaning: "The policy does not allow virtual machines." },
  CONTAINER_NOT_ALLOWED: { status: 403, meaning: "The policy does not allow containers." },
  OFFLINE_NOT_ALLOWED: { status: 403, meaning: "The policy does not allow this device to run offline." },
  PRODUCT_MISMATCH: { status: 403, meaning: "The license belongs to another product than `product_code` names." },
  NOT_FOUND: { status: 404, meaning: "No such resource." },
  ROUTE_NOT_FOUND: { status: 404, meaning: "No operation has this path." },
  DEVICE_NOT_ACTIVATED: { status: 404, meaning: "This device has no active binding on the license." },
  LEASE_NOT_FOUND: { status: 404, meaning: "No lease of the license has this lease_token; check out anew." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, the method does not; see the Allow header." },
  CONFLICT: { status: 409, meaning: "Another resource already has a value that must be unique." },
  STATE_CONFLICT: { status: 409, meaning: "The resource is in a state that does not allow this." },
  IN_USE: { status: 409, meaning: "The resource is referenced; `detail` says by what." },
  CURSOR_AHEAD: {
    status: 409,
    meaning: "The log was restored to an earlier state, before this cursor; `detail` says where to go on."
  },
  IDEMPOTENCY_CONFLICT: { status: 409, meaning: "The Idempotency-Key was used before with another request." },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    meaning: "The first request with this Idempotency-Key is still running; try again."
  },
  LEASE_EXPIRED: { status: 409, meaning: "The lease has run out and is never revived; check out anew." },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request did not arrive in time, or too slowly; send it again." },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is larger than 256 KiB, or 16 KiB on a runtime operation." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "A body must be sent as application/json." },
  RANGE_NOT_SATISFIABLE: { status: 416, meaning: "The range begins after the end of the file; see Content-Range." },
  VALIDATION_ERROR: {
    status: 422,
    meaning: "The request is well-formed but not valid; `fields` names the findings, at most 20."
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request line and the headers are larger than 16 KiB." },
  RATE_LIMITED: { status: 429, meaning: "Too many requests; see Retry-After." },
  INTERNAL: { status: 500, meaning: "Something failed on our side; quote the request id." },
  UNAVAILABLE: {
    status: 503,
    meaning: "The service cannot answer now (database away, overloaded or draining); see Retry-After."
  }
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>

export type Code = keyof typeof catalog

/** Something that was done as asked and is likely not what is wanted. `code` is for programs, `message` for people. */
export const Warning = Schema.Struct({ code: Schema.String, message: Schema.String }).annotate({
  identifier: "ResponseWarning",
  examples: [{
    code: "SCOPES_OMITTED",
    message: "The key has the scope admin, because none was named. Name the scopes that it needs."
  }]
})
export type Warning = typeof Warning.Type

/** The `meta` member of every envelope. */
export const Meta = Schema.Struct({
  request_id: Schema.String,
  timestamp: Schema.String.annotate({ format: "date-time" }),
  warnings: Schema.optionalKey(Schema.Array(Warning).annotate({ description: "Left out when there are none." }))
}).annotate({
  identifier: "ResponseMeta",
  examples: [{ request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c", timestamp: "2026-11-21T10:30:00.000Z" }]
})
export type Meta = typeof Meta.Type

/** One finding about one member of a request; `path` is dotted, with indexes as numbers. */
export const FieldFinding = Schema.Struct({
  path: Schema.String,
  code: Schema.String,
  message: Schema.String
}).annotate({ identifier: "FieldFinding" })
export type FieldFinding = typeof FieldFinding.Type

/**
 * The wire shape of one error code. `doc_url` and `meta` are filled in by the one encoder at the edge, so that code
 * which raises an error states only what it knows.
 */
const members = <const C extends Code>(code: C) => ({
  _tag: Schema.tagDefaultOmit(code),
  error: Schema.Struct({
    code: Schema.tag(code),
    message: Schema.String,
    detail: Schema.optionalKey(Schema.String),
    fields: Schema.optionalKey(Schema.Array(FieldFinding)),
    doc_url: Schema.optionalKey(Schema.String)
  }),
  meta: Schema.optionalKey(Meta)
})

/** What an error says beside its code. */
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

/** A validation failure about one member. */
export const invalidField = (path: string, code: string, message: string): ValidationError =>
  failing(ValidationError, catalog.VALIDATION_ERROR.meaning, { fields: [{ path, code, message }] })

/** Any error of the catalog. */
export interface DomainError {
  readonly _tag: Code
  readonly error: Reason & { readonly code: Code }
}

/** Tells an error of the catalog from any other value. */
export const isDomainError = (u: unknown): u is DomainError =>
  typeof u === "object" && u !== null && "_tag" in u && typeof u._tag === "string" && Object.hasOwn(catalog, u._tag) &&
  "error" in u

/** 400: The body is not well-formed JSON. */
export class InvalidJson extends Schema.Error<InvalidJson>("INVALID_JSON")(members("INVALID_JSON"), {
  httpApiStatus: 400
}) {}

/** 400: The body has a member that this operation does not know; `fields` names them, at most 20. */
export class UnknownField extends Schema.Error<UnknownField>("UNKNOWN_FIELD")(members("UNKNOWN_FIELD"), {
  httpApiStatus: 400
}) {}

/** 400: A query parameter is unknown or has a value that is not allowed. */
export class InvalidQuery extends Schema.Error<InvalidQuery>("INVALID_QUERY")(members("INVALID_QUERY"), {
  httpApiStatus: 400
}) {}

/** 400: The cursor was not issued by this list, or was issued for other filters. */
export class InvalidCursor extends Schema.Error<InvalidCursor>("INVALID_CURSOR")(members("INVALID_CURSOR"), {
  httpApiStatus: 400
}) {}

/** 400: A request header is malformed. */
export class InvalidHeader extends Schema.Error<InvalidHeader>("INVALID_HEADER")(members("INVALID_HEADER"), {
  httpApiStatus: 400
}) {}

/** 400: This operation needs an Idempotency-Key header. */
export class IdempotencyKeyRequired
  extends Schema.Error<IdempotencyKeyRequired>("IDEMPOTENCY_KEY_REQUIRED")(members("IDEMPOTENCY_KEY_REQUIRED"), {
    httpApiStatus: 400
  })
{}

/** 401: The credential is missing or unknown. */
export class Unauthenticated extends Schema.Error<Unauthenticated>("UNAUTHENTICATED")(members("UNAUTHENTICATED"), {
  httpApiStatus: 401
}) {}

/** 401: The management key has expired. */
export class TokenExpired extends Schema.Error<TokenExpired>("TOKEN_EXPIRED")(members("TOKEN_EXPIRED"), {
  httpApiStatus: 401
}) {}

/** 401: The management key was revoked. */
export class TokenRevoked extends Schema.Error<TokenRevoked>("TOKEN_REVOKED")(members("TOKEN_REVOKED"), {
  httpApiStatus: 401
}) {}

/** 401: The management key may not be used from this address. */
export class TokenIpDenied extends Schema.Error<TokenIpDenied>("TOKEN_IP_DENIED")(members("TOKEN_IP_DENIED"), {
  httpApiStatus: 401
}) {}

/** 401: The license key is missing, mistyped or unknown. */
export class LicenseKeyInvalid
  extends Schema.Error<LicenseKeyInvalid>("LICENSE_KEY_INVALID")(members("LICENSE_KEY_INVALID"), {
    httpApiStatus: 401
  })
{}

/** 403: The management key lacks the scope that `detail` names. */
export class TokenScopeDenied
  extends Schema.Error<TokenScopeDenied>("TOKEN_SCOPE_DENIED")(members("TOKEN_SCOPE_DENIED"), {
    httpApiStatus: 403
  })
{}

/** 403: The license is suspended, revoked or has not started. */
export class LicenseInactive extends Schema.Error<LicenseInactive>("LICENSE_INACTIVE")(members("LICENSE_INACTIVE"), {
  httpApiStatus: 403
}) {}

/** 403: The license has expired and any grace period is over. */
export class LicenseExpired extends Schema.Error<LicenseExpired>("LICENSE_EXPIRED")(members("LICENSE_EXPIRED"), {
  httpApiStatus: 403
}) {}

/** 403: The device is blocked for this license. */
export class DeviceBlacklisted
  extends Schema.Error<DeviceBlacklisted>("DEVICE_BLACKLISTED")(members("DEVICE_BLACKLISTED"), {
    httpApiStatus: 403
  })
{}

/** 403: Every seat that the policy allows is taken. */
export class ActivationLimitExceeded
  extends Schema.Error<ActivationLimitExceeded>("ACTIVATION_LIMIT_EXCEEDED")(members("ACTIVATION_LIMIT_EXCEEDED"), {
    httpApiStatus: 403
  })
{}

/** 403: Every floating seat that the policy allows is taken. */
export class FloatingLimitExceeded
  extends Schema.Error<FloatingLimitExceeded>("FLOATING_LIMIT_EXCEEDED")(members("FLOATING_LIMIT_EXCEEDED"), {
    httpApiStatus: 403
  })
{}

/** 403: The license does not grant this feature: not assigned, switched off or expired. */
export class FeatureNotEntitled
  extends Schema.Error<FeatureNotEntitled>("FEATURE_NOT_ENTITLED")(members("FEATURE_NOT_ENTITLED"), {
    httpApiStatus: 403
  })
{}

/** 403: The amount is more than what is left of the feature's quota. */
export class FeatureQuotaExceeded
  extends Schema.Error<FeatureQuotaExceeded>("FEATURE_QUOTA_EXCEEDED")(members("FEATURE_QUOTA_EXCEEDED"), {
    httpApiStatus: 403
  })
{}

/** 403: The policy does not allow virtual machines. */
export class VmNotAllowed extends Schema.Error<VmNotAllowed>("VM_NOT_ALLOWED")(members("VM_NOT_ALLOWED"), {
  httpApiStatus: 403
}) {}

/** 403: The policy does not allow containers. */
export class ContainerNotAllowed
  extends Schema.Error<ContainerNotAllowed>("CONTAINER_NOT_ALLOWED")(members("CONTAINER_NOT_ALLOWED"), {
    httpApiStatus: 403
  })
{}

/** 403: The policy does not allow this device to run offline. */
export class OfflineNotAllowed
  extends Schema.Error<OfflineNotAllowed>("OFFLINE_NOT_ALLOWED")(members("OFFLINE_NOT_ALLOWED"), {
    httpApiStatus: 403
  })
{}

/** 403: The license belongs to another product than `product_code` names. */
export class ProductMismatch extends Schema.Error<ProductMismatch>("PRODUCT_MISMATCH")(members("PRODUCT_MISMATCH"), {
  httpApiStatus: 403
}) {}

/** 404: No such resource. */
export class NotFound extends Schema.Error<NotFound>("NOT_FOUND")(members("NOT_FOUND"), {
  httpApiStatus: 404
}) {}

/** 404: No operation has this path. */
export class RouteNotFound extends Schema.Error<RouteNotFound>("ROUTE_NOT_FOUND")(members("ROUTE_NOT_FOUND"), {
  httpApiStatus: 404
}) {}

/** 404: This device has no active binding on the license. */
export class DeviceNotActivated
  extends Schema.Error<DeviceNotActivated>("DEVICE_NOT_ACTIVATED")(members("DEVICE_NOT_ACTIVATED"), {
    httpApiStatus: 404
  })
{}

/** 404: No lease of the license has this `lease_token`. */
export class LeaseNotFound extends Schema.Error<LeaseNotFound>("LEASE_NOT_FOUND")(members("LEASE_NOT_FOUND"), {
  httpApiStatus: 404
}) {}

/** 405: The path exists, the method does not; see the Allow header. */
export class MethodNotAllowed
  extends Schema.Error<MethodNotAllowed>("METHOD_NOT_ALLOWED")(members("METHOD_NOT_ALLOWED"), {
    httpApiStatus: 405
  })
{}

/** 409: Another resource already has a value that must be unique. */
export class Conflict extends Schema.Error<Conflict>("CONFLICT")(members("CONFLICT"), {
  httpApiStatus: 409
}) {}

/** 409: The resource is in a state that does not allow this. */
export class StateConflict extends Schema.Error<StateConflict>("STATE_CONFLICT")(members("STATE_CONFLICT"), {
  httpApiStatus: 409
}) {}

/** 409: The resource is referenced; `detail` says by what. */
export class InUse extends Schema.Error<InUse>("IN_USE")(members("IN_USE"), {
  httpApiStatus: 409
}) {}

/** 409: The log was restored to an earlier state, before this cursor; `detail` says where to go on. */
export class CursorAhead extends Schema.Error<CursorAhead>("CURSOR_AHEAD")(members("CURSOR_AHEAD"), {
  httpApiStatus: 409
}) {}

/** 409: The Idempotency-Key was used before with another request. */
export class IdempotencyConflict
  extends Schema.Error<IdempotencyConflict>("IDEMPOTENCY_CONFLICT")(members("IDEMPOTENCY_CONFLICT"), {
    httpApiStatus: 409
  })
{}

/** 409: The first request with this Idempotency-Key is still running; try again. */
export class IdempotencyInFlight
  extends Schema.Error<IdempotencyInFlight>("IDEMPOTENCY_IN_FLIGHT")(members("IDEMPOTENCY_IN_FLIGHT"), {
    httpApiStatus: 409
  })
{}

/** 409: The lease has run out; it is never revived. */
export class LeaseExpired extends Schema.Error<LeaseExpired>("LEASE_EXPIRED")(members("LEASE_EXPIRED"), {
  httpApiStatus: 409
}) {}

/** 408: The request did not arrive in time, or too slowly. */
export class RequestTimeout extends Schema.Error<RequestTimeout>("REQUEST_TIMEOUT")(members("REQUEST_TIMEOUT"), {
  httpApiStatus: 408
}) {}

/** 413: The body is larger than 256 KiB, or 16 KiB on a runtime operation. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PAYLOAD_TOO_LARGE")(members("PAYLOAD_TOO_LARGE"), {
  httpApiStatus: 413
}) {}

/** 415: A body must be sent as application/json. */
export class UnsupportedMediaType
  extends Schema.Error<UnsupportedMediaType>("UNSUPPORTED_MEDIA_TYPE")(members("UNSUPPORTED_MEDIA_TYPE"), {
    httpApiStatus: 415
  })
{}

/** 416: The range begins after the end of the file; see Content-Range. */
export class RangeNotSatisfiable
  extends Schema.Error<RangeNotSatisfiable>("RANGE_NOT_SATISFIABLE")(members("RANGE_NOT_SATISFIABLE"), {
    httpApiStatus: 416
  })
{}

/** 422: The request is well-formed but not valid; `fields` names the findings, at most 20. */
export class ValidationError extends Schema.Error<ValidationError>("VALIDATION_ERROR")(members("VALIDATION_ERROR"), {
  httpApiStatus: 422
}) {}

/** 429: Too many requests; see Retry-After. */
export class RateLimited extends Schema.Error<RateLimited>("RATE_LIMITED")(members("RATE_LIMITED"), {
  httpApiStatus: 429
}) {}

/** 500: Something failed on our side; quote the request id. */
export class Internal extends Schema.Error<Internal>("INTERNAL")(members("INTERNAL"), {
  httpApiStatus: 500
}) {}

/** 503: The service cannot answer now (database away, overloaded or draining); see Retry-After. */
export class Unavailable extends Schema.Error<Unavailable>("UNAVAILABLE")(members("UNAVAILABLE"), {
  httpApiStatus: 503
}) {}
