import { Schema } from "effect"
import { field, optional, text, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { MailLanguage } from "../ground/wire/MailLanguage.ts"
import { MailKind } from "./Mail.ts"

/** The most characters of the parts of a template. */
const longest = { subject: 200, body: 8_000 } as const

const subject = text(1, longest.subject)
const body = text(1, longest.body)

const subjectText = "The subject, in Liquid: one line, at most 200 characters."
const bodyText =
  "The body, in Liquid, of paragraphs with empty lines between them: at most 8,000 characters. Text and HTML are " +
  "made from it. Bold words, code, links and lists are written as in Markdown."

const MailVariable = Schema.Struct({
  name: field(Schema.String, "The name, as a template writes it between `{{` and `}}`."),
  type: field(
    Schema.Literals(["text", "number", "date"]),
    "The type. Numbers and dates are written as the language of the mail writes them, dates in UTC."
  ),
  description: field(Schema.String, "The meaning."),
  is_optional: field(
    Schema.Boolean,
    "Whether a mail may lack it. A template then asks for it by `if`, or names a `default`."
  ),
  sample: field(Schema.String, "The value in previews, as English writes it.")
}).annotate({
  identifier: "MailVariable",
  description: "A variable of a mail.",
  examples: [{
    name: "product",
    type: "text",
    description: "The name of the product.",
    is_optional: false,
    sample: "Acme Studio"
  }]
})

/** A kind of mail, and what its templates may say. */
export const MailKindSummary = Schema.Struct({
  kind: MailKind,
  variables: Schema.Array(MailVariable).annotate({ description: "The variables of its templates." }),
  own_languages: Schema.Array(MailLanguage).annotate({
    description: "The languages with a template of the vendor."
  })
}).annotate({
  identifier: "MailKindSummary",
  description: "A kind of mail, and the variables of its templates.",
  examples: [{ kind: "license_issued", variables: [], own_languages: ["de"] }]
})
export type MailKindSummary = typeof MailKindSummary.Type

const example = {
  kind: "license_issued",
  language: "en",
  subject: "Your license key for {{ product }}",
  body: "Here is your license key for **{{ product }}**:\n\n`{{ license_key }}`\n\n{{ vendor }}\n"
} as const

/** The template of a kind of mail in a language: the vendor's own, or the one that ships. */
export const MailTemplate = Schema.Struct({
  kind: MailKind,
  language: MailLanguage,
  subject: field(Schema.String, subjectText),
  body: field(Schema.String, bodyText),
  is_own: field(Schema.Boolean, "Whether it is the vendor's own. Otherwise it is the one that ships."),
  updated_at: optional(Timestamp, "When the vendor's own template was last changed.")
}).annotate({
  identifier: "MailTemplate",
  description: "The template of a kind of mail in a language.",
  examples: [{ ...example, is_own: false }]
})
export type MailTemplate = typeof MailTemplate.Type

/** A template as it is given. */
export const MailTemplatePut = Schema.Struct({
  subject: field(subject, subjectText),
  body: field(body, bodyText)
}).annotate({
  identifier: "MailTemplatePutRequest",
  description: "The vendor's own template. It has to render with every set of samples.",
  examples: [{ subject: example.subject, body: example.body }]
})
export type MailTemplatePut = typeof MailTemplatePut.Type

const draftText = "Omitted: as the template is."

const draft = {
  subject: optional(subject, `A subject to try. ${draftText}`),
  body: optional(body, `A body to try. ${draftText}`)
}

/** What is to be previewed. */
export const MailPreviewRequest = Schema.Struct({
  ...draft,
  license_id: optional(Id.reference("lic"), "The license that it is about. Omitted: samples.")
}).annotate({
  identifier: "MailPreviewRequest",
  description: "A template that is tried, and nothing is stored.",
  examples: [{ subject: example.subject }]
})
export type MailPreviewRequest = typeof MailPreviewRequest.Type

/** A mail as it would be. */
export const MailPreview = Schema.Struct({
  subject: field(Schema.String, "The subject."),
  text: field(Schema.String, "The mail as text."),
  html: field(Schema.String, "The mail as HTML: a whole document, without scripts.")
}).annotate({
  identifier: "MailPreview",
  description: "A mail as it would be. Of a license key it shows the last characters at most.",
  examples: [{
    subject: "Your license key for Acme Studio",
    text: "Here is your license key for Acme Studio:\n\nCS-•••••-•••••-•••••-•••••-•0PM2\n",
    html: "<!doctype html><html lang=\"en\"></html>"
  }]
})
export type MailPreview = typeof MailPreview.Type

/** What is to be sent as a sample. */
export const MailSampleRequest = Schema.Struct(draft).annotate({
  identifier: "MailSampleRequest",
  description: "A template that is tried in a mail to the caller.",
  examples: [{ subject: example.subject }]
})
export type MailSampleRequest = typeof MailSampleRequest.Type

/** What became of a sample. */
export const MailSample = Schema.Struct({
  recipient: field(Schema.String, "The address of the caller."),
  is_accepted: field(Schema.Boolean, "Whether the mail server took it."),
  reply: field(Schema.String, "The reply of the mail server, or what went wrong.")
}).annotate({
  identifier: "MailSample",
  description: "The outcome of a sample.",
  examples: [{ recipient: "ada@example.com", is_accepted: true, reply: "250 2.0.0 Ok: queued as 4XK2" }]
})
export type MailSample = typeof MailSample.Type

/** What an event says of a template. */
export const MailTemplateInEvent = Schema.Struct({
  kind: MailKind,
  language: MailLanguage,
  subject: optional(Schema.String, "The subject; absent where the template that ships is used again."),
  body: optional(Schema.String, "The body; absent where the template that ships is used again."),
  updated_at: optional(Timestamp, "Time of the change.")
}).annotate({
  identifier: "MailTemplateEventData",
  description: "The vendor's own template of a kind of mail in a language, as the event left it.",
  examples: [example]
})
export type MailTemplateInEvent = typeof MailTemplateInEvent.Type
