import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Explanations } from "../../services/licensing/entitlements/Explanations.ts"
import { LicenseBatches } from "../../services/licensing/licenses/LicenseBatches.ts"
import { LicenseCreation } from "../../services/licensing/licenses/LicenseCreation.ts"
import { Licenses } from "../../services/licensing/licenses/Licenses.ts"
import { LicenseKeys } from "../../services/licensing/lifecycle/LicenseKeys.ts"
import { LicenseRenewals } from "../../services/licensing/lifecycle/LicenseRenewals.ts"
import { LicenseTransfers } from "../../services/licensing/lifecycle/LicenseTransfers.ts"
import { LicenseUpdates } from "../../services/licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../../services/licensing/lifecycle/PolicyChanges.ts"
import { one, oneWarned, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RowFindings } from "../../api/ground/Middleware.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "licenses",
  Effect.fn(function*(handlers) {
    const licenses = yield* Licenses
    const updates = yield* LicenseUpdates
    const renewals = yield* LicenseRenewals
    const transfers = yield* LicenseTransfers
    const policyChanges = yield* PolicyChanges
    const keys = yield* LicenseKeys
    const creation = yield* LicenseCreation
    const batches = yield* LicenseBatches
    const explanations = yield* Explanations
    return handlers.handleAll({
      listLicenses: ({ query: { include_names, ...query } }) =>
        writtenPage(licenses.list(filtersOf(query), pageOf(query), { names: include_names === "true" })),
      createLicense: ({ payload }) => oneWarned(creation.createRequested(payload)),
      getLicense: ({ params, query }) => {
        const shown = { terms: query.include_terms === "true", names: query.include_names === "true" }
        return one(shown.terms || shown.names ? licenses.show(params.id, shown) : licenses.get(params.id))
      },
      suspendLicense: ({ params }) => one(licenses.suspend(params.id)),
      reinstateLicense: ({ params }) => one(licenses.reinstate(params.id)),
      revokeLicense: ({ params }) => one(licenses.revoke(params.id)),
      updateLicense: ({ params, payload }) => oneWarned(updates.update(params.id, payload)),
      renewLicense: ({ params, payload }) => one(renewals.renew(params.id, payload)),
      transferLicense: ({ params, payload }) => one(transfers.transfer(params.id, payload)),
      changeLicensePolicy: ({ params, payload }) => oneWarned(policyChanges.change(params.id, payload)),
      rotateLicenseKey: ({ params, payload }) => one(keys.rotate(params.id, payload)),
      lookupLicense: ({ payload }) => one(keys.lookup(payload)),
      searchLicenses: ({ payload }) => one(keys.find(payload)),
      createLicenses: ({ payload }) => oneWarned(Effect.flatMap(RowFindings, (lost) => batches.create(payload, lost))),
      explainLicense: ({ params, payload }) => one(explanations.explain(params.id, payload))
    })
  })
)
