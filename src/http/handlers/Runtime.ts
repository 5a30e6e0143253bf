import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentIdempotentRequest } from "../../services/access/Idempotency.ts"
import { Activations } from "../../services/entitlements/Activations.ts"
import { Validations } from "../../services/entitlements/Validations.ts"
import { Usage } from "../../services/metering/Usage.ts"
import { meta, repeatable, signed, storedSigned } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { hotGroup } from "./HotGroup.ts"

/** The nonce may be in the body or in a header; the body takes precedence. */
export const question = <Request extends { readonly nonce?: string }>(
  { headers, payload }: { readonly headers: { readonly "x-nonce"?: string }; readonly payload: Request }
): Request =>
  payload.nonce === undefined && headers["x-nonce"] !== undefined ? { ...payload, nonce: headers["x-nonce"] } : payload

export const layer = hotGroup(
  Effect.gen(function*() {
    const activations = yield* Activations
    const usage = yield* Usage
    const validations = yield* Validations
    return HttpApiBuilder.group(Api, "runtime", (handlers) =>
      handlers.handleAll({
        activateLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => activations.activate(caller, question(request)))),
        validateLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => validations.validate(caller, question(request)))),
        checkLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => validations.check(caller, question(request)))),
        consumeLicense: (request) =>
          Effect.gen(function*() {
            const caller = yield* RuntimeCaller
            const idempotent = yield* CurrentIdempotentRequest
            if (idempotent === undefined) return yield* Effect.die(new Error("consume runs under its Idempotency-Key"))
            const sent = yield* meta
            return repeatable(
              yield* usage.consume(caller, question(request), idempotent, (answer) => storedSigned(answer, sent))
            )
          }),
        deactivateLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => activations.deactivate(caller, question(request))))
      }))
  })
)
