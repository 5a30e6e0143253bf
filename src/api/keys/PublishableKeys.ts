import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PublishableKey, PublishableKeyCreate } from "../../domain/keys/security/PublishableKey.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, page, resourceErrors } from "../ground/Responses.ts"

/** Keys that stand in apps. */
export class PublishableKeys extends HttpApiGroup.make("publishable-keys").add(
  HttpApiEndpoint.get("listPublishableKeys", "/api/v1/products/:id/publishable-keys", {
    params: { id: pathId },
    query: createdQuery,
    success: page(PublishableKey),
    error: [...listErrors, ...resourceErrors]
  }).pipe(declare({
    scope: "product:read",
    products: { of: "product" },
    summary: "List publishable keys",
    description:
      "The publishable keys of a product, newest first, including revoked ones. They are not secret, so each " +
      "is shown in full."
  })),
  HttpApiEndpoint.post("createPublishableKey", "/api/v1/products/:id/publishable-keys", {
    params: { id: pathId },
    payload: PublishableKeyCreate,
    success: created(PublishableKey),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "product:write",
    products: { of: "product" },
    alsoNeeds: ["license:write"],
    action: "publishable_key.created",
    summary: "Create a publishable key",
    description: "Creates a key for your app to open trials under one policy. It has no other use. The policy needs " +
      "`license_type` `trial` and a `duration`, and cannot change these while the key is active. The key " +
      "issues licenses, so `license:write` is required in addition to `product:write`."
  })),
  HttpApiEndpoint.delete("revokePublishableKey", "/api/v1/publishable-keys/:id", {
    params: { id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "product:write",
    products: { of: "publishable_key" },
    action: "publishable_key.revoked",
    summary: "Revoke a publishable key",
    consequence: "Apps that contain the key can no longer open trials with it.",
    risk: "final",
    description:
      "Opens no more trials with the key. Existing trials continue, and the key stays in the list. Repeating " +
      "it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
