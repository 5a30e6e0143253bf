import type { MailDetails, MailKind } from "../../domain/mail/Mail.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

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
