import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Leases } from "../../services/floating/Leases.ts"
import { one, page, signed } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { pageOf } from "../api/Operation.ts"
import { question } from "./Runtime.ts"

const runtime = HttpApiBuilder.group(
  Api,
  "floating",
  Effect.fn(function*(handlers) {
    const leases = yield* Leases
    return handlers.handleAll({
      checkoutFloatingLicense: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => leases.checkout(caller, question(request)))),
      heartbeatFloatingLicense: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => leases.heartbeat(caller, question(request)))),
      checkinFloatingLicense: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => leases.checkin(caller, question(request))))
    })
  })
)

const management = HttpApiBuilder.group(
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

export const layer = Layer.mergeAll(runtime, management)
