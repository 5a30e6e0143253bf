import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { License } from "../../domain/licenses/License.ts"
import type { LicenseTransfer } from "../../domain/lifecycle/LicenseTransfer.ts"
import type { NotFound } from "../../domain/wire/Errors.ts"
import { failing, StateConflict } from "../../domain/wire/Errors.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"

/** Transfers licenses to another owner. */
export class LicenseTransfers extends Context.Service<LicenseTransfers, {
  /** Every transfer counts towards the policy's `max_transfers`, even one that only resets the devices. */
  readonly transfer: (id: string, input: LicenseTransfer) => Effect.Effect<License, NotFound | StateConflict>
}>()("countersign/services/lifecycle/LicenseTransfers") {
  static readonly layer = Layer.effect(
    LicenseTransfers,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const devices = yield* Devices
      const links = makeLinkChecks(sql)

      const transfer = Effect.fn("LicenseTransfers.transfer")((id: string, input: LicenseTransfer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license, rules: { max_transfers } } = yield* licenses.hold(id)
            if (input.customer_id !== undefined && input.customer_id !== "") yield* links.customer(input.customer_id)
            if (license.status === "revoked") {
              return yield* failing(StateConflict, "A revoked license cannot be transferred.", { detail: "revoked" })
            }
            if (license.times_transferred >= max_transfers) {
              return yield* failing(StateConflict, "The policy allows no further transfer of this license.", {
                detail: `${license.times_transferred} of ${max_transfers} transfers made`
              })
            }
            const reset = input.reset_devices === true ? yield* devices.resetAll(id) : 0
            const set: Array<Statement.Fragment> = [
              sql`times_transferred = times_transferred + 1`,
              sql`entitlement_version = entitlement_version + 1`,
              sql`updated_at = now()`
            ]
            for (const member of ["customer_id", "customer_email", "customer_name"] as const) {
              if (input[member] !== undefined) set.push(sql`${sql(member)} = ${input[member] || null}`)
            }
            yield* sql`UPDATE licenses SET ${sql.csv(set)} WHERE id = ${id}`
            return yield* licenses.record("license.transferred", id, {
              devices_reset: reset,
              ...(license.customer_id === undefined ? {} : { previous_customer_id: license.customer_id })
            })
          })
        )
      )

      return LicenseTransfers.of({ transfer })
    })
  )
}
