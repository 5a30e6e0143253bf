import type { Statement } from "effect/sql"
import { usualLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { MailDetails, MailKind } from "../../domain/mail/Mail.ts"
import { claimSeconds } from "../../domain/mail/MailFault.ts"
import type { MailFault } from "../../domain/mail/MailFault.ts"
import { kindsIn } from "../../domain/mail/templates/MailTemplates.ts"
import type { MailLane } from "../../domain/mail/templates/MailTemplates.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { renewsItself } from "../ground/persistence/RenewalSql.ts"
import type { BrandRow } from "./MailSettings.ts"

/** The identity of a mail: it is sent once, or known why not. */
export interface MailName {
  readonly event_id: string
  readonly kind: MailKind
  readonly recipient: string
}

/** A mail to be queued in the transaction of its event. */
export interface NewMail {
  readonly eventId: string
  readonly kind: MailKind
  readonly licenseId: string
  /** The key that the mail shows, sealed, and the hash by which it is known; neither in a mail without a key. */
  readonly secret?: Uint8Array
  readonly keyHash?: Uint8Array
  /** Parts of the event: those that the mail repeats, and those that tell whether it still holds. */
  readonly details?: MailDetails
}

/** The place of a value that a mail has none of: the type of an array of nothing but NULL cannot be told. */
const nothing = new Uint8Array()

/**
 * Queues mails to the addresses of licenses in force, or else to those of their customers; none where the policy does not name the
 * kind, where there is no address, where the address is not among those that are allowed, or about the coming end of a license that
 * renews by itself.
 */
export const insertMails = (
  sql: Database,
  mails: ReadonlyArray<NewMail>,
  onlyTo: ReadonlyArray<string> | undefined
): Query<object> =>
  sql`
    -- name: mails.insert
    INSERT INTO mails (event_id, kind, recipient, license_id, customer_id, secret, key_hash, details)
    SELECT n.event_id, n.kind, coalesce(l.customer_email, c.email), l.id, l.customer_id, nullif(n.secret, ''),
      nullif(n.key_hash, ''), nullif(n.details, '')::jsonb
    FROM unnest(
      ${mails.map(({ eventId }) => eventId)}::text[], ${mails.map(({ kind }) => kind)}::text[],
      ${mails.map(({ licenseId }) => licenseId)}::text[], ${mails.map(({ secret }) => secret ?? nothing)}::bytea[],
      ${mails.map(({ keyHash }) => keyHash ?? nothing)}::bytea[],
      ${mails.map(({ details }) => details === undefined ? "" : JSON.stringify(details))}::text[]
    ) AS n (event_id, kind, license_id, secret, key_hash, details)
    JOIN licenses l ON l.id = n.license_id JOIN policies p ON p.id = l.policy_id LEFT JOIN customers c ON c.id = l.customer_id
    WHERE l.state = 'active' AND n.kind = ANY(p.mails) AND coalesce(l.customer_email, c.email) IS NOT NULL
      AND (n.kind <> 'license_expiring' OR (${sql.literal(renewsItself)}) IS NOT TRUE)
      AND (${onlyTo === undefined} OR lower(coalesce(l.customer_email, c.email)) = ANY(${onlyTo ?? []}::text[]))
    -- guard: of an event one mail of a kind goes to an address
    ON CONFLICT (event_id, kind, recipient) DO NOTHING
    RETURNING event_id`

/**
 * Whether what a mail says still holds, by its kind: that of a license that was renewed, of a quota that was reset, of a subscription
 * that was paid or of a link that is over does not. `m` is the mail and `l` its license.
 */
const mailHolds = `
  CASE m.kind
    WHEN 'license_expiring' THEN (${renewsItself}) IS NOT TRUE AND l.announced = 'expiring' AND l.announced_days = (m.details ->> 'days')::int
      AND l.expires_at > now() AND date_trunc('milliseconds', l.expires_at) = (m.details ->> 'expires_at')::timestamptz
    WHEN 'quota_threshold' THEN coalesce((m.details ->> 'resets_at')::timestamptz > now(), true) AND EXISTS (
      SELECT FROM license_features f WHERE f.license_id = l.id AND f.feature_id = m.details ->> 'feature_id'
        AND (m.details ->> 'percentage' IS NULL OR f.announced_threshold = (m.details ->> 'percentage')::int)
        AND (m.details ->> 'remaining_threshold' IS NULL OR f.announced_remaining = (m.details ->> 'remaining_threshold')::int8))
    WHEN 'device_added' THEN EXISTS (
      SELECT FROM devices d WHERE d.id = m.details ->> 'device_id' AND d.license_id = l.id AND d.status = 'active')
    WHEN 'payment_failed' THEN EXISTS (SELECT FROM subscriptions s WHERE s.id = l.subscription_id AND s.status = 'past_due')
    WHEN 'license_expired' THEN l.announced = m.details ->> 'announced'
      AND date_trunc('milliseconds', l.expires_at) = (m.details ->> 'expires_at')::timestamptz
    WHEN 'user_invited' THEN EXISTS (
      SELECT FROM license_users u WHERE u.id = m.details ->> 'user_id' AND u.status = 'invited')
    WHEN 'user_sign_in' THEN EXISTS (SELECT FROM user_mail_sign_ins k
      WHERE k.token_hash = m.key_hash AND k.confirmed_at IS NULL AND k.expires_at > now())
    WHEN 'license_transfer' THEN EXISTS (
      SELECT FROM license_transfer_requests k WHERE k.token_hash = m.key_hash AND k.expires_at > now())
    WHEN 'portal_link' THEN EXISTS (SELECT FROM portal_links k WHERE k.token_hash = m.key_hash AND k.expires_at > now())
    ELSE true END`

/** A mail that this node is to send, with what it tells of its license as it is now. */
export interface ClaimedMail extends MailName, BrandRow {
  /** NULL in a mail that is about a customer. */
  readonly license_id: string | null
  readonly customer_id: string | null
  /** The number of this attempt: whoever has claimed the mail since has a higher one. */
  readonly attempts: number
  /** NULL in a mail without a key. */
  readonly secret: Uint8Array | null
  readonly key_hash: Uint8Array | null
  readonly details: MailDetails | null
  readonly hours: number
  readonly product: string | null
  readonly language: MailLanguage
  /** The vendor's own template; NULL where the mail is worded as it ships. */
  readonly subject: string | null
  readonly body: string | null
  readonly support_contact: string | null
  readonly renewal_url: string | null
  readonly customer_name: string | null
  readonly expires_at: Date | null
  readonly state: string
  readonly is_recipient_same: boolean
  /** Whether the key in the mail is that of the license; true without one. */
  readonly is_key_same: boolean
  /** The name of the feature that the mail is about; NULL where it is about none. */
  readonly feature: string | null
  /** Whether what the mail says still holds. */
  readonly holds: boolean
}

/** When the next mail of a lane is due. */
export const mailsDue = (sql: Database, lane: MailLane): Statement.Fragment =>
  sql`SELECT min(due_at) FROM mails WHERE kind = ANY(${kindsIn(lane)}::text[])`

/**
 * Claims the mail of a lane that is due for longest; one that may have arrived comes last. None of the events whose mails this node is
 * handing over: a clock that is moved ends their claims.
 */
export const claimMail = (sql: Database, lane: MailLane, inHand: ReadonlyArray<string> = []): Query<ClaimedMail> =>
  sql<ClaimedMail>`
    -- name: mails.claim
    WITH due AS (
      SELECT event_id, kind, recipient FROM mails WHERE due_at <= now() AND kind = ANY(${kindsIn(lane)}::text[])
        AND event_id <> ALL(${inHand}::text[])
      ORDER BY last_fault IS NOT DISTINCT FROM 'doubt', due_at
      -- guard: two nodes never claim one mail
      LIMIT 1 FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE mails m SET attempts = m.attempts + 1, due_at = now() + ${claimSeconds}::int * interval '1 second'
      FROM due d WHERE m.event_id = d.event_id AND m.kind = d.kind AND m.recipient = d.recipient
      RETURNING m.*
    )
    SELECT m.event_id, m.kind, m.recipient, m.license_id, m.customer_id, m.attempts, m.secret, m.key_hash, m.details,
      extract(epoch FROM now() - m.created_at)::float8 / 3600 AS hours, p.name AS product,
      s.brand_name AS brand, s.brand_accent AS accent, s.logo_digest, s.support_contact, s.renewal_url,
      coalesce(c.language, s.mail_language, ${usualLanguage}) AS language, t.subject, t.body, coalesce(l.customer_name, c.name) AS customer_name,
      l.expires_at, coalesce(l.state, 'active') AS state,
      coalesce(CASE WHEN m.kind = 'license_transfer'
        THEN (SELECT r.recipient FROM license_transfer_requests r WHERE r.license_id = m.license_id AND r.token_hash = m.key_hash)
        WHEN m.kind IN ('user_invited', 'user_sign_in')
        THEN (SELECT u.email FROM license_users u WHERE u.id = m.details ->> 'user_id' AND u.license_id = m.license_id)
        ELSE coalesce(l.customer_email, c.email) END, '') = m.recipient AS is_recipient_same,
      m.license_id IS NULL OR m.key_hash IS NULL OR m.kind IN ('user_sign_in', 'license_transfer') OR EXISTS (
        SELECT FROM license_keys k WHERE k.key_hash = m.key_hash AND k.license_id = l.id AND k.expires_at IS NULL
      ) AS is_key_same,
      (SELECT f.name FROM features f WHERE f.id = m.details ->> 'feature_id') AS feature,
      coalesce((${sql.literal(mailHolds)}), false) AS holds
    FROM claimed m LEFT JOIN licenses l ON l.id = m.license_id LEFT JOIN products p ON p.id = l.product_id
    LEFT JOIN customers c ON c.id = CASE WHEN m.license_id IS NULL THEN m.customer_id ELSE l.customer_id END
    LEFT JOIN service_settings s ON true
    LEFT JOIN mail_templates t ON t.kind = m.kind AND t.language = coalesce(c.language, s.mail_language, ${usualLanguage})`

/** The owner of a license as an event of the surrounding transaction finds it: a transfer waits for its end. */
export const lockMailOwner = (sql: Database, licenseId: string): Query<{ readonly customer_id: string | null }> =>
  sql`
    -- name: mails.lock owner
    SELECT customer_id FROM licenses WHERE id = ${licenseId}
    -- guard: the event of a mail stands before that of a transfer, or knows of it
    FOR SHARE`

/** Forgets a mail that was sent or given up, with the address and the key in it; none where the claim is lost, or it was erased. */
export const deleteMail = (
  sql: Database,
  { attempts, event_id, kind, recipient }: MailName & Pick<ClaimedMail, "attempts">
): Query<object> =>
  sql`
    -- name: mails.delete done
    DELETE FROM mails WHERE event_id = ${event_id} AND kind = ${kind} AND recipient = ${recipient}
      -- guard: a lost claim ends no mail
      AND attempts = ${attempts}
    RETURNING event_id`

/** Claims a mail again that is still being handed over. */
export const updateClaimed = (
  sql: Database,
  { attempts, event_id, kind, recipient }: MailName & Pick<ClaimedMail, "attempts">
): Query<object> =>
  sql`
    -- name: mails.update claimed
    UPDATE mails SET due_at = now() + ${claimSeconds}::int * interval '1 second'
    WHERE event_id = ${event_id} AND kind = ${kind} AND recipient = ${recipient}
      -- guard: a lost claim is not taken back
      AND attempts = ${attempts}
    RETURNING event_id`

/** Lets a claimed mail wait for its next attempt. */
export const updatePostponed = (
  sql: Database,
  { attempts, event_id, kind, recipient }: MailName & Pick<ClaimedMail, "attempts">,
  { fault, reply, seconds }: { readonly fault: MailFault; readonly reply: string; readonly seconds: number }
): Query<object> =>
  sql`
    -- name: mails.update postponed
    UPDATE mails SET due_at = now() + ${seconds}::int * interval '1 second', last_reply = ${reply}, last_fault = ${fault}
    WHERE event_id = ${event_id} AND kind = ${kind} AND recipient = ${recipient}
      -- guard: a lost claim postpones no mail
      AND attempts = ${attempts}
    RETURNING event_id`

/** A count of the mails that wait. */
export interface QueuedMails {
  readonly queued: bigint
  readonly oldest_queued_at: Date | null
  readonly oldest_seconds: number
  readonly last_reply: string | null
  /** The mails that wait because the mail server refuses the vendor, and the last reply to one of them. */
  readonly refused: bigint
  readonly refused_reply: string | null
}

/** How many mails wait, since when, and what was last replied to one. */
export const countMails = (sql: Database): Query<QueuedMails> =>
  sql<QueuedMails>`
    -- name: mails.count
    SELECT count(*) AS queued, min(created_at) AS oldest_queued_at,
      coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest_seconds,
      (array_agg(last_reply ORDER BY due_at DESC) FILTER (WHERE last_reply IS NOT NULL))[1] AS last_reply,
      count(*) FILTER (WHERE last_fault = 'us') AS refused,
      (array_agg(last_reply ORDER BY due_at DESC) FILTER (WHERE last_fault = 'us'))[1] AS refused_reply
    FROM mails`

/** Forgets the mails to a customer who is erased, with their addresses and keys: also those to the owner of a license before. */
export const deleteMailsOf = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: mails.delete of customer
    DELETE FROM mails m WHERE m.customer_id = ${customerId}
      OR m.license_id IN (SELECT id FROM licenses WHERE customer_id = ${customerId})
    RETURNING m.event_id`
