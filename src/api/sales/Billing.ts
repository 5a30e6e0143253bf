import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ApprovalRequired,
  InUse,
  InvalidHeader,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RateLimited,
  RequestTimeout,
  StateConflict,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { optional, text } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import {
  BillingConnection,
  BillingConnectionCreate,
  BillingConnectionUpdate,
  EventsReceived
} from "../../domain/sales/billing/BillingConnection.ts"
import {
  Purchase,
  PurchaseOwnerDecision,
  PurchaseShown,
  PurchaseStatus,
  UnmappedPrice
} from "../../domain/sales/billing/Purchase.ts"
import { Reconciliation, ReconciliationCreate, ReconciliationShown } from "../../domain/sales/billing/Reconciliation.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, pathId, SearchText } from "../ground/Parameters.ts"
import { all, bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const connections = "/api/v1/billing/connections"
const connection = "/api/v1/billing/connections/:id"

/** Connections to payment providers, and the purchases that come by them. */
export class Billing extends HttpApiGroup.make("billing").add(
  HttpApiEndpoint.get("listBillingConnections", connections, {
    query: changedQuery,
    success: page(BillingConnection),
    error: listErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "List billing connections",
    description: "All connections to payment providers, newest first. No secret is shown."
  })),
  HttpApiEndpoint.post("createBillingConnection", connections, {
    payload: BillingConnectionCreate,
    success: created(BillingConnection),
    error: bodyErrors
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "billing_connection.created",
    summary: "Create a billing connection",
    description:
      "Connects an account at a payment provider. Give the provider `events_path` as the address of its webhook, and " +
      "the secret of that webhook here. From then on its purchases become licenses, as `mapping` says."
  })),
  HttpApiEndpoint.get("getBillingConnection", connection, {
    params: { id: pathId },
    success: one(BillingConnection),
    error: resourceErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    conditional: "resource",
    summary: "Read a billing connection",
    description: "One connection by its ID, without its secrets."
  })),
  HttpApiEndpoint.patch("updateBillingConnection", connection, {
    params: { id: pathId },
    payload: BillingConnectionUpdate,
    success: one(BillingConnection),
    error: [...resourceErrors, ...bodyErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "billing_connection.updated",
    conditional: "resource",
    consequenceOf: {
      mapping: "Purchases that wait for an entry, or failed, are tried again and become licenses.",
      "sold_before=renewal":
        "Licenses that were sold otherwise get their new policy and limits with their next renewal.",
      "sold_before=now": "Licenses that were sold otherwise get their new policy and limits at once.",
      secret: "Events must be signed with the new secret. Until the overlap ends, the old one is accepted too."
    },
    summary: "Change a billing connection",
    description:
      "Omitted fields stay as they are. After a new `secret`, the previous secret is accepted for a day, or " +
      "for `secret_overlap_seconds`. A new `mapping` replaces the whole one. It is for new purchases, unless `sold_before` says otherwise; " +
      "`sold_otherwise` in the response counts the licenses that it would change."
  })),
  HttpApiEndpoint.delete("deleteBillingConnection", connection, {
    params: { id: pathId },
    success: noContent,
    error: [NotFound, PreconditionFailed, InUse]
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "billing_connection.deleted",
    conditional: "resource",
    consequence: "The billing connection is deleted.",
    risk: "final",
    summary: "Delete a billing connection",
    description: "Refused with IN_USE while purchases came by it, or events that may become some."
  })),
  HttpApiEndpoint.get("listPurchases", "/api/v1/billing/purchases", {
    query: {
      ...changedQuery,
      status: optional(PurchaseStatus, "Only purchases with this status."),
      connection_id: Schema.optionalKey(Id.filter("bcn")),
      customer_id: Schema.optionalKey(Id.filter("cus")),
      license_id: Schema.optionalKey(Id.filter("lic")),
      external_id: optional(
        text(1, 255),
        "Only the purchase with this ID of a subscription or order at the provider.",
        "sub_1QXyz"
      ),
      q: optional(
        SearchText,
        "The ID of the purchase, of one of its licenses, or of the subscription or order at the provider; or the " +
          "start of the payer's email address.",
        "ada@example.com"
      )
    },
    success: page(Purchase),
    error: listErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "List purchases",
    description: "All purchases that match the filters, newest first unless `order` is set."
  })),
  HttpApiEndpoint.get("getPurchase", "/api/v1/billing/purchases/:id", {
    params: { id: pathId },
    success: one(PurchaseShown),
    error: resourceErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "Read a purchase",
    description: "One purchase by its ID, with its licenses and the events that it was read from."
  })),
  HttpApiEndpoint.post("retryPurchase", "/api/v1/billing/purchases/:id/retry", {
    params: { id: pathId },
    success: one(Purchase),
    error: resourceErrors
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "purchase.retried",
    answerKept: "none",
    summary: "Retry a purchase",
    description:
      "Reads the events of the purchase again and does what there is to do, within a second. The response shows the " +
      "purchase as it was before."
  })),
  HttpApiEndpoint.post("decidePurchaseOwner", "/api/v1/billing/purchases/:id/owner", {
    params: { id: pathId },
    payload: PurchaseOwnerDecision,
    success: one(Purchase),
    error: [...resourceErrors, ...bodyErrors, StateConflict, ApprovalRequired]
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "purchase.owner_decided",
    consequence:
      "Licenses that belong to another owner than who pays are transferred, left as they are, or no longer paid for.",
    summary: "Decide a purchase's owner",
    description:
      "For a purchase that waits with `owner_differs`: the provider names another payer by now, and a license of it belongs to " +
      "another owner. Decides for all such licenses. For one that waits with `paid_twice`, `issue` issues another license to the customer who pays. " +
      "For one that waits with `sold_elsewhere`, `issue` says that it is another purchase, and issues its licenses. " +
      "A transfer counts towards `max_transfers`. The response shows the purchase as it was before."
  })),
  HttpApiEndpoint.get("listUnmappedPrices", "/api/v1/billing/unmapped-prices", {
    success: all(UnmappedPrice)
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "List unmapped prices",
    description: "The prices that purchases wait for because no mapping has them, the most wanted first; at most 500."
  })),
  HttpApiEndpoint.post("reconcileBillingConnection", `${connection}/reconcile`, {
    params: { id: pathId },
    payload: ReconciliationCreate,
    success: created(Reconciliation),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "product:write",
    alsoNeeds: ["license:write"],
    products: "refused",
    action: "billing_connection.reconciled",
    consequence: "Purchases that differ from those of the provider are fixed, and their licenses follow.",
    summary: "Reconcile a billing connection",
    description:
      "Compares the purchases of a connection with those that the payment provider lists, by the API key of the connection, " +
      "and fixes what differs: what was read counts as one more event of the purchase. Responds at once; the lists are read " +
      "in the background, and reading survives a restart. Poll the reconciliation until its `status` is `done` or `failed`. " +
      "With `dry_run`, differences are reported alone, and of purchases that are missing what would become of them. 409 " +
      "STATE_CONFLICT without an API key, and while another reconciliation of the connection is under way."
  })),
  HttpApiEndpoint.get("listReconciliations", `${connection}/reconciliations`, {
    params: { id: pathId },
    success: all(Reconciliation),
    error: resourceErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "List reconciliations",
    description: "The last 20 reconciliations of a billing connection, newest first."
  })),
  HttpApiEndpoint.get("getReconciliation", "/api/v1/billing/reconciliations/:id", {
    params: { id: pathId },
    success: one(ReconciliationShown),
    error: resourceErrors
  }).pipe(declare({
    scope: "product:read",
    products: "refused",
    summary: "Read a reconciliation",
    description: "One reconciliation by its ID, with what it found."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** Events of payment providers. */
export class BillingInbox extends HttpApiGroup.make("billing-inbox").add(
  HttpApiEndpoint.post("receiveBillingEvents", "/api/v1/billing/connections/:id/events", {
    params: { id: pathId },
    success: one(EventsReceived),
    error: [NotFound, InvalidHeader, ValidationError, PayloadTooLarge, RequestTimeout, RateLimited]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    rawBody: true,
    summary: "Receive provider events",
    description:
      "For the payment provider of a billing connection. The credential is its signature over the bytes of the body. " +
      "Events are stored, each once, and the response does not wait for what follows from them. Without a valid " +
      "signature the response is 400; `detail` has the reason."
  }))
).middleware(Envelope) {}
