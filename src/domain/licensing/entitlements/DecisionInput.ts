import type {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  DeviceNotActivated,
  FeatureNotEntitled,
  FeatureQuotaExceeded,
  FloatingLimitExceeded,
  LeaseExpired,
  LeaseNotFound,
  LicenseExpired,
  LicenseInactive,
  OfflineNotAllowed,
  ProductMismatch,
  RefundNotAllowed,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  UserDeviceLimitExceeded,
  UserSignInRequired,
  VmNotAllowed
} from "../../ground/wire/Errors.ts"
import type { LicenseStatus } from "../licenses/License.ts"
import type { SeatsInput } from "./Seats.ts"

/** The request to decide. */
export type RuntimeOperation =
  | "activate"
  | "validate"
  | "check"
  | "consume"
  | "refund"
  | "deactivate"
  | "offline"
  | "checkout"
  | "heartbeat"
  | "checkin"
  | "sign_in"
  | "devices"
  | "release"

/** An operation that writes, so that its answer may be stored and asked for again. */
export type RuntimeWrite = Exclude<RuntimeOperation, "validate" | "check" | "sign_in" | "devices">

/** How a lease stands that a caller names: `unknown` is also one that was given back. */
export type LeaseStanding = "live" | "expired" | "released" | "unknown"

/** Everything a decision may depend on. */
export interface DecisionInput extends SeatsInput {
  readonly operation: RuntimeOperation
  readonly status: LicenseStatus
  readonly notStarted: boolean
  /** The license awaits its first activation, which could give it no end: its durations lead beyond the year 9999. */
  readonly cannotStart: boolean
  /** When the license expires, as Unix time in milliseconds; undefined when it does not. */
  readonly expiresAt?: number | undefined
  readonly productCode: string
  readonly requestedProductCode: string | undefined
  readonly isVm: boolean
  /** Live leases of the license, without this device's. */
  readonly otherLiveLeases: number
  /** Heartbeat and checkin name a lease, checkout asks for one: whether this device has one that lives. */
  readonly lease: LeaseStanding
  /** What consume is about; other operations have none. */
  readonly consumption?: {
    /** Granted, switched on and not expired. */
    readonly entitled: boolean
    /** What is left, with what is served beyond the quota; undefined without a quota. */
    readonly remaining: number | undefined
    readonly amount: number
  }
  readonly policy: SeatsInput["policy"] & {
    readonly allow_vm: boolean
    readonly allow_container: boolean
    readonly max_floating_users: number | null
    readonly activation_overage?: string | undefined
    readonly floating_overage?: string | undefined
    readonly allow_offline_activation: boolean
    readonly offline_grace_days: number
    readonly refund_window_minutes?: number | undefined
    readonly max_devices_per_user?: number | undefined
  }
}

/** Why every operation that runs the app may be refused. */
type RunningRefusal =
  | ProductMismatch
  | LicenseInactive
  | LicenseExpired
  | DeviceBlacklisted
  | VmNotAllowed
  | ContainerNotAllowed
  | UserSignInRequired

/** Why each operation may be refused; a test holds the rules to it. */
export interface Refusals {
  readonly activate:
    | RunningRefusal
    | SelfServiceNotAllowed
    | SelfServiceLimitExceeded
    | ActivationLimitExceeded
    | UserDeviceLimitExceeded
  readonly validate: RunningRefusal | DeviceNotActivated
  readonly check: RunningRefusal | DeviceNotActivated
  readonly consume: RunningRefusal | DeviceNotActivated | FeatureNotEntitled | FeatureQuotaExceeded
  readonly refund: RunningRefusal | DeviceNotActivated | RefundNotAllowed
  readonly deactivate: ProductMismatch | LicenseInactive | DeviceBlacklisted | DeviceNotActivated
  readonly offline: RunningRefusal | DeviceNotActivated | OfflineNotAllowed
  readonly checkout: RunningRefusal | FloatingLimitExceeded | UserDeviceLimitExceeded
  readonly heartbeat: RunningRefusal | LeaseNotFound | LeaseExpired
  readonly checkin: LeaseNotFound | LeaseExpired
  readonly sign_in: LicenseInactive | LicenseExpired
  readonly devices: LicenseInactive | SelfServiceNotAllowed
  readonly release: LicenseInactive | DeviceBlacklisted | SelfServiceNotAllowed | SelfServiceLimitExceeded
}

/** The name of a rule, for people and programs that ask why. A name once released keeps its meaning. */
export type RuleName =
  | "product_mismatch"
  | "license_revoked"
  | "license_suspended"
  | "license_not_started"
  | "license_expired"
  | "term_out_of_range"
  | "device_blacklisted"
  | "vm_not_allowed"
  | "container_not_allowed"
  | "user_required"
  | "device_not_activated"
  | "device_of_other_user"
  | "self_service_not_allowed"
  | "self_service_limit"
  | "activation_limit"
  | "user_device_limit"
  | "lease_not_found"
  | "lease_expired"
  | "floating_limit"
  | "offline_not_allowed"
  | "refund_not_allowed"
  | "feature_not_entitled"
  | "feature_quota"

/** What a rule is about: without a device, or a feature, there is nothing for its rules to judge. */
export type RuleSubject = "license" | "device" | "feature"
