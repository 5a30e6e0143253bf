import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import {
  keyRotateEffects,
  ManagementKey,
  ManagementKeyCreate,
  ManagementKeyCreated,
  ManagementKeyRotate,
  ManagementKeyRotated,
  TokenIdentity
} from "../../domain/keys/security/ManagementKey.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId, SearchText, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

export class ManagementKeys extends HttpApiGroup.make("api-keys").add(
  HttpApiEndpoint.get("listAPIKeys", "/api/v1/api-keys", {
    query: {
      ...createdQuery,
      q: optional(
        SearchText,
        "A part of the name in any case, the ID of the key, or the beginning of its token.",
        "storefront"
      ),
      created_by: optional(
        Id.anyFilter,
        "Only keys that this person or key created, or a key of theirs did.",
        "per_06eqpx1trxz3h94vqjm3a6kz7c"
      ),
      is_active: optional(YesOrNo, "Only keys that work, or only those that do not.", true)
    },
    success: page(ManagementKey),
    error: listErrors
  }).pipe(
    declare({
      scope: "admin",
      products: "narrowed",
      summary: "List API keys",
      description: "All API keys, newest first, including revoked ones. Tokens are not shown."
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
    summary: "Create an API key",
    description:
      "Creates a credential for this API. The token is shown once. The default scope is `admin`, but a key " +
      "never has more rights than the key that creates it. If the creator has `allowed_cidrs` or " +
      "`expires_at`, the new key gets addresses within those and no later end; `meta.warnings` has a warning " +
      "then, and if such a key never expires. `expires_at` must be in the future."
  })),
  HttpApiEndpoint.get("getAPIKey", "/api/v1/api-keys/:id", {
    params: { id: pathId },
    success: one(ManagementKey),
    error: resourceErrors
  }).pipe(
    declare({
      scope: "admin",
      products: { of: "api_key" },
      summary: "Read an API key",
      description: "One API key by its ID, without its token."
    })
  ),
  HttpApiEndpoint.post("rotateAPIKey", "/api/v1/api-keys/:id/rotate", {
    params: { id: pathId },
    payload: ManagementKeyRotate,
    success: created(ManagementKeyRotated),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "admin",
    products: { of: "api_key" },
    action: "api_key.updated",
    summary: "Rotate an API key",
    consequence: "A new key with the same rights replaces the key; the new token is shown once.",
    consequenceOf: keyRotateEffects,
    description:
      "Creates a key with the name, scopes, addresses and products of this one, and has this one end after the overlap. " +
      "The token of the new key is shown once. The caller needs all rights of the key. A key that is revoked or has " +
      "expired is STATE_CONFLICT."
  })),
  HttpApiEndpoint.delete("revokeAPIKey", "/api/v1/api-keys/:id", {
    params: { id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: { of: "api_key" },
    action: "api_key.revoked",
    summary: "Revoke an API key",
    consequence: "Every request with the key is refused from now on.",
    risk: "final",
    description: "Effective at once; the key stays readable with `is_active: false`. Repeating it succeeds."
  })),
  HttpApiEndpoint.get("getWhoami", "/api/v1/whoami", { success: one(TokenIdentity) }).pipe(
    declare({
      scope: "any",
      products: "open",
      summary: "Identify the caller",
      description:
        "The properties of the token of this request: its name, scopes and expiration. Every management token " +
        "may read its own, whatever its scopes. An expired or revoked token, or one from an address that it " +
        "does not allow, is refused as usual. Of the secret, only the beginning is shown."
    })
  )
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
