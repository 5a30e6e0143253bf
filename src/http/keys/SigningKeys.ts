import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Signing } from "../../services/keys/security/Signing.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { DryRun } from "../../api/ground/Middleware.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "signing-keys",
  Effect.fn(function*(handlers) {
    const signing = yield* Signing
    return handlers.handleAll({
      listSigningKeys: ({ query }) => page(signing.list(pageOf(query))),
      rotateSigningKey: Effect.fnUntraced(function*() {
        // Nothing was created, which the status says.
        return (yield* DryRun)
          ? HttpServerResponse.jsonUnsafe(yield* one(signing.rehearseRotation))
          : yield* one(signing.rotate)
      }),
      revokeSigningKey: ({ params }) => one(signing.revoke(params.id))
    })
  })
)
