import type { Scope } from "../../domain/security/ManagementKey.ts"
import type { Database, Query } from "../persistence/Database.ts"
import type { PersonWithRoles } from "./PersonActor.ts"

/** The own roles of a person `p`, as a column. */
const ownRoles = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'scopes', r.scopes,
      'product_ids', r.product_ids)), '[]')
    FROM roles r WHERE r.id = ANY(p.roles)) AS own`

/** A person who was not removed, with the roles of this moment. */
export const findWithRoles = (sql: Database, id: string): Query<PersonWithRoles> =>
  sql<PersonWithRoles>`
    -- name: people.find with roles
    SELECT p.id, p.name, p.roles, ${sql.literal(ownRoles)} FROM people p WHERE p.id = ${id} AND p.status <> 'removed'`

/**
 * The people who sign in and have, for all products, a role with one of some scopes, by name. Who was only invited gives nothing
 * yet.
 */
export const listWithScope = (
  sql: Database,
  { builtIn, limit, scopes }: {
    /** The built-in roles with such a scope. */
    readonly builtIn: ReadonlyArray<string>
    readonly scopes: ReadonlyArray<Scope>
    readonly limit: number
  }
): Query<PersonWithRoles> =>
  sql<PersonWithRoles>`
    -- name: people.list with scope
    SELECT p.id, p.name, p.roles, ${sql.literal(ownRoles)} FROM people p
    WHERE p.status <> 'removed' AND p.roles && (${builtIn}::text[] || ARRAY(
        SELECT id FROM roles WHERE product_ids IS NULL AND scopes && ${scopes}::text[]))
      AND (p.status = 'active' OR EXISTS (
        SELECT FROM person_sessions s WHERE s.person_id = p.id AND s.expires_at > now()))
    ORDER BY p.name, p.id LIMIT ${limit}`

/** An API key that is neither revoked nor expired. */
export const findGoodKey = (
  sql: Database,
  id: string
): Query<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }> =>
  sql<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }>`
    -- name: management_keys.find good
    SELECT scopes, product_ids FROM management_keys
    WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`
