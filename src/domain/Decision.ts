import type { DeviceBindingKind, DeviceStatus } from "./Device.ts"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  DeviceNotActivated,
  failing,
  FeatureNotEntitled,
  FeatureQuotaExceeded,
  LicenseExpired,
  LicenseInactive,
  ProductMismatch,
  VmNotAllowed
} from "./Errors.ts"
import type { LicenseStatus } from "./License.ts"

/**
 * Whether a copy may run. Every finding is computed, then the one of highest rank decides: nothing returns early, so
 * no permissive branch can skip a check that comes after it.
 */

/** What is asked. */
export type RuntimeOperation = "activate" | "validate" | "check" | "consume" | "deactivate"

/** Everything a decision may depend on. */
export interface DecisionInput {
  readonly operation: RuntimeOperation
  readonly status: LicenseStatus
  readonly notStarted: boolean
  readonly productCode: string
  readonly requestedProductCode: string | undefined
  readonly bindingKind: DeviceBindingKind
  readonly isVm: boolean
  /** The device with this binding, if the license ever had one. */
  readonly deviceStatus: DeviceStatus | undefined
  /** Active devices of the same kind, without this one. */
  readonly otherActiveDevices: number
  /** What consume is about; other operations have none. */
  readonly consumption?: {
    /** Assigned, switched on and not expired. */
    readonly entitled: boolean
    /** What is left; undefined without a quota. */
    readonly remaining: number | undefined
    readonly amount: number
  }
  readonly policy: {
    readonly max_activations: number
    readonly max_container_instances: number | null
    readonly allow_vm: boolean
    readonly allow_container: boolean
  }
}

/** What may be refused to whom. */
type RunningRefusal =
  | ProductMismatch
  | LicenseInactive
  | LicenseExpired
  | DeviceBlacklisted
  | VmNotAllowed
  | ContainerNotAllowed

/** Why each operation may be refused; a test holds the rules to it. */
export interface Refusals {
  readonly activate: RunningRefusal | ActivationLimitExceeded
  readonly validate: RunningRefusal | DeviceNotActivated
  readonly check: RunningRefusal | DeviceNotActivated
  readonly consume: RunningRefusal | DeviceNotActivated | FeatureNotEntitled | FeatureQuotaExceeded
  readonly deactivate: ProductMismatch | LicenseInactive | DeviceBlacklisted | DeviceNotActivated
}

interface Rule {
  /** The operations that the rule governs. */
  readonly governs: ReadonlyArray<RuntimeOperation>
  readonly finding: (input: DecisionInput) => Refusals[RuntimeOperation] | undefined
}

const everything: ReadonlyArray<RuntimeOperation> = ["activate", "validate", "check", "consume", "deactivate"]
const running: ReadonlyArray<RuntimeOperation> = ["activate", "validate", "check", "consume"]

/** How many active devices of this kind the policy allows. */
const seatsOf = ({ bindingKind, policy }: DecisionInput): number =>
  bindingKind === "container" ? policy.max_container_instances ?? policy.max_activations : policy.max_activations

/** The rules in order of rank: the first finding decides. */
const rules: ReadonlyArray<Rule> = [
  {
    governs: everything,
    finding: (input) =>
      input.requestedProductCode !== undefined && input.requestedProductCode !== input.productCode
        ? failing(ProductMismatch, "The license is for another product.")
        : undefined
  },
  {
    // Giving a seat back harms nobody, so a suspended license may; a revoked one has no seats left to give.
    governs: everything,
    finding: (input) =>
      input.status === "revoked"
        ? failing(LicenseInactive, "The license has been revoked.", { detail: "revoked" })
        : undefined
  },
  {
    governs: running,
    finding: (input) =>
      input.status === "suspended"
        ? failing(LicenseInactive, "The license is suspended.", { detail: "suspended" })
        : undefined
  },
  {
    governs: running,
    finding: (input) =>
      input.notStarted
        ? failing(LicenseInactive, "The license has not started yet.", { detail: "not_started" })
        : undefined
  },
  {
    governs: running,
    finding: (input) =>
      input.status === "expired"
        ? failing(LicenseExpired, "The license has expired and any grace period is over.")
        : undefined
  },
  {
    governs: everything,
    finding: (input) =>
      input.deviceStatus === "blacklisted" ? failing(DeviceBlacklisted, "The device is blocked.") : undefined
  },
  {
    governs: running,
    finding: (input) =>
      input.isVm && !input.policy.allow_vm
        ? failing(VmNotAllowed, "The policy does not allow virtual machines.")
        : undefined
  },
  {
    governs: running,
    finding: (input) =>
      input.bindingKind === "container" && !input.policy.allow_container
        ? failing(ContainerNotAllowed, "The policy does not allow containers.")
        : undefined
  },
  {
    governs: ["validate", "check", "consume", "deactivate"],
    finding: (input) =>
      input.deviceStatus !== "active"
        ? failing(DeviceNotActivated, "This device is not activated on the license.")
        : undefined
  },
  {
    governs: ["activate"],
    finding: (input) =>
      input.deviceStatus !== "active" && input.otherActiveDevices >= seatsOf(input)
        ? failing(ActivationLimitExceeded, "Every seat of the license is taken.", {
          detail: `${input.otherActiveDevices} of ${seatsOf(input)} in use`
        })
        : undefined
  },
  {
    governs: ["consume"],
    finding: ({ consumption }) =>
      consumption?.entitled === true
        ? undefined
        : failing(FeatureNotEntitled, "The license does not grant this feature.")
  },
  {
    governs: ["consume"],
    finding: ({ consumption }) =>
      consumption?.remaining !== undefined && consumption.amount > consumption.remaining
        ? failing(FeatureQuotaExceeded, "The feature's quota is used up.", {
          detail: `${consumption.remaining} left, ${consumption.amount} asked for`
        })
        : undefined
  }
]

/** Every finding, the deciding one first. */
export const findings = <Operation extends RuntimeOperation>(
  input: DecisionInput & { readonly operation: Operation }
): ReadonlyArray<Refusals[Operation]> =>
  rules.flatMap((rule) => {
    const finding = rule.governs.includes(input.operation) ? rule.finding(input) : undefined
    return finding === undefined ? [] : [finding as Refusals[Operation]]
  })
