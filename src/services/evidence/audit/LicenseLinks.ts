import { familyOf, kinds, resourceTypeOf } from "../../../domain/log/EventKind.ts"
import { familiesNamingLicense } from "../../../domain/log/LicenseChain.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"

const ofLicenses = kinds.filter((kind) => resourceTypeOf(kind) === "license").map((kind) => `'${kind}'`).join(", ")

const named = eventMember(kinds.filter((kind) => familiesNamingLicense.has(familyOf(kind))), "license_id")

/** An event that does not name the previous one of its license. */
export interface LinkRow {
  readonly id: string
  readonly in_table: string | null
  readonly by_log: string | null
}

const said = (sequence: string, hash: string): string => `${sequence} || coalesce(' ' || encode(${hash}, 'hex'), '')`

/**
 * Events whose place names another event than the previous one of their license, of all that are in the log. Of leaves that name
 * none, those are of the chain whose resource is the license.
 */
export const brokenLinks = `
  (WITH placed AS (
    SELECT p.sequence, p.id, p.hash, p.license_id AS kept, p.license_previous AS previous,
      p.license_previous_hash AS previous_hash, p.sequence >= coalesce(c.linked_from, 9223372036854775807) AS is_linked,
      CASE WHEN p.event_type IN (${ofLicenses}) THEN p.resource_id END AS own,
      (SELECT ${named} FROM event_records r WHERE r.ordinal = p.ordinal AND event_sought(r.ordinal)) AS of_part
    FROM event_places p CROSS JOIN event_chain c
  ), chained AS (
    SELECT *, CASE WHEN is_linked THEN coalesce(own, of_part) ELSE own END AS license_id FROM placed
  ), linked AS (
    SELECT l.*, CASE WHEN l.is_linked AND l.license_id IS NOT NULL THEN coalesce(lag(l.sequence) OVER w, d.sequence, 0) END AS expected,
      CASE WHEN l.is_linked AND l.license_id IS NOT NULL THEN coalesce(lag(l.hash) OVER w, d.hash) END AS expected_hash
    FROM chained l LEFT JOIN dropped_license_ends d ON d.license_id = l.license_id
    WINDOW w AS (PARTITION BY l.license_id ORDER BY l.sequence)
  )
  SELECT id, ${said("previous", "previous_hash")} AS in_table, ${
  said("expected", "expected_hash")
} AS by_log FROM linked
  WHERE previous IS DISTINCT FROM expected OR previous_hash IS DISTINCT FROM expected_hash
    OR kept IS DISTINCT FROM CASE WHEN is_linked THEN of_part END
  ORDER BY sequence)`
