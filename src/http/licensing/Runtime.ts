import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { makeNamesNoMachine, namesNoMachine } from "../../domain/licensing/licenses/PlaceholderId.ts"
import type { Warning } from "../../domain/ground/wire/Errors.ts"
import { CurrentIdempotentRequest } from "../../services/people/access/Idempotency.ts"
import type { RuntimeCredential } from "../../services/licensing/entitlements/EntitlementState.ts"
import type { SubmitWrite } from "../../services/licensing/entitlements/RuntimeWrites.ts"
import { Validations } from "../../services/licensing/entitlements/Validations.ts"
import { Refunds } from "../../services/licensing/metering/Refunds.ts"
import { Usage } from "../../services/licensing/metering/Usage.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { Activations } from "../../services/licensing/seats/Activations.ts"
import { meta, repeatable, signed, storedSigned, withWarnings } from "../ground/edge/Reply.ts"
import { withNonce } from "../ground/middleware/HotRoute.ts"
import { hotGroup } from "../ground/HotGroup.ts"

/** The nonce may be in the body or in a header; the body takes precedence. */
export const question = <Request extends { readonly nonce?: string }>(
  { headers, payload }: { readonly headers: { readonly "x-nonce"?: string }; readonly payload: Request }
): Request => withNonce(payload, headers["x-nonce"])

/** Answers a write that is committed in a group, which stores its answer. */
export const grouped = <Request, E>(
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

export const layer = hotGroup(
  "runtime",
  Effect.gen(function*() {
    const activations = yield* Activations
    const refunds = yield* Refunds
    const usage = yield* Usage
    const validations = yield* Validations
    return {
      activateLicense: grouped(activations.activate, yield* aboutBindings),
      validateLicense: (caller, request) => signed(validations.validate(caller, request)),
      checkLicense: (caller, request) => signed(validations.check(caller, request)),
      consumeLicense: grouped(usage.consume),
      refundOwnUsage: (caller, request) => signed(refunds.refundOwn(caller, request)),
      deactivateLicense: grouped(activations.deactivate)
    }
  })
)
