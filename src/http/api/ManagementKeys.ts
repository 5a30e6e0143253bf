import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ManagementKey,
  ManagementKeyCreate,
  ManagementKeyCreated,
  TokenIdentity
} from "../../domain/security/ManagementKey.ts"
import { TokenScopeDenied } from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { bodyErrors, created, declare, listErrors, noContent, one, page, resourceErrors } from "./Operation.ts"
import { createdQuery, pathId } from "./Parameters.ts"

export class ManagementKeys extends HttpApiGroup.make("api-keys").add(
  HttpApiEndpoint.get("listAPIKeys", "/api/v1/api-keys", {
    query: createdQuery,
    success: page(ManagementKey),
    error: listErrors
  }).pipe(
    declare({
      scope: "admin",
      products: "narrowed",
      summary: "List management keys",
      description: "All management keys, newest first, revoked ones included. No token is shown."
    })
  ),
  HttpApiEndpoint.post("createAPIKey", "/api/v1/api-keys", {
    payload: ManagementKeyCreate,
    success: created(ManagementKeyCreated),
    error: [...bodyErrors, TokenScopeDenied]
  }).pipe(declare({
    scope: "admin",
    products: "narrowed",
    action: "api_key.created",
    summary: "Create a management key",
    description:
      "Creates a credential for this API. The token is shown once. Scopes left out mean `admin`, but a key is never " +
      "wider than the key that creates it: a creator with `allowed_cidrs` or `expires_at` makes keys for addresses " +
      "within those and with no later end; " +
      "`meta.warnings` says so, and when such a key never expires. `expires_at` must be in the future."
  })),
  HttpApiEndpoint.get("getAPIKey", "/api/v1/api-keys/:id", {
    params: { id: pathId },
    success: one(ManagementKey),
    error: resourceErrors
  }).pipe(
    declare({
      scope: "admin",
      products: { of: "api_key" },
      summary: "Read a management key",
      description: "One management key by its id, without its token."
    })
  ),
  HttpApiEndpoint.delete("revokeAPIKey", "/api/v1/api-keys/:id", {
    params: { id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: { of: "api_key" },
    action: "api_key.revoked",
    summary: "Revoke a management key",
    consequence: "Every request with the key is refused from now on.",
    risk: "final",
    description: "Effective at once; the key stays readable with `is_active: false`. Repeating it succeeds."
  })),
  HttpApiEndpoint.get("getWhoami", "/api/v1/whoami", { success: one(TokenIdentity) }).pipe(
    declare({
      scope: "any",
      products: "open",
      summary: "Identify the caller",
      description: "What the token of this request is: its kind, name, scopes and expiry. " +
        "Any management token may ask about itself, whatever its scopes; one that is expired, revoked or used from an " +
        "address that it does not allow is refused as everywhere. Says nothing about the secret beyond its beginning."
    })
  )
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
