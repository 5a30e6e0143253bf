import type { Statement } from "effect/sql"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { SecondLookAction } from "../../domain/log/SecondLook.ts"
import { builtInRoles } from "../../domain/people/Role.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import { assignments } from "../ground/persistence/StatementParts.ts"

/** The actions that a role needs a second person for, as a column. */
const secondLook = "(SELECT actions FROM role_second_looks s WHERE s.role_id = roles.id) AS second_look"

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`id, name, description, scopes, product_ids, ${
    sql.literal(secondLook)
  }, false AS is_built_in, created_at, updated_at`

const builtIn = JSON.stringify(builtInRoles)

/** A page of roles: built-in ones stand among the others, by their ids. */
export const listRoles = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: roles.list
    SELECT roles.* ${place} FROM (
      SELECT ${shownColumns(sql)} FROM roles
      UNION ALL
      SELECT r.id COLLATE "C", r.name, r.description, ARRAY(SELECT jsonb_array_elements_text(r.scopes)), NULL::text[],
        (SELECT actions FROM role_second_looks s WHERE s.role_id = r.id), true, NULL::timestamptz, NULL::timestamptz
      FROM jsonb_to_recordset(${builtIn}::jsonb) AS r (id text, name text, description text, scopes jsonb)
    ) roles ${where} ${orderBy} LIMIT ${limit}`

/** A role of the vendor's own. */
export const findRole = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: roles.find
    SELECT ${shownColumns(sql)} FROM roles WHERE id = ${id}`

/** The names of roles, as far as they are no built-in ones. */
export const listNames = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string; readonly name: string }> =>
  sql<{ readonly id: string; readonly name: string }>`
    -- name: roles.list names
    SELECT id, name FROM roles WHERE id = ANY(${ids}::text[])`

/** Locks a role against other changes. */
export const lockRole = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: roles.lock for a change
    SELECT ${shownColumns(sql)} FROM roles WHERE id = ${id} FOR NO KEY UPDATE`

/** Locks a role against changes, and against people who are given it meanwhile. */
export const lockToDelete = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: roles.lock to delete
    SELECT ${shownColumns(sql)} FROM roles WHERE id = ${id}
    -- guard: a role that people have is not deleted
    FOR UPDATE`

/** Whether somebody has a role. Asked once it is locked. */
export const findBearer = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: people.find bearer of role
    SELECT id FROM people WHERE ${id}::text = ANY(roles) LIMIT 1`

/** The rights of a role. */
interface RoleRights {
  readonly id: string
  readonly scopes: ReadonlyArray<Scope>
}

/** Some roles of the vendor's own, held against their deletion. */
export const lockGiven = (sql: Database, ids: ReadonlyArray<string>): Query<RoleRights> =>
  sql<RoleRights>`
    -- name: roles.lock given
    SELECT id, scopes FROM roles WHERE id = ANY(${ids}::text[]) ORDER BY id FOR KEY SHARE`

/** The members of a role that are written. */
export interface RoleValues {
  readonly name: string
  readonly description: string | null
  readonly scopes: ReadonlyArray<string>
  readonly product_ids: ReadonlyArray<string> | null
}

/** Inserts a role; none where another one has its name, in whatever case. */
export const insertRole = (
  sql: Database,
  id: string,
  { description, name, product_ids, scopes }: RoleValues
): Query<object> =>
  sql`
    -- name: roles.insert
    INSERT INTO roles (id, name, description, scopes, product_ids)
    VALUES (${id}, ${name}, ${description}, ${scopes}::text[], ${product_ids}::text[])
    ON CONFLICT ((lower(name))) DO NOTHING
    RETURNING ${shownColumns(sql)}`

/** Writes a locked role. Fails where another one has its name. */
export const updateRole = (
  sql: Database,
  id: string,
  { description, name, product_ids, scopes }: RoleValues
): Query<object> =>
  sql`
    -- name: roles.update
    UPDATE roles SET ${
    assignments(sql, {
      name: sql`${name}`,
      description: sql`${description}`,
      scopes: sql`${scopes}::text[]`,
      product_ids: sql`${product_ids}::text[]`,
      updated_at: sql`now()`
    })
  }
    WHERE id = ${id} RETURNING ${shownColumns(sql)}`

/** Deletes a locked role, and what it needs a second person for. */
export const deleteRole = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: roles.delete
    WITH looked AS (DELETE FROM role_second_looks WHERE role_id = ${id})
    DELETE FROM roles WHERE id = ${id} RETURNING id`

/** Locks what a built-in role needs a second person for, which has a row only where it needs one. */
export const lockSecondLook = (sql: Database, roleId: string): Query<object> =>
  sql`
    -- name: role_second_looks.lock
    SELECT pg_advisory_xact_lock(hashtext('countersign second look of ' || ${roleId}::text))`

/** The actions that a role needs a second person for; none where there are none. */
export const findSecondLook = (
  sql: Database,
  roleId: string
): Query<{ readonly actions: ReadonlyArray<SecondLookAction> }> =>
  sql<{ readonly actions: ReadonlyArray<SecondLookAction> }>`
    -- name: role_second_looks.find
    SELECT actions FROM role_second_looks WHERE role_id = ${roleId}`

/** Sets what a role needs a second person for. */
export const insertSecondLook = (
  sql: Database,
  roleId: string,
  actions: ReadonlyArray<SecondLookAction>
): Query<object> =>
  sql`
    -- name: role_second_looks.insert
    INSERT INTO role_second_looks (role_id, actions) VALUES (${roleId}, ${actions}::text[])
    ON CONFLICT (role_id) DO UPDATE SET actions = excluded.actions RETURNING role_id`

/** Has a role need no second person. */
export const deleteSecondLook = (sql: Database, roleId: string): Query<object> =>
  sql`
    -- name: role_second_looks.delete
    DELETE FROM role_second_looks WHERE role_id = ${roleId} RETURNING role_id`
