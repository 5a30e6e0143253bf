import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { PublishableCaller, RowFindings, RuntimeCaller } from "../../api/ground/Middleware.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { warningsAboutHeldSeat } from "../../domain/licensing/licenses/Device.ts"
import { LicenseUserErasure } from "../../domain/licensing/users/UserSignIn.ts"
import { Explanations } from "../../services/licensing/entitlements/Explanations.ts"
import { Devices } from "../../services/licensing/licenses/Devices.ts"
import { LicenseBatches } from "../../services/licensing/licenses/LicenseBatches.ts"
import { LicenseCreation } from "../../services/licensing/licenses/LicenseCreation.ts"
import { Licenses } from "../../services/licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../../services/licensing/licenses/LicenseUsers.ts"
import { LicenseKeys, LicenseTransfers } from "../../services/licensing/lifecycle/LicenseTransfers.ts"
import { LicenseRenewals, LicenseUpdates } from "../../services/licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../../services/licensing/lifecycle/PolicyChanges.ts"
import { Balances } from "../../services/licensing/metering/Balances.ts"
import { Grants } from "../../services/licensing/metering/Grants.ts"
import { Refunds } from "../../services/licensing/metering/Refunds.ts"
import { ReportedUses } from "../../services/licensing/metering/ReportedUses.ts"
import { OfflineFiles } from "../../services/licensing/offline/OfflineFiles.ts"
import { SelfService } from "../../services/licensing/seats/SelfService.ts"
import type { Asker } from "../../services/licensing/seats/SelfService.ts"
import { Trials } from "../../services/licensing/seats/Trials.ts"
import { UserSignIns } from "../../services/licensing/users/UserSignIns.ts"
import { UserErasures } from "../../services/portal/privacy/UserErasures.ts"
import { makeInSteps, one, oneWarned, page, signed, writtenPage } from "../ground/edge/Reply.ts"
import { aboutBindings, question } from "./Runtime.ts"

export const poolsLayer = HttpApiBuilder.group(
  Api,
  "customer-pools",
  Effect.fn(function*(handlers) {
    const balances = yield* Balances
    const { ofCustomers: pools } = yield* Grants
    return handlers.handleAll({
      listCustomerBalances: ({ params, query }) => page(balances.list(params.id, query, pageOf(query))),
      listCustomerPools: ({ params, query }) => page(pools.list(params.id, {}, pageOf(query))),
      createCustomerPool: ({ params, payload }) => one(pools.give(params.id, payload)),
      getCustomerPool: ({ params }) => one(pools.get(params.id, params.pool_id)),
      revokeCustomerPool: ({ params }) => one(pools.revoke(params.id, params.pool_id))
    })
  })
)

export const grantsLayer = HttpApiBuilder.group(
  Api,
  "license-grants",
  Effect.fn(function*(handlers) {
    const { ofLicenses: grants } = yield* Grants
    const refunds = yield* Refunds
    return handlers.handleAll({
      listLicenseGrants: ({ params, query }) => page(grants.list(params.id, query, pageOf(query))),
      createLicenseGrant: ({ params, payload }) => one(grants.give(params.id, payload)),
      getLicenseGrant: ({ params }) => one(grants.get(params.id, params.grant_id)),
      refundLicenseUsage: ({ params, payload }) => one(refunds.refund(params.id, payload)),
      revokeLicenseGrant: ({ params }) => one(grants.revoke(params.id, params.grant_id))
    })
  })
)

export const usageLayer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function*(handlers) {
    const uses = yield* ReportedUses
    return handlers.handleAll({
      reportUsage: ({ payload }) => one(Effect.flatMap(RowFindings, (lost) => uses.report(payload, lost)))
    })
  })
)

export const userSignInsLayer = HttpApiBuilder.group(
  Api,
  "user-sign-ins",
  Effect.fn(function*(handlers) {
    const signIns = yield* UserSignIns
    return handlers.handleAll({
      getUserIssuer: ({ headers }) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.findIssuer(caller, headers["x-nonce"]))),
      beginUserMailSignIn: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.beginByMail(caller, question(request)))),
      signInLicenseUser: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.signIn(caller, question(request))))
    })
  })
)

const askerOf = (headers: { readonly "x-user-token"?: string }): Asker => ({ userToken: headers["x-user-token"] })

export const selfServiceLayer = HttpApiBuilder.group(
  Api,
  "self-service",
  Effect.fn(function*(handlers) {
    const selfService = yield* SelfService
    return handlers.handleAll({
      listOwnDevices: ({ headers, query }) =>
        page(
          Effect.flatMap(RuntimeCaller, (caller) =>
            selfService.list(caller, { by: askerOf(headers), thisId: query.device_id, page: pageOf(query) }))
        ),
      releaseOwnDevice: ({ headers, params }) =>
        one(Effect.flatMap(RuntimeCaller, (caller) => selfService.release(caller, params.device_id, askerOf(headers))))
    })
  })
)

export const trialsLayer = HttpApiBuilder.group(
  Api,
  "trials",
  Effect.fn(function*(handlers) {
    const trials = yield* Trials
    const warningsAbout = yield* aboutBindings
    return handlers.handleAll({
      openTrial: Effect.fnUntraced(function*(request) {
        const { address, key } = yield* PublishableCaller
        const trial = question(request)
        const { answer, isNew } = yield* trials.open({ key, address, request: trial })
        return HttpServerResponse.setStatus(
          yield* signed(Effect.succeed(answer), warningsAbout(trial)),
          isNew ? 201 : 200
        )
      })
    })
  })
)

export const devicesLayer = HttpApiBuilder.group(
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

export const licenseUsersLayer = HttpApiBuilder.group(
  Api,
  "license-users",
  Effect.fn(function*(handlers) {
    const users = yield* LicenseUsers
    const erasures = yield* UserErasures
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      listLicenseUsers: ({ params, query: { q, status, ...query } }) =>
        page(users.list(params.id, { q, status }, pageOf(query))),
      inviteLicenseUser: ({ params, payload }) => one(users.invite(params.id, payload)),
      getLicenseUser: ({ params }) => one(users.get(params.id, params.user_id)),
      removeLicenseUser: ({ params }) => one(users.remove(params.id, params.user_id)),
      eraseLicenseUser: ({ params }) => inSteps(200, LicenseUserErasure, erasures.erase(params.id, params.user_id))
    })
  })
)

export const licensesLayer = HttpApiBuilder.group(
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
