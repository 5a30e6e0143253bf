import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { field, optional } from "../../domain/ground/wire/Fields.ts"
import { JsonWebKeySet, KeyEndorsement, PublicKey, RevokedKey } from "../../domain/keys/security/SigningKey.ts"
import { Envelope } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { all, one } from "../ground/Responses.ts"

const Health = Schema.Struct({
  status: field(Schema.Literal("ok"), "Always `ok`: the process responds.")
}).annotate({
  identifier: "HealthData",
  description: "The process responds.",
  examples: [{ status: "ok" }]
})

const Ready = Schema.Struct({
  status: field(Schema.Literals(["ready", "not_ready"]), "Whether this node accepts traffic."),
  db: field(Schema.String, "State of the database: `ok` or `unavailable`."),
  phase: field(
    Schema.Literals(["starting", "ready", "draining"]),
    "`starting`, `ready`, or `draining` before the service stops."
  ),
  reason: optional(
    Schema.String,
    "The reason why it is not ready, if `phase` and `db` do not show it. While it is ready: the disk of the " +
      "embedded database is nearly full."
  )
}).annotate({
  identifier: "ReadyData",
  description: "Whether this node accepts traffic.",
  examples: [{ status: "ready", db: "ok", phase: "ready" }]
})

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

export class System extends HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("health", "/health", { success: one(Health) }).pipe(declare({
    scope: "none",
    summary: "Check liveness (hosted)",
    description: "The same as `/healthz`, under the path that hosted deployments probe."
  })),
  HttpApiEndpoint.get("healthz", "/healthz", { success: one(Health) }).pipe(declare({
    scope: "none",
    summary: "Check liveness",
    description: "Returns 200 while the process runs, whatever else fails."
  })),
  HttpApiEndpoint.get("readyz", "/readyz", {
    success: [one(Ready), one(Ready).pipe(HttpApiSchema.status(503))]
  }).pipe(declare({
    scope: "none",
    summary: "Check readiness",
    description:
      "200 when this node accepts traffic, otherwise 503. Not a liveness check. The status is 503 while the " +
      "node is starting, draining or overloaded, without the database, or with too few connections to the " +
      "database; then `reason` has the number that is needed. On a full disk it stays 200, because reads " +
      "work; `reason` mentions it."
  })),
  HttpApiEndpoint.get("getMetrics", "/metrics", {
    success: text("text/plain; version=0.0.4; charset=utf-8")
  }).pipe(declare({
    scope: "none",
    summary: "Read metrics",
    description: "Metrics in the Prometheus text format.",
    example: "# TYPE http_server_active_requests gauge\nhttp_server_active_requests 2\n"
  })),
  HttpApiEndpoint.get("listPublicKeys", "/api/v1/system/public-keys", {
    success: Schema.Struct({
      ...all(PublicKey).fields,
      revoked: optional(
        Schema.Array(RevokedKey),
        "Keys that were revoked, if there are any: for checkpoints alone that were kept from before."
      ),
      endorsement: Schema.optionalKey(KeyEndorsement)
    }).annotate({ identifier: "PublicKeyList", description: "The published keys, in `data`." })
  }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "List public keys",
    description:
      "The keys that verify runtime responses: active and retired, newest first. Trust nothing that a key in " +
      "`revoked` signed, except checkpoints of the event feed that were stored before `revoked_at`. The keys " +
      "sign the list themselves (`endorsement`), so that an app that ships one of them accepts new keys from " +
      "no other source."
  })),
  HttpApiEndpoint.get("getJsonWebKeySet", "/.well-known/jwks.json", {
    success: JsonWebKeySet.pipe(HttpApiSchema.asJson({ contentType: "application/jwk-set+json" }))
  }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "Read the key set (JWKS)",
    description: "The public keys as a JSON Web Key Set (RFC 7517, RFC 8037)."
  })),
  HttpApiEndpoint.get("getOpenApi", "/openapi.yaml", { success: text("application/yaml; charset=utf-8") }).pipe(
    declare({
      scope: "none",
      conditional: "document",
      summary: "Read this contract (YAML)",
      description: "The OpenAPI document of this service, as YAML.",
      example: "openapi: 3.1.0\n"
    })
  ),
  HttpApiEndpoint.get("getOpenApiJson", "/openapi.json", {
    success: Schema.Record(Schema.String, Schema.Json).annotate({
      identifier: "OpenApiDocument",
      description: "An OpenAPI 3.1 document."
    })
  }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "Read this contract (JSON)",
    description: "The OpenAPI document of this service, as JSON.",
    example: { openapi: "3.1.0", info: { title: "Countersign" } }
  })),
  HttpApiEndpoint.get("getLlmsText", "/llms.txt", { success: text("text/markdown; charset=utf-8") }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "Read the short reference",
    description: "A short text reference for language models: one line for each operation.",
    example: "# Countersign\n"
  })),
  HttpApiEndpoint.get("getLlmsFullText", "/llms-full.txt", { success: text("text/markdown; charset=utf-8") }).pipe(
    declare({
      scope: "none",
      conditional: "document",
      summary: "Read the full reference",
      description: "The whole reference as text, for language models.",
      example: "# Countersign\n"
    })
  ),
  HttpApiEndpoint.get("getErrorReference", "/docs/errors", { success: text("text/html; charset=utf-8") }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "Read the error reference",
    description: "A page with every error code and what to do about it.",
    example: "<!doctype html>"
  }))
).middleware(Envelope) {}
