import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Activity,
  ActivityAction,
  activityDays,
  ActivityResult,
  ActivitySource,
  maximumRefusals,
  refusalDays
} from "../../domain/audit/Activity.ts"
import { usageFilters, windowFilters } from "../../domain/reports/Report.ts"
import { documentedAs, filterBy, optional, RequestId } from "../../domain/wire/Fields.ts"
import * as Id from "../../domain/wire/Id.ts"
import { Envelope, Management } from "./Middleware.ts"
import { declare } from "./Operation.ts"
import { listQuery } from "./Parameters.ts"
import { listErrors, page } from "./Responses.ts"

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
      status_code: optional(Status, "Only entries with this HTTP status.", 403)
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
      "granted validate or check is not an activity."
  }))
).middleware(Management).middleware(Envelope) {}
