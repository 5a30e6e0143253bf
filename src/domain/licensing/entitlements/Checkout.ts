import { Result } from "effect"
import { overageOf } from "../../catalog/terms/Overage.ts"
import type { Overage } from "../../catalog/terms/Overage.ts"
import { decide } from "./Decision.ts"
import type { Refusals } from "./DecisionInput.ts"
import { processOf } from "./Lease.ts"
import type { Lease } from "./Lease.ts"
import type { CheckoutRequest } from "./RuntimeRequest.ts"
import type { SeatUse } from "./Seats.ts"
import type { Snapshot } from "./Snapshot.ts"

const minute = 60_000

/** A lease that a device holds. */
interface HeldLease {
  readonly id: string
  /** Of its token: 1 for the first, one more each time it is replaced. */
  readonly generation: bigint
}

/** What a checkout finds, and what it is given for what is new. */
export interface CheckoutInput {
  /** From when on the lease counts. */
  readonly at: Date
  /** How many leases of the license are open. Each takes a seat, even if it expires before the checkout is decided. */
  readonly open: number
  /** The lease that the device holds already, or the process of it. */
  readonly mine: HeldLease | undefined
  /** The device, and a lease that is opened. */
  readonly deviceId: string
  readonly leaseId: string
}

/** What a checkout that is allowed takes. */
export interface Checkout {
  readonly deviceId: string
  readonly leaseId: string
  readonly generation: bigint
  readonly expiresAt: Date
  /** The lease that is opened; undefined where the device keeps the one that it holds. */
  readonly opened: Lease | undefined
  readonly seats: SeatUse
  readonly overage: Overage | undefined
}

/** Decides a checkout: it opens a lease, or keeps the one that the device holds for another period. */
export const checkout = (
  snapshot: Snapshot,
  request: CheckoutRequest,
  { at, deviceId, leaseId, mine, open }: CheckoutInput
): Result.Result<Checkout, Refusals["checkout"]> =>
  Result.map(
    decide("checkout", snapshot, request, {
      lease: mine === undefined ? "unknown" : "live",
      otherLiveLeases: mine === undefined ? open : open - 1
    }),
    (): Checkout => {
      const expiresAt = new Date(at.getTime() + snapshot.floating_timeout_minutes * minute)
      const seats = {
        limit: snapshot.max_floating_users ?? 0,
        before: open,
        used: mine === undefined ? open + 1 : open,
        overage: snapshot.floating_overage
      }
      const rest = { deviceId, expiresAt, seats, overage: overageOf(seats) }
      if (mine !== undefined) return { leaseId: mine.id, generation: mine.generation + 1n, opened: undefined, ...rest }
      const process = processOf(snapshot, request)
      const opened: Lease = {
        id: leaseId,
        license_id: snapshot.license_id,
        device_id: deviceId,
        status: "active",
        checked_out_at: at.toISOString(),
        expires_at: expiresAt.toISOString(),
        // Its heartbeats name the lease alone, and are answered for this product.
        ...(snapshot.product_id === snapshot.row.product_id ? {} : { product_id: snapshot.product_id }),
        ...(process === "" ? {} : { process_id: process })
      }
      return { leaseId, generation: 1n, opened, ...rest }
    }
  )
