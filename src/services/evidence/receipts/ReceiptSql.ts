import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A use as its app names it. */
export interface UseOfApp {
  readonly licenseId: string
  readonly eventId: string
  /** Undefined: of any feature. */
  readonly featureCode: string | undefined
  /** The user whose uses alone are found; undefined where the license has none. */
  readonly userId: string | undefined
}

/** A use that was counted. */
export interface UseRow {
  readonly feature_code: string
  /** The place of its event in the feed; null while it waits for one, or where that part of the log was dropped. */
  readonly sequence: bigint | null
  readonly created_at: Date
}

/**
 * Lists the uses of a license that were counted under an `event_id`, one of each feature. Of a license with users, those on devices that
 * the user was the last to activate.
 */
export const listUsesOfApp = (
  sql: Database,
  { eventId, featureCode, licenseId, userId }: UseOfApp
): Query<UseRow> =>
  sql<UseRow>`
    -- name: usage_records.list of event id
    SELECT u.feature_code, p.sequence, u.created_at
    FROM usage_records u LEFT JOIN event_places p ON p.id = u.id
    WHERE u.license_id = ${licenseId} AND u.event_id = ${eventId}
      AND u.feature_id = ANY(ARRAY(
        SELECT f.id FROM licenses l JOIN features f ON f.product_id = l.product_id OR f.product_id = ANY(l.product_ids)
        WHERE l.id = ${licenseId} AND (${featureCode ?? null}::text IS NULL OR f.code = ${featureCode ?? null}::text)
      ))
      AND (${userId ?? null}::text IS NULL OR EXISTS (
        SELECT FROM license_user_devices h WHERE h.device_id = u.device_id AND h.user_id = ${userId ?? null}::text
      ))
    ORDER BY u.feature_id LIMIT 2`
