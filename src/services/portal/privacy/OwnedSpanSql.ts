import type { Statement } from "effect/sql"
import type { EventKind, ResourceType } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { userColumns, userForgotten, userIsLeft } from "../../licensing/licenses/LicenseUserSql.ts"

/**
 * Events that wait for their place follow all that have one: their place is beyond every sequence, in the order in which
 * they were written.
 */
const waitingPlace = "9007199254740992 + ordinal"

/** Kinds of events that may show another owner of a license. */
const ownerKinds = "('license.created', 'license.updated', 'license.transferred', 'license.policy_changed')"

/**
 * The spans of their events in which customers owned licenses, as the query `spans` (id, owner, first, past) of a WITH:
 * from an event that shows an owner up to the next that shows another. `licensed` is a query with the `id`s of the
 * licenses. Who owned a license when events before were dropped, its last event among them says. A license without an
 * owner keeps its values for the first one that it gets: until then they are the next owner's.
 */
const ownedSpans = (sql: Database, licensed: string): Statement.Fragment =>
  sql.literal(`
    waiting AS MATERIALIZED (
      SELECT resource_id, ${waitingPlace} AS place, data::jsonb ->> 'customer_id' AS owner FROM event_outbox
      WHERE event_type IN ${ownerKinds}
    ), owner_events AS (
      SELECT l.id, e.place, e.owner FROM ${licensed} l CROSS JOIN LATERAL (
        (SELECT sequence AS place, data::jsonb ->> 'customer_id' AS owner FROM events
        WHERE resource_key = right(l.id, 7) AND resource_id = l.id AND event_type IN ${ownerKinds}
        OFFSET 0)
        UNION ALL
        SELECT place, data::jsonb ->> 'customer_id' FROM event_anchors WHERE resource_id = l.id AND slot = 'self'
        UNION ALL
        SELECT place, owner FROM waiting WHERE resource_id = l.id
      ) e
    ), owners AS (
      SELECT id, place, owner, count(owner) OVER (PARTITION BY id ORDER BY place DESC) AS heir FROM owner_events
    ), spans AS (
      SELECT id, max(owner) OVER (PARTITION BY id, heir) AS owner, place AS first,
        lead(place) OVER (PARTITION BY id ORDER BY place) AS past
      FROM owners
    )`)

/**
 * The owner of the personal values in an event, by what it is about: the customer, the owner of the license at that time
 * (for a part of a license, by the table that says of which), the customer's whom its data name, or nobody's.
 */
export const holders: Readonly<
  Record<ResourceType, "customer" | "license" | { readonly partsIn: string } | "named in data" | "nobody">
> = {
  customer: "customer",
  license: "license",
  device: { partsIn: "devices" },
  lease: { partsIn: "leases" },
  offline_file: { partsIn: "offline_files" },
  note: "named in data",
  order: "named in data",
  subscription: "named in data",
  job: "nobody",
  product: "nobody",
  policy: "nobody",
  feature: "nobody",
  version: "nobody",
  billing_connection: "nobody",
  purchase: "nobody",
  custom_field: "nobody",
  api_key: "nobody",
  person: "nobody",
  session: "nobody",
  passkey: "nobody",
  role: "nobody",
  approval: "nobody",
  settings: "nobody",
  mail_template: "nobody",
  mail_suppression: "nobody",
  publishable_key: "nobody",
  signing_key: "nobody",
  webhook: "nobody",
  report_export: "nobody",
  log: "nobody"
}

/** The tables of the parts of licenses that have events of their own. */
const partTables = Object.values(holders).flatMap((holder) => typeof holder === "object" ? [holder.partsIn] : [])

const partsOwned = partTables.map((table) => `
      UNION ALL SELECT p.id, s.first, s.past FROM owned s JOIN ${table} p ON p.license_id = s.id`).join("")

const licenseOfPart = partTables.map((table) => `${table}.license_id`).join(", ")

const joinedParts = partTables.map((table) => `LEFT JOIN ${table} ON ${table}.id = r.resource_id`).join(" ")

/** The kinds of events with personal values of the customer whom their data name: reasons. */
export const namingKinds: ReadonlyArray<EventKind> = [
  "order.deleted",
  "subscription.deleted",
  "note.created",
  "note.updated",
  "note.deleted"
]

const isNaming = `e.event_type IN (${namingKinds.map((kind) => `'${kind}'`).join(", ")})`

const namingKeys = namingKinds.map((kind) => `hashtextextended('${kind}', 0)`).join(", ")

/** The customer whom the data of an event name, if its personal values are theirs. */
const named = `CASE WHEN ${isNaming} THEN e.data::jsonb ->> 'customer_id' END AS named`

/** The actors whose IP addresses are personal to the customer. */
const ownActors = "('license', 'license_holder', 'customer')"

/** Whether events still have personal values. An operator's IP address is not the customer's. */
export const isPersonal = (event: string): string =>
  `(${event}.personal IS NOT NULL AND (${event}.actor_type IN ${ownActors} OR ${event}.personal - '/ip_address' <> '{}'))`

/** The rest of the personal values of an event that is erased. */
export const personalLeft = `
  CASE WHEN actor_type IN ${ownActors} THEN NULL
  ELSE nullif(jsonb_strip_nulls(jsonb_build_object('/ip_address', personal -> '/ip_address')), '{}') END`

/**
 * Whether an event `e` has set a value `v` of a license, and nobody has set it anew: it was written with its event, so both have the
 * same time.
 */
export const hasSetValue = `e.event_type = 'license.updated' AND v.license_id = e.resource_id
        AND v.definition_id = e.metadata::jsonb ->> 'field_id' AND v.updated_at::timestamptz(3) = e.created_at`

/** Events that are erased, by their ordinals. */
export interface Erasable {
  readonly ordinal: bigint
}

/**
 * The licenses that a customer owns or has owned, as a query with their `id`s: also those whose transfer waits for its place, of which
 * earlier events have theirs.
 */
export const licensesOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`
    SELECT id FROM licenses WHERE customer_id = ${customerId}
    UNION
    SELECT resource_id FROM events
    WHERE type_key = hashtextextended('license.transferred', 0) AND event_type = 'license.transferred'
      AND metadata::jsonb ->> 'previous_customer_id' = ${customerId}
    UNION
    SELECT resource_id FROM event_outbox
    WHERE event_type = 'license.transferred' AND metadata::jsonb ->> 'previous_customer_id' = ${customerId}`

/**
 * Whether an erasure of the customer of a row of `customers` would reach what is of other products, though nothing of them
 * be the customer's any more: licenses that the customer has owned, what was done with them, orders and subscriptions that
 * were deleted, and use.
 */
export const hadOtherProducts = (
  sql: Database,
  customerId: string,
  products: ReadonlyArray<string>
): Statement.Fragment => {
  const isOther = (column: string) => sql`${sql.literal(column)} <> ALL(${products}::text[])`
  const namesCustomer = (table: string) =>
    sql`EXISTS (SELECT FROM ${sql(table)} e
      WHERE ${table === "events" ? sql`e.type_key IN (${sql.literal(namingKeys)})` : sql`true`}
        AND ${sql.literal(isNaming)} AND e.data::jsonb ->> 'customer_id' = ${customerId}
        AND ${isOther("(e.data::jsonb ->> 'product_id')")})`
  return sql.or([
    ...["activities", "usage_records", "usage_days"].map((table) =>
      sql`EXISTS (SELECT FROM ${sql(table)} WHERE customer_id = ${customerId} AND ${isOther("product_id")})`
    ),
    sql`EXISTS (SELECT FROM (${licensesOf(sql, customerId)}) former JOIN licenses l ON l.id = former.id WHERE ${
      isOther("l.product_id")
    })`,
    namesCustomer("events"),
    namesCustomer("event_outbox")
  ])
}

/**
 * Activities with a reason from the time when a license that became the customer's had no owner, by their ids. They name
 * no customer, and their events are in a span of the customer.
 */
export const listInheritedReasons = (sql: Database, customerId: string) =>
  sql<{ readonly id: string }>`
    -- name: activities.list inherited reasons
    WITH licensed AS (${licensesOf(sql, customerId)}), ${ownedSpans(sql, "licensed")}, reasons AS MATERIALIZED (
      SELECT a.id, a.license_id, a.audit_event_id FROM licensed l JOIN activities a ON a.license_id = l.id
      WHERE a.customer_id IS NULL AND a.reason IS NOT NULL
    ), placed AS (
      SELECT r.id, r.license_id, e.sequence AS place FROM reasons r JOIN events e ON e.id = r.audit_event_id
      UNION ALL
      SELECT r.id, r.license_id, ${sql.literal(waitingPlace.replace("ordinal", "e.ordinal"))}
      FROM reasons r JOIN event_outbox e ON e.id = r.audit_event_id
    )
    SELECT p.id FROM placed p JOIN spans s ON s.id = p.license_id AND s.owner = ${customerId}
      AND p.place >= s.first AND (s.past IS NULL OR p.place < s.past)`

/** Events of a customer in the feed that still have personal values. */
const erasable = (sql: Database, customerId: string): Statement.Fragment =>
  sql`
    WITH licensed AS (${licensesOf(sql, customerId)}), ${ownedSpans(sql, "licensed")}, owned AS MATERIALIZED (
      SELECT id, first, past FROM spans WHERE owner = ${customerId}
    ), about AS MATERIALIZED (
      SELECT ${customerId}::text AS id, 1::bigint AS first, NULL::bigint AS past
      UNION ALL SELECT id, first, past FROM owned${sql.literal(partsOwned)}
    )
    SELECT e.ordinal FROM about s
    JOIN events e ON e.resource_key = right(s.id, 7) AND e.resource_id = s.id AND e.sequence >= s.first
      AND e.sequence < coalesce(s.past, ${BigInt(Number.MAX_SAFE_INTEGER)})
    WHERE ${sql.literal(isPersonal("e"))}
    UNION
    SELECT e.ordinal FROM events e
    WHERE e.type_key IN (${sql.literal(namingKeys)}) AND ${sql.literal(isNaming)}
      AND ${sql.literal(isPersonal("e"))} AND e.data::jsonb ->> 'customer_id' = ${customerId}`

/** At most `limit` events of a customer in the feed that still have personal values. */
export const listErasable = (sql: Database, customerId: string, limit: number) =>
  sql<Erasable>`
    -- name: events.list erasable
    ${erasable(sql, customerId)} LIMIT ${limit}`

/** How many there are, and how many custom field values of licenses go with them. */
export const countErasable = (sql: Database, customerId: string) =>
  sql<{ readonly events: number; readonly values: number }>`
    -- name: events.count erasable
    WITH found AS MATERIALIZED (${erasable(sql, customerId)})
    SELECT (SELECT count(*)::int FROM found) AS events, (SELECT count(*)::int
      FROM found JOIN event_records e USING (ordinal) JOIN custom_field_values v ON ${
    sql.literal(hasSetValue)
  }) AS values`

/**
 * The same among the events after `sequence` and those that wait for their place: one snapshot has each of them once.
 * They are few, and the query reads no others.
 */
export const listErasableSince = (sql: Database, customerId: string, sequence: bigint) =>
  sql<Erasable>`
    -- name: events.list erasable since
    WITH recent AS MATERIALIZED (
      SELECT e.ordinal, e.sequence AS place, e.resource_id, ${sql.literal(named)} FROM events e
      WHERE e.sequence > ${sequence} AND ${sql.literal(isPersonal("e"))}
      UNION ALL
      SELECT e.ordinal, ${sql.literal(waitingPlace.replace("ordinal", "e.ordinal"))}, e.resource_id, ${
    sql.literal(named)
  } FROM event_outbox e
      WHERE ${sql.literal(isPersonal("e"))}
    ), about AS MATERIALIZED (
      SELECT r.ordinal, r.place, coalesce(${sql.literal(licenseOfPart)}, r.named, r.resource_id) AS id
      FROM recent r ${sql.literal(joinedParts)}
    ), licensed AS (
      SELECT DISTINCT id FROM about
    ), ${ownedSpans(sql, "licensed")}
    SELECT ordinal FROM about WHERE id = ${customerId}
    UNION
    SELECT a.ordinal FROM about a JOIN spans s ON s.id = a.id AND s.owner = ${customerId}
      AND a.place >= s.first AND (s.past IS NULL OR a.place < s.past)`

/** Types of resources that a customer does not own, and whose reasons, in events and activities, may name the customer. */
type ReasonedType = "approval" | "job"

/** The events of resources that still have personal values: their reasons. */
export const listErasableOf = (sql: Database, ids: ReadonlyArray<string>): Query<Erasable> =>
  sql<Erasable>`
    -- name: events.list erasable of resources
    SELECT e.ordinal FROM unnest(${ids}::text[]) AS r (id)
    JOIN events e ON e.resource_key = right(r.id, 7) AND e.resource_id = r.id
    WHERE ${sql.literal(isPersonal("e"))}
    UNION
    SELECT e.ordinal FROM event_outbox e WHERE e.resource_id = ANY(${ids}::text[]) AND ${sql.literal(isPersonal("e"))}`

/** Takes the reasons of what was done with resources. */
export const updateReasonsErased = (sql: Database, type: ReasonedType, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: activities.update reasons of resources erased
    UPDATE activities SET reason = NULL
    WHERE resource_type = ${type} AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL RETURNING 1`

/** How many reasons {@link updateReasonsErased} would take. */
export const countReasons = (
  sql: Database,
  type: ReasonedType,
  ids: ReadonlyArray<string>
): Query<{ readonly reasons: number }> =>
  sql<{ readonly reasons: number }>`
    -- name: activities.count reasons of resources
    SELECT count(*)::int AS reasons FROM activities
    WHERE resource_type = ${type} AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL`

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
