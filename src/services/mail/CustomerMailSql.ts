import type { MailDetails, MailKind } from "../../domain/mail/Mail.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

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
