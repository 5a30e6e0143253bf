import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { passkeyCookie, passkeysTooMany, passkeyTextIn } from "../../domain/people/PasskeyFlow.ts"
import type { KeptFlow } from "../../domain/people/PasskeyFlow.ts"
import { Passkeys } from "../../services/people/passkeys/Passkeys.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { expiring, isSecure } from "../ground/middleware/OwnPages.ts"

/** The text that the browser of the request keeps of the passkey that it answers about. */
export const keptFlow = (publicUrl: string, { client_data }: { readonly client_data: string }) =>
  Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => passkeyTextIn(headers["cookie"], client_data, isSecure(publicUrl))
  )

/** An answer of data, with the flow that the browser keeps meanwhile in its cookie. */
export const answerKept = Effect.fnUntraced(function*(
  data: unknown,
  status: number,
  flow: KeptFlow | undefined,
  publicUrl: string
) {
  const secure = isSecure(publicUrl)
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(data)), {
    status,
    headers: flow === undefined ? {} : { "set-cookie": passkeyCookie(flow, secure) }
  }).pipe(expiring(flow === undefined ? [] : passkeysTooMany(headers["cookie"], secure), secure))
})

export const layer = HttpApiBuilder.group(
  Api,
  "passkeys",
  Effect.fn(function*(handlers) {
    const passkeys = yield* Passkeys
    const { publicUrl } = yield* Settings
    return handlers.handleAll({
      listPasskeys: ({ query }) => page(passkeys.list(pageOf(query), query.person_id)),
      beginPasskey: () =>
        Effect.gen(function*() {
          const { creation, flow } = yield* passkeys.begin
          return yield* answerKept(creation, 201, flow, publicUrl)
        }),
      createPasskey: ({ payload }) =>
        Effect.flatMap(keptFlow(publicUrl, payload), (flow) => one(passkeys.create(flow, payload))),
      renamePasskey: ({ params, payload }) => one(passkeys.rename(params.id, payload)),
      deletePasskey: ({ params }) => passkeys.remove(params.id)
    })
  })
)
