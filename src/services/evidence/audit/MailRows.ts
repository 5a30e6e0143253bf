import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { MailKind } from "../../../domain/mail/Mail.ts"
import { claimSeconds, longestPause, triedHours } from "../../../domain/mail/MailAttempt.ts"
import { droppedUntil, wholeLogSql } from "./WholeLogSql.ts"

/** A mail that is not as the events say. It is named by its event, its kind and whom it is about, and not by its address. */
export interface MailRow {
  readonly resource: "mail"
  readonly id: string
  readonly member: string | null
  readonly in_table: string | null
  readonly by_log: string | null
}

interface MailOrigin {
  /** The kinds of events that a mail of the kind is queued with. */
  readonly events: ReadonlyArray<EventKind>
  /** Whether a mail may be about no event. */
  readonly isAlone?: boolean
  /** Whether the mail shows a key, a link or a code, which waits sealed. */
  readonly hasSecret?: boolean
}

/** Where the mails of each kind come from. */
const origins: Readonly<Record<MailKind, MailOrigin>> = {
  license_issued: { events: ["license.created"], hasSecret: true },
  key_changed: { events: ["license.key_rotated"], hasSecret: true },
  // One alone of the days before an expiry that are announced has an event.
  license_expiring: { events: ["license.expiring"], isAlone: true },
  license_expired: { events: ["license.grace_started", "license.expired"] },
  quota_threshold: { events: ["license.usage_recorded", "license.quota_threshold"] },
  device_added: { events: ["license.activated"] },
  payment_failed: { events: ["subscription.updated"] },
  user_invited: { events: ["license.user_invited"] },
  portal_link: { events: ["customer.portal_link_created"], hasSecret: true },
  // That somebody asks to sign in is no event.
  user_sign_in: { events: [], isAlone: true, hasSecret: true },
  license_transfer: { events: ["license.transfer_requested"], hasSecret: true },
  // The end of the license whose key is of no use.
  license_continued: { events: ["license.revoked"] }
}

const ends = [
  "mail.sent",
  "mail.failed",
  "customer.portal_link_mailed",
  "customer.portal_link_failed"
] as const satisfies ReadonlyArray<EventKind>

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `'${name}'`).join(", ")

const originRows = Object.entries(origins).map(([kind, { events, hasSecret = false, isAlone = false }]) =>
  `('${kind}', ARRAY[${quoted(events)}]::text[], ${isAlone}, ${hasSecret})`
)

const log = wholeLogSql("id, event_type, resource_id, metadata, data")

/**
 * Differences between the outbox and the log: a mail that waits without its event, or although its end is in the log, or until later
 * than it may be tried, or with a secret that its kind does not have or without the one that it has; and ends of mails of no event, or of
 * one mail that ended twice. A mail that neither waits nor ended is no difference: an erasure deletes it, and a backup has none. Ends of
 * releases that did not name their mail are not compared.
 */
export const brokenMails = `
  (WITH o (kind, events, is_alone, has_secret) AS (VALUES ${originRows.join(", ")}), ended AS MATERIALIZED (
    SELECT metadata::jsonb ->> 'mail_event_id' AS event_id, data::jsonb ->> 'kind' AS kind, resource_id AS owner, event_type
    FROM ${log} l WHERE event_type IN (${quoted(ends)}) AND metadata::jsonb ? 'mail_event_id'
  ), waiting AS MATERIALIZED (
    SELECT *, coalesce(license_id, customer_id) AS owner FROM mails
  ), about AS MATERIALIZED (
    SELECT id, event_type FROM ${log} l WHERE id IN (SELECT event_id FROM ended UNION SELECT event_id FROM waiting)
  ), w AS (
    SELECT m.*, o.has_secret, a.id IS NULL AND o.is_alone OR coalesce(a.event_type = ANY(o.events), false) AS is_of_event,
      (SELECT min(e.event_type) FROM ended e WHERE e.event_id = m.event_id AND e.kind = m.kind AND e.owner = m.owner) AS ended_by
    FROM waiting m LEFT JOIN o USING (kind) LEFT JOIN about a ON a.id = m.event_id
  ), e AS (
    SELECT e.event_id, e.kind, e.owner, min(e.event_type) AS event_type, count(*) AS ends,
      bool_and(a.id IS NULL AND o.is_alone OR coalesce(a.event_type = ANY(o.events), false)) AS is_of_event
    FROM ended e LEFT JOIN o USING (kind) LEFT JOIN about a ON a.id = e.event_id GROUP BY 1, 2, 3
  )
  SELECT 'mail' AS resource, event_id || '/' || kind || '/' || owner AS id, d.member, d.in_table, d.by_log
  FROM w CROSS JOIN LATERAL (VALUES
    (NOT is_of_event AND created_at > ${droppedUntil}, NULL, 'a row', NULL),
    (ended_by IS NOT NULL, 'state', 'waiting', ended_by),
    ((secret IS NOT NULL) IS DISTINCT FROM has_secret, 'secret', CASE WHEN secret IS NOT NULL THEN 'kept' END,
      CASE WHEN has_secret THEN 'kept' END),
    -- One that is being tried is due when that must be over.
    (due_at > greatest(created_at + interval '${triedHours} hours ${longestPause} seconds', now() + interval '${claimSeconds} seconds'),
      'due_at', to_jsonb(due_at) #>> '{}', NULL)
  ) AS d (is_found, member, in_table, by_log) WHERE d.is_found
  UNION ALL
  SELECT 'mail', event_id || '/' || kind || '/' || owner, d.member, NULL, d.by_log
  FROM e CROSS JOIN LATERAL (VALUES
    (NOT is_of_event AND ${droppedUntil} = '-infinity', 'event', event_type),
    (ends > 1, 'ends', ends::text)
  ) AS d (is_found, member, by_log) WHERE d.is_found
  ORDER BY 2, 3)`
