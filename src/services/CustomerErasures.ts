import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Customer } from "../domain/Customer.ts"
import type { CustomerErasure } from "../domain/CustomerErasure.ts"
import { erasedName } from "../domain/CustomerErasure.ts"
import type { NotFound } from "../domain/Errors.ts"
import { Customers } from "./Customers.ts"
import { makeErasedExports } from "./ErasedExports.ts"
import { Events } from "./Events.ts"
import { inTransaction } from "./Transaction.ts"

/** Events that lose their personal values in one transaction: the feed waits for none of them for long. */
const batch = 1000

interface SpanRow {
  readonly id: string
  readonly first: bigint
  /** The sequence before which the span ends; null when it lasts. */
  readonly past: bigint | null
}

/** Takes the personal values of a customer out of the service and out of its history. */
export class CustomerErasures extends Context.Service<CustomerErasures, {
  /**
   * Erases name and address of a customer, of its licenses and devices, and every personal value in the events about
   * them, for as long as the licenses were the customer's. The commitments in the events stay, so that the hash chain
   * and every proof hold. Repeatable: what an erasure that failed has done stays done.
   */
  readonly erase: (id: string) => Effect.Effect<CustomerErasure, NotFound>
}>()("countersign/services/CustomerErasures") {
  static readonly layer = Layer.effect(
    CustomerErasures,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const customers = yield* Customers
      const events = yield* Events
      const expireExports = makeErasedExports(sql)

      // Whose a license was is in its own events, from the one that says so to the next that says otherwise.
      const spansOf = (customerId: string) =>
        sql<SpanRow>`
          WITH owned AS (
            SELECT resource_id, sequence AS first, data::jsonb ->> 'customer_id' AS owner,
              lead(sequence) OVER (PARTITION BY resource_id ORDER BY sequence) AS past
            FROM (
              SELECT id FROM licenses WHERE customer_id = ${customerId}
              UNION
              SELECT resource_id FROM events
              WHERE type_key = hashtextextended('license.transferred', 0) AND event_type = 'license.transferred'
                AND metadata::jsonb ->> 'previous_customer_id' = ${customerId}
            ) l CROSS JOIN LATERAL (
              SELECT * FROM events e
              WHERE e.resource_key = right(l.id, 7) AND e.resource_id = l.id
                AND e.event_type IN ('license.created', 'license.transferred')
              OFFSET 0
            ) e
          ), spans AS (
            SELECT resource_id AS id, first, past FROM owned WHERE owner = ${customerId}
          )
          SELECT ${customerId}::text AS id, 1::bigint AS first, NULL::bigint AS past
          UNION ALL SELECT id, first, past FROM spans
          UNION ALL SELECT d.id, s.first, s.past FROM spans s JOIN devices d ON d.license_id = s.id
          UNION ALL SELECT l.id, s.first, s.past FROM spans s JOIN leases l ON l.license_id = s.id`

      // The address of an operator is not the customer's: of what others did, it stays.
      const left = sql.literal(`
        CASE WHEN actor_type = 'license' THEN NULL
        ELSE nullif(jsonb_strip_nulls(jsonb_build_object('/ip_address', personal -> '/ip_address')), '{}') END`)
      const isLeft = sql.literal(`
        personal IS NOT NULL AND (actor_type = 'license' OR personal - '/ip_address' <> '{}')`)

      const eraseBatch = (spans: ReadonlyArray<SpanRow>) =>
        Effect.map(
          sql`
            UPDATE event_records SET personal = ${left} WHERE ordinal = ANY(ARRAY(
              SELECT e.ordinal
              FROM unnest(
                ${spans.map(({ id }) => id)}::text[], ${spans.map(({ first }) => first)}::bigint[],
                ${spans.map(({ past }) => past ?? BigInt(Number.MAX_SAFE_INTEGER))}::bigint[]
              ) AS s (id, first, past)
              JOIN events e ON e.resource_key = right(s.id, 7) AND e.resource_id = s.id AND e.sequence >= s.first AND e.sequence < s.past
              WHERE ${isLeft} LIMIT ${batch}
            )) RETURNING 1`,
          (rows) => rows.length
        )

      const eraseEvents = (id: string) =>
        Effect.gen(function*() {
          const spans = yield* spansOf(id)
          let erased = 0
          for (let count = batch; count === batch;) {
            count = yield* eraseBatch(spans)
            erased += count
          }
          return { spans, erased }
        }).pipe(Effect.orDie)

      /** What is left in the tables; answers how many rows had something. */
      const eraseTables = (id: string) =>
        Effect.gen(function*() {
          const rows = yield* sql`
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
            UNION ALL SELECT 1 FROM named`
          return rows.length
        }).pipe(Effect.orDie)

      /**
       * The end of it in one transaction: what happened meanwhile, the tables, and the event. What waits for its place
       * goes before the feed, because what leaves the one in between is found in the other.
       */
      const finish = (id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* customers.lock(id)
            // As whoever changes a license or a device of it does, and always in one order.
            yield* sql`SELECT 1 FROM licenses WHERE customer_id = ${id} ORDER BY id FOR NO KEY UPDATE`.pipe(
              Effect.orDie
            )
            const changed = yield* eraseTables(id)
            const spans = yield* Effect.orDie(spansOf(id))
            const lasting = spans.filter(({ past }) => past === null).map(({ id }) => id)
            const waiting = yield* sql`
              UPDATE event_records SET personal = ${left} WHERE ordinal = ANY(ARRAY(
                SELECT ordinal FROM event_outbox WHERE ${isLeft} AND resource_id = ANY(${lasting}::text[])
              )) RETURNING 1`.pipe(Effect.orDie)
            const { erased } = yield* eraseEvents(id)
            const count = waiting.length + erased
            const customer: Customer = yield* customers.get(id)
            return { customer, count, isNew: changed > 0 || count > 0 }
          })
        )

      const erase = Effect.fn("CustomerErasures.erase")(function*(id: string) {
        yield* customers.get(id)
        const before = yield* eraseEvents(id)
        const erasure = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const { count, customer, isNew } = yield* finish(id)
            const exports = yield* expireExports(customer)
            const total = before.erased + count
            if (isNew || total > 0 || exports > 0) {
              yield* events.append({
                type: "customer.erased",
                resourceId: id,
                data: customer,
                metadata: { events: total, exports }
              })
            }
            return { customer, events: total, exports }
          })
        )
        // What was asked for and frozen between the look at the exports and the commit still read the old values.
        const late = yield* expireExports(erasure.customer)
        return { ...erasure, exports: erasure.exports + late }
      })

      return CustomerErasures.of({ erase })
    })
  )
}
