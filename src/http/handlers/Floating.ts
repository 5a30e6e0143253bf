import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LeaseRequest } from "../../domain/entitlements/Lease.ts"
import { CheckoutRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { Leases } from "../../services/floating/Leases.ts"
import { one, page, signed } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { pageOf } from "../api/Parameters.ts"
import { hotSigned, makeHotRoutes } from "../middleware/HotRoute.ts"
import { aboutBindings, grouped, question } from "./Runtime.ts"

const runtime = HttpApiBuilder.group(
  Api,
  "floating",
  Effect.fn(function*(handlers) {
    const leases = yield* Leases
    const checkin = grouped(leases.checkin)
    const checkout = grouped(leases.checkout, yield* aboutBindings)

    const addHot = yield* makeHotRoutes
    const endpoints = Api.groups.floating.endpoints
    addHot(endpoints.checkoutFloatingLicense, CheckoutRequest, checkout.hot)
    addHot(endpoints.checkinFloatingLicense, LeaseRequest, checkin.hot)
    addHot(
      endpoints.heartbeatFloatingLicense,
      LeaseRequest,
      (caller, request) => hotSigned(leases.heartbeat(caller, request))
    )

    return handlers.handleAll({
      checkoutFloatingLicense: checkout.handle,
      heartbeatFloatingLicense: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => leases.heartbeat(caller, question(request)))),
      checkinFloatingLicense: checkin.handle
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
