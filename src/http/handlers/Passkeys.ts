import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { passkeyCookie, passkeyTextIn } from "../../domain/people/PasskeyFlow.ts"
import { Passkeys } from "../../services/passkeys/Passkeys.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"
import { isSecure } from "../middleware/OwnPages.ts"

/** The text that the browser of the request keeps of a passkey that was begun. */
export const keptFlow = (publicUrl: string) =>
  Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => passkeyTextIn(headers["cookie"], isSecure(publicUrl))
  )

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
          return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(creation)), {
            status: 201,
            headers: { "set-cookie": passkeyCookie(flow, isSecure(publicUrl)) }
          })
        }),
      createPasskey: ({ payload }) =>
        Effect.flatMap(keptFlow(publicUrl), (flow) => one(passkeys.create(flow, payload))),
      renamePasskey: ({ params, payload }) => one(passkeys.rename(params.id, payload)),
      deletePasskey: ({ params }) => passkeys.remove(params.id)
    })
  })
)
