import { Effect } from "effect"
import { Policy } from "../../domain/catalog/Policy.ts"
import { Product } from "../../domain/catalog/Product.ts"
import { ProductVersion } from "../../domain/catalog/ProductVersion.ts"
import { Customer } from "../../domain/commerce/Customer.ts"
import { Order } from "../../domain/commerce/Order.ts"
import { Subscription } from "../../domain/commerce/Subscription.ts"
import { Device } from "../../domain/licenses/Device.ts"
import { License } from "../../domain/licenses/License.ts"
import { recordedEvent } from "../../services/events/RecordedEvent.ts"
import { Database } from "../../services/persistence/Database.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { instant, tables, unit } from "./Telling.ts"
import type { Table, Told } from "./Telling.ts"

const fieldsOf = (schema: { readonly fields: object }, ...but: ReadonlyArray<string>) =>
  Object.keys(schema.fields).filter((name) => !but.includes(name))

/** The columns that are written of each table; what is left out has its default. */
const columns: Readonly<Record<Table, ReadonlyArray<string>>> = {
  management_keys: ["id", "name", "key_hash", "key_prefix", "scopes", "allowed_cidrs", "last_used_at", "created_at"],
  products: fieldsOf(Product),
  features: ["id", "product_id", "code", "name", "metadata", "created_at", "updated_at"],
  policies: fieldsOf(Policy),
  policy_features: ["policy_id", "feature_id", "enabled", "max_consumptions", "period", "metadata"],
  product_versions: fieldsOf(ProductVersion),
  customers: fieldsOf(Customer),
  subscriptions: fieldsOf(Subscription),
  orders: fieldsOf(Order),
  licenses: [...fieldsOf(License, "status", "activate_before", "terms"), "state", "announced"],
  license_keys: ["key_hash", "license_id", "created_at"],
  license_features: [
    "license_id",
    "feature_id",
    "enabled",
    "metadata",
    "is_counter",
    "total_consumptions",
    "period_start",
    "period_consumptions",
    "created_at"
  ],
  devices: [...fieldsOf(Device, "components"), "floating"],
  leases: [
    "id",
    "license_id",
    "device_id",
    "generation",
    "token_hash",
    "rotated_at",
    "checked_out_at",
    "last_heartbeat_at",
    "expires_at",
    "ended_at",
    "end_reason"
  ],
  usage_records: [
    "id",
    "license_id",
    "feature_id",
    "feature_code",
    "event_id",
    "amount",
    "total_consumptions",
    "device_id",
    "product_id",
    "customer_id",
    "order_id",
    "subscription_id",
    "request_id",
    "created_at"
  ]
}

const recordColumns = [
  "ordinal",
  "created_at",
  "id",
  "event_type",
  "actor_type",
  "actor_id",
  "resource_id",
  "metadata",
  "data",
  "commitments",
  "personal",
  "request_id",
  "traceparent"
]

const activityColumns = [
  "id",
  "occurred_at",
  "action",
  "source",
  "actor_type",
  "actor_id",
  "result_class",
  "status_code",
  "code",
  "resource_type",
  "resource_id",
  "product_id",
  "customer_id",
  "license_id",
  "order_id",
  "subscription_id",
  "device_id",
  "feature_code",
  "request_id",
  "audit_event_id"
]

/** Writes JSON rows; a column that a row does not have is NULL. */
const insert = (table: string, names: ReadonlyArray<string>): string => {
  const listed = names.join(", ")
  return `INSERT INTO ${table} (${listed}) SELECT ${listed} FROM json_populate_recordset(NULL::${table}, $1::json)`
}

/** Rows that one statement writes. */
const atOnce = 2000

const statements = Object.fromEntries(tables.map((table) => [table, insert(table, columns[table])])) as Readonly<
  Record<Table, string>
>
const insertRecords = insert("event_records", recordColumns)
const insertActivities = insert("activities", activityColumns)

// One row for each day of a feature of a license, as the writer of uses keeps it.
const insertDays = `
  INSERT INTO usage_days (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, uses, amount, first_at, last_at)
  SELECT date_trunc('day', created_at, 'UTC'), license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, count(*), sum(amount), min(created_at), max(created_at)
  FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`

/** How many of what were written. */
export type Written = Record<Table | "events" | "refusals", number>

/** Where the events of a story go: their ordinals are above every one that was given before. */
export interface OrdinalSpan {
  readonly first: number
  /** Unix milliseconds of the first. */
  readonly from: number
  /** One more than the highest number of an account. */
  readonly accounts: number
}

/** The ordinal of an event, so that ordinals are in the order of time. */
const ordinalOf = ({ accounts, first, from }: OrdinalSpan, at: number, account: number): number =>
  first + Math.round((at - from) / unit) * accounts + account

/**
 * Writes what is told into the tables, in the surrounding transaction: rows as the services would have left them, the
 * events as they record them, and of each event its activity.
 */
export const makeSeedWriter = Effect.fnUntraced(function*(span: OrdinalSpan) {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const written = Object.fromEntries([...tables, "events", "refusals"].map((name) => [name, 0])) as Written

  const inPieces = Effect.fnUntraced(function*(statement: string, rows: ReadonlyArray<object>) {
    for (let from = 0; from < rows.length; from += atOnce) {
      yield* sql.unsafe(statement, [JSON.stringify(rows.slice(from, from + atOnce))])
    }
  })

  const write = Effect.fnUntraced(function*({ events, refusals, rows }: Told) {
    for (const table of tables) {
      written[table] += rows[table].length
      yield* inPieces(statements[table], rows[table])
      rows[table].length = 0
    }
    const records: Array<object> = []
    const activities: Array<object> = refusals.map(({ at, ...refusal }) => ({
      ...refusal,
      occurred_at: instant(at),
      result_class: "refused",
      resource_type: "license",
      resource_id: refusal.license_id
    }))
    for (const event of events) {
      const { activity, values } = recordedEvent(crypto, event)
      const created_at = instant(event.at)
      records.push({
        ...values,
        created_at,
        ordinal: ordinalOf(span, event.at, event.account),
        commitments: values.commitments === null ? null : JSON.parse(values.commitments),
        personal: values.personal === null ? null : JSON.parse(values.personal)
      })
      if (activity !== undefined) activities.push({ ...activity, occurred_at: created_at })
    }
    written.events += events.length
    written.refusals += refusals.length
    events.length = 0
    refusals.length = 0
    yield* inPieces(insertRecords, records)
    yield* inPieces(insertActivities, activities)
  })

  /** What follows from the rows once all are there. */
  const finish = Effect.gen(function*() {
    yield* sql.unsafe(insertDays)
    // What activities say of a license stands in its row.
    yield* sql`
      UPDATE activities a SET product_id = coalesce(a.product_id, l.product_id),
        customer_id = coalesce(a.customer_id, l.customer_id), order_id = coalesce(a.order_id, l.order_id),
        subscription_id = coalesce(a.subscription_id, l.subscription_id)
      FROM licenses l WHERE l.id = a.license_id AND (a.product_id IS NULL OR a.customer_id IS NULL)`
    yield* sql`
      UPDATE revocation_count SET number = number + (SELECT count(*) FROM licenses WHERE state = 'revoked')`
  })

  return { write, finish, written }
})
