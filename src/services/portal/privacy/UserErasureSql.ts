import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { userColumns, userForgotten, userIsLeft } from "../../licensing/licenses/LicenseUserSql.ts"
import { isPersonal } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

/** A user of a license, by their IDs. */
export interface UserOfLicense {
  readonly licenseId: string
  readonly userId: string
}

/** The kinds of events that tell of a user of a license, by `user_id` in their metadata. */
const userKinds = [
  "license.user_invited",
  "license.user_joined",
  "license.user_removed"
] as const satisfies ReadonlyArray<EventKind>

const ofUserKinds = userKinds.map((kind) => `'${kind}'`).join(", ")

/** Whether an event `e` tells of the user, and is not the erasure itself, whose reason stays. */
const isToldOf = (sql: Database, { userId }: UserOfLicense) =>
  sql`(e.event_type IN (${sql.literal(ofUserKinds)}) AND e.metadata::jsonb ->> 'user_id' = ${userId}
      AND e.data::jsonb ->> 'removed_because' IS DISTINCT FROM 'erased')`

/** The devices that a user activated last, with what belongs to them and has events of its own. */
const partsOf = (sql: Database, { userId }: UserOfLicense) =>
  sql`
    used AS MATERIALIZED (SELECT device_id AS id FROM license_user_devices WHERE user_id = ${userId}),
    parts AS MATERIALIZED (
      SELECT id FROM used
      UNION ALL SELECT l.id FROM leases l JOIN used ON used.id = l.device_id
      UNION ALL SELECT f.id FROM offline_files f JOIN used ON used.id = f.device_id)`

/** Whether an event `e` of a license tells of the user, or of a device that is the user's. */
const isOfUser = (sql: Database, user: UserOfLicense) =>
  sql`(${isToldOf(sql, user)} OR e.data::jsonb ->> 'device_id' IN (SELECT id FROM used)
      OR e.metadata::jsonb ->> 'device_id' IN (SELECT id FROM used))`

/** At most `limit` events about a user, and about the user's devices, that still have personal values. */
export const listErasableOfUser = (sql: Database, user: UserOfLicense, limit: number): Query<Erasable> =>
  sql<Erasable>`
    -- name: events.list erasable of user
    WITH ${partsOf(sql, user)}
    SELECT e.ordinal FROM events e
    WHERE e.resource_key = right(${user.licenseId}, 7) AND e.resource_id = ${user.licenseId}
      AND ${isOfUser(sql, user)} AND ${sql.literal(isPersonal("e"))}
    UNION ALL
    SELECT e.ordinal FROM parts p JOIN events e ON e.resource_key = right(p.id, 7) AND e.resource_id = p.id
    WHERE ${sql.literal(isPersonal("e"))}
    UNION ALL
    SELECT e.ordinal FROM event_outbox e
    WHERE (e.resource_id = ${user.licenseId} AND ${isOfUser(sql, user)} OR e.resource_id IN (SELECT id FROM parts))
      AND ${sql.literal(isPersonal("e"))}
    LIMIT ${limit}`

/** Takes the names and addresses of a user's devices away. */
export const updateDevicesOfUserErased = (sql: Database, { userId }: UserOfLicense): Query<object> =>
  sql`
    -- name: devices.update erased of user
    UPDATE devices d SET name = NULL, hostname = NULL, ip_address = NULL, updated_at = now() FROM license_user_devices u
    WHERE u.user_id = ${userId} AND d.id = u.device_id AND num_nonnulls(d.name, d.hostname, d.ip_address) > 0
    RETURNING d.id`

/** Ends a user of a locked license, and takes away who it was; none where nothing of that is left. */
export const updateUserErased = (sql: Database, { licenseId, userId }: UserOfLicense): Query<object> =>
  sql`
    -- name: license_users.update one erased
    UPDATE license_users SET status = 'removed', removed_because = 'erased', removed_at = coalesce(removed_at, now()),
      ${sql.literal(userForgotten)}
    WHERE id = ${userId} AND license_id = ${licenseId}
      AND (status <> 'removed' OR ${sql.literal(userIsLeft(""))})
    RETURNING ${sql.literal(userColumns)}`

/** Deletes the mails to a user that were not sent, and the sign-ins that wait for one. */
export const deleteMailsOfUser = (sql: Database, { licenseId, userId }: UserOfLicense): Query<object> =>
  sql`
    -- name: mails.delete of user
    WITH started AS (DELETE FROM user_mail_sign_ins WHERE user_id = ${userId} AND license_id = ${licenseId})
    DELETE FROM mails WHERE license_id = ${licenseId} AND details ->> 'user_id' = ${userId} RETURNING event_id`

/** Takes the address of a user out of what is not mailed to, where nobody else in force has the address. */
export const updateSuppressionsOfUserErased = (sql: Database, { userId }: UserOfLicense): Query<object> =>
  sql`
    -- name: mail_suppressions.update erased of user
    UPDATE mail_suppressions SET address = NULL, reply = NULL, customer_id = NULL
    WHERE address IS NOT NULL AND lower(address) IN (SELECT email FROM license_users WHERE id = ${userId})
      AND NOT EXISTS (SELECT FROM customers WHERE lower(email) = lower(address))
    RETURNING id`

/** The activities of a user's invitation, sign-in and removal that have a reason. */
export const listReasonsOfUser = (sql: Database, user: UserOfLicense): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: activities.list reasons of user
    SELECT a.id FROM activities a JOIN event_records e ON e.id = a.audit_event_id
    WHERE a.license_id = ${user.licenseId} AND a.reason IS NOT NULL AND ${isToldOf(sql, user)}`

/** Takes reasons of activities away. */
export const updateReasonsTaken = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: activities.update reasons taken
    UPDATE activities SET reason = NULL WHERE id = ANY(${ids}::text[]) RETURNING 1`
