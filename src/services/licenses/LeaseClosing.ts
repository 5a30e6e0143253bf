import { Context, Effect, Layer } from "effect"
import { Lease } from "../../domain/entitlements/Lease.ts"
import type { LeaseEnd } from "../../domain/entitlements/Lease.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"

/** Selects open leases: all of a license or of several, those of some of its devices, or single ones. */
export interface LeaseSelection {
  readonly licenseId: string | ReadonlyArray<string>
  readonly deviceId?: string | ReadonlyArray<string>
  readonly leaseId?: string | ReadonlyArray<string>
}

/** The columns of an open or ended lease in wire form; `status` is judged on the database's clock. */
export const leaseColumns = `
  id, license_id, device_id, product_id, checked_out_at, last_heartbeat_at, expires_at, ended_at,
  coalesce(end_reason, CASE WHEN expires_at > clock_timestamp() THEN 'active' ELSE 'expired' END) AS status`

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
}>()("countersign/services/licenses/LeaseClosing") {
  static readonly layer = Layer.effect(
    LeaseClosing,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events

      // A heartbeat takes no license lock and may be extending a lease right now. This statement then waits for it and
      // evaluates the lease again, so that one of the two sees the other's result.
      const close = Effect.fnUntraced(function*(selection: LeaseSelection, reason: LeaseEnd, most?: number) {
        const { deviceId, leaseId, licenseId } = selection
        const named = (column: string, ids: string | ReadonlyArray<string>) =>
          typeof ids === "string" ? sql`${sql(column)} = ${ids}` : sql`${sql(column)} = ANY(${ids}::text[])`
        const ofLicenses = named("license_id", licenseId)
        const rows = yield* sql`
          UPDATE leases SET ended_at = date_trunc('milliseconds', clock_timestamp()), end_reason = ${reason}
          WHERE ${ofLicenses} AND ended_at IS NULL
            ${deviceId === undefined ? sql`` : sql`AND ${named("device_id", deviceId)}`}
            ${leaseId === undefined ? sql`` : sql`AND ${named("id", leaseId)}`}
            ${reason === "expired" ? sql`AND expires_at <= clock_timestamp()` : sql``}
            ${
          most === undefined ? sql`` : sql`AND id = ANY(ARRAY(
              SELECT id FROM leases WHERE ${ofLicenses} AND ended_at IS NULL AND expires_at <= clock_timestamp()
              ORDER BY expires_at, id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED))`
        }
          RETURNING ${sql.literal(leaseColumns)}`
        if (rows.length === 0) return []
        const leases = rows.map(readLease)
        const after = bindingAfter[reason]
        if (after !== undefined) {
          yield* sql`
            UPDATE devices SET status = ${after}, updated_at = now()
            WHERE id = ANY(${leases.map(({ device_id }) => device_id)}::text[]) AND floating AND status = 'active'`
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
