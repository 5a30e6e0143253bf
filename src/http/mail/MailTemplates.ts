import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailKind } from "../../domain/mail/Mail.ts"
import { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import { MailTemplates } from "../../services/mail/MailTemplates.ts"
import { one } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"

const templateName = Schema.decodeUnknownOption(Schema.Struct({ kind: MailKind, language: MailLanguage }))

/** The template that a path names. */
const named = (params: { readonly kind: string; readonly language: string }) =>
  Effect.mapError(
    Effect.fromOption(templateName(params)),
    () => failing(NotFound, "There is no such kind of mail, or none in this language.")
  )

export const layer = HttpApiBuilder.group(
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
