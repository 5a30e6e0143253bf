// The limits of the runtime operations that write: a bare node:http handler that does the SQL which the operation cannot
// do without, prepared and pipelined on one connection, and one Ed25519 signature. No routing, no decoding, no decision,
// no canonical form, no wait between two statements. Events go to a table like that of their records, which no sequencer reads:
// what the service does with them afterwards is not to be charged to the limit.
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as Id from "../../src/domain/ground/wire/Id.ts"
import { leaseSnapshotQuery, snapshotQuery } from "../../src/services/licensing/entitlements/EntitlementStateSql.ts"
import { connect, listenSigned } from "../harness/LimitServer.ts"
import type { Row } from "../harness/LimitServer.ts"
import { answerQuestions } from "../harness/Worker.ts"

/** The operations that have a limit here. */
export type Write = "activate" | "consume" | "checkout" | "heartbeat"

export interface WriteQuestion {
  readonly write: Write
  readonly databaseUrl: string
  readonly connections: number
  /** The ids of the licenses to write to in turn, each with a device, a feature, and for heartbeats a lease. */
  readonly licenses: ReadonlyArray<string>
}

type Statement = readonly [sql: string, parameters: ReadonlyArray<unknown>]

/** What one request does; the row that is answered is the one of `answer`, counted from 0. */
interface Work {
  readonly statements: ReadonlyArray<Statement>
  readonly answer: number
}

const outbox = "bench_outbox"
const id = Id.generator(() => Date.now(), randomBytes)

/** As long as what the service stores: an event's data, and a sealed answer. */
const eventData = JSON.stringify({ bench: "x".repeat(700) })
const sealedAnswer = randomBytes(1100)

/** The newest token hash of each lease. */
const tokenHashes = new Map<unknown, Uint8Array>()

const begin: Statement = ["BEGIN", []]
const commit: Statement = ["COMMIT", []]

const appendEvent = (type: string, licenseId: unknown): Statement => [
  `INSERT INTO ${outbox} (ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data, request_id)
   VALUES (nextval('${outbox}_ordinals'), $1, $2, 'license', $3, $3, '{}', $4, $5)`,
  [id("evt"), type, licenseId, eventData, id("req")]
]

const storeAnswer = (licenseId: unknown): Statement => [
  `INSERT INTO idempotency_keys (principal, key, request_hash, status, headers, body)
   VALUES ($1, $2, $3, 200, '{"content-type":"application/json"}', $4)`,
  [licenseId, randomBytes(12).toString("hex"), randomBytes(32), sealedAnswer]
]

const readSnapshot = (row: Row): Statement => [
  snapshotQuery,
  [row["binding_kind"], row["binding_key"], row["key_hash"]]
]

const bindDevice = (deviceId: string, licenseId: unknown, floating: boolean): Statement => [
  `INSERT INTO devices (id, license_id, binding_kind, binding_key, fingerprint, is_vm, is_container, status, floating)
   VALUES ($1, $2, 'hardware', $3, $3, false, false, 'active', $4)`,
  [deviceId, licenseId, `limit-${deviceId}`, floating]
]

/** One transaction that begins with the statement that locks the license, and reads the snapshot under that lock. */
const transaction = (row: Row, lock: Statement, more: ReadonlyArray<Statement>): Work => ({
  statements: [begin, lock, readSnapshot(row), ...more, storeAnswer(row["license_id"]), commit],
  answer: 2
})

const writes: Readonly<Record<Write, (row: Row) => Work>> = {
  activate: (row) =>
    transaction(row, [
      `UPDATE licenses SET active_device_count = active_device_count + 1, times_activated = times_activated + 1,
         updated_at = now() WHERE id = $1`,
      [row["license_id"]]
    ], [
      bindDevice(id("dev"), row["license_id"], false),
      appendEvent("license.activated", row["license_id"])
    ]),
  consume: (row) =>
    transaction(row, [
      "UPDATE licenses SET total_consumptions = total_consumptions + 1 WHERE id = $1",
      [row["license_id"]]
    ], [
      [
        `UPDATE license_features SET total_consumptions = total_consumptions + 1, updated_at = now()
         WHERE license_id = $1 AND feature_id = $2`,
        [row["license_id"], row["feature_id"]]
      ],
      [
        `INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id, id, feature_code,
           total_consumptions, product_id)
         SELECT $1, $2, $3, 1, $4, $3, 'limit', 1, product_id FROM licenses WHERE id = $1`,
        [row["license_id"], row["feature_id"], id("evt"), row["device_id"]]
      ],
      appendEvent("license.usage_recorded", row["license_id"])
    ]),
  checkout: (row) => {
    const deviceId = id("dev")
    return transaction(row, ["SELECT 1 FROM licenses WHERE id = $1 FOR NO KEY UPDATE", [row["license_id"]]], [
      bindDevice(deviceId, row["license_id"], true),
      [
        `INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at)
         VALUES ($1, $2, $3, $4, now(), now(), now() + interval '60 minutes')`,
        [id("lease"), row["license_id"], deviceId, randomBytes(32)]
      ],
      appendEvent("lease.checked_out", row["license_id"])
    ])
  },
  // The service has no transaction around these two either, and stores no answer.
  heartbeat: (row) => {
    const current = tokenHashes.get(row["lease_id"]) ?? row["token_hash"]
    const next = randomBytes(32)
    tokenHashes.set(row["lease_id"], next)
    return {
      statements: [
        [leaseSnapshotQuery, [current, row["key_hash"]]],
        [
          `UPDATE leases SET generation = generation + 1, previous_token_hash = token_hash, token_hash = $2,
             rotated_at = clock_timestamp(), last_heartbeat_at = clock_timestamp(),
             expires_at = clock_timestamp() + interval '60 minutes'
           WHERE id = $1 AND ended_at IS NULL AND expires_at > clock_timestamp()`,
          [row["lease_id"], next]
        ]
      ],
      answer: 0
    }
  }
}

/** Gives all statements to the connection before any of them is answered; they run in this order. */
const runOn = (connection: PgConnection.PgConnection, { answer, statements }: Work) =>
  Effect.map(
    Effect.forEach(statements, ([sql, parameters]) => connection.query(sql, parameters), { concurrency: "unbounded" }),
    (results) => results[answer]!.rows
  )

answerQuestions(async ({ connections: count, databaseUrl, licenses, write }: WriteQuestion): Promise<number> => {
  const connections = await connect(databaseUrl, count)
  const ask = (sql: string, parameters: ReadonlyArray<unknown> = []) =>
    Effect.runPromise(connections[0]!.query(sql, parameters))
  await ask(`CREATE TABLE IF NOT EXISTS ${outbox} (LIKE event_records INCLUDING ALL)`)
  await ask(`CREATE SEQUENCE IF NOT EXISTS ${outbox}_ordinals`)
  // The service has filled them since the statistics were read: without new ones, devices are joined with all leases.
  await ask("ANALYZE devices, leases")
  const { rows } = await ask(
    `SELECT DISTINCT ON (d.license_id) d.license_id, k.key_hash, d.id AS device_id, d.binding_kind, d.binding_key,
       a.feature_id, s.id AS lease_id, s.token_hash
     FROM devices d JOIN license_keys k USING (license_id) JOIN license_features a USING (license_id)
     LEFT JOIN leases s ON s.device_id = d.id AND s.ended_at IS NULL
     WHERE d.license_id = ANY($1::text[]) ORDER BY d.license_id, d.id, a.feature_id`,
    [licenses]
  )
  let turn = 0
  return listenSigned(() => {
    turn += 1
    return runOn(connections[turn % connections.length]!, writes[write](rows[turn % rows.length]!))
  })
})
