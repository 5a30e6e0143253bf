import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Feature,
  FeatureCreate,
  FeatureUpdate,
  LicenseFeature,
  LicenseFeatureAssign,
  LicenseFeatureUsageReset
} from "../../domain/catalog/Feature.ts"
import { StateConflict } from "../../domain/wire/Errors.ts"
import { optional } from "../../domain/wire/Fields.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { bodyErrors, declare, listErrors, noContent, one, page, resourceErrors } from "./Operation.ts"
import { listQuery, pathId, YesOrNo } from "./Parameters.ts"

export class Features extends HttpApiGroup.make("features").add(
  ...crud({
    noun: "Feature",
    list: "listFeaturesByProduct",
    collection: "/api/v1/products/:id/features",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "feature" }, change: { of: "feature" } },
    item: "/api/v1/features/:id",
    schema: Feature,
    create: FeatureCreate,
    update: FeatureUpdate,
    filters: {
      is_archived: optional(
        YesOrNo,
        "`true` returns only archived features, `false` only the others. Default: all.",
        false
      )
    },
    scopes: { read: "product:read", write: "product:write" },
    action: "feature",
    inUse: ["delete"],
    documents: {
      list: {
        summary: "List features",
        description: "The features of a product, newest first. " +
          "`is_archived` asks for the archived ones alone, or for the others; without it, for all."
      },
      create: {
        summary: "Create a feature",
        description: "Something that licenses of the product can grant. `code` is unique in the product."
      },
      get: { summary: "Read a feature", description: "One feature by its id." },
      update: {
        summary: "Change a feature",
        description: "Members left out stay as they are. " +
          "`is_archived: true` archives it: no further license can be given it, those that have it keep it. " +
          "Installed apps ask for a feature by its code and do not know another: `meta.warnings` says so when the code is " +
          "replaced (FEATURE_CODE_REPLACED)."
      },
      delete: { summary: "Delete a feature", description: "Refused with IN_USE while a license has it." }
    }
  }),
  HttpApiEndpoint.get("listLicenseFeatures", "/api/v1/licenses/:id/features", {
    params: { id: pathId },
    query: listQuery,
    success: page(LicenseFeature),
    error: [...resourceErrors, ...listErrors]
  }).pipe(
    declare({
      scope: "license:read",
      products: { of: "license" },
      summary: "List a license's features",
      description: "What the license grants, switched off and expired features included."
    })
  ),
  HttpApiEndpoint.post("assignLicenseFeature", "/api/v1/licenses/:id/features", {
    params: { id: pathId },
    payload: LicenseFeatureAssign,
    success: one(LicenseFeature),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.feature_assigned",
    summary: "Give a license a feature",
    description: "Gives a license a feature, or changes how it has it. " +
      "Members left out keep their value on a repeated assignment. An archived feature is STATE_CONFLICT, " +
      "unless the license has it already."
  })),
  HttpApiEndpoint.delete("removeLicenseFeature", "/api/v1/licenses/:id/features/:feature_id", {
    params: { id: pathId, feature_id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(
    declare({
      scope: "license:write",
      products: { of: "license" },
      action: "license.feature_removed",
      summary: "Take a feature away",
      consequence: "The license loses the feature from the next check.",
      description:
        "Takes a feature from a license. What was used of it stays in the ledger. Effective at the next runtime call."
    })
  ),
  HttpApiEndpoint.post("resetLicenseUsage", "/api/v1/licenses/:id/usage/reset", {
    params: { id: pathId },
    payload: LicenseFeatureUsageReset,
    success: one(LicenseFeature),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.usage_reset",
    summary: "Correct a metered feature",
    description: "Corrects the quota or the use of a metered feature of a license. " +
      "`add_credits` adds to the quota, be it the policy's or the license's own, which stays what it is; of a quota with a " +
      "period it adds to the running period alone. A change of policy keeps what was added, for the period that runs " +
      "then, and a new `max_consumptions` takes its place. Send an Idempotency-Key with it: a retry then counts once. What was " +
      "consumed before stays recorded: an `event_id` is never counted twice, whatever is reset."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
