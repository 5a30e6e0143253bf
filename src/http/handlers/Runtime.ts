import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { RuntimeRequest } from "../../domain/Runtime.ts"
import { Activations } from "../../services/Activations.ts"
import { Usage } from "../../services/Usage.ts"
import { Validations } from "../../services/Validations.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { signed } from "../Reply.ts"
import { hotGroup } from "./HotGroup.ts"

/** The nonce may stand in the body or in a header; the body's wins. */
const question = <Request extends RuntimeRequest>(
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
          signed(Effect.flatMap(RuntimeCaller, (caller) => usage.consume(caller, question(request)))),
        deactivateLicense: (request) =>
          signed(Effect.flatMap(RuntimeCaller, (caller) => activations.deactivate(caller, question(request))))
      }))
  })
)
