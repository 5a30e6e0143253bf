import type { Database, Query } from "../ground/persistence/Database.ts"

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
