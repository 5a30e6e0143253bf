import { Context, Effect, Layer } from "effect"
import type { CustomerErasure } from "../../domain/commerce/CustomerErasure.ts"
import { erasedName } from "../../domain/commerce/CustomerErasure.ts"
import type { NotFound } from "../../domain/wire/Errors.ts"
import type { Steps } from "../access/Idempotency.ts"
import { Customers } from "../commerce/Customers.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeErasedExports } from "./ExportErasure.ts"

/** Rows erased in one transaction, small enough that the feed never waits long for it. */
const slice = 1000

/** Events found by one query. */
const page = 50_000

/**
 * What was erased before the last step, and the sequence up to which the feed holds no personal value of the customer.
 */
export interface ErasedBefore {
  readonly events: number
  readonly rows: number
  readonly sequence: bigint
}

/** Erases the personal values of a customer from the service and its history. */
export class CustomerErasures extends Context.Service<CustomerErasures, {
  /**
   * Erases the name and address of a customer, of its licenses and devices, and every personal value in the events
   * about them, for as long as the licenses belonged to the customer. The commitments in the events stay, so the hash
   * chain and every proof still verify. The first step is many short transactions and resumes where an interrupted one
   * stopped. The last step is one short transaction: it erases what was written meanwhile and appends the event.
   */
  readonly erase: (id: string) => Steps<ErasedBefore, CustomerErasure, NotFound>
}>()("countersign/services/privacy/CustomerErasures") {
  static readonly layer = Layer.effect(
    CustomerErasures,
    Effect.gen(function*() {
      const sql = yield* Database
      const customers = yield* Customers
      const events = yield* Events
      const expireExports = makeErasedExports(sql)

      // The owner of a license follows from its events: from the one that names an owner to the next that names
      // another. Who owned it when the events before were dropped, its last event among them says.
      const ownership = (licenses: string) =>
        sql.literal(`
          SELECT resource_id AS id, sequence AS first, data::jsonb ->> 'customer_id' AS owner,
            lead(sequence) OVER (PARTITION BY resource_id ORDER BY sequence) AS past
          FROM ${licenses} l CROSS JOIN LATERAL (
            (SELECT resource_id, sequence, data FROM events e
            WHERE e.resource_key = right(l.id, 7) AND e.resource_id = l.id
              AND e.event_type IN ('license.created', 'license.transferred')
            OFFSET 0)
            UNION ALL
            SELECT resource_id, place, data FROM event_anchors a WHERE a.resource_id = l.id AND a.slot = 'self'
          ) e`)

      // The IP address of an operator is not the customer's: it stays in events that the license itself did not cause.
      const left = sql.literal(`
        CASE WHEN actor_type = 'license' THEN NULL
        ELSE nullif(jsonb_strip_nulls(jsonb_build_object('/ip_address', personal -> '/ip_address')), '{}') END`)
      const isLeft = sql.literal(`
        personal IS NOT NULL AND (actor_type = 'license' OR personal - '/ip_address' <> '{}')`)

      /** Events of the customer in the whole feed that still have personal values, at most a page of them. */
      const inFeed = (customerId: string) =>
        sql<{ readonly ordinal: bigint }>`
          WITH licensed AS (
            SELECT id FROM licenses WHERE customer_id = ${customerId}
            UNION
            SELECT resource_id FROM events
            WHERE type_key = hashtextextended('license.transferred', 0) AND event_type = 'license.transferred'
              AND metadata::jsonb ->> 'previous_customer_id' = ${customerId}
          ), owned AS (
            ${ownership("licensed")}
          ), spans AS (
            SELECT id, first, past FROM owned WHERE owner = ${customerId}
          ), about AS MATERIALIZED (
            SELECT ${customerId}::text AS id, 1::bigint AS first, NULL::bigint AS past
            UNION ALL SELECT id, first, past FROM spans
            UNION ALL SELECT d.id, s.first, s.past FROM spans s JOIN devices d ON d.license_id = s.id
            UNION ALL SELECT l.id, s.first, s.past FROM spans s JOIN leases l ON l.license_id = s.id
          )
          SELECT e.ordinal FROM about s
          JOIN events e ON e.resource_key = right(s.id, 7) AND e.resource_id = s.id AND e.sequence >= s.first
            AND e.sequence < coalesce(s.past, ${BigInt(Number.MAX_SAFE_INTEGER)})
          WHERE ${isLeft} LIMIT ${page}`

      /** The same among the events after `sequence`. They are few, and the query reads no others. */
      const inFeedSince = (customerId: string, sequence: bigint) =>
        sql<{ readonly ordinal: bigint }>`
          WITH recent AS MATERIALIZED (
            SELECT ordinal, sequence, resource_id FROM events WHERE sequence > ${sequence} AND ${isLeft}
          ), about AS MATERIALIZED (
            SELECT r.ordinal, r.sequence, coalesce(d.license_id, l.license_id, r.resource_id) AS id
            FROM recent r LEFT JOIN devices d ON d.id = r.resource_id LEFT JOIN leases l ON l.id = r.resource_id
          ), licensed AS (
            SELECT DISTINCT id FROM about
          ), owned AS (
            ${ownership("licensed")}
          )
          SELECT ordinal FROM about WHERE id = ${customerId}
          UNION
          SELECT a.ordinal FROM about a JOIN owned o ON o.id = a.id AND o.owner = ${customerId}
            AND a.sequence >= o.first AND (o.past IS NULL OR a.sequence < o.past)`

      /** The same among the events that wait for their place, judged by the current owner. */
      const waiting = (customerId: string) =>
        sql<{ readonly ordinal: bigint }>`
          SELECT o.ordinal FROM event_outbox o
          LEFT JOIN devices d ON d.id = o.resource_id LEFT JOIN leases e ON e.id = o.resource_id
          LEFT JOIN licenses l ON l.id = coalesce(d.license_id, e.license_id, o.resource_id)
          WHERE (o.resource_id = ${customerId} OR l.customer_id = ${customerId}) AND ${
          sql.literal(
            `o.personal IS NOT NULL AND (o.actor_type = 'license' OR o.personal - '/ip_address' <> '{}')`
          )
        }`

      const eraseEvents = (found: ReadonlyArray<{ readonly ordinal: bigint }>) =>
        found.length === 0 ? Effect.succeed(0) : Effect.map(
          sql`
            UPDATE event_records SET personal = ${left}
            WHERE ordinal = ANY(${found.map(({ ordinal }) => ordinal)}::bigint[]) AND ${isLeft} RETURNING 1`,
          (rows) => rows.length
        )

      /** Updates of the rows that still have personal values. Locked rows are left for the last step. */
      const slices = (id: string) => [
        sql`
          UPDATE licenses SET customer_email = NULL, customer_name = NULL, updated_at = now()
          WHERE id = ANY(ARRAY(
            SELECT id FROM licenses
            WHERE customer_id = ${id} AND (customer_email IS NOT NULL OR customer_name IS NOT NULL)
            LIMIT ${slice} FOR NO KEY UPDATE SKIP LOCKED)) AND customer_id = ${id} RETURNING 1`,
        sql`
          UPDATE devices SET hostname = NULL, ip_address = NULL, updated_at = now()
          WHERE id = ANY(ARRAY(
            SELECT d.id FROM licenses l JOIN devices d ON d.license_id = l.id
            WHERE l.customer_id = ${id} AND (d.hostname IS NOT NULL OR d.ip_address IS NOT NULL)
            LIMIT ${slice} FOR NO KEY UPDATE SKIP LOCKED)) RETURNING 1`
      ]

      /** Erases the remaining personal values in the tables; returns the number of rows changed. */
      const eraseTables = (id: string) =>
        Effect.map(
          sql`
            WITH licensed AS (
              UPDATE licenses SET customer_email = NULL, customer_name = NULL, updated_at = now()
              WHERE customer_id = ${id} AND (customer_email IS NOT NULL OR customer_name IS NOT NULL) RETURNING 1
            ), bound AS (
              UPDATE devices d SET hostname = NULL, ip_address = NULL, updated_at = now() FROM licenses l
              WHERE l.customer_id = ${id} AND d.license_id = l.id
                AND (d.hostname IS NOT NULL OR d.ip_address IS NOT NULL) RETURNING 1
            ), valued AS (
              DELETE FROM custom_field_values WHERE customer_id = ${id} RETURNING 1
            ), named AS (
              UPDATE customers SET name = ${erasedName}, email = NULL, updated_at = now()
              WHERE id = ${id} AND (name <> ${erasedName} OR email IS NOT NULL) RETURNING 1
            )
            SELECT 1 FROM licensed UNION ALL SELECT 1 FROM bound UNION ALL SELECT 1 FROM valued
            UNION ALL SELECT 1 FROM named`,
          (rows) => rows.length
        )

      const head = Effect.map(
        sql<{ readonly sequence: bigint }>`SELECT last_sequence AS sequence FROM event_chain`,
        ([row]) => row!.sequence
      )

      const first = Effect.fn("CustomerErasures.first")(
        function*(id: string) {
          yield* customers.get(id)
          let rows = 0
          for (const update of slices(id)) {
            for (let count = slice; count === slice;) {
              count = (yield* update).length
              rows += count
            }
          }
          let erased = 0
          while (true) {
            // The head is read before the events, so that no event up to it is missed.
            const sequence = yield* head
            const found = yield* inFeed(id)
            for (let at = 0; at < found.length; at += slice) erased += yield* eraseEvents(found.slice(at, at + slice))
            // A slow pass is repeated, so that little is left for the last step.
            if (found.length < slice) return { events: erased, rows, sequence }
          }
        }
      )

      const last = (id: string, before: ErasedBefore) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* customers.lock(id)
            // The lock that every change of a license or its devices takes, in the one order.
            yield* sql`SELECT 1 FROM licenses WHERE customer_id = ${id} ORDER BY id FOR NO KEY UPDATE`
            const rows = before.rows + (yield* eraseTables(id))
            // Waiting events are read before the feed: an event that is placed in between is found in the feed.
            const late = yield* eraseEvents(yield* waiting(id))
            const placed = yield* eraseEvents(yield* inFeedSince(id, before.sequence))
            const events_ = before.events + late + placed
            const expired = yield* expireExports(id)
            const customer = yield* customers.get(id)
            if (rows > 0 || events_ > 0 || expired > 0) {
              yield* events.append({
                type: "customer.erased",
                resourceId: id,
                data: customer,
                metadata: { events: events_, exports: expired }
              })
            }
            return { customer, events: events_, exports: expired }
          }).pipe(Effect.withSpan("CustomerErasures.last"))
        )

      return CustomerErasures.of({ erase: (id) => ({ first: first(id), last: (before) => last(id, before) }) })
    })
  )
}
