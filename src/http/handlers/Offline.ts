import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Offline } from "../../services/Offline.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { one, signed } from "../Reply.ts"
import { question } from "./Runtime.ts"

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

const revocations = HttpApiBuilder.group(
  Api,
  "revocations",
  Effect.fn(function*(handlers) {
    const offline = yield* Offline
    return handlers.handleAll({ getRevocationList: () => signed(offline.revocations) })
  })
)

export const layer = Layer.mergeAll(envelopes, revocations)
