import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { MailKind } from "../../domain/mail/Mail.ts"
import type { MailTemplatePut } from "../../domain/mail/MailTemplate.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { BrandRow } from "./MailBrand.ts"

/** Which template: that of a kind of mail in a language. */
export interface TemplateName {
  readonly kind: MailKind
  readonly language: MailLanguage
}

/** A template of the vendor's own, as it is stored. */
export interface TemplateRow extends MailTemplatePut {
  readonly updated_at: Date
}

/** The names of the templates that are the vendor's own. */
export const listTemplates = (sql: Database): Query<TemplateName> =>
  sql<TemplateName>`
    -- name: mail_templates.list
    SELECT kind, language FROM mail_templates ORDER BY kind, language`

/** A template of the vendor's own; none where mails are worded as they ship. */
export const findTemplate = (sql: Database, { kind, language }: TemplateName): Query<TemplateRow> =>
  sql<TemplateRow>`
    -- name: mail_templates.find
    SELECT subject, body, updated_at FROM mail_templates WHERE kind = ${kind} AND language = ${language}`

/** Has one after the other change a template until the transaction ends, also where there is none yet. */
export const lockTemplate = (sql: Database, { kind, language }: TemplateName): Query<object> =>
  sql`
    -- name: advisory_locks.lock mail template
    -- guard: a template is changed by one after the other
    SELECT pg_advisory_xact_lock(hashtextextended('mail template:' || ${kind}::text || ' ' || ${language}::text, 0))`

/** Keeps a template in the place of the one before. */
export const insertTemplate = (
  sql: Database,
  { kind, language }: TemplateName,
  { body, subject }: MailTemplatePut
): Query<TemplateRow> =>
  sql<TemplateRow>`
    -- name: mail_templates.insert
    INSERT INTO mail_templates (kind, language, subject, body) VALUES (${kind}, ${language}, ${subject}, ${body})
    -- guard: of two writers of one template the second replaces that of the first
    ON CONFLICT (kind, language) DO UPDATE SET subject = excluded.subject, body = excluded.body, updated_at = now()
    RETURNING subject, body, updated_at`

/** Forgets a template; none where there was none. */
export const deleteTemplate = (sql: Database, { kind, language }: TemplateName): Query<object> =>
  sql`
    -- name: mail_templates.delete
    DELETE FROM mail_templates WHERE kind = ${kind} AND language = ${language} RETURNING kind`

/** The parts of a license that a preview says. */
interface PreviewedLicense {
  readonly product: string
  readonly customer_name: string | null
  readonly expires_at: Date | null
  readonly license_key_last4: string
}

/** Finds the parts of a license that a preview says. */
export const findPreviewed = (sql: Database, licenseId: string): Query<PreviewedLicense> =>
  sql<PreviewedLicense>`
    -- name: licenses.find for preview
    SELECT p.name AS product, coalesce(l.customer_name, c.name) AS customer_name, l.expires_at,
      l.license_key_last4
    FROM licenses l JOIN products p ON p.id = l.product_id LEFT JOIN customers c ON c.id = l.customer_id
    WHERE l.id = ${licenseId}`

/** The brand of mails; none where no setting was ever changed. */
export const findBrand = (sql: Database): Query<BrandRow> =>
  sql<BrandRow>`
    -- name: service_settings.find for mail
    SELECT brand_name AS brand, brand_accent AS accent, logo_digest FROM service_settings`

/** The address of a person who acts. */
export const findPersonEmail = (sql: Database, personId: string): Query<{ readonly email: string | null }> =>
  sql<{ readonly email: string | null }>`
    -- name: people.find email
    SELECT email FROM people WHERE id = ${personId}`
