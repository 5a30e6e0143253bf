import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Activity,
  ActivityAction,
  ActivityRecord,
  ActivityResult,
  ActivitySource
} from "../../domain/evidence/audit/Activity.ts"
import { UsageReceipt } from "../../domain/evidence/receipts/UsageReceipt.ts"
import { usageFilters, windowFilters } from "../../domain/evidence/reports/Report.ts"
import {
  InvalidHeader,
  InvalidQuery,
  LicenseKeyInvalid,
  NotFound,
  Unavailable,
  UserSignInRequired
} from "../../domain/ground/wire/Errors.ts"
import { documentedAs, field, filterBy, optional, RequestId, text } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { activityDays, maximumRefusals, refusalDays } from "../../domain/keys/settings/ActivityRetention.ts"
import { AuditActorType, ResourceTypeFilter } from "../../domain/log/EventKind.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { listQuery, pathId, userHeader, YesOrNo } from "../ground/Parameters.ts"
import { listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
import { nonceAlone } from "../licensing/Runtime.ts"

/** Receipts of usage, for the holder of a license key. */
export class Receipts extends HttpApiGroup.make("receipts").add(
  HttpApiEndpoint.get("getUsageReceipt", "/api/v1/license/receipt", {
    headers: { ...nonceAlone, ...userHeader },
    query: {
      event_id: field(text(1, 128), "Your ID of the usage event, as `consume` named it.", "export-2026-11-21-0001"),
      feature_code: optional(
        text(1, 128),
        "The code of the feature. Required where you counted the same `event_id` for several features.",
        "export-pdf"
      )
    },
    success: signed(UsageReceipt),
    error: [InvalidHeader, InvalidQuery, LicenseKeyInvalid, UserSignInRequired, NotFound, Unavailable]
  }).pipe(declare({
    scope: "license",
    locks: "nothing",
    summary: "Get a usage receipt",
    description:
      "Proves to an app that a usage event of its license is in the event log: the leaf of the event, and the path to the newest " +
      "checkpoint, which witnesses have signed where they are required. Keep the whole response: `/verify` and `verifyReceipt` check it " +
      "without the service. Works for a suspended, revoked or expired license too. Until a checkpoint covers the event, about a second, it " +
      "is UNAVAILABLE with the detail `no_checkpoint`: try again. Usage of other licenses, and of devices of other users, is NOT_FOUND."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}

/** A status code as a filter. */
const Status = Schema.String.annotate(documentedAs({ type: "integer", minimum: 100, maximum: 599 })).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) =>
      /^[1-5]\d\d$/.test(input)
        ? Effect.succeed(Number(input))
        : Effect.fail(
          new SchemaIssue.InvalidValue({ message: "must be an HTTP status, a whole number from 100 to 599" })
        )
    ),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

export class Activities extends HttpApiGroup.make("activities").add(
  HttpApiEndpoint.get("listActivities", "/api/v1/activities", {
    query: {
      ...listQuery,
      ...windowFilters,
      action: optional(ActivityAction, "Only entries of this action."),
      source: optional(ActivitySource, "Only entries from this source."),
      ...usageFilters,
      request_id: optional(filterBy(RequestId, 128), "Only entries of this request.", Id.exampleOf("req")),
      result_class: optional(ActivityResult, "Only entries with this result."),
      status_code: optional(Status, "Only entries with this HTTP status.", 403),
      actor_type: optional(AuditActorType, "Only entries of actors of this kind."),
      actor_id: optional(
        Id.anyFilter,
        "Only entries of this actor: its ID, `bootstrap` for the admin token, `countersign` for the service or `cli` for the " +
          "command line.",
        Id.exampleOf("per")
      ),
      resource_type: optional(ResourceTypeFilter, "Only entries about resources of this type.", "policy"),
      resource_id: optional(Id.anyFilter, "Only entries about this resource.", Id.exampleOf("pol")),
      include_names: optional(
        YesOrNo,
        "`true` adds the actor by name and roles, and the names behind the IDs. Default: `false`.",
        true
      ),
      include_changes: optional(YesOrNo, "`true` adds what each entry changed, as `changes`. Default: `false`.", true)
    },
    success: page(Activity),
    error: listErrors
  }).pipe(declare({
    scope: "report:read",
    products: "narrowed",
    summary: "List activities",
    description:
      "Activities and refusals, newest first. For people and reporting: who did what to which license, when, " +
      "and with which result. Successful activities are also events of the feed; refusals are only listed " +
      `here. The window is [from, to). Default: everything stored, ${activityDays} days unless configured otherwise; for ` +
      `refusals ${refusalDays} days and at most ${maximumRefusals}. A refusal appears after a second. Above 1,000 refusals in a ` +
      "second, or 50 of one caller, the rest only counts in the metric `countersign_refusals_dropped`. A " +
      "granted validate or check is not an activity. `include_names=true` and `include_changes=true` read the events. Erased " +
      "values are absent. Changes are shown to callers that may read the resource or the feed; for others `withheld` names " +
      "the scope. Names of customers take `customer:read` or `license:read`."
  })),
  HttpApiEndpoint.get("getActivity", "/api/v1/activities/:id", {
    params: { id: pathId },
    success: one(ActivityRecord),
    error: resourceErrors
  }).pipe(declare({
    scope: "report:read",
    products: "narrowed",
    summary: "Read an activity",
    description:
      "One activity by its ID: who did it, what changed, and the resource as it was then. All of it is read from the event " +
      "log. Erased values are absent. Changes and the resource are shown to callers that may read the resource or the feed; " +
      "for others `withheld` names the scope."
  }))
).middleware(Management).middleware(Envelope) {}
