import { createIndex } from "../OnlineMigration.ts"

/**
 * The events of devices, floating seats, notes and files by the license that their data name. Events whose resource is the
 * license, most of the log, are found by that, and write nothing here.
 */
export default createIndex(
  "event_places_by_license",
  "ON event_places ((right(license_id, 7)), sequence) WHERE license_id IS NOT NULL"
)
