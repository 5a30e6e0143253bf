import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NotFound, PreconditionFailed, RateLimited, StateConflict } from "../../domain/ground/wire/Errors.ts"
import {
  MailKindSummary,
  MailPreview,
  MailPreviewRequest,
  MailSample,
  MailSampleRequest,
  MailTemplate,
  MailTemplatePut
} from "../../domain/mail/MailTemplate.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { pathId } from "../ground/Parameters.ts"
import { all, bodyErrors, noContent, one, resourceErrors } from "../ground/Responses.ts"

const template = "/api/v1/settings/mail/templates/:kind/:language"

/** A kind or a language that there is not is 404, as an ID is that nothing has. */
const params = { kind: pathId, language: pathId }

/** Templates of mails to customers. */
export class MailTemplates extends HttpApiGroup.make("mail-templates").add(
  HttpApiEndpoint.get("listMailKinds", "/api/v1/settings/mail/kinds", { success: all(MailKindSummary) }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "List the kinds of mails",
    description:
      "The kinds of mails to customers, the variables of their templates, and the languages with a template of the vendor's own."
  })),
  HttpApiEndpoint.get("getMailTemplate", template, { params, success: one(MailTemplate), error: resourceErrors }).pipe(
    declare({
      scope: "admin",
      products: "refused",
      conditional: "resource",
      summary: "Read a template",
      description: "The template of a kind of mail in a language: the vendor's own, or else the one that ships."
    })
  ),
  HttpApiEndpoint.put("putMailTemplate", template, {
    params,
    payload: MailTemplatePut,
    success: one(MailTemplate),
    error: [...resourceErrors, ...bodyErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "mail_template.updated",
    conditional: "resource",
    summary: "Change a template",
    description:
      "Keeps a template of the vendor's own in place of the one that ships, for mails that are sent from then on. A template " +
      "that does not render with every set of samples, with and without what is optional, is 422 VALIDATION_ERROR, with the " +
      "code `invalid_template` and the line. Of Liquid there are the tags `if`, `unless`, `case` and `comment`. " +
      "The filters are `capitalize`, `default`, `downcase`, `strip`, `truncate` and `upcase`."
  })),
  HttpApiEndpoint.delete("resetMailTemplate", template, {
    params,
    success: noContent,
    error: [...resourceErrors, PreconditionFailed]
  }).pipe(
    declare({
      scope: "admin",
      products: "refused",
      action: "mail_template.reset",
      conditional: "resource",
      consequence: "Mails are worded as they ship. Your template is deleted.",
      risk: "final",
      summary: "Reset a template",
      description:
        "Deletes the template of the vendor's own, so that mails are worded as they ship. Without one nothing changes."
    })
  ),
  HttpApiEndpoint.post("previewMailTemplate", `${template}/preview`, {
    params,
    payload: MailPreviewRequest,
    success: one(MailPreview),
    error: [...bodyErrors, NotFound]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Preview a mail",
    description: "Renders a mail with samples, or with what is known of a license, whose key is masked. A preview " +
      "stores and sends nothing. The response to a faulty template is that of saving it."
  })),
  HttpApiEndpoint.post("sendMailSample", `${template}/sample`, {
    params,
    payload: MailSampleRequest,
    success: one(MailSample),
    error: [...bodyErrors, NotFound, RateLimited, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Send yourself a sample",
    description:
      "Sends a mail with samples to the address of the person who is signed in, marked as a sample: at most 10 a minute. " +
      "STATE_CONFLICT where mails are off, for an API key, for a suppressed address, and in the test environment for an address that it may not send to."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
