import type { Statement } from "effect/sql"
import type {
  LicenseUserInvite,
  LicenseUserStatus,
  RemovedBecause
} from "../../../domain/licensing/users/LicenseUser.ts"
import { keptEmail } from "../../../domain/licensing/users/LicenseUser.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

/** The columns of a user as it is shown. */
export const userColumns = `
  id, license_id, status, email, name, issuer, subject, removed_because, created_at, joined_at, last_seen_at, removed_at`

/** The columns of a user by which a person could be told, taken away, in SQL. */
export const userForgotten = "email = NULL, name = NULL, issuer = NULL, subject = NULL, last_seen_at = NULL"

/** Whether a user has any of {@link userForgotten}, in SQL; `alias` is that of its row, with its point. */
export const userIsLeft = (alias: "" | "u."): string =>
  `num_nonnulls(${
    ["email", "name", "issuer", "subject", "last_seen_at"].map((column) => alias + column).join(", ")
  }) > 0`

/** The filters of a list of users. */
export interface UserFilters {
  readonly status?: LicenseUserStatus | undefined
  /** A part of the address or the name. */
  readonly q?: string | undefined
}

/** The users of a license, as conditions of their rows. */
export const areUsersOf = (
  sql: Database,
  licenseId: string,
  { q, status }: UserFilters
): ReadonlyArray<Statement.Fragment> => [
  sql`license_id = ${licenseId}`,
  ...(status === undefined ? [] : [sql`status = ${status}`]),
  ...(q === undefined ? [] : [sql`(strpos(lower(concat_ws(' ', name, email)), lower(${q})) > 0)`])
]

/** A page of the users of a license. */
export const listUsers = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: license_users.list
    SELECT ${sql.literal(userColumns)} ${place} FROM license_users ${where} ${orderBy} LIMIT ${limit}`

/** A user of a license. */
export const findUser = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: license_users.find
    SELECT ${sql.literal(userColumns)} FROM license_users WHERE id = ${id} AND license_id = ${licenseId}`

/** How many users a license has, those who are invited included, and how many of them hold a seat. */
export const countUsers = (
  sql: Database,
  licenseId: string
): Query<{ readonly users: number; readonly seated: number }> =>
  sql<{ readonly users: number; readonly seated: number }>`
    -- name: license_users.count
    SELECT count(*)::int AS users, (count(*) FILTER (WHERE status = 'active'))::int AS seated FROM license_users WHERE license_id = ${licenseId} AND status <> 'removed'`

/** The user of a license who has an address or an account already. */
export const findTaken = (
  sql: Database,
  licenseId: string,
  { email, issuer, subject }: LicenseUserInvite
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: license_users.find taken
    SELECT id FROM license_users WHERE license_id = ${licenseId} AND status <> 'removed'
      AND (email = ${email === undefined ? null : keptEmail(email)}::text
        OR (issuer = ${issuer ?? null}::text AND subject = ${subject ?? null}::text)) LIMIT 1`

/** Writes an invitation. */
export const insertInvited = (
  sql: Database,
  { id, licenseId }: { readonly id: string; readonly licenseId: string },
  { email, issuer, name, subject }: LicenseUserInvite
): Query<object> =>
  sql`
    -- name: license_users.insert invited
    INSERT INTO license_users (id, license_id, status, email, name, issuer, subject)
    VALUES (${id}, ${licenseId}, 'invited', ${email === undefined ? null : keptEmail(email)}, ${name ?? null},
      ${issuer ?? null}, ${subject ?? null})
    RETURNING ${sql.literal(userColumns)}`

/** Removes users of a locked license who are not removed yet; returns them as they are left. */
export const updateUsersRemoved = (
  sql: Database,
  licenseId: string,
  ids: ReadonlyArray<string>,
  because: Extract<RemovedBecause, "reduced" | "removed">
): Query<object> =>
  sql`
    -- name: license_users.update removed
    UPDATE license_users SET status = 'removed', removed_because = ${because}, removed_at = now()
    WHERE license_id = ${licenseId} AND id = ANY(${ids}::text[]) AND status <> 'removed'
    RETURNING ${sql.literal(userColumns)}`

/**
 * Has users of a locked license whose accounts are at another issuer than this one be known by their addresses alone, in the same seats.
 * Those who have no address, or that of somebody who is invited already, stay as they are.
 */
export const updateUsersCarried = (sql: Database, licenseId: string, issuer: string | undefined): Query<object> =>
  sql`
    -- name: license_users.update carried
    UPDATE license_users u SET issuer = NULL, subject = NULL
    WHERE license_id = ${licenseId} AND status <> 'removed' AND subject IS NOT NULL
      AND issuer IS DISTINCT FROM ${issuer ?? null}::text AND email IS NOT NULL
      AND NOT EXISTS (SELECT FROM license_users o WHERE o.license_id = u.license_id AND o.id <> u.id
        AND o.status <> 'removed' AND o.email = u.email)
    RETURNING ${sql.literal(userColumns)}`

/** The users of a locked license whose accounts are at another issuer than this one. */
export const listUsersElsewhere = (sql: Database, licenseId: string, issuer: string | undefined): Query<object> =>
  sql`
    -- name: license_users.list elsewhere
    SELECT ${sql.literal(userColumns)} FROM license_users
    WHERE license_id = ${licenseId} AND status <> 'removed' AND subject IS NOT NULL
      AND issuer IS DISTINCT FROM ${issuer ?? null}::text ORDER BY id`

/** Ends the users of a license that another owner takes over, and takes away who they were: also of those removed before. */
export const updateUsersTransferred = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: license_users.update transferred
    UPDATE license_users SET status = 'removed', removed_because = 'transferred',
      removed_at = coalesce(removed_at, now()), ${sql.literal(userForgotten)}
    WHERE license_id = ${licenseId} AND removed_because IS DISTINCT FROM 'transferred'
    RETURNING ${sql.literal(userColumns)}`

/** Ends the users of all licenses of a customer, which are locked. */
export const updateUsersErased = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: license_users.update erased
    UPDATE license_users u SET status = 'removed', removed_because = 'erased', removed_at = now() FROM licenses l
    WHERE l.customer_id = ${customerId} AND u.license_id = l.id AND u.status <> 'removed'
    RETURNING u.id, u.license_id, u.status, u.email, u.name, u.issuer, u.subject, u.removed_because, u.created_at,
      u.joined_at, u.last_seen_at, u.removed_at`

/** The users of a locked license who hold a seat, the newest first. */
export const listSeatedUsers = (sql: Database, licenseId: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: license_users.list seated
    SELECT id FROM license_users WHERE license_id = ${licenseId} AND status = 'active'
    ORDER BY joined_at DESC, id DESC`

/** The devices of users that have a seat or a lease. */
export const listDevicesOfUsers = (
  sql: Database,
  licenseId: string,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: devices.list of users
    SELECT d.id FROM license_user_devices u JOIN devices d ON d.id = u.device_id
    WHERE u.user_id = ANY(${ids}::text[]) AND d.license_id = ${licenseId} AND d.status = 'active' ORDER BY d.id`
