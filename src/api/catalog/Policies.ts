import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import { PolicyFeature, PolicyFeatureAssign } from "../../domain/catalog/PolicyFeature.ts"
import { PolicyRehearsal, PolicyRehearsalRequest } from "../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import { Conflict, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { PolicyWritten } from "../../domain/licensing/explaining/PolicyDryRun.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, includeCounts, listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, crud, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

export class Policies extends HttpApiGroup.make("policies").add(
  ...crud({
    noun: "Policy",
    list: "listPoliciesByProduct",
    collection: "/api/v1/products/:id/policies",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "policy" }, change: { of: "policy" } },
    item: "/api/v1/policies/:id",
    schema: Policy,
    written: PolicyWritten,
    create: PolicyCreate,
    update: PolicyUpdate,
    query: { ...countedQuery, ...includeCounts },
    scopes: { read: "product:read", write: "product:write" },
    action: "policy",
    inUse: ["delete"],
    documents: {
      list: {
        summary: "List policies",
        description:
          "The policies of a product, newest first. `include_counts=true` adds how many licenses each has, for callers " +
          "that may read licenses."
      },
      create: {
        summary: "Create a policy",
        description:
          "Creates the rules that licenses are issued under. `code` is unique in the product. Omitted fields have " +
          "the documented defaults: one activation, no grace period; VMs, containers and offline use allowed. With " +
          "`dry_run`, nothing is created: the response has the policy as it would be and, in `dry_run`, rules that " +
          "contradict each other, and the responses to an app under it. Its ID is not kept."
      },
      get: { summary: "Read a policy", description: "One policy by its ID." },
      update: {
        summary: "Change a policy",
        description:
          "Omitted fields stay as they are. Effective at the next runtime call of every license under the policy. " +
          "`null` clears an optional limit. With `dry_run`, nothing changes: the response has the policy as it would " +
          "be and, in `dry_run`, rules that contradict each other, how many licenses the change reaches, and the " +
          "responses to an app."
      },
      delete: { summary: "Delete a policy", description: "Refused with IN_USE while licenses were issued under it." }
    }
  }),
  HttpApiEndpoint.post("rehearsePolicy", "/api/v1/policies/:id/rehearse", {
    params: { id: pathId },
    payload: PolicyRehearsalRequest,
    success: one(PolicyRehearsal),
    error: [...resourceErrors, ...bodyErrors, Conflict]
  }).pipe(declare({
    scope: "product:read",
    alsoNeeds: ["license:read"],
    products: { of: "policy" },
    action: "none",
    answerKept: "none",
    summary: "Rehearse a policy change",
    description:
      "Calls of a window of time are decided again as if the policy had been changed at its start. The response has " +
      "those that would be refused or granted instead. The request writes nothing. `next_after` continues after 1,000 licenses."
  })),
  HttpApiEndpoint.get("listPolicyFeatures", "/api/v1/products/:id/policies/:policy_id/features", {
    params: { id: pathId, policy_id: pathId },
    query: listQuery,
    success: page(PolicyFeature),
    error: [...resourceErrors, ...listErrors]
  }).pipe(
    declare({
      scope: "product:read",
      products: { of: "product" },
      summary: "List a policy's features",
      description: "The features that every license under the policy grants, unless the license has its own assignment."
    })
  ),
  HttpApiEndpoint.post("assignPolicyFeature", "/api/v1/products/:id/policies/:policy_id/features", {
    params: { id: pathId, policy_id: pathId },
    payload: PolicyFeatureAssign,
    success: one(PolicyFeature),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "product:write",
    products: { of: "product" },
    action: "policy.feature_assigned",
    summary: "Give a policy a feature",
    description: "Every license under the policy has the feature from its next call; nothing is copied. If it is " +
      "assigned already, omitted fields keep their values; `null` clears an optional field. An assignment of " +
      "a license takes precedence, field by field. A feature of another product is granted to licenses that " +
      "cover that product too."
  })),
  HttpApiEndpoint.delete("removePolicyFeature", "/api/v1/products/:id/policies/:policy_id/features/:feature_id", {
    params: { id: pathId, policy_id: pathId, feature_id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "product:write",
    products: { of: "product" },
    action: "policy.feature_removed",
    summary: "Take a policy's feature away",
    consequence: "Licenses of the policy lose the feature from the next check, unless it was assigned to them.",
    description: "Licenses with their own assignment of the feature keep it. Its usage stays recorded."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
