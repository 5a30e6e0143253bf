import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { PurchaseHold, PurchaseStatus } from "../../../domain/sales/billing/Purchase.ts"
import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import { isNamedBySite } from "../../../domain/sales/providers/Provider.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { RecordName, StopReason } from "../../../domain/sales/purchases/Command.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { systemOf } from "../billing/ConnectionSql.ts"

/** A purchase that is being looked at, and the connection that it came by. */
export interface HeldPurchase {
  readonly id: string
  readonly connection_id: string
  readonly name: PurchaseName
  readonly status: PurchaseStatus
  readonly state: PurchaseState | null
  readonly holds: ReadonlyArray<PurchaseHold>
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly customer_id: string | null
  readonly provider: Provider
  /** The system that its records are of. */
  readonly system: string
}

/** Locks a purchase: whoever looks at it, on whichever node, waits here for the one before. */
export const lockPurchase = (sql: Database, id: string): Query<HeldPurchase> =>
  sql<HeldPurchase>`
    -- name: purchases.lock to look
    SELECT p.id, p.connection_id, p.name, p.status, p.state, p.holds, p.failure, p.customer_id, c.provider,
      ${sql.literal(systemOf)} AS system
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id WHERE p.id = ${id}
    -- guard: a purchase is looked at by one worker at a time
    FOR NO KEY UPDATE OF p`

/** The row that a look goes by beside the events. */
interface LookedBy {
  readonly mapping: Mapping
  /** Whether the customer of the purchase was erased. */
  readonly is_erased: boolean
  readonly now: Date
}

/**
 * The mapping of the connection of a purchase, whether its customer was erased, and the time. Asked once the purchase is locked: while that
 * was waited for, both may have changed.
 */
export const findLookedBy = (sql: Database, purchaseId: string): Query<LookedBy> =>
  sql<LookedBy>`
    -- name: purchases.find looked by
    SELECT c.mapping, EXISTS (SELECT FROM customer_erasures x WHERE x.customer_id = p.customer_id) AS is_erased, now()
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id WHERE p.id = ${purchaseId}`

/**
 * The mapping of a connection, which stays as it is until the surrounding transaction ends. Asked for by a look that leaves
 * its purchase waiting, at its end: a new mapping has those looked at again that wait, and cannot see one that will.
 */
export const lockMapping = (sql: Database, connectionId: string): Query<{ readonly mapping: Mapping }> =>
  sql<{ readonly mapping: Mapping }>`
    -- name: billing_connections.lock mapping
    SELECT mapping FROM billing_connections WHERE id = ${connectionId}
    -- guard: a waiting purchase and a change of its mapping do not miss each other
    FOR SHARE`

/** Takes the work of a purchase, in the surrounding transaction; answers a row for each piece. */
export const deleteWork = (sql: Database, purchaseId: string): Query<{ readonly id: bigint }> =>
  sql<{ readonly id: bigint }>`
    -- name: purchase_work.delete of purchase
    DELETE FROM purchase_work WHERE purchase_id = ${purchaseId} RETURNING id`

/** Asks that purchases be looked at that were read at their provider: the look does not read them again. */
export const insertReadWork = (sql: Database, purchaseIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: purchase_work.insert read
    INSERT INTO purchase_work (purchase_id, is_read) SELECT unnest(${purchaseIds}::text[]), true`

/** The outcome of a look at a purchase. */
export interface PurchaseOutcome {
  readonly status: PurchaseStatus
  readonly state: PurchaseState
  readonly holds: ReadonlyArray<PurchaseHold>
  readonly customer_id: string | undefined
}

/** Writes what came of a look at a locked purchase. */
export const updateLooked = (
  sql: Database,
  id: string,
  { customer_id = null, holds, state, status }: Omit<PurchaseOutcome, "customer_id"> & {
    readonly customer_id?: string | null | undefined
  }
): Query<object> =>
  sql`
    -- name: purchases.update looked
    UPDATE purchases SET status = ${status}, state = ${JSON.stringify(state)}::jsonb,
      holds = ${JSON.stringify(holds)}::jsonb, failure = NULL, customer_id = coalesce(${customer_id}, customer_id),
      attempts = 0, next_attempt_at = NULL, tried = 0, updated_at = now()
    WHERE id = ${id}`

/** Keeps that a person said of a locked purchase that it is another one than that of the same ID at another site. */
export const updateApart = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: purchases.update apart
    UPDATE purchases SET state = state || '{"is_apart": true}', updated_at = now() WHERE id = ${id}`

/** Writes that a locked purchase could not be done, and when it is tried again: after 5 seconds, then twice as many, an hour at most. */
export const updateFailed = (
  sql: Database,
  id: string,
  failure: { readonly code: string; readonly message: string }
): Query<object> =>
  sql`
    -- name: purchases.update failed
    UPDATE purchases SET status = 'failed', failure = ${JSON.stringify(failure)}::jsonb, attempts = attempts + 1,
      next_attempt_at = now() + LEAST(interval '1 hour', interval '5 seconds' * power(2, LEAST(attempts, 12))),
      tried = coalesce((SELECT max(w.id) FROM purchase_work w WHERE w.purchase_id = purchases.id), 0),
      updated_at = now()
    WHERE id = ${id}`

/** Purchases that have work which may be done now: work since the last failure, or that whose next attempt is due. */
export const listDue = (sql: Database, limit: number): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: purchases.list due
    SELECT p.id FROM purchases p
    JOIN (SELECT purchase_id, max(id) AS last FROM purchase_work GROUP BY purchase_id) w ON w.purchase_id = p.id
    WHERE w.last > p.tried OR p.next_attempt_at <= now() ORDER BY w.last LIMIT ${limit}`

/** When events are to be routed, or the next purchase is to be looked at. */
export const purchasesDue = (sql: Database): Statement.Fragment =>
  sql`SELECT CASE WHEN EXISTS (SELECT FROM billing_events WHERE NOT is_routed) THEN now() ELSE (
      SELECT min(CASE WHEN w.last > p.tried THEN now() ELSE p.next_attempt_at END) FROM purchases p
      JOIN (SELECT purchase_id, max(id) AS last FROM purchase_work GROUP BY purchase_id) w ON w.purchase_id = p.id
    ) END`

/** How many purchases there are of some statuses; a status without any is left out. */
export const countPurchasesByStatus = (
  sql: Database,
  statuses: ReadonlyArray<PurchaseStatus>
): Query<{ readonly status: PurchaseStatus; readonly count: bigint }> =>
  sql<{ readonly status: PurchaseStatus; readonly count: bigint }>`
    -- name: purchases.count by status
    SELECT status, count(*) AS count FROM purchases WHERE status <> 'done' AND status = ANY(${statuses}::text[])
    GROUP BY status`

/** The tables of the records that purchases are. */
const recordTables = { subscription: "subscriptions", order: "orders" } as const

/** Locks those records of a purchase that there are, in the order of their ids. */
export const lockRecords = (
  sql: Database,
  { kind, names }: {
    readonly kind: RecordName["kind"]
    readonly names: ReadonlyArray<Pick<RecordName, "product_id" | "external_id"> & { readonly external_system: string }>
  }
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: ${sql.literal(`${recordTables[kind]}.lock of purchase`)}
    SELECT r.id FROM ${sql(recordTables[kind])} r
    WHERE (r.product_id, r.external_system, r.external_id) IN (
      SELECT n.product_id, n.external_system, n.external_id
      FROM json_to_recordset(${
    JSON.stringify(names)
  }::json) AS n (product_id text, external_system text, external_id text))
    ORDER BY r.id
    -- guard: no license that follows one is locked before another record that is to be written
    FOR NO KEY UPDATE OF r`

/** The records that licenses of a purchase come from: one that it has keeps its name. */
export const listOwnRecords = (
  sql: Database,
  purchaseId: string
): Query<Omit<RecordName, "kind"> & { readonly kind: RecordName["kind"]; readonly external_system: string }> =>
  sql<Omit<RecordName, "kind"> & { readonly kind: RecordName["kind"]; readonly external_system: string }>`
    -- name: purchase_licenses.list records
    SELECT 'subscription' AS kind, r.product_id, r.external_system, r.external_id FROM purchase_licenses pl
    JOIN licenses l ON l.id = pl.license_id JOIN subscriptions r ON r.id = l.subscription_id
    WHERE pl.purchase_id = ${purchaseId} AND NOT pl.is_adopted
    UNION SELECT 'order', r.product_id, r.external_system, r.external_id FROM purchase_licenses pl
    JOIN licenses l ON l.id = pl.license_id JOIN orders r ON r.id = l.order_id
    WHERE pl.purchase_id = ${purchaseId} AND NOT pl.is_adopted`

/** The system that names a customer by an ID. */
export const findCustomerSystem = (
  sql: Database,
  customerId: string,
  externalId: string
): Query<{ readonly external_system: string }> =>
  sql<{ readonly external_system: string }>`
    -- name: customers.find system
    SELECT external_system FROM customers WHERE id = ${customerId} AND external_id = ${externalId}`

/** A license of a purchase, as its plan sees it. */
export interface HoldingRow {
  readonly item: string
  readonly index: number
  readonly license_id: string
  readonly stopped: StopReason | null
  readonly is_adopted: boolean
  /** Whether another connection has it for the same object. */
  readonly is_elsewhere: boolean
  /** The last saying of the purchase about it; NULL where that was not kept. */
  readonly said: Said | null
}

/** The licenses of a purchase. */
export const listHoldings = (sql: Database, purchaseId: string): Query<HoldingRow> =>
  sql<HoldingRow>`
    -- name: purchase_licenses.list of purchase
    SELECT h.item, h.index, h.license_id, h.stopped, h.is_adopted, h.said, o.license_id IS NOT NULL AS is_elsewhere
    FROM purchase_licenses h JOIN purchases p ON p.id = h.purchase_id
    LEFT JOIN (purchase_licenses o JOIN purchases other ON other.id = o.purchase_id)
      ON o.license_id = h.license_id AND NOT o.is_adopted AND other.id <> p.id AND other.name = p.name
    WHERE h.purchase_id = ${purchaseId} ORDER BY h.item, h.index`

/** Frees a reference whose license another slot of the purchase has by now. */
export const deleteHandedOn = (
  sql: Database,
  { index, item, purchaseId }: { readonly purchaseId: string; readonly item: string; readonly index: number }
): Query<object> =>
  sql`
    -- name: purchase_licenses.delete handed on
    DELETE FROM purchase_licenses
    WHERE purchase_id = ${purchaseId} AND item = ${item} AND index = ${index} AND is_adopted`

/** Notes the license of a reference, and what is said of it. */
export const insertHolding = (
  sql: Database,
  { index, item, licenseId, purchaseId, said }: {
    readonly purchaseId: string
    readonly item: string
    readonly index: number
    readonly licenseId: string
    readonly said: Said
  }
): Query<object> =>
  sql`
    -- name: purchase_licenses.insert
    INSERT INTO purchase_licenses (purchase_id, item, index, license_id, said)
    VALUES (${purchaseId}, ${item}, ${index}, ${licenseId}, ${JSON.stringify(said)}::jsonb)`

/** Keeps what a purchase says of a license. */
export const updateSaid = (sql: Database, purchaseId: string, licenseId: string, said: Said): Query<object> =>
  sql`
    -- name: purchase_licenses.update said
    UPDATE purchase_licenses SET said = ${JSON.stringify(said)}::jsonb
    WHERE purchase_id = ${purchaseId} AND license_id = ${licenseId}`

/** Has a purchase have a license no more: its reference is free for another one. */
export const deleteHolding = (sql: Database, purchaseId: string, licenseId: string): Query<object> =>
  sql`
    -- name: purchase_licenses.delete
    DELETE FROM purchase_licenses WHERE purchase_id = ${purchaseId} AND license_id = ${licenseId}`

/** Notes that another purchase has taken over a license. */
export const updateAdopted = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: purchase_licenses.update adopted
    UPDATE purchase_licenses SET is_adopted = true WHERE license_id = ${licenseId}`

/** Notes why a purchase stopped a license, null when it does no more, and whether a person had suspended it before. */
export const updateStopped = (
  sql: Database,
  { byPerson = false, licenseId, purchaseId, reason }: {
    readonly purchaseId: string
    readonly licenseId: string
    readonly reason: StopReason | null
    readonly byPerson?: boolean
  }
): Query<object> =>
  sql`
    -- name: purchase_licenses.update stopped
    UPDATE purchase_licenses SET stopped = ${reason}, is_suspended_by_person = ${byPerson ? true : null}::boolean
    WHERE purchase_id = ${purchaseId} AND license_id = ${licenseId}`

/** A license that a purchase stopped and a person suspended as well. */
export const findSuspendedByPerson = (sql: Database, purchaseId: string, licenseId: string): Query<object> =>
  sql`
    -- name: purchase_licenses.find suspended by person
    SELECT 1 FROM purchase_licenses
    WHERE purchase_id = ${purchaseId} AND license_id = ${licenseId} AND is_suspended_by_person`

/**
 * Waits for other connections that look at the same object of a provider, until the surrounding transaction ends: of two connections to one
 * account one alone issues what was bought.
 */
export const lockObject = (sql: Database, system: string, name: PurchaseName): Query<object> =>
  sql`
    -- name: advisory_locks.lock object of provider
    -- guard: of two connections to one account one alone issues what was bought
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('purchase:' || ${system}::text || ':' || ${name}::text, 0))`

/**
 * Purchases of other sites that are this one: the same ID, begun in the same second, unless a person said that it is another one. Where a
 * provider has sites choose the IDs, two connections to one site are told from those to two sites by nothing else.
 */
export const listElsewhere = (
  sql: Database,
  { name, provider, system }: Pick<HeldPurchase, "name" | "provider" | "system">,
  { began_at, is_apart }: PurchaseState
): Effect.Effect<ReadonlyArray<{ readonly id: string }>> =>
  isNamedBySite(provider) && began_at !== undefined && is_apart !== true
    ? Effect.andThen(
      lockObject(sql, provider, name),
      sql<{ readonly id: string }>`
        -- name: purchases.list elsewhere
        SELECT q.id FROM purchases q JOIN billing_connections c ON c.id = q.connection_id
        WHERE c.provider = ${provider} AND q.name = ${name} AND ${sql.literal(systemOf)} <> ${system}
          AND (q.state ->> 'began_at') COLLATE "C" = ${began_at} AND q.state -> 'is_apart' IS NULL
          AND (q.status = 'done' OR EXISTS (SELECT FROM purchase_licenses h WHERE h.purchase_id = q.id))`
    )
    : Effect.succeed([])

/**
 * The licenses that belong to records of a purchase already, of which they are taken over once: those from before it was known that no purchase
 * has, because a vendor's own program issued them, and those of the same object of the provider by another connection.
 */
export const listMovingIn = (
  sql: Database,
  { kind, names, purchaseId, system }: {
    readonly purchaseId: string
    readonly system: string
    readonly kind: RecordName["kind"]
    readonly names: ReadonlyArray<Pick<RecordName, "product_id" | "external_id">>
  }
): Query<{ readonly license_id: string; readonly external_id: string }> =>
  sql<{ readonly license_id: string; readonly external_id: string }>`
    -- name: ${sql.literal(`${recordTables[kind]}.list moving in`)}
    SELECT l.id AS license_id, r.external_id FROM purchases p
    JOIN ${sql(recordTables[kind])} r ON r.external_system = ${system}
      AND (r.product_id, r.external_id) IN (
        SELECT n.product_id, n.external_id
        FROM json_to_recordset(${JSON.stringify(names)}::json) AS n (product_id text, external_id text))
    JOIN licenses l ON l.${sql(`${kind}_id`)} = r.id
    WHERE p.id = ${purchaseId} AND p.has_moved_in IS NOT TRUE
      AND ((l.created_at < p.created_at AND NOT EXISTS (SELECT FROM purchase_licenses pl WHERE pl.license_id = l.id))
        OR EXISTS (SELECT FROM purchase_licenses pl JOIN purchases o ON o.id = pl.purchase_id
          WHERE pl.license_id = l.id AND NOT pl.is_adopted AND o.id <> p.id AND o.name = p.name))
    ORDER BY l.id LIMIT 1000`

/** Notes that a purchase has taken over licenses that were there before it. */
export const updateMovedIn = (sql: Database, purchaseId: string): Query<object> =>
  sql`
    -- name: purchases.update moved in
    UPDATE purchases SET has_moved_in = true WHERE id = ${purchaseId}`

/** A license that another subscription pays for. */
interface AdoptableRow {
  readonly license_id: string
  readonly is_ending: boolean
  /** When that subscription began. */
  readonly began_at: string | null
  /** When it ended, or was said not to be renewed. */
  readonly ended_at: string | null
  /** The last saying of that subscription about it; NULL where that was not kept. */
  readonly said: Said | null
}

/**
 * The licenses that a customer owns and that other subscriptions at the same connection pay for, oldest first; and whether those are not
 * renewed any more. Who has paid for them does not matter: what was handed on is the next owner's.
 */
export const listAdoptable = (
  sql: Database,
  { connectionId, customerId, purchaseId }: {
    readonly connectionId: string
    readonly customerId: string
    readonly purchaseId: string
  }
): Query<AdoptableRow> =>
  sql<AdoptableRow>`
    -- name: purchase_licenses.list adoptable
    SELECT pl.license_id, coalesce(p.state -> 'cancel_at' IS NOT NULL OR p.state ->> 'state' = 'canceled', false) AS is_ending,
      p.state ->> 'began_at' AS began_at, coalesce(p.state ->> 'canceled_at', p.state ->> 'ended_at') AS ended_at, pl.said
    FROM licenses l JOIN purchase_licenses pl ON pl.license_id = l.id AND NOT pl.is_adopted
    JOIN purchases p ON p.id = pl.purchase_id AND p.connection_id = ${connectionId} AND p.id <> ${purchaseId}
      AND p.name LIKE 'subscription/%'
    WHERE l.customer_id = ${customerId}
    ORDER BY pl.license_id LIMIT 1000`
