import { Context, Effect, Layer } from "effect"
import type { License } from "../../domain/licenses/License.ts"
import { licenseTransfer } from "../../domain/lifecycle/LicenseTransfer.ts"
import type { LicenseTransfer } from "../../domain/lifecycle/LicenseTransfer.ts"
import type { NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { CurrentReason } from "../events/Provenance.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { updateOwned } from "../notes/NoteSql.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { deleteTransferRequest } from "./TransferRequestSql.ts"

/** Transfers licenses to another owner. */
export class LicenseTransfers extends Context.Service<LicenseTransfers, {
  /**
   * A transfer to another counts towards the policy's `max_transfers`, even one that only resets the devices. Naming the
   * first owner, or the same, is an edit. The name, address and machines' names of a former owner go with the owner.
   */
  readonly transfer: (id: string, input: LicenseTransfer) => Effect.Effect<License, NotFound | StateConflict>
}>()("countersign/services/lifecycle/LicenseTransfers") {
  static readonly layer = Layer.effect(
    LicenseTransfers,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const devices = yield* Devices
      const users = yield* LicenseUsers
      const links = makeLinkChecks(sql)

      const transfer = Effect.fn("LicenseTransfers.transfer")((id: string, input: LicenseTransfer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* licenses.hold(id)
            const { customer_id } = held.license
            if (input.customer_id !== undefined && input.customer_id !== "") yield* links.customer(input.customer_id)
            const { change, counts, leavesOwner } = yield* Effect.fromResult(licenseTransfer(held, input))
            // The devices are the former owner's, and the reason may name the next one: it stands in the transfer alone.
            const reset = leavesOwner
              ? Effect.provideService(devices.resetAll(id), CurrentReason, undefined)
              : devices.resetAll(id)
            const devices_reset = input.reset_devices === true ? yield* reset : 0
            if (leavesOwner) {
              yield* devices.unname(id)
              // An offer of the former owner is not the next one's.
              yield* deleteTransferRequest(sql, id)
              yield* Effect.provideService(users.endAll(id), CurrentReason, undefined)
            }
            if (customer_id !== undefined) yield* updateOwned(sql, id, customer_id)
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
