import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Feature,
  FeatureCreate,
  FeatureUpdate,
  LicenseFeature,
  LicenseFeatureAssign,
  LicenseFeatureUsageReset
} from "../../domain/catalog/Feature.ts"
import { StateConflict } from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, listQuery, pathId, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, crud, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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
    query: {
      ...countedQuery,
      is_archived: optional(
        YesOrNo,
        "`true` returns only archived features, `false` only the others. Default: all.",
        false
      )
    },
    scopes: { read: "product:read", write: "product:write" },
    action: "feature",
    inUse: ["delete", "update"],
    documents: {
      list: {
        summary: "List features",
        description:
          "The features of a product, newest first. `is_archived` returns only archived features, or only the " +
          "others. Default: all."
      },
      create: {
        summary: "Create a feature",
        description:
          "Something that licenses of the product can grant. `code` is unique in the product. With a `value_type`, policies " +
          "and licenses set a value of it for the app, such as a number of projects."
      },
      get: { summary: "Read a feature", description: "One feature by its ID." },
      update: {
        summary: "Change a feature",
        description: "Omitted fields stay as they are. `is_archived: true` archives the feature: it can no longer be " +
          "assigned, and licenses that have it keep it. Installed apps know a feature by its code. If the code is " +
          "replaced, `meta.warnings` has FEATURE_CODE_REPLACED. While a policy or a license has a value of the feature, " +
          "`value_type` cannot change and no option of a value can go: IN_USE."
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
      description: "The features that the license grants, including disabled and expired ones."
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
    description:
      "Assigns a feature to a license, or changes the assignment. If it is assigned already, omitted fields " +
      "keep their values. An archived feature is STATE_CONFLICT, unless the license has it already."
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
        "Removes a feature from a license. Its usage stays in the ledger. Effective at the next runtime call."
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
    consequence: "The quota or the usage of the feature changes from the next check. The correction is recorded.",
    description:
      "Corrects the quota or the usage of a metered feature of a license. `add_credits` adds to the quota of " +
      "the policy or of the license, which itself does not change. If the quota has a period, the credits " +
      "count for the current period only. A change of policy keeps the credits of the current period; a new " +
      "`max_consumptions` replaces them. Send an Idempotency-Key, so that a retry counts once. Recorded usage " +
      "stays recorded: an `event_id` never counts twice, whatever is reset."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
