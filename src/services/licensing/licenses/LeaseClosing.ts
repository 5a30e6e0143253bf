import { Context, Effect, Layer } from "effect"
import { Lease } from "../../../domain/licensing/entitlements/Lease.ts"
import type { LeaseEnd } from "../../../domain/licensing/entitlements/Lease.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { updateEnded, updateUnbound } from "./DeviceComponentSql.ts"
import type { LeaseSelection } from "./DeviceComponentSql.ts"

const readLease = rowReader(Lease)

/** The new status of a device that was bound only for its lease. */
const bindingAfter: Readonly<Record<LeaseEnd, string | undefined>> = {
  checked_in: "deactivated",
  released: "deactivated",
  deactivated: "deactivated",
  transferred: "deactivated",
  revoked: "deactivated",
  expired: "expired",
  // The code that resets or blocks a device writes its status itself.
  reset: undefined,
  blacklisted: undefined
}

/**
 * Ends floating leases: frees the seats, closes the bindings made only for them, and appends the events. Callers hold
 * the row lock of the license, so that no other transaction decides about its seats meanwhile.
 */
export class LeaseClosing extends Context.Service<LeaseClosing, {
  /** Ends the selected open leases; returns them in their final state. */
  readonly end: (selection: LeaseSelection, reason: Exclude<LeaseEnd, "expired">) => Effect.Effect<ReadonlyArray<Lease>>
  /** Ends the expired open leases of a license. */
  readonly endExpired: (licenseId: string) => Effect.Effect<ReadonlyArray<Lease>>
  /**
   * Ends expired open leases of some licenses, at most `most` of them, those that expired first. Leaves out whichever a
   * heartbeat has locked, and so waits for none.
   */
  readonly endSomeExpired: (licenseIds: ReadonlyArray<string>, most: number) => Effect.Effect<ReadonlyArray<Lease>>
}>()("countersign/services/licensing/licenses/LeaseClosing") {
  static readonly layer = Layer.effect(
    LeaseClosing,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events

      const close = Effect.fnUntraced(function*(selection: LeaseSelection, reason: LeaseEnd, most?: number) {
        const rows = yield* updateEnded(sql, selection, reason, most)
        if (rows.length === 0) return []
        const leases = rows.map(readLease)
        const after = bindingAfter[reason]
        if (after !== undefined) {
          yield* updateUnbound(sql, leases.map(({ device_id }) => device_id), after)
        }
        yield* events.appendAll(leases.map((lease) => ({
          type: reason === "expired" ? "lease.expired" : "lease.checked_in",
          resourceId: lease.id,
          data: lease,
          metadata: { license_id: lease.license_id, device_id: lease.device_id, reason }
        })))
        return leases
      })

      return LeaseClosing.of({
        // A lease that had already expired ended for that reason, whatever ends it now.
        end: (selection, reason) => Effect.andThen(close(selection, "expired"), close(selection, reason)),
        endExpired: (licenseId) => close({ licenseId }, "expired"),
        endSomeExpired: (licenseIds, most) => close({ licenseId: licenseIds }, "expired", most)
      })
    })
  )
}
