import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { MailDetails, MailKind } from "../../domain/mail/Mail.ts"
import type { MailTemplatePut } from "../../domain/mail/MailTemplate.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { BrandRow } from "./MailSettings.ts"

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

/** A license that continues in the place of one that was revoked in this transaction. */
export interface Continued {
  readonly licenseId: string
  readonly formerId: string
}

/**
 * Queues the mail to the owner of a license that continues, where the key of the other one was mailed, or may have been; none where there is no
 * address, or where it is not among those that are allowed. It is about the end of the other license.
 */
export const insertContinuedMail = (
  sql: Database,
  { formerId, licenseId }: Continued,
  onlyTo: ReadonlyArray<string> | undefined
): Query<object> =>
  sql`
    -- name: mails.insert of continued
    INSERT INTO mails (event_id, kind, recipient, license_id, customer_id, details)
    SELECT e.id, 'license_continued', coalesce(l.customer_email, c.email), l.id, l.customer_id,
      jsonb_build_object('key_last4', l.license_key_last4, 'former_key_last4', f.license_key_last4)
    FROM licenses l JOIN licenses f ON f.id = ${formerId} LEFT JOIN customers c ON c.id = l.customer_id
    CROSS JOIN LATERAL (SELECT id FROM event_outbox WHERE resource_id = f.id AND event_type = 'license.revoked' LIMIT 1) e
    WHERE l.id = ${licenseId} AND l.state = 'active' AND coalesce(l.customer_email, c.email) IS NOT NULL
      AND (EXISTS (SELECT FROM events s WHERE s.resource_id = f.id AND s.event_type = 'mail.sent'
          AND s.data::jsonb ->> 'kind' IN ('license_issued', 'key_changed'))
        OR EXISTS (SELECT FROM event_outbox s WHERE s.resource_id = f.id AND s.event_type = 'mail.sent'
          AND s.data::jsonb ->> 'kind' IN ('license_issued', 'key_changed'))
        OR EXISTS (SELECT FROM mails m WHERE m.license_id = f.id AND m.secret IS NOT NULL AND m.attempts > 0))
      AND (${onlyTo === undefined} OR lower(coalesce(l.customer_email, c.email)) = ANY(${onlyTo ?? []}::text[]))
    RETURNING event_id`

/** A mail to a user of a license. */
export interface NewUserMail {
  readonly eventId: string
  readonly kind: Extract<MailKind, "user_invited" | "user_sign_in">
  readonly licenseId: string
  readonly userId: string
  /** Whether it was asked for: others are sent where the policy names the kind. */
  readonly isAsked: boolean
  /** The secrets that the mail shows, sealed, and the hash by which they are known; neither in a mail without one. */
  readonly secret?: Uint8Array
  readonly secretHash?: Uint8Array
  readonly details?: MailDetails
}

/** Queues a mail to the address of a user of a license in force; none where there is none, or where it is not among those allowed. */
export const insertUserMail = (
  sql: Database,
  { details, eventId, isAsked, kind, licenseId, secret, secretHash, userId }: NewUserMail,
  onlyTo: ReadonlyArray<string> | undefined
): Query<object> =>
  sql`
    -- name: mails.insert of user
    INSERT INTO mails (event_id, kind, recipient, license_id, customer_id, secret, key_hash, details)
    SELECT ${eventId}, ${kind}, u.email, l.id, l.customer_id, ${secret ?? null}::bytea, ${secretHash ?? null}::bytea,
      ${JSON.stringify({ ...details, user_id: userId })}::jsonb
    FROM license_users u JOIN licenses l ON l.id = u.license_id JOIN policies p ON p.id = l.policy_id
    WHERE u.id = ${userId} AND u.license_id = ${licenseId} AND u.email IS NOT NULL AND l.state = 'active'
      AND (${isAsked} OR ${kind} = ANY(p.mails)) AND (${onlyTo === undefined} OR u.email = ANY(${onlyTo ?? []}::text[]))
    RETURNING event_id`

/** A mail to a customer, which is about no license. */
export interface NewCustomerMail {
  readonly eventId: string
  readonly kind: MailKind
  readonly customerId: string
  /** The secrets that the mail shows, sealed, and the hash by which they are known. */
  readonly secret: Uint8Array
  readonly secretHash: Uint8Array
}

/** Queues a mail to the address of a customer; none where there is none, or where the address is not among those that are allowed. */
export const insertCustomerMail = (
  sql: Database,
  { customerId, eventId, kind, secret, secretHash }: NewCustomerMail,
  onlyTo: ReadonlyArray<string> | undefined
): Query<object> =>
  sql`
    -- name: mails.insert of customer
    INSERT INTO mails (event_id, kind, recipient, customer_id, secret, key_hash)
    SELECT ${eventId}, ${kind}, email, id, ${secret}::bytea, ${secretHash}::bytea
    FROM customers WHERE id = ${customerId} AND email IS NOT NULL
      AND (${onlyTo === undefined} OR lower(email) = ANY(${onlyTo ?? []}::text[]))
    RETURNING event_id`

/** Has the time of a link into the portal begin: a mail server has taken its mail. A link that was used meanwhile is gone. */
export const updateLinkMailed = (sql: Database, tokenHash: Uint8Array, minutes: number): Query<object> =>
  sql`
    -- name: portal_links.update mailed
    UPDATE portal_links SET expires_at = now() + ${minutes}::int * interval '1 minute'
    WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING 1`

/** A mail that offers a license to somebody. */
export interface NewTransferMail {
  readonly eventId: string
  readonly licenseId: string
  /** The link that the mail shows, sealed, and the hash by which it is known. */
  readonly secret: Uint8Array
  readonly secretHash: Uint8Array
  readonly details: MailDetails
}

/** Queues a mail to the address of the request for the transfer of a license; none where it is not among those that are allowed. */
export const insertTransferMail = (
  sql: Database,
  { details, eventId, licenseId, secret, secretHash }: NewTransferMail,
  onlyTo: ReadonlyArray<string> | undefined
): Query<object> =>
  sql`
    -- name: mails.insert of transfer
    INSERT INTO mails (event_id, kind, recipient, license_id, customer_id, secret, key_hash, details)
    SELECT ${eventId}, 'license_transfer', recipient, license_id, customer_id, ${secret}::bytea, ${secretHash}::bytea,
      ${JSON.stringify(details)}::jsonb
    FROM license_transfer_requests WHERE license_id = ${licenseId} AND token_hash = ${secretHash}
      AND (${onlyTo === undefined} OR lower(recipient) = ANY(${onlyTo ?? []}::text[]))
    RETURNING event_id`
