import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Devices } from "../../services/Devices.ts"
import { Licenses } from "../../services/Licenses.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Operation.ts"
import { one, page } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "licenses",
  Effect.fn(function*(handlers) {
    const licenses = yield* Licenses
    const devices = yield* Devices
    return handlers.handleAll({
      listLicenses: ({ query: { cursor: _cursor, limit: _limit, ...filters }, query }) =>
        page(licenses.list(filters, pageOf(query))),
      createLicense: ({ payload }) => one(licenses.create(payload)),
      getLicense: ({ params }) => one(licenses.get(params.id)),
      suspendLicense: ({ params }) => one(licenses.suspend(params.id)),
      reinstateLicense: ({ params }) => one(licenses.reinstate(params.id)),
      revokeLicense: ({ params }) => one(licenses.revoke(params.id)),
      listLicenseDevices: ({ params, query }) => page(devices.list(params.id, pageOf(query))),
      getLicenseDevice: ({ params }) => one(devices.get(params.id, params.device_id))
    })
  })
)
