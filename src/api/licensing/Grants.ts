import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { IdempotencyConflict, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Grant, GrantCreate } from "../../domain/licensing/grants/Grant.ts"
import { UsageRefund, UsageRefundCreate } from "../../domain/licensing/grants/UsageRefund.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const params = { id: pathId, grant_id: pathId }

/** Units of licenses beside their quotas. */
export class Grants extends HttpApiGroup.make("license-grants").add(
  HttpApiEndpoint.get("listLicenseGrants", "/api/v1/licenses/:id/grants", {
    params: { id: pathId },
    query: {
      ...createdQuery,
      feature_id: optional(Id.filter("feat"), "Only grants of this feature.", Id.exampleOf("feat"))
    },
    success: page(Grant),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List a license's grants",
    description:
      "The grants of a license, newest first unless `order` is set, with those that are used up, ended or revoked. The " +
      "quota of the policy is no entry: it starts again with each period."
  })),
  HttpApiEndpoint.post("createLicenseGrant", "/api/v1/licenses/:id/grants", {
    params: { id: pathId },
    payload: GrantCreate,
    success: created(Grant),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.grant_given",
    summary: "Give a license units",
    consequence: "The license can use the units from the next check.",
    description:
      "Gives units of a metered feature in addition to the quota. A use takes what ends soonest; of what ends together, the lower " +
      "priority, then the oldest; the quota ends with its period and is the oldest. One use may take from several. A change " +
      "of policy keeps grants. Repeating a `reference` returns the grant that is there, and with other terms it is " +
      "IDEMPOTENCY_CONFLICT. A license has at most 100 open grants of a feature; more is STATE_CONFLICT."
  })),
  HttpApiEndpoint.get("getLicenseGrant", "/api/v1/licenses/:id/grants/:grant_id", {
    params,
    success: one(Grant),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "Read a grant",
    description: "One grant of a license, with how much of it is used and left."
  })),
  HttpApiEndpoint.post("revokeLicenseGrant", "/api/v1/licenses/:id/grants/:grant_id/revoke", {
    params,
    success: one(Grant),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.grant_revoked",
    summary: "Revoke a grant",
    consequence: "The remaining units of the grant are gone.",
    risk: "final",
    description:
      "Ends a grant, such as after a refund of the purchase. Its remaining units are gone, and used units stay used. Repeating " +
      "it succeeds."
  })),
  HttpApiEndpoint.post("refundLicenseUsage", "/api/v1/licenses/:id/usage/refund", {
    params: { id: pathId },
    payload: UsageRefundCreate,
    success: one(UsageRefund),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.usage_reset",
    summary: "Refund a usage event",
    consequence: "The units of the usage event can be used again, where they have not ended.",
    description:
      "Refunds a usage event, whole or in part: first what was overage, then to the grants that served it, the " +
      "last taken first, then to the quota. Units of a quota of an earlier period, or of a grant that has ended, are gone. " +
      "After a correction of the usage, only grants get units back. The ledger has the refund as a correction; the usage " +
      "event stays, and its `event_id` never counts again. A second refund of the same units is STATE_CONFLICT. Send an " +
      "Idempotency-Key, so that a retry of a part counts once."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
