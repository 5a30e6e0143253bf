import type { Statement } from "effect/sql"
import { erasedName } from "../../../domain/customers/CustomerErasure.ts"
import type { ErasedCounts } from "../../../domain/customers/CustomerErasure.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { hasOtherProducts } from "../../ground/persistence/ProductLimit.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { userForgotten, userIsLeft } from "../../licensing/licenses/LicenseUserSql.ts"
import { aboutCustomer } from "../../people/notes/NoteSql.ts"
import { hadOtherProducts, hasSetValue, isPersonal, licensesOf, personalLeft } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

/** The customer whose exports are looked for. */
interface Named {
  /** Null where it is a user of a license, of whom the reasons alone may be shown. */
  readonly customerId: string | null
  /** Activities whose reasons are the customer's, although they name no customer, or the user's. */
  readonly inherited: ReadonlyArray<string>
}

/**
 * Whether an export names a customer. One whose customers were not recorded counts as naming every customer that its
 * filters allow. An audit shows the reasons of what was done to a license while it was the customer's, and inherited ones.
 */
const names = (sql: Database, { customerId, inherited }: Named): Statement.Fragment =>
  sql`(
    EXISTS (SELECT 1 FROM report_export_customers n WHERE n.customer_id = ${customerId} AND n.export_id = e.id)
    OR NOT names_recorded AND (
      report_kind = 'customer-summary' AND filters ->> 'customer_id' = ${customerId}
      OR report_kind = 'usage-summary' AND filters ->> 'group_by' = 'customer_id'
        AND coalesce(filters ->> 'customer_id', ${customerId}) = ${customerId})
    OR report_kind = 'license-audit' AND EXISTS (
      SELECT 1 FROM activities a WHERE a.license_id = e.filters ->> 'license_id' AND a.reason IS NOT NULL
        AND (a.customer_id = ${customerId} OR a.id = ANY(${inherited}::text[]))))`

/** How many exports that can be downloaded name a customer. */
export const countNaming = (sql: Database, named: Named): Query<{ readonly count: number }> =>
  sql<{ readonly count: number }>`
    -- name: report_exports.count naming
    SELECT count(*)::int AS count FROM report_exports e WHERE status = 'ready' AND ${names(sql, named)}`

/** Locks the numbers of erasures against a snapshot that freezes, which locks them too. */
export const lockErasureNumbers = (sql: Database): Query<object> =>
  sql`
    -- name: customer_erasures.lock
    LOCK TABLE customer_erasures IN SHARE ROW EXCLUSIVE MODE`

/** Numbers the erasure of a customer. */
export const insertErasure = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: customer_erasures.insert
    INSERT INTO customer_erasures (number, customer_id)
    SELECT coalesce(max(number), 0) + 1, ${customerId} FROM customer_erasures`

/**
 * Queues unfinished exports that name a customer anew. The worker loses its claim, because its snapshot of the database
 * may be older than the erasure. A queued export counts too: its next claim may already be under way.
 */
export const updateQueuedAnew = (sql: Database, named: Named): Query<object> =>
  sql`
    -- name: report_exports.update queued anew
    UPDATE report_exports e SET status = 'queued', leased_until = NULL, attempt = attempt + 1, due_at = now(),
      as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL, frozen_at = NULL,
      names_recorded = false, progress_rows = 0, progress_total = NULL, updated_at = now()
    WHERE status IN ('queued', 'running') AND ${names(sql, named)}`

/** Lets the exports that name a customer expire. */
export const updateExpiredNaming = (sql: Database, named: Named): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: report_exports.update expired naming
    UPDATE report_exports e SET status = 'expired', expired_reason = 'customer_erased', expires_at = now(),
      updated_at = now()
    WHERE status = 'ready' AND ${names(sql, named)}
    RETURNING id`

/** A request for a second person. */
interface ApprovalRow {
  readonly id: string
  readonly operation: string
  readonly body: string | null
}

/**
 * The requests that are about a customer, a license which is or was the customer's, or a job with one: by its rows, and until it is
 * there by the IDs that it is asked for with.
 */
const approvalsOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`FROM approvals WHERE id = ANY(ARRAY(
      WITH owned AS MATERIALIZED (SELECT id FROM (${licensesOf(sql, customerId)}) l)
      SELECT id FROM approvals WHERE resource_id = ${customerId}
      UNION SELECT id FROM approvals WHERE operation IN ('transferLicense', 'updateLicense')
        AND body::jsonb ->> 'customer_id' = ${customerId}
      UNION SELECT a.id FROM owned JOIN approvals a ON a.resource_id = owned.id
      UNION SELECT a.id FROM owned JOIN job_rows r ON r.license_id = owned.id JOIN approvals a ON a.job_id = r.job_id
      UNION SELECT a.id FROM approvals a WHERE a.operation = 'createLicenseJob' AND a.job_id IS NULL
        AND a.body::jsonb #> '{selection,ids}' ?| ARRAY(SELECT id FROM owned)))
    ORDER BY id`

/** The requests for a second person that are about a customer. */
export const listApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.list of customer
    SELECT id, operation, body ${approvalsOf(sql, customerId)}`

/** Locks the requests for a second person that are about a customer, by id. */
export const lockApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.lock of customer
    SELECT id, operation, body ${approvalsOf(sql, customerId)} FOR UPDATE`

/** Takes the reasons of locked requests, which have these bodies from now on. What is asked for stays, because it may still wait. */
export const updateApprovalsErased = (
  sql: Database,
  rows: ReadonlyArray<Omit<ApprovalRow, "operation">>
): Query<object> =>
  sql`
    -- name: approvals.update erased
    UPDATE approvals a SET reason = NULL, decision_reason = NULL, failure = NULL, body = nullif(e.body, '')
    FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ body }) => body ?? "")}::text[]) AS e (id, body)
    WHERE a.id = e.id AND (a.reason IS NOT NULL OR a.decision_reason IS NOT NULL OR a.failure IS NOT NULL
      OR a.body IS DISTINCT FROM nullif(e.body, '')) RETURNING 1`

/** A job that had a license of a customer. */
export interface ErasedJob {
  readonly id: string
  /** Whether it is running on a filter that may name the customer: without that, it would take other licenses. */
  readonly stops: boolean
}

/** The jobs that had a license which is or was a customer's, by id. */
const jobsOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`FROM jobs WHERE id = ANY(ARRAY(
      SELECT r.job_id FROM (${licensesOf(sql, customerId)}) l JOIN job_rows r ON r.license_id = l.id))
    ORDER BY id`

/** Whether something of a job may name a person. */
const isPersonalJob = "(reason IS NOT NULL OR selection -> 'filter' ?| ARRAY['q', 'customer_email'])"

/** The jobs of a customer, and what an erasure would take from them. */
export const listJobsOf = (
  sql: Database,
  customerId: string
): Query<{ readonly id: string; readonly is_personal: boolean }> =>
  sql<{ readonly id: string; readonly is_personal: boolean }>`
    -- name: jobs.list of customer
    SELECT id, coalesce(${sql.literal(isPersonalJob)}, false) AS is_personal ${jobsOf(sql, customerId)}`

/** Locks the jobs that had a license which is or was a customer's. */
export const lockJobsOf = (sql: Database, customerId: string): Query<ErasedJob> =>
  sql<ErasedJob>`
    -- name: jobs.lock of customer
    SELECT id, state = 'running' AND coalesce(selection -> 'filter' ?| ARRAY['q', 'customer_email'], false) AS stops
    ${jobsOf(sql, customerId)} FOR UPDATE`

/** Takes the reasons of locked jobs, and what their filters say of people. */
export const updateJobsErased = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: jobs.update erased
    UPDATE jobs SET reason = NULL, selection = selection #- '{filter,q}' #- '{filter,customer_email}'
    WHERE id = ANY(${ids}::text[]) AND ${sql.literal(isPersonalJob)} RETURNING 1`

/**
 * Deletes the saved views that name a customer, by what the customer or a license of the customer is called: by a filter that
 * asks for them, a text that finds them, or a name that has their name or address in it.
 */
export const deleteViewsNaming = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: license_views.delete naming customer
    DELETE FROM license_views v USING (
      SELECT name, email, external_id FROM customers WHERE id = ${customerId}
      UNION ALL
      SELECT customer_name, customer_email, NULL FROM licenses WHERE customer_id = ${customerId}
    ) o
    WHERE v.filter ->> 'customer_id' = ${customerId}
      OR lower(v.filter ->> 'customer_email') = lower(o.email)
      OR v.filter ->> 'q' = o.external_id
      OR search_words(coalesce(o.name, '') || ' ' || coalesce(o.email, '')) @@ search_query(v.filter ->> 'q')
      OR starts_with(lower(o.name), lower(v.filter ->> 'q')) OR starts_with(lower(o.email), lower(v.filter ->> 'q'))
      OR (length(o.name) > 2 AND strpos(lower(v.name), lower(o.name)) > 0)
      OR strpos(lower(v.name), lower(o.email)) > 0
    RETURNING v.id`

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
