import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { runningLicenseFilters } from "../../domain/catalog/ProductVersion.ts"
import { Tag } from "../../domain/ground/wire/Action.ts"
import {
  ApprovalRequired,
  IdempotencyKeyRequired,
  InvalidQuery,
  PreconditionFailed,
  StateConflict,
  TokenScopeDenied
} from "../../domain/ground/wire/Errors.ts"
import { Email, filterBy, optional, text, TimestampInput } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { ExplainRequest, Explanation } from "../../domain/licensing/explaining/Explanation.ts"
import {
  License,
  LicenseCreate,
  LicenseCreated,
  LicenseOrder,
  LicenseSearch,
  LicensesFound,
  LicenseStatus
} from "../../domain/licensing/licenses/License.ts"
import {
  isPerRow,
  LicenseBulk,
  LicenseBulkResult,
  WholeLicenseBulk
} from "../../domain/licensing/licenses/LicenseBulk.ts"
import {
  LicenseKeyRotate,
  LicenseKeyRotated,
  LicenseLookup,
  rotateEffects
} from "../../domain/licensing/licenses/LicenseStatus.ts"
import { LicenseTransfer } from "../../domain/licensing/lifecycle/LicenseChange.ts"
import { LicenseRenew, renewalEffects } from "../../domain/licensing/lifecycle/LicenseRenewal.ts"
import { LicenseUpdate } from "../../domain/licensing/lifecycle/LicenseUpdate.ts"
import { PolicyChange, PolicyChanged } from "../../domain/licensing/lifecycle/PolicyChange.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, orderOf, pathId, SearchText, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const action = {
  params: { id: pathId },
  success: one(License),
  error: [...resourceErrors, StateConflict]
}

/** The operations that change a license after it was issued, in the order of the contract. */
const licenseChanges = [
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

const includeNames = optional(YesOrNo, "`true` adds the names behind the IDs, as `names`. Default: `false`.", true)
export class Licenses extends HttpApiGroup.make("licenses").add(
  HttpApiEndpoint.get("listLicenses", "/api/v1/licenses", {
    query: {
      ...countedQuery,
      order: orderOf(
        LicenseOrder,
        "By the end, where a license that never expires ends last: `expires_asc` and `expires_desc`. By the owner, who " +
          "is the name or else the customer or else the email address of the license: `owner_asc` and `owner_desc`. " +
          "By the name of the product: `product_asc` and `product_desc`. Upper and lower case and accents are alike."
      ),
      product_id: Schema.optionalKey(Id.filter("prod")),
      policy_id: Schema.optionalKey(Id.filter("pol")),
      customer_id: Schema.optionalKey(Id.filter("cus")),
      order_id: Schema.optionalKey(Id.filter("ord")),
      subscription_id: Schema.optionalKey(Id.filter("sub")),
      purchase_id: Schema.optionalKey(Id.filter("pur")),
      status: optional(LicenseStatus, "Only licenses with this status."),
      expires_before: optional(TimestampInput, "Only licenses that expire before this time.", "2027-12-01T00:00:00Z"),
      expires_after: optional(TimestampInput, "Only licenses that expire after this time.", "2026-12-01T00:00:00Z"),
      customer_email: optional(
        filterBy(Email, 320),
        "Only licenses with this email address, or of a customer with it; not case-sensitive. In a URL, write " +
          "its `+` as `%2B`, as clients do.",
        "ada@example.com"
      ),
      key_last4: optional(
        Schema.String.check(
          Schema.isPattern(/^[!-~]{4}$/, {
            expected: "the last 4 characters of a license key",
            toJsonSchema: () => ({ pattern: "^[!-~]{4}$", minLength: 4, maxLength: 4 })
          })
        ),
        "Only licenses whose key ends with these four characters.",
        "M2XC"
      ),
      tag: optional(Tag, "Only licenses with this tag.", "vip"),
      device_fingerprint: optional(
        text(1, 512),
        "Only licenses that were used on the device with this fingerprint.",
        "b8e1c6f2d4"
      ),
      ...runningLicenseFilters,
      q: optional(
        SearchText,
        "The ID of the license or of its customer, order, subscription or device; the ID of the customer, order or " +
          "subscription in its billing system; the last four characters of the key; a device fingerprint; the code " +
          "of the customer; the start of the owner's name or email address, or of words of theirs in any order, where " +
          "letters with and without accents are alike; or a text in the metadata. To find a license by its " +
          "whole key, use `lookupLicense`: a key does not belong in a URL.",
        "ada@example.com"
      ),
      include_names: includeNames
    },
    success: page(License),
    error: listErrors
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    summary: "List licenses",
    description:
      "All licenses that match the filters, newest first unless `order` is set. `status` is the status at the " +
      "time of the call, on the database's clock. `include_names=true` adds the names behind the IDs in each " +
      "license."
  })),
  HttpApiEndpoint.post("createLicense", "/api/v1/licenses", {
    payload: LicenseCreate,
    success: created(LicenseCreated),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:write",
    products: "narrowed",
    action: "license.created",
    summary: "Issue a license",
    description:
      "Issues a license of a product under a policy. The license key is shown once; the service stores only a " +
      "keyed hash, its prefix and its last four characters. `customer` names the customer by an email address: " +
      "one who has it already is found, with the name as it is; otherwise a customer is created with the " +
      "license. If several have the address, name one by `customer_id`. `meta.warnings` has EXPIRES_IN_THE_PAST if the " +
      "license has already expired. It has QUOTA_WITHOUT_SUBSCRIPTION if a quota resets with a subscription, " +
      "and the license has none."
  })),
  HttpApiEndpoint.get("getLicense", "/api/v1/licenses/:id", {
    params: { id: pathId },
    query: {
      include_terms: optional(YesOrNo, "`true` adds the effective policy, as `terms`. Default: `false`.", true),
      include_names: includeNames
    },
    success: one(License),
    error: [...resourceErrors, InvalidQuery]
  }).pipe(
    declare({
      scope: "license:read",
      products: { of: "license" },
      conditional: "resource",
      summary: "Read a license",
      description:
        "One license by its ID. Its key is never shown again. `include_terms=true` adds the effective policy, " +
        "with the source of each rule: the current policy or an override. `include_names=true` adds the names " +
        "behind the IDs."
    })
  ),
  ...licenseChanges,
  HttpApiEndpoint.post("lookupLicense", "/api/v1/licenses/lookup", {
    payload: LicenseLookup,
    success: one(License),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    answerKept: "none",
    summary: "Look up a license",
    description: "Finds a license by its key, or by a previous key. The key is in the body, because URLs are logged."
  })),
  HttpApiEndpoint.post("searchLicenses", "/api/v1/licenses/search", {
    payload: LicenseSearch,
    success: one(LicensesFound),
    error: bodyErrors
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    answerKept: "none",
    summary: "Search licenses",
    description:
      "Finds licenses by any text. A license key finds its license, as a lookup does; any other text finds " +
      "what `q` of the list finds, newest first. The text is in the body, so that a pasted key is never in a " +
      "URL."
  })),
  HttpApiEndpoint.post("createLicenses", "/api/v1/licenses/bulk", {
    payload: LicenseBulk,
    success: one(LicenseBulkResult),
    error: bodyErrors
  }).pipe(declare({
    scope: "license:write",
    products: "narrowed",
    action: "license.created",
    rows: { list: "licenses", applies: isPerRow, otherwise: WholeLicenseBulk },
    summary: "Issue licenses in bulk",
    description:
      "Issues up to 1,000 licenses in one request. Put common fields into `defaults`: the body limit of 256 " +
      "KiB leaves about 250 bytes for each of 1,000 rows. Each license key is shown once. Customers of " +
      "another system keep their keys: send them as `license_key` of the rows. A key that a license or an " +
      "earlier row has is a finding of its row."
  })),
  HttpApiEndpoint.post("explainLicense", "/api/v1/licenses/:id/explain", {
    params: { id: pathId },
    payload: ExplainRequest,
    success: one(Explanation),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    action: "none",
    answerKept: "none",
    summary: "Explain a runtime response",
    description: "Returns the result of a runtime call, and its reasons, without making it. The response has every " +
      "finding in order of rank, the rule that decides, and the license, policy and device at the time `at`, " +
      "which may be in the past or in the future."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
