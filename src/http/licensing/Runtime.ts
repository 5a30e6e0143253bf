import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { matchesEtag } from "../../domain/ground/wire/EntityTag.ts"
import type { Warning } from "../../domain/ground/wire/Errors.ts"
import type { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { makeNamesNoMachine, namesNoMachine } from "../../domain/licensing/licenses/PlaceholderId.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { gzip, Revocations } from "../../services/keys/security/Revocations.ts"
import type { RuntimeCredential } from "../../services/licensing/entitlements/EntitlementState.ts"
import type { SubmitWrite } from "../../services/licensing/entitlements/RuntimeWrites.ts"
import { Validations } from "../../services/licensing/entitlements/Validations.ts"
import { Leases } from "../../services/licensing/floating/Leases.ts"
import { Refunds } from "../../services/licensing/metering/Refunds.ts"
import { Usage } from "../../services/licensing/metering/Usage.ts"
import { Offline, OfflineFiles } from "../../services/licensing/offline/OfflineFiles.ts"
import { Activations } from "../../services/licensing/seats/Activations.ts"
import { CurrentIdempotentRequest } from "../../services/people/access/Idempotency.ts"
import { meta, one, oneWarned, page, repeatable, signed, storedSigned, withWarnings } from "../ground/edge/Reply.ts"
import { hotGroup } from "../ground/HotGroup.ts"
import { withNonce } from "../ground/middleware/HotRoute.ts"

export const offlineFilesLayer = HttpApiBuilder.group(
  Api,
  "offline-files",
  Effect.fn(function*(handlers) {
    const files = yield* OfflineFiles
    return handlers.handleAll({
      listOfflineFiles: ({ params, query }) => page(files.list(params.id, pageOf(query))),
      issueOfflineFile: ({ params, payload }) => oneWarned(files.issue(params.id, payload)),
      revokeOfflineFile: ({ params }) => one(files.revoke(params.id, params.file_id))
    })
  })
)

/** The nonce may be in the body or in a header; the body takes precedence. */
export const question = <Request extends { readonly nonce?: string }>(
  { headers, payload }: { readonly headers: { readonly "x-nonce"?: string }; readonly payload: Request }
): Request => withNonce(payload, headers["x-nonce"])

/** Answers a write that is committed in a group, which stores its answer. */
const grouped = <Request, E>(
  submit: SubmitWrite<Request, E>,
  warningsAbout: (request: Request) => ReadonlyArray<Warning> = () => []
): (caller: RuntimeCredential, request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown> =>
  Effect.fnUntraced(function*(caller, request) {
    const idempotent = yield* CurrentIdempotentRequest
    if (idempotent === undefined) return yield* Effect.die(new Error("the operation runs under its Idempotency-Key"))
    const sent = withWarnings(yield* meta, warningsAbout(request))
    return repeatable(yield* submit(caller, request, idempotent, (answer) => storedSigned(answer, sent)))
  })

/** The names of a device that whoever binds it is shown. */
export const aboutBindings = Effect.map(Cryptography, ({ sha256Hex }) => {
  const isPlaceholder = makeNamesNoMachine(sha256Hex)
  return (request: RuntimeRequest): ReadonlyArray<Warning> => isPlaceholder(request) ? [namesNoMachine] : []
})

export const runtimeLayer = hotGroup(
  "runtime",
  Effect.gen(function*() {
    const activations = yield* Activations
    const refunds = yield* Refunds
    const usage = yield* Usage
    const validations = yield* Validations
    return {
      activateLicense: grouped(activations.activate, yield* aboutBindings),
      validateLicense: (caller, request) => signed(validations.answer("validate", caller, request)),
      checkLicense: (caller, request) => signed(validations.answer("check", caller, request)),
      consumeLicense: grouped(usage.consume),
      refundOwnUsage: (caller, request) => signed(refunds.refundOwn(caller, request)),
      deactivateLicense: grouped(activations.deactivate)
    }
  })
)

/** Floating seats, as apps check them out and in. */
export const hotLayer = hotGroup(
  "floating",
  Effect.gen(function*() {
    const leases = yield* Leases
    return {
      checkoutFloatingLicense: grouped(leases.checkout, yield* aboutBindings),
      heartbeatFloatingLicense: (caller, request) => signed(leases.heartbeat(caller, request)),
      checkinFloatingLicense: grouped(leases.checkin)
    }
  })
)

/** Floating seats, as management sees them. */
export const floatingLayer = HttpApiBuilder.group(
  Api,
  "leases",
  Effect.fn(function*(handlers) {
    const leases = yield* Leases
    return handlers.handleAll({
      listLicenseLeases: ({ params, query }) =>
        page(leases.list(
          params.id,
          query.is_live === undefined ? {} : { live: query.is_live === "true" },
          pageOf(query)
        )),
      releaseLicenseLease: ({ params }) => one(leases.release(params.id, params.lease_id))
    })
  })
)

const envelopes = HttpApiBuilder.group(
  Api,
  "offline",
  Effect.fn(function*(handlers) {
    const offline = yield* Offline
    return handlers.handleAll({
      issueOfflineLicense: (request) =>
        one(Effect.flatMap(RuntimeCaller, (caller) => offline.issue(caller, question(request))))
    })
  })
)

/** Lists below this many characters are not worth compressing. */
const worthCompressing = 2048

/** Whether an `Accept-Encoding` header (RFC 9110 section 12.5.3) names gzip as acceptable. */
const takesGzip = (header: string | undefined): boolean =>
  (header ?? "").split(",").some((text) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9]\d*)(\.0*)?\s*)?$/i.test(text))

/**
 * Answers a list: 304 when the caller has it, compressed when the caller accepts that. The entity tag is weak (RFC 9110
 * section 8.8.1), because `meta` differs between answers with the same list. The compressed answer consists of two
 * members of one gzip file (RFC 1952), so the list is compressed once for all callers.
 */
const sendList = Effect.fnUntraced(function*(current: Revocations["Service"]["current"]) {
  const list = yield* current
  const { headers: requestHeaders } = yield* HttpServerRequest.HttpServerRequest
  const etag = `"${list.tag}"`
  const headers = { etag: `W/${etag}`, "cache-control": "public, max-age=60", vary: "accept-encoding" }
  if (matchesEtag(requestHeaders["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  if (list.data.length < worthCompressing || !takesGzip(requestHeaders["accept-encoding"])) {
    return HttpServerResponse.setHeaders(yield* signed(Effect.succeed(list)), headers)
  }
  const head = yield* list.compressedHead
  const tail = yield* gzip(`${JSON.stringify(yield* meta)}}`)
  const body = new Uint8Array(head.length + tail.length)
  body.set(head)
  body.set(tail, head.length)
  return HttpServerResponse.uint8Array(body, {
    contentType: "application/json",
    headers: { ...headers, "content-encoding": "gzip" }
  })
})

const revocations = HttpApiBuilder.group(
  Api,
  "revocations",
  Effect.fn(function*(handlers) {
    const revocations = yield* Revocations
    return handlers.handleAll({ getRevocationList: () => sendList(revocations.current) })
  })
)

export const offlineLayer = Layer.mergeAll(envelopes, revocations)
