import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Devices } from "../../services/licenses/Devices.ts"
import { one, writtenPage } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "devices",
  Effect.fn(function*(handlers) {
    const devices = yield* Devices
    return handlers.handleAll({
      listLicenseDevices: ({ params, query }) => writtenPage(devices.list(params.id, query, pageOf(query))),
      getLicenseDevice: ({ params }) => one(devices.get(params.id, params.device_id)),
      resetLicenseDevice: ({ params }) => one(devices.reset(params.id, params.device_id)),
      blacklistLicenseDevice: ({ params }) => one(devices.blacklist(params.id, params.device_id))
    })
  })
)
