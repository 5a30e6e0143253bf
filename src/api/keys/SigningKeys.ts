import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActionRequest } from "../../domain/ground/wire/Action.ts"
import { StateConflict } from "../../domain/ground/wire/Errors.ts"
import { SigningKey } from "../../domain/keys/security/SigningKey.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

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
