import { servedUpTo } from "../../catalog/terms/Overage.ts"
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
  RefundNotAllowed,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  VmNotAllowed
} from "../../ground/wire/Errors.ts"
import { deviceLimit, ofOtherUser, signInRequired } from "../users/UserRules.ts"
import type { DecisionInput, Refusals, RuleName, RuleSubject, RuntimeOperation } from "./DecisionInput.ts"
import { seatsExceeded, selfServiceFor, usedUpUntil, userAfter } from "./Seats.ts"

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
  "refund",
  "offline",
  "checkout",
  "heartbeat"
]
/** Those that need a license which is in force. */
const licensed: ReadonlyArray<RuntimeOperation> = [...running, "sign_in"]
/** Everything but checkin, which only ever frees a seat and so is refused to nobody. */
const everything: ReadonlyArray<RuntimeOperation> = [...running, "deactivate", "devices", "release"]

/**
 * A device, or a lease, that a person took the seat from has `released`: its app stays out until the key is entered again or a seat is
 * taken on purpose. One that lapsed, or gave its seat back itself, may come back by itself.
 */
const releasedDetail = ({ deviceStatus, lease }: DecisionInput): { readonly detail?: "released" } =>
  deviceStatus === "reset" || lease === "released" ? { detail: "released" } : {}

const expiredMessage = (expiresAt: number | undefined): string =>
  expiresAt === undefined
    ? "The license has expired and any grace period is over."
    : `The license expired on ${new Date(expiresAt).toISOString()}, and any grace period is over.`

const quotaMessage = (left: number, amount: number): string =>
  left === 0
    ? `The feature's quota is used up: 0 left, ${amount} asked for.`
    : `The amount is more than what is left of the feature's quota: ${left} left, ${amount} asked for.`

/** The rules in order of rank: the first finding decides. */
export const rules: ReadonlyArray<Rule> = [
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
    governs: [...everything, "sign_in"],
    finding: (input) =>
      input.status === "revoked"
        ? failing(LicenseInactive, "The license has been revoked.", { detail: "revoked" })
        : undefined
  },
  {
    name: "license_suspended",
    about: "license",
    governs: licensed,
    finding: (input) =>
      input.status === "suspended"
        ? failing(LicenseInactive, "The license is suspended.", { detail: "suspended" })
        : undefined
  },
  {
    name: "license_not_started",
    about: "license",
    governs: licensed,
    finding: (input) =>
      input.notStarted
        ? failing(LicenseInactive, "The license has not started yet.", { detail: "not_started" })
        : undefined
  },
  {
    name: "license_expired",
    about: "license",
    governs: licensed,
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
    name: "user_required",
    about: "device",
    // Whoever has gone still gives a seat back.
    governs: running,
    finding: ({ user }) => signInRequired(user)
  },
  {
    name: "device_not_activated",
    about: "device",
    governs: ["validate", "check", "consume", "refund", "deactivate", "offline"],
    finding: (input) =>
      input.deviceStatus !== "active"
        ? failing(DeviceNotActivated, "This device is not activated on the license.", releasedDetail(input))
        : undefined
  },
  {
    name: "device_of_other_user",
    about: "device",
    governs: ["validate", "check", "consume", "refund", "offline", "heartbeat"],
    finding: ({ operation, user }) => ofOtherUser(operation, user)
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
    finding: (input) => {
      const detail = seatsExceeded(input)
      return detail === undefined
        ? undefined
        : failing(ActivationLimitExceeded, "Every seat of the license is taken.", { detail })
    }
  },
  {
    name: "user_device_limit",
    about: "device",
    governs: ["activate", "checkout"],
    finding: (input) =>
      deviceLimit(userAfter(input), input.policy.max_devices_per_user, input.deviceStatus === "active")
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
    name: "refund_not_allowed",
    about: "license",
    governs: ["refund"],
    finding: ({ policy }) =>
      policy.refund_window_minutes === undefined
        ? failing(RefundNotAllowed, "The terms of the license let no app refund its usage.", {
          detail: "the policy does not allow it"
        })
        : undefined
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
