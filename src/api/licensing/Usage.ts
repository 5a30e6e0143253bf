import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { lateDays } from "../../domain/licensing/metering/LateUse.ts"
import { UsageReport, UsageReported, WholeUsageReport } from "../../domain/licensing/metering/UsageReport.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, one } from "../ground/Responses.ts"

/** Uses of metered features that backends report. */
export class Usage extends HttpApiGroup.make("usage").add(
  HttpApiEndpoint.post("reportUsage", "/api/v1/usage", {
    payload: UsageReport,
    success: one(UsageReported),
    error: bodyErrors
  }).pipe(declare({
    scope: "license:write",
    products: "narrowed",
    action: "license.usage_recorded",
    rows: { list: "uses", applies: () => true, otherwise: WholeUsageReport },
    summary: "Report usage",
    description:
      "Counts usage events of a backend, which needs no device: up to 1,000 in one request, by license, license key or " +
      "customer. Quotas, grants and overage apply as to `consume`, and no row fails another. A repeated `event_id` counts " +
      "nothing and returns the first result, also in another request. `used_at` decides the period, and reports count the " +
      `use at that time: up to ${lateDays} days ago; \`late_uses\` says what becomes of older ones.`
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
