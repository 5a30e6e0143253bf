import type { LicenseStatus } from "../licenses/License.ts"
import { servedUpTo } from "../terms/Overage.ts"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  DeviceNotActivated,
  failing,
  FeatureNotEntitled,
  FeatureQuotaExceeded,
  FloatingLimitExceeded,
  LeaseExpired,
  LeaseNotFound,
  LicenseExpired,
  LicenseInactive,
  OfflineNotAllowed,
  ProductMismatch,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  VmNotAllowed
} from "../wire/Errors.ts"
import { givesSeatBack, holdsSeat, seatsOf, selfServiceFor, usedUpUntil } from "./Seats.ts"
import type { SeatsInput } from "./Seats.ts"

/**
 * Whether a copy may run. Every finding is computed, then the one of highest rank decides: nothing returns early, so
 * no permissive branch can skip a check that comes after it.
 */

/** The request to decide. */
export type RuntimeOperation =
  | "activate"
  | "validate"
  | "check"
  | "consume"
  | "deactivate"
  | "offline"
  | "checkout"
  | "heartbeat"
  | "checkin"
  | "devices"
  | "release"

/** An operation that writes, so that its answer may be stored and asked for again. */
export type RuntimeWrite = Exclude<RuntimeOperation, "validate" | "check" | "devices">

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
  }
}

/** Rules, and the operations that each can refuse. */
type RunningRefusal =
  | ProductMismatch
  | LicenseInactive
  | LicenseExpired
  | DeviceBlacklisted
  | VmNotAllowed
  | ContainerNotAllowed

/** Why each operation may be refused; a test holds the rules to it. */
export interface Refusals {
  readonly activate: RunningRefusal | SelfServiceNotAllowed | SelfServiceLimitExceeded | ActivationLimitExceeded
  readonly validate: RunningRefusal | DeviceNotActivated
  readonly check: RunningRefusal | DeviceNotActivated
  readonly consume: RunningRefusal | DeviceNotActivated | FeatureNotEntitled | FeatureQuotaExceeded
  readonly deactivate: ProductMismatch | LicenseInactive | DeviceBlacklisted | DeviceNotActivated
  readonly offline: RunningRefusal | DeviceNotActivated | OfflineNotAllowed
  readonly checkout: RunningRefusal | FloatingLimitExceeded
  readonly heartbeat: RunningRefusal | LeaseNotFound | LeaseExpired
  readonly checkin: LeaseNotFound | LeaseExpired
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
  | "device_not_activated"
  | "self_service_not_allowed"
  | "self_service_limit"
  | "activation_limit"
  | "lease_not_found"
  | "lease_expired"
  | "floating_limit"
  | "offline_not_allowed"
  | "feature_not_entitled"
  | "feature_quota"

/** What a rule is about: without a device, or a feature, there is nothing for its rules to judge. */
export type RuleSubject = "license" | "device" | "feature"

interface Rule {
  readonly name: RuleName
  readonly about: RuleSubject
  /** The operations that the rule governs. */
  readonly governs: ReadonlyArray<RuntimeOperation>
  readonly finding: (input: DecisionInput) => Refusals[RuntimeOperation] | undefined
}

const running: ReadonlyArray<RuntimeOperation> = [
  "activate",
  "validate",
  "check",
  "consume",
  "offline",
  "checkout",
  "heartbeat"
]
/** Everything but checkin, which only ever frees a seat and so is refused to nobody. */
const everything: ReadonlyArray<RuntimeOperation> = [...running, "deactivate", "devices", "release"]

/**
 * A device, or a lease, that a person took the seat from is told so: its app stays out until the key is typed anew or a seat is taken on
 * purpose. One that lapsed, or gave its seat back itself, may come back by itself.
 */
const releasedDetail = ({ deviceStatus, lease }: DecisionInput): { readonly detail?: "released" } =>
  deviceStatus === "reset" || lease === "released" ? { detail: "released" } : {}

const expiredMessage = (expiresAt: number | undefined): string =>
  expiresAt === undefined
    ? "The license has expired and any grace period is over."
    : `The license expired on ${new Date(expiresAt).toISOString()}, and any grace period is over.`

const quotaMessage = (left: number, asked: number): string =>
  left === 0
    ? `The feature's quota is used up: 0 left, ${asked} asked for.`
    : `The amount is more than what is left of the feature's quota: ${left} left, ${asked} asked for.`

/** The rules in order of rank: the first finding decides. */
const rules: ReadonlyArray<Rule> = [
  {
    name: "product_mismatch",
    about: "license",
    governs: everything,
    finding: (input) =>
      input.requestedProductCode !== undefined && input.requestedProductCode !== input.productCode
        ? failing(ProductMismatch, "The license is for another product.")
        : undefined
  },
  {
    name: "license_revoked",
    about: "license",
    // Giving a seat back harms nobody, so a suspended license may; a revoked one has no seats left to give.
    governs: everything,
    finding: (input) =>
      input.status === "revoked"
        ? failing(LicenseInactive, "The license has been revoked.", { detail: "revoked" })
        : undefined
  },
  {
    name: "license_suspended",
    about: "license",
    governs: running,
    finding: (input) =>
      input.status === "suspended"
        ? failing(LicenseInactive, "The license is suspended.", { detail: "suspended" })
        : undefined
  },
  {
    name: "license_not_started",
    about: "license",
    governs: running,
    finding: (input) =>
      input.notStarted
        ? failing(LicenseInactive, "The license has not started yet.", { detail: "not_started" })
        : undefined
  },
  {
    name: "license_expired",
    about: "license",
    governs: running,
    finding: (input) =>
      input.status === "expired"
        ? failing(LicenseExpired, expiredMessage(input.expiresAt))
        : undefined
  },
  {
    name: "term_out_of_range",
    about: "license",
    // Those that start a license.
    governs: ["activate", "checkout"],
    finding: (input) =>
      input.cannotStart
        ? failing(LicenseInactive, "The license cannot start: the duration of its terms leads beyond the year 9999.", {
          detail: "out_of_range"
        })
        : undefined
  },
  {
    name: "device_blacklisted",
    about: "device",
    governs: everything,
    finding: (input) =>
      input.deviceStatus === "blacklisted" ? failing(DeviceBlacklisted, "The device is blocked.") : undefined
  },
  {
    name: "vm_not_allowed",
    about: "device",
    governs: running,
    finding: (input) =>
      input.isVm && !input.policy.allow_vm
        ? failing(VmNotAllowed, "The policy does not allow virtual machines.")
        : undefined
  },
  {
    name: "container_not_allowed",
    about: "device",
    governs: running,
    finding: (input) =>
      input.bindingKind === "container" && !input.policy.allow_container
        ? failing(ContainerNotAllowed, "The policy does not allow containers.")
        : undefined
  },
  {
    name: "device_not_activated",
    about: "device",
    governs: ["validate", "check", "consume", "deactivate", "offline"],
    finding: (input) =>
      input.deviceStatus !== "active"
        ? failing(DeviceNotActivated, "This device is not activated on the license.", releasedDetail(input))
        : undefined
  },
  {
    name: "self_service_not_allowed",
    about: "device",
    governs: ["activate", "devices", "release"],
    finding: (input) =>
      selfServiceFor(input)?.isAllowed === false
        ? failing(SelfServiceNotAllowed, "The terms of the license have no self-service: ask who issued it.")
        : undefined
  },
  {
    name: "self_service_limit",
    about: "device",
    governs: ["activate", "release"],
    finding: (input) => {
      const until = usedUpUntil(input)
      return until === undefined
        ? undefined
        : failing(SelfServiceLimitExceeded, "The self-service reset limit for this period is reached.", {
          detail: until
        })
    }
  },
  {
    name: "activation_limit",
    about: "device",
    governs: ["activate"],
    finding: (input) =>
      !holdsSeat(input) && input.otherActiveDevices - (givesSeatBack(input) ? 1 : 0) >=
          servedUpTo(seatsOf(input), input.policy.activation_overage)
        ? failing(ActivationLimitExceeded, "Every seat of the license is taken.", {
          detail: `${input.otherActiveDevices} of ${seatsOf(input)} in use${
            input.selfService?.holdsSeat === false ? "; the device of take_seat_of holds none" : ""
          }`
        })
        : undefined
  },
  {
    name: "lease_not_found",
    about: "device",
    governs: ["heartbeat", "checkin"],
    finding: (input) =>
      input.lease === "unknown" || input.lease === "released"
        ? failing(LeaseNotFound, "The license has no such lease. Check out a new one.", releasedDetail(input))
        : undefined
  },
  {
    name: "lease_expired",
    about: "device",
    governs: ["heartbeat", "checkin"],
    finding: (input) =>
      input.lease === "expired"
        ? failing(LeaseExpired, "The lease has expired. Check out a new one.", releasedDetail(input))
        : undefined
  },
  {
    name: "floating_limit",
    about: "device",
    // Without a number in the policy nobody floats.
    governs: ["checkout"],
    finding: ({ lease, otherLiveLeases, policy }) => {
      if (lease === "live" && policy.max_floating_users !== null) return undefined
      const seats = policy.max_floating_users ?? 0
      if (policy.max_floating_users !== null && otherLiveLeases < servedUpTo(seats, policy.floating_overage)) {
        return undefined
      }
      return seats === 0
        ? failing(FloatingLimitExceeded, "Floating seats are not sold with this license.", {
          detail: "not sold: the policy has no floating users"
        })
        : failing(FloatingLimitExceeded, "Every floating seat of the license is taken.", {
          detail: `${otherLiveLeases} of ${seats} in use`
        })
    }
  },
  {
    name: "offline_not_allowed",
    about: "device",
    governs: ["offline"],
    finding: ({ deviceFloating, policy }) =>
      policy.allow_offline_activation && policy.offline_grace_days > 0 && !deviceFloating
        ? undefined
        : failing(OfflineNotAllowed, "This device may not run offline.", {
          // An envelope outlives any lease, so it would keep a seat that everyone else sees as free.
          detail: deviceFloating ? "the device holds a floating seat" : "the policy does not allow it"
        })
  },
  {
    name: "feature_not_entitled",
    about: "feature",
    governs: ["consume"],
    finding: ({ consumption }) =>
      consumption?.entitled === true
        ? undefined
        : failing(FeatureNotEntitled, "The license does not grant this feature.")
  },
  {
    name: "feature_quota",
    about: "feature",
    governs: ["consume"],
    finding: ({ consumption }) =>
      consumption?.remaining !== undefined && consumption.amount > consumption.remaining
        ? failing(FeatureQuotaExceeded, quotaMessage(consumption.remaining, consumption.amount), {
          detail: `${consumption.remaining} left, ${consumption.amount} asked for`
        })
        : undefined
  }
]

/** What a rule found. */
export interface Judgement<Operation extends RuntimeOperation> {
  readonly rule: RuleName
  readonly refusal: Refusals[Operation]
}

/** Every finding with the rule that made it, the deciding one first; of the rules about the given subjects only. */
export const judgements = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation },
  about: ReadonlyArray<RuleSubject> = ["license", "device", "feature"]
): ReadonlyArray<Judgement<Operation>> => {
  const found: Array<Judgement<Operation>> = []
  for (const rule of rules) {
    if (!rule.governs.includes(input.operation) || !about.includes(rule.about)) continue
    const finding = rule.finding(input)
    if (finding !== undefined) found.push({ rule: rule.name, refusal: finding as Refusals[Operation] })
  }
  return found
}

/** Every finding, the deciding one first. */
export const findings = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation }
): ReadonlyArray<Refusals[Operation]> => judgements(input).map(({ refusal }) => refusal)
