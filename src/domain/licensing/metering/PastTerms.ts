import type { SnapshotRow } from "../entitlements/Snapshot.ts"

/** The owner of a license, and what it was bought with; undefined where there is none. */
export interface LicenseOwner {
  readonly customer_id: string | undefined
  readonly order_id: string | undefined
  readonly subscription_id: string | undefined
}

/** The terms of a license at an instant. */
export interface TermsThen {
  /** Who owned it; undefined where all terms are those of now. */
  readonly owner: LicenseOwner | undefined
  /** The license under those terms, with the counters, grants and pools that it has. */
  readonly applied: (row: SnapshotRow) => SnapshotRow
}

/** The terms of licenses at instants; undefined where those of now are meant, with all pools that it has. */
export type PastTerms = (licenseId: string, at: number) => TermsThen | undefined
