import type { Replayed } from "../../../domain/evidence/audit/ReplayedKinds.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { MailKind } from "../../../domain/mail/Mail.ts"
import { claimSeconds, longestPause, triedHours } from "../../../domain/mail/MailFault.ts"
import { droppedUntil, wholeLogSql } from "./LogBaselineSql.ts"

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

/** The table of a resource, and which of its columns the log does not cover. */
export interface ReplayedTable {
  readonly resource: Replayed
  /** Its rows, with `doctor_root`, the resource whose events tell of them, and `doctor_id` among the columns. */
  readonly select: string
  /** The table of `doctor_root`, for the order in which the rows are read. */
  readonly root: string
  /**
   * Columns that the log cannot know. Every other column is compared, so that one which is added without its event
   * shows.
   */
  readonly outside: ReadonlyArray<string>
}

const rowsOf = (table: string, root: string, id = root, more = "") =>
  `(SELECT t.*${more}, ${root} AS doctor_root, ${id} AS doctor_id FROM ${table} t)`

const plain = (resource: Replayed, table: string, outside: ReadonlyArray<string> = []): ReplayedTable => ({
  resource,
  select: rowsOf(table, "id"),
  root: "id",
  outside
})

/** Every table that the log rebuilds, but the ledger of metered use. */
export const replayedTables: ReadonlyArray<ReplayedTable> = [
  plain("product", "products"),
  plain("policy", "policies"),
  {
    resource: "policy_feature",
    select: rowsOf("policy_features", "policy_id", "policy_id || '/' || feature_id"),
    root: "policy_id",
    // Since when the terms are in force, and those before, which the events before tell.
    outside: ["rollover_since", "past_terms"]
  },
  plain("feature", "features"),
  plain("version", "product_versions"),
  // The event of a customer names the key by its actor, and the event of the key its products.
  plain("customer", "customers", ["product_ids"]),
  plain("order", "orders"),
  plain("subscription", "subscriptions"),
  plain("billing_connection", "billing_connections", ["credentials", "records_as"]),
  {
    resource: "purchase",
    // One that nobody has looked at yet is of no event. Who pays is told by no event, because a customer may be erased.
    select: `
      (SELECT p.id, p.connection_id, c.provider, split_part(p.name, '/', 1) AS kind,
        substr(p.name, strpos(p.name, '/') + 1) AS external_id, p.status, p.state ->> 'state' AS state, p.holds,
        p.failure, to_jsonb(ARRAY(SELECT l.license_id FROM purchase_licenses l WHERE l.purchase_id = p.id
          ORDER BY l.item, l.index)) AS license_ids,
        p.id AS doctor_root, p.id AS doctor_id
      FROM purchases p JOIN billing_connections c ON c.id = p.connection_id WHERE p.status <> 'new')`,
    root: "id",
    outside: []
  },
  plain("custom_field", "custom_field_definitions"),
  {
    resource: "custom_field_value",
    select: rowsOf("custom_field_values", "resource_id", "resource_id || '/' || definition_id"),
    root: "resource_id",
    outside: []
  },
  // `announced` and `announced_days` are the sweeper's own marks, and `rolled_until` that of carried units; a change of a feature or device touches
  // `updated_at` with its own event.
  plain("license", "licenses", ["announced", "announced_days", "rolled_until", "updated_at"]),
  {
    resource: "license_key",
    select: `
      (SELECT license_id AS doctor_root, license_id AS doctor_id, count(*) AS keys,
        to_jsonb(array_agg(to_char(date_trunc('milliseconds', expires_at) AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ORDER BY expires_at) FILTER (WHERE expires_at IS NOT NULL)
        ) AS replaced_until
      FROM license_keys GROUP BY license_id)`,
    root: "license_id",
    outside: []
  },
  {
    resource: "license_feature",
    select: rowsOf("license_features", "license_id", "license_id || '/' || feature_id"),
    root: "license_id",
    // Announced thresholds are marks of the uses themselves.
    outside: [
      "created_at",
      "updated_at",
      "announced_threshold",
      "announced_remaining",
      "announced_period_start",
      "counted_apart"
    ]
  },
  { resource: "license_grant", select: rowsOf("license_grants", "license_id", "id"), root: "license_id", outside: [] },
  {
    resource: "license_user",
    select: rowsOf("license_users", "license_id", "id"),
    root: "license_id",
    outside: ["last_seen_at"]
  },
  {
    resource: "pool",
    select: rowsOf("pools", "customer_id", "id"),
    root: "customer_id",
    // The events of licenses say what they took of it.
    outside: ["used", "is_open"]
  },
  {
    resource: "pool_use",
    select: rowsOf("pool_uses", "license_id", "pool_id || '/' || license_id"),
    root: "license_id",
    outside: []
  },
  {
    resource: "device",
    select: rowsOf("devices", "license_id", "id"),
    root: "license_id",
    // A device that holds its seat says this of itself at every call, and when it called. Its name goes with the owner who gave it.
    outside: [
      "fingerprint",
      "name",
      "hostname",
      "os",
      "app_version",
      "app_version_since",
      "ip_address",
      "is_vm",
      "last_seen_at",
      "last_validated_at",
      "updated_at",
      "idle_check_at",
      // An envelope has an event of its own, of the license.
      "envelope_until"
    ]
  },
  {
    resource: "lease",
    // A heartbeat writes no event: until when an open lease lives, only its row knows. The event of its end says it.
    select: `
      (SELECT id, license_id, device_id, product_id, nullif(process_id, '') AS process_id, checked_out_at, ended_at, end_reason,
        CASE WHEN ended_at IS NULL THEN NULL ELSE expires_at END AS expires_at,
        CASE WHEN ended_at IS NULL THEN NULL ELSE last_heartbeat_at END AS last_heartbeat_at,
        license_id AS doctor_root, id AS doctor_id
      FROM leases)`,
    root: "license_id",
    outside: []
  },
  {
    resource: "offline_file",
    select: rowsOf("offline_files", "license_id", "id"),
    root: "license_id",
    outside: ["seat_held_until"]
  },
  {
    resource: "trial",
    select: rowsOf("trials", "license_id"),
    root: "license_id",
    // A keyed hash of the device, which no event names as such.
    outside: ["binding_hash"]
  },
  {
    resource: "mail_suppression",
    // The events have no address, and what is covered follows from the reason.
    select: `
      (SELECT id, reason, CASE reason WHEN 'opted_out' THEN 'notices' ELSE 'everything' END AS covers, created_at,
        id AS doctor_root, id AS doctor_id
      FROM mail_suppressions)`,
    root: "id",
    outside: []
  },
  plain("publishable_key", "publishable_keys", ["key_hash"]),
  {
    resource: "api_key",
    select: rowsOf("management_keys", "id", "id", ", revoked_at IS NOT NULL AS revoked"),
    root: "id",
    outside: ["key_hash", "last_used_at", "revoked_at"]
  },
  {
    resource: "person",
    select: rowsOf(
      "people",
      "id",
      "id",
      `, (SELECT coalesce(jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject)
          ORDER BY i.issuer, i.subject), '[]')
        FROM person_identities i WHERE i.person_id = t.id) AS identities`
    ),
    root: "id",
    outside: []
  },
  plain("passkey", "passkeys", ["credential_id", "public_key", "counter", "transports", "last_used_at"]),
  {
    resource: "role",
    select: rowsOf(
      "roles",
      "id",
      "id",
      `, false AS is_built_in,
        (SELECT to_jsonb(s.actions) FROM role_second_looks s WHERE s.role_id = t.id) AS second_look`
    ),
    root: "id",
    outside: []
  },
  {
    resource: "webhook",
    // Named one by one: the driver reads no xid8. Events tell the origin of a URL alone.
    select: `
      (SELECT id, name, regexp_replace(url, '^(https?://[^/]+)/.+$', '\\1/***') AS url, event_types, header_names, NULLIF(ordered, false) AS ordered, is_active, disabled_reason, disabled_at, created_at, updated_at,
        (SELECT s.prefix FROM webhook_secrets s WHERE s.endpoint_id = t.id ORDER BY s.id DESC LIMIT 1)
          AS secret_prefix,
        id AS doctor_root, id AS doctor_id
      FROM webhook_endpoints t WHERE deleted_at IS NULL)`,
    root: "id",
    outside: []
  },
  {
    resource: "signing_key",
    select: rowsOf("signing_keys", "id"),
    root: "id",
    outside: ["id", "private_key"]
  },
  {
    resource: "log_epoch",
    select: rowsOf("log_epochs", "origin"),
    root: "origin",
    outside: ["started_at"]
  }
]
