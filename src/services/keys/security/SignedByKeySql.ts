import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"

/** The counts of what a signing key has signed, as far as the database tells. Answers of the runtime operations are not counted. */
export interface SignedByKey {
  readonly status: "active" | "retired" | "revoked"
  /** It signed answers from here on. */
  readonly since: Date
  /** Until here; null while it is active. */
  readonly until: Date | null
  readonly checkpoints: number
  /** The number of events that the latest of them covers; null where there is none. */
  readonly checkpointed: bigint | null
  /** Manifests of exports. */
  readonly exports: number
  /** Offline envelopes that were issued while it was active and are still valid. */
  readonly envelopes: number
  /** Files for machines without a network that were issued while it was active, are still valid and not revoked. */
  readonly files: number
  /** When the last of those envelopes and files ends by itself; null where there is none. */
  readonly offlineUntil: Date | null
}

const validUntil = eventMember(["offline.issued"], "valid_until", "timestamptz")

/** Finds what a key has signed; nothing when there is no such key. */
export const findSigned = (sql: Database, kid: string): Query<SignedByKey> =>
  sql<SignedByKey>`
    -- name: signing_keys.find with signed
    WITH key AS (
      SELECT id, status, created_at AS since, coalesce(retired_at, revoked_at) AS until FROM signing_keys
      WHERE id = ${kid}
    ), envelopes AS (
      SELECT ${sql.literal(validUntil)} AS valid_until FROM events e, key
      WHERE e.type_key = hashtextextended('offline.issued', 0) AND e.event_type = 'offline.issued'
        AND e.created_at >= key.since AND e.created_at <= coalesce(key.until, now())
    ), files AS (
      SELECT valid_until FROM offline_files f, key
      WHERE f.revoked_at IS NULL AND f.issued_at >= key.since AND f.issued_at <= coalesce(key.until, now())
    )
    SELECT status, since, until,
      (SELECT count(*)::int FROM event_checkpoints c WHERE c.kid = key.id) AS checkpoints,
      (SELECT max(tree_size) FROM event_checkpoints c WHERE c.kid = key.id) AS checkpointed,
      (SELECT count(*)::int FROM report_exports r WHERE r.manifest_signature ->> 'kid' = key.id) AS exports,
      (SELECT count(*)::int FROM envelopes WHERE valid_until > now()) AS envelopes,
      (SELECT count(*)::int FROM files WHERE valid_until > now()) AS files,
      (SELECT max(valid_until) FROM (TABLE envelopes UNION ALL TABLE files) o WHERE valid_until > now())
        AS "offlineUntil"
    FROM key`
