import { Schema } from "effect"
import { codeFor } from "../../catalog/Product.ts"
import type { ProductCodes } from "../../catalog/Product.ts"
import type { LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import { cannotStart } from "../licenses/LicenseIssue.ts"
import { findings } from "./Decision.ts"
import type { Refusals } from "./DecisionInput.ts"
import { Entitlement } from "./Entitlement.ts"
import type { RuntimeRequest } from "./RuntimeRequest.ts"

/** What opening a trial answers, signed. */
export const TrialEntitlement = Schema.Struct({
  ...Entitlement.fields,
  license_key: Schema.optionalKey(Schema.String.annotate({
    description:
      "The key of the trial license, for all other runtime calls. A repeated request shows it again while the " +
      "license is a trial. Absent once it was rotated by management.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }))
}).annotate({
  identifier: "RuntimeTrialResponseData",
  description: "The entitlement of the trial for this device, with the key of its license.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    license_type: "trial",
    entitlement_version: 1,
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    product_code: "acme-studio",
    policy_code: "trial-14",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    fingerprint_hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-23T10:30:00.000Z",
    expires_at: "2026-12-05T10:30:00.000Z",
    nonce: "n-7f3a9c21d0",
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [],
    license_key: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
  }]
})
export type TrialEntitlement = typeof TrialEntitlement.Type

/** The license of a trial, as it is now. */
export interface TrialLicense {
  /** Of the policy that it is under. */
  readonly license_type: LicenseType
  readonly order_id: string | null
  readonly subscription_id: string | null
}

/**
 * Whether a license is still the trial that an app opened, and not one that was bought since. A publishable key and a
 * fingerprint are no secrets, so they speak for a trial alone.
 */
export const isStillTrial = ({ license_type, order_id, subscription_id }: TrialLicense): boolean =>
  license_type === "trial" && order_id === null && subscription_id === null

/** What a new trial is opened under. */
export interface TrialOffer {
  readonly product: ProductCodes
  readonly rules: Rules
  /** Unix milliseconds on the database's clock. */
  readonly now: number
}

/** Why a device that never had one may not open a trial, the deciding refusal first: nothing is stored of it yet. */
export const trialFindings = (
  request: RuntimeRequest,
  { now, product, rules }: TrialOffer
): ReadonlyArray<Refusals["activate"]> =>
  findings({
    operation: "activate",
    status: "active",
    notStarted: false,
    // It is started by being opened.
    cannotStart: cannotStart({ ...rules, awaits_activation: true }, new Date(now)),
    productCode: codeFor(product, request.product_code),
    requestedProductCode: request.product_code,
    bindingKind: request.is_container === true ? "container" : "hardware",
    isVm: request.is_vm === true,
    deviceStatus: undefined,
    deviceFloating: false,
    otherActiveDevices: 0,
    otherLiveLeases: 0,
    lease: "unknown",
    policy: {
      ...rules,
      max_container_instances: rules.max_container_instances ?? null,
      max_floating_users: rules.max_floating_users ?? null
    }
  })
