import { Effect } from "effect"
import type { LicenseType } from "../catalog/Policy.ts"
import type { DeviceStatus } from "../licenses/Device.ts"
import type { LicenseState, LicenseStatus } from "../licenses/License.ts"
import { hasNotStarted, statusOf } from "../licenses/LicenseStatus.ts"
import { findings, standing } from "./Decision.ts"
import type { DecisionInput, Refusals, RuntimeOperation } from "./Decision.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"

/** Everything one runtime answer depends on, as it is read in one statement on the database's clock. */
export interface Snapshot {
  readonly now: Date
  readonly kid: string
  readonly license_id: string
  readonly state: LicenseState
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  readonly maintenance_expires_at: Date | null
  readonly entitlement_version: bigint
  readonly product_id: string
  readonly product_code: string
  readonly policy_code: string
  readonly license_type: LicenseType
  readonly max_activations: number
  readonly max_container_instances: number | null
  readonly max_floating_users: number | null
  readonly floating_timeout_minutes: number
  readonly grace_period_days: number
  readonly validation_interval_minutes: number
  readonly allow_vm: boolean
  readonly allow_container: boolean
  readonly allow_offline_activation: boolean
  readonly offline_grace_days: number
  readonly device_id: string | null
  /** A device that is bound through a lease only is `expired` once the lease has run out. */
  readonly device_status: DeviceStatus | null
  /** Whether the device is bound through a lease only. */
  readonly device_floating: boolean
  readonly features:
    | ReadonlyArray<{
      readonly id: string
      readonly code: string
      readonly enabled: boolean
      readonly quota: number | null
      readonly consumed: number
    }>
    | null
  /** Whether the product lists any version; false where the caller named none. */
  readonly has_versions: boolean
  /** When the version that the caller named was released, if the product lists it. */
  readonly version_released_at: Date | null
}

/** What a decision needs beside the snapshot and the request. */
export type DecisionMore = Partial<
  Pick<DecisionInput, "otherActiveDevices" | "otherLiveLeases" | "lease" | "consumption" | "bindingKind" | "isVm">
>

/** The license status that everyone sees at the snapshot's instant. */
export const statusAt = (snapshot: Snapshot): LicenseStatus =>
  statusOf({
    state: snapshot.state,
    starts_at: snapshot.starts_at?.getTime(),
    expires_at: snapshot.expires_at?.getTime(),
    grace_period_days: snapshot.grace_period_days,
    now: snapshot.now.getTime()
  })

const inputOf = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore
) => ({
  operation,
  status: statusAt(snapshot),
  notStarted: hasNotStarted({ starts_at: snapshot.starts_at?.getTime(), now: snapshot.now.getTime() }),
  expiresAt: snapshot.expires_at?.getTime(),
  productCode: snapshot.product_code,
  requestedProductCode: request.product_code,
  bindingKind: request.is_container === true ? "container" as const : "hardware" as const,
  isVm: request.is_vm === true,
  deviceStatus: snapshot.device_status ?? undefined,
  deviceFloating: snapshot.device_floating,
  otherActiveDevices: 0,
  otherLiveLeases: 0,
  lease: "unknown" as const,
  policy: snapshot,
  ...more
})

const failWithFirst = <E>([finding]: ReadonlyArray<E>): Effect.Effect<void, E> =>
  finding === undefined ? Effect.void : Effect.fail(finding)

/** Fails with the finding of highest rank, if there is any. */
export const decide = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore = {}
): Effect.Effect<void, Refusals[Operation]> => failWithFirst(findings(inputOf(operation, snapshot, request, more)))

/** The same for a write that is repeated: only what {@link standing} still judges. */
export const decideReplay = <Operation extends RuntimeOperation>(
  operation: Operation,
  snapshot: Snapshot,
  request: RuntimeRequest,
  more: DecisionMore = {}
): Effect.Effect<void, Refusals[Operation]> => failWithFirst(standing(inputOf(operation, snapshot, request, more)))
