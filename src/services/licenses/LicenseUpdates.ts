import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { License } from "../../domain/licenses/License.ts"
import type { LicenseUpdate } from "../../domain/licenses/LicenseUpdate.ts"
import type { NotFound, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField } from "../../domain/wire/FieldFindings.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Licenses } from "./Licenses.ts"

const instants = ["starts_at", "expires_at", "maintenance_expires_at"] as const

/** Edits the attributes of a license that management sets, under the rules of its creation. */
export class LicenseUpdates extends Context.Service<LicenseUpdates, {
  /** The times of a revoked license cannot change: STATE_CONFLICT. An edit without changes does nothing. */
  readonly update: (
    id: string,
    changes: LicenseUpdate
  ) => Effect.Effect<License, NotFound | StateConflict | ValidationError>
}>()("countersign/services/licenses/LicenseUpdates") {
  static readonly layer = Layer.effect(
    LicenseUpdates,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses

      const update = Effect.fn("LicenseUpdates.update")((id: string, changes: LicenseUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license, license_type } = yield* licenses.hold(id)
            if (Object.keys(changes).length === 0) return license
            const changesTimes = instants.some((member) => changes[member] !== undefined)
            if (license.status === "revoked" && changesTimes) {
              return yield* failing(StateConflict, "The times of a revoked license cannot be changed.", {
                detail: "revoked"
              })
            }
            if (typeof changes.maintenance_expires_at === "string" && license_type !== "perpetual") {
              return yield* invalidField(
                "maintenance_expires_at",
                "perpetual_only",
                "is for perpetual licenses only"
              )
            }
            const starts = changes.starts_at === undefined ? license.starts_at : changes.starts_at
            const ends = changes.expires_at === undefined ? license.expires_at : changes.expires_at
            if (
              changesTimes && typeof starts === "string" && typeof ends === "string" &&
              Date.parse(ends) <= Date.parse(starts)
            ) {
              return yield* changes.expires_at === undefined
                ? invalidField("starts_at", "before_start", "must be before expires_at")
                : invalidField("expires_at", "before_start", "must be after starts_at")
            }
            const set: Array<Statement.Fragment> = [sql`updated_at = now()`]
            for (const member of ["customer_email", "customer_name"] as const) {
              if (changes[member] !== undefined) set.push(sql`${sql(member)} = ${changes[member] || null}`)
            }
            if (changes.metadata !== undefined) set.push(sql`metadata = ${JSON.stringify(changes.metadata)}::jsonb`)
            for (const member of instants) {
              if (changes[member] !== undefined) set.push(sql`${sql(member)} = ${changes[member]}::text::timestamptz`)
            }
            if (changes.expires_at !== undefined) set.push(sql`announced = 'nothing'`)
            if (changesTimes) set.push(sql`entitlement_version = entitlement_version + 1`)
            yield* sql`UPDATE licenses SET ${sql.csv(set)} WHERE id = ${id}`
            return yield* licenses.record("license.updated", id)
          })
        )
      )

      return LicenseUpdates.of({ update })
    })
  )
}
