import { createIndex } from "../OnlineMigration.ts"

/** Licenses that expire in the same 16 days, in the order of ids: a page of those that expire before an instant reads it. */
export default createIndex(
  "licenses_by_bin_of_expiry",
  `ON licenses ((date_bin('16 days', expires_at, '2000-01-01T00:00:00Z')), id) INCLUDE (expires_at)
   WHERE expires_at IS NOT NULL`
)
