import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActionRequest } from "../../domain/ground/wire/Action.ts"
import { PreconditionFailed, RateLimited, StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
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
import { PublishableKey, PublishableKeyCreate, SigningKey } from "../../domain/keys/security/SigningKey.ts"
import { ServiceSettings as Shown, ServiceSettingsUpdate } from "../../domain/keys/settings/ServiceSettings.ts"
import { MailSettings } from "../../domain/mail/Mail.ts"
import { SignInSettings, SignInTest } from "../../domain/people/SignInFlow.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId, SearchText, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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

/** Settings of the environment that people change while it runs. */
export class ServiceSettings extends HttpApiGroup.make("settings").add(
  HttpApiEndpoint.get("getSettings", "/api/v1/settings", { success: one(Shown) }).pipe(declare({
    scope: "any",
    products: "open",
    conditional: "resource",
    summary: "Read the settings",
    description:
      "Where a reason is required, the usual reasons, the brand, and the language of mails. Each environment has its own."
  })),
  HttpApiEndpoint.patch("updateSettings", "/api/v1/settings", {
    payload: ServiceSettingsUpdate,
    success: one(Shown),
    error: [...bodyErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "settings.updated",
    conditional: "resource",
    consequenceOf: {
      required_reasons: "From now on these actions are refused without a reason, on every node and for every caller."
    },
    summary: "Change the settings",
    description:
      "Omitted fields stay as they are. Without a required reason, the response is 422 VALIDATION_ERROR, with the code " +
      "`reason_required` for the field `reason`; a `dry_run` needs none. Jobs are judged when they are created. Work of the service " +
      "itself, and commands on the host, need none."
  })),
  HttpApiEndpoint.get("getSignInSettings", "/api/v1/settings/sign-in", { success: one(SignInSettings) }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "Read how people sign in",
    description:
      "The identity provider, the roles that its claims give, and how long sessions last, as the process was started."
  })),
  HttpApiEndpoint.get("getMailSettings", "/api/v1/settings/mail", { success: one(MailSettings) }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "Read how mails are sent",
    description:
      "The sender of mails to customers, as the process was started, and the mails that wait. `mails` of a policy says which are sent."
  })),
  HttpApiEndpoint.post("testSignIn", "/api/v1/settings/sign-in/test", {
    success: one(SignInTest),
    error: [RateLimited, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Test the identity provider",
    description:
      "Asks the identity provider to describe itself, as a sign-in does, and says what is wrong. STATE_CONFLICT where none is " +
      "configured. It counts as a sign-in of the address."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

export class SigningKeys extends HttpApiGroup.make("signing-keys").add(
  HttpApiEndpoint.get("listSigningKeys", "/api/v1/signing-keys", {
    query: createdQuery,
    success: page(SigningKey),
    error: listErrors
  }).pipe(
    declare({
      scope: "admin",
      products: "refused",
      summary: "List signing keys",
      description: "Signing keys of every status, newest first."
    })
  ),
  HttpApiEndpoint.post("rotateSigningKey", "/api/v1/signing-keys/rotate", {
    success: [created(SigningKey), one(SigningKey)]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "signing_key.created",
    body: ActionRequest,
    summary: "Rotate the signing key",
    consequence:
      "A new key signs from now on. The previous key stays published, so existing signatures still verify. " +
      "Apps with built-in public keys need an update before they accept the new key.",
    risk: "final",
    description:
      "Creates a new signing key and makes it the active one. The previous key is retired: it signs nothing " +
      "more, but stays published, so that old responses still verify. `dry_run` returns 200 with the key that " +
      "would be retired."
  })),
  HttpApiEndpoint.post("revokeSigningKey", "/api/v1/signing-keys/:id/revoke", {
    params: { id: pathId },
    success: one(SigningKey),
    error: [...resourceErrors, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "signing_key.revoked",
    summary: "Revoke a signing key",
    consequence: "Signatures of the key no longer verify.",
    risk: "final",
    description: "Revokes a retired signing key. It is removed from the verification keys, so nothing that it signed " +
      "verifies, except checkpoints that were stored before. The active key must be rotated first."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

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
