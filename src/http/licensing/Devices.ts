import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { warningsAboutHeldSeat } from "../../domain/licensing/licenses/Device.ts"
import { Devices } from "../../services/licensing/licenses/Devices.ts"
import { OfflineFiles } from "../../services/licensing/offline/OfflineFiles.ts"
import { one, oneWarned, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

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
          Effect.gen(function*() {
            yield* devices.reset(id, device_id)
            const data = yield* devices.get(id, device_id)
            return { data, warnings: [...(yield* files.warnings(id, device_id)), ...warningsAboutHeldSeat(data)] }
          })
        ),
      freeLicenseDeviceSeat: ({ params: { device_id, id } }) => one(files.freeSeat(id, device_id)),
      blacklistLicenseDevice: ({ params }) => one(devices.blacklist(params.id, params.device_id))
    })
  })
)
