import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Devices } from "../../services/licenses/Devices.ts"
import { OfflineFiles } from "../../services/offline/OfflineFiles.ts"
import { one, oneWarned, writtenPage } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "devices",
  Effect.fn(function*(handlers) {
    const devices = yield* Devices
    const files = yield* OfflineFiles
    return handlers.handleAll({
      listLicenseDevices: ({ params, query }) => writtenPage(devices.list(params.id, query, pageOf(query))),
      getLicenseDevice: ({ params }) => one(devices.get(params.id, params.device_id)),
      resetLicenseDevice: ({ params: { device_id, id } }) =>
        oneWarned(
          Effect.flatMap(devices.reset(id, device_id), (data) =>
            Effect.map(files.warnings(id, device_id), (warnings) => ({ data, warnings })))
        ),
      blacklistLicenseDevice: ({ params }) => one(devices.blacklist(params.id, params.device_id))
    })
  })
)
