import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ActionRequest, ReasonRequest } from "../../domain/ground/wire/Action.ts"
import { ErrorEnvelope } from "../../domain/ground/wire/Errors.ts"
import { field, optional } from "../../domain/ground/wire/Fields.ts"
import { JsonWebKeySet, KeyEndorsement, PublicKey, RevokedKey } from "../../domain/keys/security/SigningKey.ts"
import { ReportedUse } from "../../domain/licensing/metering/UsageReport.ts"
import { CustomFields, Products, Versions } from "../catalog/CustomFields.ts"
import { Features } from "../catalog/Features.ts"
import { Policies } from "../catalog/Policies.ts"
import { Commerce } from "../customers/Commerce.ts"
import { Customers } from "../customers/Customers.ts"
import { deliveries, Ops, testDelivery, Webhooks } from "../delivery/Webhooks.ts"
import { Activities, Receipts } from "../evidence/Activities.ts"
import { ReportExports } from "../evidence/ReportExports.ts"
import { Reports } from "../evidence/Reports.ts"
import { bodyStrictness, Envelope, queryStrictness } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { all, one } from "../ground/Responses.ts"
import { Environments, Jobs, LicenseViews } from "../jobs/Environments.ts"
import { ManagementKeys, PublishableKeys, ServiceSettings, SigningKeys } from "../keys/ManagementKeys.ts"
import { Devices, Pools } from "../licensing/Devices.ts"
import { Floating, Grants, Leases } from "../licensing/Floating.ts"
import { Licenses } from "../licensing/Licenses.ts"
import { LicenseUsers, UserSignIns } from "../licensing/LicenseUsers.ts"
import { Offline, OfflineFiles, Revocations } from "../licensing/OfflineFiles.ts"
import { Runtime } from "../licensing/Runtime.ts"
import { SelfService, Trials, Usage } from "../licensing/SelfService.ts"
import { Events } from "../log/Events.ts"
import { MailSuppressions } from "../mail/MailSuppressions.ts"
import { MailTemplates } from "../mail/MailTemplates.ts"
import { Approvals } from "../people/Approvals.ts"
import { CustomerNotes, LicenseNotes, Passkeys } from "../people/Notes.ts"
import { People, Roles } from "../people/People.ts"
import { Sessions, SignIns } from "../people/Sessions.ts"
import { CustomerErasures } from "../portal/CustomerErasures.ts"
import { Billing, BillingInbox } from "../sales/Billing.ts"

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

class System extends HttpApiGroup.make("system").add(
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

/** The whole contract. OpenAPI, llms.txt, the scope check and the typed client all derive from it. */
export class Api extends HttpApi.make("countersign")
  .add(System)
  .add(Products)
  .add(Versions)
  .add(Commerce)
  .add(Billing)
  .add(BillingInbox)
  .add(CustomFields)
  .add(Policies)
  .add(Features)
  .add(Customers)
  .add(CustomerNotes)
  .add(CustomerErasures)
  .add(People)
  .add(Roles)
  .add(Approvals)
  .add(Sessions)
  .add(SignIns)
  .add(Passkeys)
  .add(ManagementKeys)
  .add(PublishableKeys)
  .add(Licenses)
  .add(Grants)
  .add(Pools)
  .add(LicenseUsers)
  .add(UserSignIns)
  .add(Receipts)
  .add(Usage)
  .add(LicenseNotes)
  .add(LicenseViews)
  .add(MailTemplates)
  .add(MailSuppressions)
  .add(Jobs)
  .add(Devices)
  .add(OfflineFiles)
  .add(Runtime)
  .add(Floating)
  .add(SelfService)
  .add(Leases)
  .add(Offline)
  .add(Revocations)
  .add(Trials)
  .add(SigningKeys)
  .add(Environments)
  .add(ServiceSettings)
  .add(Events)
  .add(Activities)
  .add(Reports)
  .add(ReportExports)
  .add(Webhooks)
  .add(Ops)
  .annotate(HttpApi.AdditionalSchemas, [
    ErrorEnvelope,
    ReasonRequest,
    ActionRequest,
    ReportedUse,
    ...deliveries.map(({ schema }) => schema),
    testDelivery.schema
  ])
  .annotate(HttpApi.PayloadParseOptions, bodyStrictness)
  .annotate(HttpApi.QueryParseOptions, queryStrictness)
  .annotateMerge(OpenApi.annotations({
    title: "Countersign",
    version: "1.0.0",
    description:
      "A self-hosted licensing service for software vendors: issue license keys, validate them at runtime, " +
      "and prove every change afterwards."
  }))
{}
