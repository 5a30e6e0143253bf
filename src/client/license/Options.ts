import type { PublicKey } from "../notes/checkpoint.ts"
import type { TransportOptions } from "../transport/Transport.ts"
import type { AppClock, LicenseStore } from "./Store.ts"

/** Further facts about a device, as fields of a runtime request. */
export interface DeviceMembers {
  readonly hostname?: string
  readonly os?: string
  readonly components?: Readonly<Record<string, string>>
  readonly is_vm?: boolean
  readonly is_container?: boolean
  readonly container_id?: string
  readonly cluster_id?: string
  readonly namespace?: string
  readonly pod_name?: string
  readonly app_version?: string
}

/** The options of a license in an app. */
export interface LicenseOptions {
  /** Where the service is, such as `https://licenses.example.com`. */
  readonly baseUrl: string | URL
  /** The code of your product: a license of another one is refused. */
  readonly productCode: string
  /** The keys that you ship with the app, as `GET /api/v1/system/public-keys` lists them in `data`. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly store: LicenseStore
  /** An id of this machine, as `fingerprint()` gives it; the same at every start. */
  readonly fingerprint: string
  readonly device?: DeviceMembers
  /**
   * Whether the service is told the host's name and the system, by which a person tells devices apart when a seat must be freed.
   * Default: true. What `device` says goes before.
   */
  readonly nameDevice?: boolean
  /**
   * For how many days the app runs on after the last answer's `valid_until` when the service cannot be reached. Default: 7.
   * A trial never runs beyond its end.
   */
  readonly graceDays?: number
  /** A license key that the app has from elsewhere; it is activated by the first check if it must be. */
  readonly licenseKey?: string
  /**
   * The name of this process among those of the device, where the terms give each process a floating seat (`lease_unit`): it
   * then has one of its own, and the same name at the next start has it back after a crash. Left out, the processes and
   * windows of a device share one.
   */
  readonly processId?: string
  /**
   * How an answer signed by a key that is not pinned is treated: `fetch` (the default) reads the published keys again, over
   * TLS or from this machine only; `pinned` refuses it, so that a new key needs a new version of the app.
   */
  readonly keyRotation?: "fetch" | "pinned"
  /**
   * Whether the app runs on licenses of the test environment too, and takes their clock, which may be ahead. Only for builds
   * that no customer gets: anybody who may test could license them. Default: false.
   */
  readonly allowTest?: boolean
  /** How requests are sent. Default: 10 s for each attempt, and one retry. */
  readonly transport?: Omit<TransportOptions, "baseUrl">
  /** Called with errors that do not concern the license, such as a store that cannot be written. */
  readonly onProblem?: (error: unknown) => void
  /** The clock and the timers; for tests. */
  readonly clock?: AppClock
}
