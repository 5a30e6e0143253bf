import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { PersonWithRoles } from "./PersonActor.ts"

/** The own roles of a person `p`, as a column. */
const ownRoles = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'scopes', r.scopes,
      'product_ids', r.product_ids)), '[]')
    FROM roles r WHERE r.id = ANY(p.roles)) AS own`

/** The actions that any role of a person `p` needs a second person for, as a column. */
export const secondLook = `
  (SELECT array_agg(DISTINCT a) FROM role_second_looks s, unnest(s.actions) a
    WHERE s.role_id = ANY(p.roles)) AS second_look`

/** The one who opened a session `s` of somebody else, as columns, where {@link joinedOpener} is joined to it. */
export const openerColumns = `s.opener_type, s.opener_id, o.name AS opener_name, o.second_look AS opener_look`

/** The person who opened a session `s`, as `o`. */
export const joinedOpener = `
  LEFT JOIN LATERAL (SELECT p.name, p.status, ${secondLook} FROM people p
    WHERE s.opener_type = 'person' AND p.id = s.opener_id) o ON true`

/** A person who was not removed, with the roles of this moment. */
export const findWithRoles = (sql: Database, id: string): Query<PersonWithRoles> =>
  sql<PersonWithRoles>`
    -- name: people.find with roles
    SELECT p.id, p.name, p.roles, ${sql.literal(ownRoles)}, ${sql.literal(secondLook)}
    FROM people p WHERE p.id = ${id} AND p.status <> 'removed'`

/** Holds people, and then the roles that they have, against changes until the transaction ends. */
export const lockPeople = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: people.lock with roles
    SELECT id FROM people WHERE id = ANY(${ids}::text[]) ORDER BY id
    -- guard: rights do not change while a second person approves
    FOR SHARE`

/** Holds the own roles of people who are locked. */
export const lockRolesOf = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: roles.lock of people
    SELECT id FROM roles WHERE id = ANY(ARRAY(
      SELECT unnest(p.roles) FROM people p WHERE p.id = ANY(${ids}::text[]))) ORDER BY id
    -- guard: roles do not change while a second person approves
    FOR SHARE`

/** Holds the own roles of people who are locked, and a role that is about to be changed or deleted, all as a deletion does. */
export const lockRoleWithThoseOf = (sql: Database, id: string, people: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: roles.lock with those of people
    SELECT id FROM roles WHERE id = ${id} OR id = ANY(ARRAY(
      SELECT unnest(p.roles) FROM people p WHERE p.id = ANY(${people}::text[]))) ORDER BY id FOR UPDATE`

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

/** An API key that is neither revoked nor expired. That of a reseller stands for nothing beyond its own requests. */
export const findGoodKey = (
  sql: Database,
  id: string
): Query<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }> =>
  sql<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }>`
    -- name: management_keys.find good
    SELECT scopes, product_ids FROM management_keys
    WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND license_tag IS NULL`
