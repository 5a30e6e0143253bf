import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ActivateRequest, ConsumeRequest, RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { makeNamesNoMachine, namesNoMachine } from "../../domain/licenses/PlaceholderId.ts"
import type { Warning } from "../../domain/wire/Errors.ts"
import { CurrentIdempotentRequest } from "../../services/access/Idempotency.ts"
import type { RuntimeCredential } from "../../services/entitlements/EntitlementState.ts"
import type { SubmitWrite } from "../../services/entitlements/RuntimeWrites.ts"
import { Validations } from "../../services/entitlements/Validations.ts"
import { Usage } from "../../services/metering/Usage.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { Activations } from "../../services/seats/Activations.ts"
import { meta, repeatable, signed, storedSigned, withWarnings } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { answerOf } from "../edge/HotRoutes.ts"
import { hotSigned, makeHotRoutes } from "../middleware/HotRoute.ts"
import { hotGroup } from "./HotGroup.ts"

/** The nonce may be in the body or in a header; the body takes precedence. */
export const question = <Request extends { readonly nonce?: string }>(
  { headers, payload }: { readonly headers: { readonly "x-nonce"?: string }; readonly payload: Request }
): Request =>
  payload.nonce === undefined && headers["x-nonce"] !== undefined ? { ...payload, nonce: headers["x-nonce"] } : payload

/** Answers a write that is committed in a group, which stores its answer: as any operation does, and on a hot route. */
export const grouped = <Request extends { readonly nonce?: string }, E>(
  submit: SubmitWrite<Request, E>,
  warningsAbout: (request: Request) => ReadonlyArray<Warning> = () => []
) => {
  const run = Effect.fnUntraced(function*(caller: RuntimeCredential, request: Request) {
    const idempotent = yield* CurrentIdempotentRequest
    if (idempotent === undefined) return yield* Effect.die(new Error("the operation runs under its Idempotency-Key"))
    const sent = withWarnings(yield* meta, warningsAbout(request))
    return repeatable(yield* submit(caller, request, idempotent, (answer) => storedSigned(answer, sent)))
  })
  return {
    handle: (request: { readonly headers: { readonly "x-nonce"?: string }; readonly payload: Request }) =>
      Effect.flatMap(RuntimeCaller, (caller) => run(caller, question(request))),
    hot: (caller: RuntimeCredential, request: Request) => Effect.map(run(caller, request), answerOf)
  }
}

/** What is told to whoever binds a device, of what names it. */
export const aboutBindings = Effect.map(Cryptography, ({ sha256Hex }) => {
  const isPlaceholder = makeNamesNoMachine(sha256Hex)
  return (request: RuntimeRequest): ReadonlyArray<Warning> => isPlaceholder(request) ? [namesNoMachine] : []
})

export const layer = hotGroup(
  Effect.gen(function*() {
    const activations = yield* Activations
    const usage = yield* Usage
    const validations = yield* Validations
    const activate = grouped(activations.activate, yield* aboutBindings)
    const consume = grouped(usage.consume)
    const deactivate = grouped(activations.deactivate)

    const addHot = yield* makeHotRoutes
    const endpoints = Api.groups.runtime.endpoints
    addHot(endpoints.activateLicense, ActivateRequest, activate.hot)
    addHot(
      endpoints.validateLicense,
      RuntimeRequest,
      (caller, request) => hotSigned(validations.validate(caller, request))
    )
    addHot(endpoints.checkLicense, RuntimeRequest, (caller, request) => hotSigned(validations.check(caller, request)))
    addHot(endpoints.consumeLicense, ConsumeRequest, consume.hot)
    addHot(endpoints.deactivateLicense, RuntimeRequest, deactivate.hot)

    return HttpApiBuilder.group(Api, "runtime", (handlers) =>
      handlers.handleAll({
        activateLicense: activate.handle,
        validateLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => validations.validate(caller, question(request)))),
        checkLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => validations.check(caller, question(request)))),
        consumeLicense: consume.handle,
        deactivateLicense: deactivate.handle
      }))
  })
)
