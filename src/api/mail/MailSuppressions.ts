import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Conflict } from "../../domain/ground/wire/Errors.ts"
import { Email, filterBy, optional } from "../../domain/ground/wire/Fields.ts"
import { MailSuppression, MailSuppressionCreate, MailSuppressionReason } from "../../domain/mail/MailSuppression.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const suppressions = "/api/v1/settings/mail/suppressions"
const suppression = "/api/v1/settings/mail/suppressions/:id"
const params = { id: pathId }

/** Addresses that get no mails, or no notices. */
export class MailSuppressions extends HttpApiGroup.make("mail-suppressions").add(
  HttpApiEndpoint.get("listMailSuppressions", suppressions, {
    query: {
      ...createdQuery,
      address: optional(
        filterBy(Email, 320),
        "Only this address; not case-sensitive. It finds addresses that were erased, too.",
        "ada@example.com"
      ),
      reason: optional(MailSuppressionReason, "Only addresses that are suppressed for this reason.", "bounced")
    },
    success: page(MailSuppression),
    error: listErrors
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "List suppressed addresses",
    description: "The addresses that get no mails, or no notices, newest first unless `order` is set. An address may " +
      "be suppressed for several reasons."
  })),
  HttpApiEndpoint.get("getMailSuppression", suppression, {
    params,
    success: one(MailSuppression),
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "Read a suppression",
    description: "A suppressed address, by the ID that events name."
  })),
  HttpApiEndpoint.post("createMailSuppression", suppressions, {
    payload: MailSuppressionCreate,
    success: created(MailSuppression),
    error: [...bodyErrors, Conflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "mail_suppression.created",
    consequence: "The address gets no mails from now on, also none that wait.",
    undo: "deleteMailSuppression",
    summary: "Suppress an address",
    description:
      "Sends no mails to an address from now on, or with `reason` `opted_out` no notices. An address that is suppressed for " +
      "this reason already is CONFLICT. The service suppresses addresses itself: those whose mailbox a mail server " +
      "permanently refuses, and those whose owners unsubscribe."
  })),
  HttpApiEndpoint.delete("deleteMailSuppression", suppression, {
    params,
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "mail_suppression.lifted",
    consequence: "The address gets mails again. Mails that were not sent meanwhile are not sent later.",
    risk: "final",
    summary: "Lift a suppression",
    description: "Sends mails to the address again, unless it is suppressed for another reason, too."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
