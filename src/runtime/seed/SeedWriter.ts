import { Effect } from "effect"
import { Policy } from "../../domain/catalog/Policy.ts"
import { ProductRecord } from "../../domain/catalog/Product.ts"
import { ProductVersion } from "../../domain/catalog/ProductVersion.ts"
import { Customer } from "../../domain/commerce/Customer.ts"
import { Order } from "../../domain/commerce/Order.ts"
import { Subscription } from "../../domain/commerce/Subscription.ts"
import { Device } from "../../domain/licenses/Device.ts"
import { License } from "../../domain/licenses/License.ts"
import type { LicenseState } from "../../domain/licenses/License.ts"
import { recordedEvent } from "../../services/events/RecordedEvent.ts"
import { Database } from "../../services/persistence/Database.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { seedMarker } from "./SeedMarker.ts"
import { instant, tables, unit } from "./Telling.ts"
import type { Table, Told } from "./Telling.ts"

const fieldsOf = (schema: { readonly fields: object }, ...but: ReadonlyArray<string>) =>
  Object.keys(schema.fields).filter((name) => !but.includes(name))

/** The columns that are written of each table; what is left out has its default. */
const columns: Readonly<Record<Table, ReadonlyArray<string>>> = {
  management_keys: ["id", "name", "key_hash", "key_prefix", "scopes", "allowed_cidrs", "last_used_at", "created_at"],
  products: fieldsOf(ProductRecord),
  features: ["id", "product_id", "code", "name", "metadata", "created_at", "updated_at"],
  policies: fieldsOf(Policy),
  policy_features: ["policy_id", "feature_id", "enabled", "max_consumptions", "period", "metadata"],
  product_versions: fieldsOf(ProductVersion),
  customers: fieldsOf(Customer),
  subscriptions: fieldsOf(Subscription),
  orders: fieldsOf(Order),
  licenses: [...fieldsOf(License, "status", "activate_before", "terms", "names"), "state", "announced"],
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

/** Writes the JSON rows of a parameter; a column that a row does not have is NULL. */
const insert = (table: string, names: ReadonlyArray<string>, parameter: number): string => {
  const listed = names.join(", ")
  return `INSERT INTO ${table} (${listed}) SELECT ${listed} FROM json_populate_recordset(NULL::${table}, $${parameter}::json)`
}

const parameterOf = (table: Table): number => tables.indexOf(table) + 1

// One row for each day of a feature of a license, as the writer of uses keeps it. All uses of a license come at once.
const insertDays = `
  INSERT INTO usage_days (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, uses, amount, first_at, last_at)
  SELECT date_trunc('day', created_at, 'UTC'), license_id, feature_id, customer_id, feature_code, product_id, order_id,
    subscription_id, count(*), sum(amount), min(created_at), max(created_at)
  FROM json_populate_recordset(NULL::usage_records, $${parameterOf("usage_records")}::json)
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`

// All of a chunk in one statement: it is there or not, and the database works on it while the next one is told.
const writeChunk = `
  WITH ${
  [
    ...tables.map((table) => insert(table, columns[table], parameterOf(table))),
    insert("event_records", recordColumns, tables.length + 1),
    insert("activities", activityColumns, tables.length + 2),
    insertDays,
    `UPDATE revocation_count SET number = number + $${tables.length + 3}::bigint WHERE $${
      tables.length + 3
    }::bigint > 0`,
    `UPDATE ${seedMarker} SET accounts = $${tables.length + 4}::int`
  ].map((statement, index) => `s${index} AS (${statement})`).join(", ")
}
  SELECT`

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

/** A license's row, as far as its activities say it too. */
interface LicenseSubject {
  readonly id: string
  readonly state: LicenseState
  readonly product_id: string
  readonly customer_id?: string
  readonly order_id?: string
  readonly subscription_id?: string
}

/**
 * Writes what is told of whole accounts into the tables: rows as the services would have left them, the events as they
 * record them, and of each event its activity. The events have no places in the log yet.
 */
export const makeSeedWriter = Effect.fnUntraced(function*(span: OrdinalSpan) {
  const sql = yield* Database
  const crypto = yield* Cryptography
  // The salts of a chunk come at once: a call of the system's random generator for each costs more than the rest of it.
  let random: Uint8Array = new Uint8Array(0)
  const randomBytes = (length: number): Uint8Array => {
    if (random.length < length) random = crypto.randomBytes(65_536)
    const bytes = random.subarray(0, length)
    random = random.subarray(length)
    return bytes
  }
  const recording = { randomBytes, sha256: crypto.sha256 }
  const written = Object.fromEntries([...tables, "events", "refusals"].map((name) => [name, 0])) as Written

  /** Counts what was told, and forgets it. */
  const forget = ({ events, refusals, rows }: Told): void => {
    for (const table of tables) {
      written[table] += rows[table].length
      rows[table].length = 0
    }
    written.events += events.length
    written.refusals += refusals.length
    events.length = 0
    refusals.length = 0
  }

  /** The statement for what was told until now, of the accounts up to a number; it is forgotten at once. */
  const write = (told: Told, account: number): Effect.Effect<void> => {
    const { events, refusals, rows } = told
    const licenses = new Map((rows.licenses as Array<LicenseSubject>).map((license) => [license.id, license]))
    const records: Array<object> = []
    const activities: Array<object> = []
    for (const { at, ...refusal } of refusals) {
      activities.push({
        ...refusal,
        occurred_at: instant(at),
        result_class: "refused",
        resource_type: "license",
        resource_id: refusal.license_id
      })
    }
    for (const event of events) {
      const { activity, values } = recordedEvent(recording, event)
      const created_at = instant(event.at)
      records.push({
        ...values,
        created_at,
        ordinal: ordinalOf(span, event.at, event.account),
        commitments: values.commitments === null ? null : JSON.parse(values.commitments),
        personal: values.personal === null ? null : JSON.parse(values.personal)
      })
      if (activity === undefined) continue
      // Activities name a license as its row does.
      const license = activity.license_id === undefined ? undefined : licenses.get(activity.license_id)
      activities.push({
        ...(license === undefined ? {} : {
          product_id: license.product_id,
          customer_id: license.customer_id,
          order_id: license.order_id,
          subscription_id: license.subscription_id
        }),
        ...activity,
        occurred_at: created_at
      })
    }
    const revoked = [...licenses.values()].filter(({ state }) => state === "revoked").length
    const parameters = [
      ...[...tables.map((table) => rows[table]), records, activities].map((rows) => JSON.stringify(rows)),
      revoked,
      account
    ]
    forget(told)
    return Effect.asVoid(sql.unsafe(writeChunk, parameters))
  }

  return { write, forget, written }
})
