import { Context, Effect, Layer } from "effect"
import type { NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { licenseTransfer } from "../../../domain/licensing/lifecycle/LicenseTransfer.ts"
import type { LicenseTransfer } from "../../../domain/licensing/lifecycle/LicenseTransfer.ts"
import { fileEvent } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { EndedBy } from "../../../domain/licensing/owners/Belongings.ts"
import { makeLinkChecks } from "../../customers/LinkChecks.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Events } from "../../log/Events.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { updateOwned } from "../../people/notes/NoteSql.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { deleteKeySessions, insertWorkOfWaitingFor, readRevokedFile, updateFilesRevoked } from "./LicenseChangeSql.ts"
import { deleteTransferRequest } from "./TransferRequestSql.ts"

/**
 * Ends what belongs to the owner of a license that another one gets (`domain/licensing/owners/Belongings.ts`), in the surrounding transaction, which has
 * locked the license. The columns of the license itself are written with the transfer.
 */
const makeEndOfOwner = Effect.gen(function*() {
  const sql = yield* Database
  const devices = yield* Devices
  const events = yield* Events
  const users = yield* LicenseUsers

  const written = () => Effect.void

  const ends: Readonly<Record<EndedBy<"other_owner">, (licenseId: string) => Effect.Effect<unknown>>> = {
    contact: written,
    trusted_issuer: written,
    machine_names: devices.unname,
    users: users.endAll,
    offer: (licenseId) => deleteTransferRequest(sql, licenseId),
    key_session: (licenseId) => deleteKeySessions(sql, licenseId),
    offline_files: (licenseId) =>
      Effect.flatMap(
        updateFilesRevoked(sql, licenseId),
        (files) => events.appendAll(files.map((row) => fileEvent("offline_file.revoked", readRevokedFile(row))))
      )
  }

  return (licenseId: string) => Effect.forEach(Object.values(ends), (end) => end(licenseId), { discard: true })
})

/** Transfers licenses to another owner. */
export class LicenseTransfers extends Context.Service<LicenseTransfers, {
  /**
   * A transfer to another counts towards the policy's `max_transfers`, even one that only resets the devices. Naming the
   * first owner, or the same, is an edit. What belongs to a former owner ends with the transfer (`domain/licensing/owners`).
   */
  readonly transfer: (id: string, input: LicenseTransfer) => Effect.Effect<License, NotFound | StateConflict>
}>()("countersign/services/licensing/lifecycle/LicenseTransfers") {
  static readonly layer = Layer.effect(
    LicenseTransfers,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const devices = yield* Devices
      const endBelongings = yield* makeEndOfOwner
      const links = makeLinkChecks(sql)

      /** Frees the devices, and ends what belongs to a former owner; answers how many devices were freed. */
      const ends = (
        id: string,
        { leaves, reset }: { readonly reset: Effect.Effect<number>; readonly leaves: boolean }
      ) =>
        // All of it is the former owner's, and the reason may name the next one: it stands in the transfer alone.
        leaves
          ? Effect.provideService(Effect.tap(reset, () => endBelongings(id)), CurrentReason, undefined)
          : reset

      const transfer = Effect.fn("LicenseTransfers.transfer")((id: string, input: LicenseTransfer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* licenses.hold(id)
            const { customer_id } = held.license
            const named = input.customer_id === undefined || input.customer_id === ""
              ? undefined
              : yield* links.customer(input.customer_id)
            const { change, counts, leaves } = yield* Effect.fromResult(
              licenseTransfer({ ...held, address: named?.email }, input)
            )
            const devices_reset = yield* ends(id, {
              reset: input.reset_devices === true ? devices.resetAll(id) : Effect.succeed(0),
              leaves
            })
            if (customer_id !== undefined) yield* updateOwned(sql, id, customer_id)
            yield* insertWorkOfWaitingFor(sql, id)
            if (!counts) return yield* licenses.write(held, change, { type: "license.updated" })
            return yield* licenses.write(held, change, {
              type: "license.transferred",
              metadata: {
                devices_reset,
                ...(customer_id === undefined ? {} : { previous_customer_id: customer_id })
              }
            })
          })
        )
      )

      return LicenseTransfers.of({ transfer })
    })
  )
}
