import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
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

export class Policies extends HttpApiGroup.make("policies").add(
  HttpApiEndpoint.get("listPoliciesByProduct", "/api/v1/products/:id/policies", {
    params: { id: pathId },
    query: listQuery,
    success: page(Policy),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "product:read", summary: "List a product's policies, newest first" })),
  HttpApiEndpoint.post("createPolicy", "/api/v1/products/:id/policies", {
    params: { id: pathId },
    payload: PolicyCreate,
    success: created(Policy),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Create a policy",
    description:
      "Members left out take the documented defaults: one activation, no grace period, VMs, containers and " +
      "offline use allowed."
  })),
  HttpApiEndpoint.get("getPolicy", "/api/v1/policies/:id", {
    params: { id: pathId },
    success: one(Policy),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read a policy" })),
  HttpApiEndpoint.patch("updatePolicy", "/api/v1/policies/:id", {
    params: { id: pathId },
    payload: PolicyUpdate,
    success: one(Policy),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Change a policy",
    description: "Takes effect at the next runtime call of every license under it. `null` clears an optional limit."
  })),
  HttpApiEndpoint.delete("deletePolicy", "/api/v1/policies/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "product:write",
    summary: "Delete a policy",
    description: "Refused with IN_USE while licenses were issued under it."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
