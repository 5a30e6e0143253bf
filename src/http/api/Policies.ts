import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import { PolicyFeature, PolicyFeatureAssign } from "../../domain/catalog/PolicyFeature.ts"
import { StateConflict } from "../../domain/wire/Errors.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { bodyErrors, declare, listErrors, noContent, one, page, resourceErrors } from "./Operation.ts"
import { listQuery, pathId } from "./Parameters.ts"

export class Policies extends HttpApiGroup.make("policies").add(
  ...crud({
    noun: "Policy",
    list: "listPoliciesByProduct",
    collection: "/api/v1/products/:id/policies",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "policy" }, change: { of: "policy" } },
    item: "/api/v1/policies/:id",
    schema: Policy,
    create: PolicyCreate,
    update: PolicyUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "policy",
    inUse: ["delete"],
    documents: {
      list: { summary: "List policies", description: "The policies of a product, newest first." },
      create: {
        summary: "Create a policy",
        description: "The rules that licenses are issued under. `code` is unique in the product. " +
          "Members left out take the documented defaults: one activation, no grace period, VMs, containers and " +
          "offline use allowed."
      },
      get: { summary: "Read a policy", description: "One policy by its id." },
      update: {
        summary: "Change a policy",
        description: "Members left out stay as they are. " +
          "Takes effect at the next runtime call of every license under it. `null` clears an optional limit."
      },
      delete: { summary: "Delete a policy", description: "Refused with IN_USE while licenses were issued under it." }
    }
  }),
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
      description: "What every license under the policy grants, unless it has an assignment of its own."
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
    description: "Every license under the policy has the feature from its next call on; nothing is copied. " +
      "Members left out keep their value on a repeated assignment, `null` takes an optional one away. What a license " +
      "is assigned itself wins, member by member. A feature of another product is granted to licenses that carry " +
      "that product too."
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
    description: "Licenses that were assigned the feature themselves keep it. What was used of it stays counted."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
