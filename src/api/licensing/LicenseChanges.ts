import { HttpApiEndpoint } from "effect/http-api"
import {
  ApprovalRequired,
  IdempotencyKeyRequired,
  PreconditionFailed,
  StateConflict,
  TokenScopeDenied
} from "../../domain/ground/wire/Errors.ts"
import { License } from "../../domain/licensing/licenses/License.ts"
import { LicenseKeyRotate, LicenseKeyRotated, rotateEffects } from "../../domain/licensing/licenses/LicenseKey.ts"
import { LicenseRenew, renewalEffects } from "../../domain/licensing/lifecycle/LicenseRenewal.ts"
import { LicenseTransfer } from "../../domain/licensing/lifecycle/LicenseTransfer.ts"
import { LicenseUpdate } from "../../domain/licensing/lifecycle/LicenseUpdate.ts"
import { PolicyChange, PolicyChanged } from "../../domain/licensing/lifecycle/PolicyChange.ts"
import { declare } from "../ground/Operation.ts"
import { pathId } from "../ground/Parameters.ts"
import { bodyErrors, one, resourceErrors } from "../ground/Responses.ts"

const action = {
  params: { id: pathId },
  success: one(License),
  error: [...resourceErrors, StateConflict]
}

/** The operations that change a license after it was issued, in the order of the contract. */
export const licenseChanges = [
  HttpApiEndpoint.post("suspendLicense", "/api/v1/licenses/:id/suspend", action).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.suspended",
    summary: "Suspend a license",
    consequence: "The license stops working at the next check on every device. Devices keep their seats.",
    undo: "reinstateLicense",
    description:
      "Disables a license until it is reinstated. Effective at the next runtime call. Repeating it succeeds; " +
      "a revoked license is STATE_CONFLICT. A license that its subscription had suspended is no longer " +
      "reinstated by the subscription."
  })),
  HttpApiEndpoint.post("reinstateLicense", "/api/v1/licenses/:id/reinstate", action).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.reinstated",
    summary: "Reinstate a license",
    consequence: "The license works again from the next check, unless it has expired.",
    undo: "suspendLicense",
    description: "Lifts a suspension. Succeeds on an active license; a revoked one is STATE_CONFLICT."
  })),
  HttpApiEndpoint.post("revokeLicense", "/api/v1/licenses/:id/revoke", {
    params: { id: pathId },
    success: one(License),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.revoked",
    summary: "Revoke a license",
    consequence: "The license is disabled permanently and its seats are freed. To disable it temporarily, suspend it.",
    risk: "final",
    description: "Disables a license permanently and frees its seats. Repeatable. The license stays readable."
  })),
  HttpApiEndpoint.patch("updateLicense", "/api/v1/licenses/:id", {
    params: { id: pathId },
    payload: LicenseUpdate,
    success: one(License),
    error: [...resourceErrors, ...bodyErrors, PreconditionFailed, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.updated",
    conditional: "resource",
    summary: "Change a license",
    description: "Omitted fields stay as they are. The fields must be valid as for a new license. The empty string " +
      "clears a text; `null` clears a time. The times of a license that follows its subscription come from " +
      "the subscription: STATE_CONFLICT, unless `follows_subscription: false` ends that. `order_id` and " +
      "`subscription_id` may be set at any time. If the policy's licenses follow their subscription, a " +
      "license without one begins to follow it. `customer_id` sets the first customer; if the license has " +
      "another one, it is STATE_CONFLICT: use a transfer."
  })),
  HttpApiEndpoint.post("renewLicense", "/api/v1/licenses/:id/renew", {
    params: { id: pathId },
    payload: LicenseRenew,
    success: one(License),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyKeyRequired, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.renewed",
    idempotencyKey: "required",
    summary: "Renew a license",
    consequence: "The license expires later.",
    consequenceOf: renewalEffects,
    description:
      "Extends a license. Days are days of the UTC calendar. They count from the stored expiration time if it " +
      "is in the future, otherwise from now; `renew_from` selects one of them. Without days, the license gets " +
      "a further term of its duration, counted from the start of its terms: after 31 January and 28 February " +
      "comes 31 March. An order renews a license once: the second time is STATE_CONFLICT. Perpetual, " +
      "consumption and revoked licenses are STATE_CONFLICT; a suspended license stays suspended. The order " +
      "and the subscription are recorded only in the event."
  })),
  HttpApiEndpoint.post("transferLicense", "/api/v1/licenses/:id/transfer", {
    params: { id: pathId },
    payload: LicenseTransfer,
    success: one(License),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.transferred",
    idempotencyKey: "required",
    summary: "Transfer a license",
    consequence: "The license belongs to the new owner. A new owner counts toward the policy's transfer limit.",
    consequenceOf: {
      "reset_devices=true": "All device seats are freed.",
      "reset_devices=false": "Devices keep their seats."
    },
    description:
      "Transfers a license to another owner. Each transfer counts against `max_transfers` of the policy; one " +
      "too many is STATE_CONFLICT. Setting the first owner, or the same owner again, is not a transfer: it is " +
      "a `license.updated`. `reset_devices` frees every seat. Omitted fields stay as they are; the empty " +
      "string clears a field. If another `customer_id` replaces one, the previous owner's name and email " +
      "address are removed unless they are set, and so are the hostnames and addresses of the devices."
  })),
  HttpApiEndpoint.post("changeLicensePolicy", "/api/v1/licenses/:id/change-policy", {
    params: { id: pathId },
    payload: PolicyChange,
    success: one(PolicyChanged),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.policy_changed",
    idempotencyKey: "required",
    summary: "Change a license's policy",
    consequence: "The license follows the rules of the new policy from the next check.",
    description:
      "Moves a license to another policy of its product, as an upgrade or a downgrade. The response lists all " +
      "differences. `dry_run` returns the same and changes nothing. Devices keep their seats. More seats than " +
      "the new terms allow, overage included, are STATE_CONFLICT unless `devices` is set. Usage, the " +
      "expiration and the overrides stay, unless `counters`, `expiry` and `overrides` are set. Overrides that " +
      "contradict the new policy are a finding. A revoked license is STATE_CONFLICT."
  })),
  HttpApiEndpoint.post("rotateLicenseKey", "/api/v1/licenses/:id/rotate-key", {
    params: { id: pathId },
    payload: LicenseKeyRotate,
    success: one(LicenseKeyRotated),
    error: [...resourceErrors, ...bodyErrors, StateConflict, ApprovalRequired]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.key_rotated",
    summary: "Rotate a license key",
    consequence: "The license gets a new key, shown once: send it to the owner. Devices keep their seats.",
    consequenceOf: rotateEffects,
    description: "Replaces the key of a license. " +
      "The new key is shown once. Both keys work until the overlap ends. Devices and their seats stay."
  }))
] as const
