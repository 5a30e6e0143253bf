import type { Statement } from "effect/sql"
import { erasedName } from "../../../domain/customers/CustomerErasure.ts"
import type { ErasedCounts } from "../../../domain/customers/CustomerErasure.ts"
import { userForgotten, userIsLeft } from "../../licensing/licenses/LicenseUserSql.ts"
import { aboutCustomer } from "../../people/notes/NoteSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/NumberArrays.ts"
import { hasOtherProducts } from "../../ground/persistence/ProductLimit.ts"
import { hadOtherProducts, hasSetValue, isPersonal, personalLeft } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

/** The most rows that an erasure takes values from in one transaction, few enough that the feed never waits long for it. */
export const erasedAtOnce = 1000

/** Rows that only say that they were locked or written. */
type Written = Query<object>

/** Rows that lost personal values, each by what it was. */
type Erased = Query<{ readonly what: keyof ErasedCounts | "customers" }>

/** Personal values in the rows of a customer: whether something of them is left, and what takes it away. */
const personalIn = {
  licenses: {
    isLeft: "(customer_email IS NOT NULL OR customer_name IS NOT NULL)",
    none: "customer_email = NULL, customer_name = NULL, updated_at = now()"
  },
  devices: {
    isLeft: "num_nonnulls(d.name, d.hostname, d.ip_address) > 0",
    none: "name = NULL, hostname = NULL, ip_address = NULL, updated_at = now()"
  },
  users: {
    isLeft: userIsLeft("u."),
    none: userForgotten
  }
} as const

/** Whether a customer has or had something of other products than these. */
export const findOtherProducts = (
  sql: Database,
  customerId: string,
  products: ReadonlyArray<string>
): Query<{ readonly others: boolean }> =>
  sql<{ readonly others: boolean }>`
    -- name: customers.find other products
    SELECT ${hasOtherProducts(sql, products)} OR ${hadOtherProducts(sql, customerId, products)} AS others
    FROM customers WHERE id = ${customerId}`

/** The last sequence of the feed. */
export const findHead = (sql: Database): Query<{ readonly sequence: bigint }> =>
  sql<{ readonly sequence: bigint }>`
    -- name: event_chain.find for erasure
    SELECT last_sequence AS sequence FROM event_chain`

/** Locks the licenses of a customer, which every change of one of them or its devices does, in the one order. */
export const lockLicensesOf = (sql: Database, customerId: string): Written =>
  sql`
    -- name: licenses.lock of customer
    SELECT 1 FROM licenses WHERE customer_id = ${customerId} ORDER BY id
    -- guard: an erasure waits for changes of the customer's licenses
    FOR NO KEY UPDATE`

/** The licenses of a customer whose users sign in at an issuer. */
export const listTrusting = (sql: Database, customerId: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list trusting of customer
    SELECT id FROM licenses WHERE customer_id = ${customerId} AND trusted_issuer IS NOT NULL ORDER BY id`

/**
 * Erases at most `limit` licenses of a customer. Locked ones are left for the last step. A transfer takes the personal
 * values of a former owner away, so that rows only hold those of the owner that they have.
 */
export const updateSomeLicenses = (sql: Database, customerId: string, limit: number): Written =>
  sql`
    -- name: licenses.update some erased
    UPDATE licenses SET ${sql.literal(personalIn.licenses.none)}
    WHERE id = ANY(ARRAY(
      SELECT id FROM licenses
      WHERE customer_id = ${customerId} AND ${sql.literal(personalIn.licenses.isLeft)}
      -- guard: an erasure of many licenses waits for none
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)) AND customer_id = ${customerId} RETURNING 1`

/** The same of devices. */
export const updateSomeDevices = (sql: Database, customerId: string, limit: number): Written =>
  sql`
    -- name: devices.update some erased
    UPDATE devices SET ${sql.literal(personalIn.devices.none)}
    WHERE id = ANY(ARRAY(
      SELECT d.id FROM licenses l JOIN devices d ON d.license_id = l.id
      WHERE l.customer_id = ${customerId} AND ${sql.literal(personalIn.devices.isLeft)}
      -- guard: an erasure of many devices waits for none
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)) RETURNING 1`

/** Erases the personal values that are left in the tables: of locked licenses, their devices and the customer. */
export const updateErased = (sql: Database, customerId: string): Erased =>
  sql`
    -- name: customers.update erased
    WITH licensed AS (
      UPDATE licenses SET ${sql.literal(personalIn.licenses.none)}
      WHERE customer_id = ${customerId} AND ${sql.literal(personalIn.licenses.isLeft)} RETURNING 1
    ), bound AS (
      UPDATE devices d SET ${sql.literal(personalIn.devices.none)} FROM licenses l
      WHERE l.customer_id = ${customerId} AND d.license_id = l.id
        AND ${sql.literal(personalIn.devices.isLeft)} RETURNING 1
    ), named_users AS (
      UPDATE license_users u SET ${sql.literal(personalIn.users.none)} FROM licenses l
      WHERE l.customer_id = ${customerId} AND u.license_id = l.id AND ${
    sql.literal(personalIn.users.isLeft)
  } RETURNING 1
    ), valued AS (
      DELETE FROM custom_field_values WHERE customer_id = ${customerId} RETURNING 1
    ), noted AS (
      DELETE FROM notes n WHERE ${aboutCustomer(sql, customerId)} RETURNING 1
    ), named AS (
      UPDATE customers SET name = ${erasedName}, email = NULL, external_system = NULL, external_id = NULL,
        updated_at = now()
      WHERE id = ${customerId} AND (name <> ${erasedName} OR email IS NOT NULL OR external_id IS NOT NULL) RETURNING 1
    )
    SELECT 'licenses' AS what FROM licensed UNION ALL SELECT 'devices' FROM bound
    UNION ALL SELECT 'users' FROM named_users
    UNION ALL SELECT 'custom_field_values' FROM valued UNION ALL SELECT 'notes' FROM noted
    UNION ALL SELECT 'customers' FROM named`

/** How many rows {@link updateErased} and {@link updateReasonsErased} would take personal values from. */
export const countErasableRows = (
  sql: Database,
  customerId: string,
  inherited: ReadonlyArray<string>
): Query<Pick<ErasedCounts, "licenses" | "devices" | "users" | "custom_field_values" | "notes" | "reasons">> =>
  sql`
    -- name: customers.count erasable
    SELECT (SELECT count(*)::int FROM licenses
        WHERE customer_id = ${customerId} AND ${sql.literal(personalIn.licenses.isLeft)}) AS licenses,
      (SELECT count(*)::int FROM licenses l JOIN devices d ON d.license_id = l.id
        WHERE l.customer_id = ${customerId} AND ${sql.literal(personalIn.devices.isLeft)}) AS devices,
      (SELECT count(*)::int FROM licenses l JOIN license_users u ON u.license_id = l.id
        WHERE l.customer_id = ${customerId} AND ${sql.literal(personalIn.users.isLeft)}) AS users,
      (SELECT count(*)::int FROM custom_field_values WHERE customer_id = ${customerId}) AS custom_field_values,
      (SELECT count(*)::int FROM notes n WHERE ${aboutCustomer(sql, customerId)}) AS notes,
      (SELECT count(*)::int FROM activities WHERE ${hasErasableReason(sql, customerId, inherited)}) AS reasons`

/** Erases events, and with an event that set a custom field of a license its value, unless it was set anew since. */
export const updateEventsErased = (sql: Database, events: ReadonlyArray<Erasable>): Erased =>
  sql`
    -- name: event_records.update erased
    WITH erased AS (
      UPDATE event_records SET personal = ${sql.literal(personalLeft)}
      WHERE ordinal = ANY(${integers(events.map(({ ordinal }) => ordinal))}::bigint[])
        AND ${sql.literal(isPersonal("event_records"))}
      RETURNING event_type, resource_id, metadata, created_at
    ), valued AS (
      DELETE FROM custom_field_values v USING erased e WHERE ${sql.literal(hasSetValue)} RETURNING 1
    )
    SELECT 'events' AS what FROM erased UNION ALL SELECT 'custom_field_values' FROM valued`

/** How many custom field values of licenses go with some events. */
export const countValues = (
  sql: Database,
  events: ReadonlyArray<Erasable>
): Query<{ readonly values: number }> =>
  sql<{ readonly values: number }>`
    -- name: custom_field_values.count erasable
    SELECT count(*)::int AS values FROM event_records e JOIN custom_field_values v ON ${sql.literal(hasSetValue)}
    WHERE e.ordinal = ANY(${integers(events.map(({ ordinal }) => ordinal))}::bigint[])`

/** Whether an activity has a reason that goes with a customer, or is one of those in `inherited`. */
const hasErasableReason = (
  sql: Database,
  customerId: string,
  inherited: ReadonlyArray<string>
): Statement.Fragment =>
  sql`(customer_id = ${customerId} OR id = ANY(${inherited}::text[])) AND reason IS NOT NULL
      AND action <> 'customer.erased'`

/**
 * Erases the reasons of what was done to the licenses of a customer, and those in `inherited`. That of an erasure stays, as
 * its event has it.
 */
export const updateReasonsErased = (sql: Database, customerId: string, inherited: ReadonlyArray<string>): Written =>
  sql`
    -- name: activities.update reasons erased
    UPDATE activities SET reason = NULL
    WHERE ${hasErasableReason(sql, customerId, inherited)} RETURNING 1`
