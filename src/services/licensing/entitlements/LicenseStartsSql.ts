import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

const startQuery = `
  -- name: licenses.update started
  UPDATE licenses SET starts_at = $2::text::timestamptz, expires_at = $3::text::timestamptz,
    term_anchor = CASE WHEN term_anchor IS NULL THEN NULL ELSE $2::text::timestamptz END,
    maintenance_expires_at = $4::text::timestamptz, awaits_activation = NULL,
    -- guard: a started license announces its new end
    announced = 'nothing',
    entitlement_version = entitlement_version + 1, updated_at = now()
  WHERE id = $1 RETURNING id`

/** Starts a license, which is locked: its end is another one from now on, of which nothing was announced yet. */
export const updateStarted = (
  sql: Database,
  id: string,
  { expires_at, maintenance_expires_at, starts_at }: Started
): Query<{ readonly id: string }> =>
  sql.unsafe<{ readonly id: string }>(startQuery, [id, starts_at, expires_at, maintenance_expires_at])
