import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Leases } from "../../services/licensing/floating/Leases.ts"
import { one, page, signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { hotGroup } from "../ground/HotGroup.ts"
import { aboutBindings, grouped } from "./Runtime.ts"

/** Floating seats, as apps check them out and in. */
export const hotLayer = hotGroup(
  "floating",
  Effect.gen(function*() {
    const leases = yield* Leases
    return {
      checkoutFloatingLicense: grouped(leases.checkout, yield* aboutBindings),
      heartbeatFloatingLicense: (caller, request) => signed(leases.heartbeat(caller, request)),
      checkinFloatingLicense: grouped(leases.checkin)
    }
  })
)

/** Floating seats, as management sees them. */
export const layer = HttpApiBuilder.group(
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
