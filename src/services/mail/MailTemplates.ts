import { Context, Effect, Layer, Result } from "effect"
import { failing, NotFound, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { PreconditionFailed, RateLimited, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../domain/ground/wire/FieldFindings.ts"
import { MailKind } from "../../domain/mail/Mail.ts"
import { shownReply, unanswered } from "../../domain/mail/MailFault.ts"
import type {
  MailKindSummary,
  MailPreview,
  MailPreviewRequest,
  MailSample,
  MailSampleRequest,
  MailTemplate,
  MailTemplatePut
} from "../../domain/mail/MailTemplate.ts"
import { maskedKey } from "../../domain/mail/templates/KeyMails.ts"
import { written } from "../../domain/mail/templates/LiquidSandbox.ts"
import type { MailValues } from "../../domain/mail/templates/MailDeclaration.ts"
import { mailDeclarations, rendered, sampleValues, templateFault } from "../../domain/mail/templates/MailTemplates.ts"
import type { MemberFault } from "../../domain/mail/templates/MailTemplates.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { makeEntityTags } from "../ground/persistence/Precondition.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { makePeopleOfLive } from "../people/access/LivePeople.ts"
import {
  deleteTemplate,
  findBrand,
  findPersonEmail,
  findPreviewed,
  findTemplate,
  insertTemplate,
  listTemplates,
  lockTemplate
} from "./CustomerMailSql.ts"
import type { TemplateName, TemplateRow } from "./CustomerMailSql.ts"
import { mailBrand } from "./MailSettings.ts"
import { MailSuppressions } from "./MailSuppressions.ts"
import { MailTransport } from "./MailTransport.ts"

/** How long somebody waits for the answer to a sample. */
const lookedOn = "55 seconds"

const shownOf = ({ kind, language }: TemplateName, row: TemplateRow | undefined): MailTemplate =>
  row === undefined
    ? { kind, language, ...mailDeclarations[kind].texts[language], is_own: false }
    : { kind, language, subject: row.subject, body: row.body, is_own: true, updated_at: row.updated_at.toISOString() }

/** The resource of the events of a template. */
const resourceIdOf = ({ kind, language }: TemplateName): string => `${kind}.${language}`

/** A template as it is told apart from others of its kind: by its language, with which the paths of templates end. */
const taggedAs = (template: MailTemplate) => ({ ...template, id: template.language })

const refusalOf = ({ line, member, message }: MemberFault): ValidationError =>
  invalidField(member, "invalid_template", `line ${line}: ${message}`)

const kindOf = (kind: MailKind, names: ReadonlyArray<TemplateName>): MailKindSummary => ({
  kind,
  variables: Object.entries(mailDeclarations[kind].variables).map(([name, { about, isOptional, sample, type }]) => ({
    name,
    type,
    description: about,
    is_optional: isOptional ?? false,
    sample: written(sample, "en")
  })),
  own_languages: names.filter((name) => name.kind === kind).map(({ language }) => language)
})

/** The templates of mails: those that ship, and the vendor's own in their place. */
export class MailTemplates extends Context.Service<MailTemplates, {
  readonly kinds: Effect.Effect<ReadonlyArray<MailKindSummary>>
  readonly get: (name: TemplateName) => Effect.Effect<MailTemplate>
  /** Keeps a template of the vendor's own, where every mail can be rendered with it. */
  readonly put: (
    name: TemplateName,
    template: MailTemplatePut
  ) => Effect.Effect<MailTemplate, PreconditionFailed | ValidationError>
  /** Has mails be worded as they ship. */
  readonly reset: (name: TemplateName) => Effect.Effect<void, PreconditionFailed>
  readonly preview: (
    name: TemplateName,
    request: MailPreviewRequest
  ) => Effect.Effect<MailPreview, NotFound | ValidationError>
  /** Sends a sample to the address of the person who asks, and to nobody else. */
  readonly sendSample: (
    name: TemplateName,
    request: MailSampleRequest
  ) => Effect.Effect<MailSample, RateLimited | StateConflict | ValidationError>
}>()("countersign/services/mail/MailTemplates") {
  static readonly layer = Layer.effect(
    MailTemplates,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const limits = yield* RateLimits
      const suppressions = yield* MailSuppressions
      const transport = yield* MailTransport
      const settings = yield* Settings
      const peopleOfLive = yield* makePeopleOfLive

      const tags = yield* makeEntityTags<ReturnType<typeof taggedAs>>(({ body, is_own, kind, subject }) => ({
        kind,
        subject,
        body,
        is_own
      }))

      const find = (name: TemplateName) => Effect.map(findTemplate(sql, name), ([row]) => shownOf(name, row))

      const get = (name: TemplateName) => Effect.tap(find(name), (template) => tags.note(taggedAs(template)))

      /** Locks a template, which the request may have been made for another state of. */
      const lock = (name: TemplateName) =>
        Effect.andThen(
          lockTemplate(sql, name),
          Effect.flatMap(find(name), (template) => tags.judge(taggedAs(template)))
        )

      const put = Effect.fn("MailTemplates.put")(function*(name: TemplateName, template: MailTemplatePut) {
        const fault = templateFault(name.kind, name.language, template)
        if (fault !== undefined) return yield* refusalOf(fault)
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(name)
            const [row] = yield* insertTemplate(sql, name, template)
            const kept = shownOf(name, row)
            const { is_own: _, ...data } = kept
            yield* events.append({ type: "mail_template.updated", resourceId: resourceIdOf(name), data })
            yield* tags.note(taggedAs(kept))
            return kept
          })
        )
      })

      const reset = Effect.fn("MailTemplates.reset")((name: TemplateName) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(name)
            if ((yield* deleteTemplate(sql, name)).length === 0) return
            const { kind, language } = name
            yield* events.append({
              type: "mail_template.reset",
              resourceId: resourceIdOf(name),
              data: { kind, language }
            })
          })
        )
      )

      /** The values of a license in the place of samples; its key is nowhere, so it is masked. */
      const valuesOf = Effect.fnUntraced(function*({ kind }: TemplateName, licenseId: string | undefined) {
        if (licenseId === undefined) return sampleValues(kind)
        const [license] = yield* findPreviewed(sql, licenseId)
        if (license === undefined) return yield* failing(NotFound, "No license has this id.")
        return {
          ...sampleValues(kind),
          product: license.product,
          customer_name: license.customer_name ?? undefined,
          expires_at: license.expires_at ?? undefined,
          license_key: maskedKey(license.license_key_last4)
        }
      })

      const render = Effect.fnUntraced(
        function*(name: TemplateName, { body, subject }: MailSampleRequest, values: MailValues) {
          const template = yield* find(name)
          const brand = mailBrand(settings, (yield* findBrand(sql))[0])
          const tried = { subject: subject ?? template.subject, body: body ?? template.body }
          const fault = templateFault(name.kind, name.language, tried)
          if (fault !== undefined) return yield* refusalOf(fault)
          const { language } = name
          return yield* Effect.fromResult(
            Result.mapError(
              rendered(tried, {
                language,
                values: brand.name === "" ? values : { ...values, vendor: brand.name },
                brand
              }),
              refusalOf
            )
          )
        }
      )

      const preview = Effect.fn("MailTemplates.preview")(function*(name: TemplateName, request: MailPreviewRequest) {
        return yield* render(name, request, yield* valuesOf(name, request.license_id))
      })

      const recipientOf = Effect.gen(function*() {
        const { id, person } = yield* CurrentActor
        const { mail } = settings
        if (mail === undefined) {
          return yield* failing(
            StateConflict,
            "Mails are off in this environment: GET /api/v1/settings/mail says what sets them."
          )
        }
        if (person === undefined) return yield* failing(StateConflict, "Only a person who is signed in gets a sample.")
        const live = peopleOfLive()
        const email = live === undefined
          ? (yield* findPersonEmail(sql, id))[0]?.email ?? undefined
          : yield* live.emailOf(id)
        if (email === undefined) return yield* failing(StateConflict, "You have no email address here.")
        if (mail.onlyTo?.includes(email.toLowerCase()) === false) {
          return yield* failing(
            StateConflict,
            `The test environment sends mails to COUNTERSIGN_MAIL_TEST_ADDRESSES alone, and ${email} is not among them.`
          )
        }
        if ((yield* suppressions.reasonAgainst(email, false)) !== undefined) {
          return yield* failing(StateConflict, `${email} gets no mails: it is suppressed.`)
        }
        yield* limits.request("mail_samples", id)
        return { email, from: mail.from.address }
      })

      const sendSample = Effect.fn("MailTemplates.sendSample")(
        function*(name: TemplateName, request: MailSampleRequest) {
          const content = yield* render(name, request, sampleValues(name.kind))
          const { email, from } = yield* recipientOf
          const answer = yield* Effect.timeoutOrElse(
            transport.send({
              ...content,
              subject: `[Sample] ${content.subject}`,
              messageId: `<${identifiers.next("evt")}.sample@${from.slice(from.lastIndexOf("@") + 1)}>`,
              recipient: email
            }),
            { duration: lookedOn, orElse: () => Effect.succeed(unanswered) }
          )
          return { recipient: email, is_accepted: answer.isAccepted, reply: shownReply(answer) }
        }
      )

      return MailTemplates.of({
        kinds: Effect.map(listTemplates(sql), (names) => MailKind.literals.map((kind) => kindOf(kind, names))),
        get,
        put,
        reset,
        preview,
        sendSample
      })
    })
  )
}
