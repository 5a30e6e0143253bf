import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import { MailKind } from "../../domain/mail/Mail.ts"
import { MailSuppressions } from "../../services/mail/MailSuppressions.ts"
import { MailTemplates } from "../../services/mail/MailTemplates.ts"
import { one, page } from "../ground/edge/Reply.ts"

export const mailSuppressionsLayer = HttpApiBuilder.group(
  Api,
  "mail-suppressions",
  Effect.fn(function*(handlers) {
    const suppressions = yield* MailSuppressions
    return handlers.handleAll({
      listMailSuppressions: ({ query: { address, reason, ...query } }) =>
        page(suppressions.list({ address, reason }, pageOf(query))),
      getMailSuppression: ({ params }) => one(suppressions.get(params.id)),
      createMailSuppression: ({ payload }) => one(suppressions.create(payload)),
      deleteMailSuppression: ({ params }) => suppressions.remove(params.id)
    })
  })
)

const templateName = Schema.decodeUnknownOption(Schema.Struct({ kind: MailKind, language: MailLanguage }))

/** The template that a path names. */
const named = (params: { readonly kind: string; readonly language: string }) =>
  Effect.mapError(
    Effect.fromOption(templateName(params)),
    () => failing(NotFound, "There is no such kind of mail, or none in this language.")
  )

export const mailTemplatesLayer = HttpApiBuilder.group(
  Api,
  "mail-templates",
  Effect.fn(function*(handlers) {
    const templates = yield* MailTemplates
    return handlers.handleAll({
      listMailKinds: () => one(templates.kinds),
      getMailTemplate: ({ params }) => one(Effect.flatMap(named(params), templates.get)),
      putMailTemplate: ({ params, payload }) =>
        one(Effect.flatMap(named(params), (name) => templates.put(name, payload))),
      resetMailTemplate: ({ params }) => Effect.flatMap(named(params), templates.reset),
      previewMailTemplate: ({ params, payload }) =>
        one(Effect.flatMap(named(params), (name) => templates.preview(name, payload))),
      sendMailSample: ({ params, payload }) =>
        one(Effect.flatMap(named(params), (name) => templates.sendSample(name, payload)))
    })
  })
)
