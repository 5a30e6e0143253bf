import { replaceIndex } from "../OnlineMigration.ts"

/** Open grants by their ends: those that have ended are passed over, however many there are. */
export default replaceIndex(
  "license_grants_open",
  "ON license_grants (license_id, feature_id, coalesce(expires_at, 'infinity'::timestamptz)) WHERE is_open"
)
