import { Schema } from "effect"
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
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import {
  bodyErrors,
  created,
  declare,
  deleteErrors,
  listErrors,
  listQuery,
  noContent,
  one,
  page,
  pathId,
  resourceErrors,
  uniqueErrors
} from "./Operation.ts"

export class Features extends HttpApiGroup.make("features").add(
  HttpApiEndpoint.get("listFeaturesByProduct", "/api/v1/products/:id/features", {
    params: { id: pathId },
    query: { ...listQuery, is_archived: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: page(Feature),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "product:read",
    summary: "List a product's features, newest first",
    description: "`is_archived` asks for the archived ones alone, or for the others; without it, for all."
  })),
  HttpApiEndpoint.post("createFeature", "/api/v1/products/:id/features", {
    params: { id: pathId },
    payload: FeatureCreate,
    success: created(Feature),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({ scope: "product:write", summary: "Create a feature" })),
  HttpApiEndpoint.get("getFeature", "/api/v1/features/:id", {
    params: { id: pathId },
    success: one(Feature),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read a feature" })),
  HttpApiEndpoint.patch("updateFeature", "/api/v1/features/:id", {
    params: { id: pathId },
    payload: FeatureUpdate,
    success: one(Feature),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Change a feature",
    description: "`is_archived: true` archives it: no further license can be given it, those that have it keep it."
  })),
  HttpApiEndpoint.delete("deleteFeature", "/api/v1/features/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "product:write",
    summary: "Delete a feature",
    description: "Refused with IN_USE while a license has it."
  })),
  HttpApiEndpoint.get("listLicenseFeatures", "/api/v1/licenses/:id/features", {
    params: { id: pathId },
    query: listQuery,
    success: page(LicenseFeature),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "license:read", summary: "List the features a license has" })),
  HttpApiEndpoint.post("assignLicenseFeature", "/api/v1/licenses/:id/features", {
    params: { id: pathId },
    payload: LicenseFeatureAssign,
    success: one(LicenseFeature),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    summary: "Give a license a feature, or change how it has it",
    description: "Members left out keep their value on a repeated assignment. An archived feature is STATE_CONFLICT, " +
      "unless the license has it already."
  })),
  HttpApiEndpoint.delete("removeLicenseFeature", "/api/v1/licenses/:id/features/:feature_id", {
    params: { id: pathId, feature_id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({ scope: "license:write", summary: "Take a feature from a license" })),
  HttpApiEndpoint.post("resetLicenseUsage", "/api/v1/licenses/:id/usage/reset", {
    params: { id: pathId },
    payload: LicenseFeatureUsageReset,
    success: one(LicenseFeature),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "license:write",
    summary: "Correct the quota or the use of a metered feature",
    description:
      "`add_credits` raises the quota, so send an Idempotency-Key with it: a retry then counts once. What was " +
      "consumed before stays recorded: an `event_id` is never counted twice, whatever is reset."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
