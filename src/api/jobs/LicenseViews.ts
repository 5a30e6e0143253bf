import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { LicenseView, LicenseViewInput } from "../../domain/jobs/LicenseView.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const views = "/api/v1/license-views"
const view = "/api/v1/license-views/:id"

/** Saved views of the list of licenses. */
export class LicenseViews extends HttpApiGroup.make("license-views").add(
  HttpApiEndpoint.get("listLicenseViews", views, {
    query: createdQuery,
    success: page(LicenseView),
    error: listErrors
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    summary: "List saved views",
    description:
      "The views that the caller has saved of the list of licenses, and those that others share, newest first unless " +
      "`order` is set. API keys have views too. A key that is limited to products sees only those that it has saved."
  })),
  HttpApiEndpoint.post("createLicenseView", views, {
    payload: LicenseViewInput,
    success: created(LicenseView),
    error: [...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    summary: "Save a view",
    description:
      "Saves a filter, an order and columns of the list of licenses under a name, for the caller or, with `is_shared`, for " +
      "all callers. A caller has at most 50 views; otherwise STATE_CONFLICT. A view that names a customer is deleted when " +
      "the customer is erased."
  })),
  HttpApiEndpoint.put("updateLicenseView", view, {
    params: { id: pathId },
    payload: LicenseViewInput,
    success: one(LicenseView),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    summary: "Change a saved view",
    description:
      "Replaces a view. Omitted fields are removed. Only its author may replace it. Where the author no longer has " +
      "access, a caller with `license:write` may, and is its author then."
  })),
  HttpApiEndpoint.delete("deleteLicenseView", view, {
    params: { id: pathId },
    success: noContent,
    error: [...resourceErrors, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    consequence: "The view is deleted. The licenses stay as they are.",
    risk: "final",
    summary: "Delete a saved view",
    description:
      "Deletes a view. Its author may, a caller with the scope `admin`, and for a view whose author no longer has access, one " +
      "with `license:write`. The licenses stay as they are."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
