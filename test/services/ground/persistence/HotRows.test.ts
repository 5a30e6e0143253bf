import { PgConnection } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Lease } from "../../../../src/domain/licensing/entitlements/Lease.ts"
import type { SnapshotRow } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { Device } from "../../../../src/domain/licensing/licenses/Device.ts"
import * as Database from "../../../../src/runtime/postgres/Database.ts"
import * as Migrations from "../../../../src/runtime/postgres/Migrations.ts"
import { listLanes } from "../../../../src/services/delivery/DeliveryHealthSql.ts"
import type { LaneRow } from "../../../../src/services/delivery/DeliveryHealthSql.ts"
import { retriesQuery } from "../../../../src/services/delivery/LaneSql.ts"
import type { RetryRow } from "../../../../src/services/delivery/LaneSql.ts"
import { feedColumns, listWork, placesQuery } from "../../../../src/services/delivery/LanesWithWorkSql.ts"
import type { PlaceRow, WorkRow } from "../../../../src/services/delivery/LanesWithWorkSql.ts"
import { changesQuery } from "../../../../src/services/delivery/webhooks/WebhookEndpointSql.ts"
import type { ChangeRow } from "../../../../src/services/delivery/webhooks/WebhookEndpointSql.ts"
import { databaseOf } from "../../../../src/services/ground/persistence/Database.ts"
import type { Database as SqlDatabase, Query } from "../../../../src/services/ground/persistence/Database.ts"
import {
  knownQuery,
  leaseSnapshotQuery,
  leaseSnapshotsQuery,
  lockFreeQuery,
  lockQuery,
  snapshotQuery,
  snapshotsQuery,
  versionSnapshotQuery
} from "../../../../src/services/licensing/entitlements/EntitlementStateSql.ts"
import type {
  Answering,
  LeaseSnapshotRow,
  LockedRow
} from "../../../../src/services/licensing/entitlements/EntitlementStateSql.ts"
import { seatsTakenQuery } from "../../../../src/services/licensing/entitlements/SeatSql.ts"
import type { SeatsTaken } from "../../../../src/services/licensing/entitlements/SeatSql.ts"
import {
  extendManyQuery,
  extendQuery,
  heldLeasesQuery,
  instantQuery,
  leasesOfTokensQuery,
  openLeasesQuery,
  rotateQuery
} from "../../../../src/services/licensing/floating/LeaseSql.ts"
import type {
  ExtendedLease,
  ExtendedRow,
  HeldLease,
  Instant,
  OpenLease,
  OpenLeases
} from "../../../../src/services/licensing/floating/LeaseSql.ts"
import {
  knownDevicesQuery,
  leaseColumns,
  leaseHoldersQuery
} from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import type { LeaseHolder } from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import { countedQuery } from "../../../../src/services/licensing/metering/UsageSql.ts"
import type { CountedRow } from "../../../../src/services/licensing/metering/UsageSql.ts"
import { lastSeenQuery } from "../../../../src/services/licensing/sightings/SightingSql.ts"
import type { LastSeenRow } from "../../../../src/services/licensing/sightings/SightingSql.ts"
import type { FeedRow } from "../../../../src/services/log/FeedPosition.ts"
import { answerQuery, claimQuery, storedQuery } from "../../../../src/services/people/access/IdempotencySql.ts"
import type { AnswerRow, Claim, StoredRow } from "../../../../src/services/people/access/IdempotencySql.ts"
import { keyQuery } from "../../../../src/services/people/access/ManagementKeySql.ts"
import type { KeyRow } from "../../../../src/services/people/access/ManagementKeySql.ts"
import { layerFresh } from "../../../fixtures/Postgres.ts"

/*
 * Rows of hot statements are cast to an interface, because decoding them would cost as much as reading them. Here each
 * of them is held against the database: a statement has just the columns that its interface has members, and each is
 * of a type that the driver reads as the member's. The types say which types those are, so that a member that changes
 * in one of the two places does not compile, or fails here. Whether a column may be NULL the database does not say.
 */

/** The PostgreSQL types that the driver reads as a type of ours. */
type ReadFrom<T> = NonNullable<T> extends Date ? "timestamptz"
  : NonNullable<T> extends bigint ? "int8"
  : NonNullable<T> extends boolean ? "bool"
  : NonNullable<T> extends number ? "int4" | "float8"
  : NonNullable<T> extends string ? "text"
  : NonNullable<T> extends Uint8Array ? "bytea"
  : NonNullable<T> extends ReadonlyArray<string> ? "text[]"
  : "json" | "jsonb"

type Columns<Row> = { readonly [Member in keyof Row]-?: ReadFrom<Row[Member]> }

/** The PostgreSQL types from which the wire's form is written: instants are texts, 64-bit counts are numbers. */
type WrittenFrom<T> = NonNullable<T> extends number ? "int4" | "int8"
  : NonNullable<T> extends string ? "text" | "timestamptz"
  : ReadFrom<T>

type WireColumns<Row> = { readonly [Member in keyof Row]-?: WrittenFrom<Row[Member]> }

const snapshot: Columns<SnapshotRow> = {
  now: "timestamptz",
  kid: "text",
  license_id: "text",
  state: "text",
  starts_at: "timestamptz",
  expires_at: "timestamptz",
  maintenance_expires_at: "timestamptz",
  created_at: "timestamptz",
  entitlement_version: "int8",
  product_id: "text",
  product_code: "text",
  further: "json",
  policy_code: "text",
  license_type: "text",
  max_activations: "int4",
  max_container_instances: "int4",
  max_floating_users: "int4",
  floating_timeout_minutes: "int4",
  grace_period_days: "int4",
  validation_interval_minutes: "int4",
  allow_vm: "bool",
  allow_container: "bool",
  allow_offline_activation: "bool",
  offline_grace_days: "int4",
  more: "json",
  subscription_period: "json",
  device_id: "text",
  device_status: "text",
  device_floating: "bool",
  granted: "json",
  features: "json",
  custom_fields: "json",
  pools: "json",
  has_versions: "bool",
  version_released_at: "timestamptz"
}

const leaseSnapshot: Columns<LeaseSnapshotRow> = {
  ...snapshot,
  lease_id: "text",
  lease_expires_at: "timestamptz",
  lease_end_reason: "text",
  lease_generation: "int8",
  lease_product_id: "text",
  lease_product_code: "text",
  lease_token_live: "bool",
  lease_token_current: "bool",
  binding_kind: "text",
  binding_key: "text",
  is_vm: "bool"
}

const questionSnapshot: Columns<Answering<SnapshotRow>> = { ...snapshot, question: "int4" }

const questionLease: Columns<Answering<LeaseSnapshotRow>> = { ...leaseSnapshot, question: "int4" }

const locked: Columns<LockedRow> = { key_hash: "bytea", license_id: "text" }

const seatsTaken: Columns<SeatsTaken> = { license_id: "text", binding_kind: "text", count: "int4" }

const leaseHolder: Columns<LeaseHolder> = { device_id: "text" }

const seen: Columns<LastSeenRow> = { id: "text" }

const openLease: Columns<OpenLease> = { id: "text", generation: "int8" }

const extendedLease: Columns<ExtendedLease> = { ...openLease, expires_at: "timestamptz" }

const openLeases: Columns<OpenLeases> = { license_id: "text", open: "int4", expired: "int4" }

const heldLease: Columns<HeldLease> = { ...openLease, device_id: "text", process_id: "text", live: "bool" }

const instant: Columns<Instant> = { at: "timestamptz" }

const extended: Columns<ExtendedRow> = { expires_at: "timestamptz" }

const counted: Columns<CountedRow> = { license_id: "text", feature_id: "text", event_id: "text", amount: "int8" }

const device: WireColumns<Omit<Device, "seat_held_until">> = {
  id: "text",
  license_id: "text",
  binding_kind: "text",
  binding_key: "text",
  fingerprint: "text",
  name: "text",
  hostname: "text",
  os: "text",
  ip_address: "text",
  is_vm: "bool",
  is_container: "bool",
  container_id: "text",
  cluster_id: "text",
  namespace: "text",
  pod_name: "text",
  status: "text",
  first_seen_at: "timestamptz",
  last_seen_at: "timestamptz",
  app_version: "text",
  app_version_since: "timestamptz",
  last_validated_at: "timestamptz",
  metadata: "jsonb",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  components: "text[]",
  components_changed_at: "timestamptz"
}

const lease: WireColumns<Lease> = {
  id: "text",
  license_id: "text",
  device_id: "text",
  product_id: "text",
  process_id: "text",
  status: "text",
  checked_out_at: "timestamptz",
  last_heartbeat_at: "timestamptz",
  expires_at: "timestamptz",
  ended_at: "timestamptz"
}

const answer: Columns<AnswerRow> = { request_hash: "bytea", status: "int4", headers: "jsonb", body: "bytea" }

const claim: Columns<Claim> = { locked: "bool", ...answer }

const stored: Columns<StoredRow> = { principal: "text", answers: "float8" }

const key: Columns<KeyRow> = {
  id: "text",
  scopes: "text[]",
  allowed_cidrs: "text[]",
  product_ids: "text[]",
  license_tag: "text",
  max_licenses: "int4",
  revoked: "bool",
  expired: "bool",
  expires_at: "timestamptz",
  stale: "bool"
}

const feedEvent: Columns<FeedRow> = {
  sequence: "int8",
  id: "text",
  event_type: "text",
  data: "text",
  personal: "jsonb",
  created_at: "timestamptz",
  traceparent: "text"
}

const change: Columns<ChangeRow> = {
  horizon: "text",
  clock: "timestamptz",
  revision: "text",
  id: "text",
  url: "text",
  event_types: "text[]",
  is_active: "bool",
  ordered: "bool",
  skipped_seq: "int8",
  headers: "bytea",
  deleted: "bool"
}

const retry: Columns<RetryRow> = { seq: "int8", attempt: "int4", due_in: "float8", recent: "bool" }

const work: Columns<WorkRow> = { what: "text", name: "text", sequence: "int8" }

const place: Columns<PlaceRow> = { endpoint_id: "text", cursor_seq: "int8", ready: "bool" }

const lane: Columns<LaneRow> = {
  id: "text",
  name: "text",
  state: "text",
  disabled_reason: "text",
  backlog: "int8",
  retries: "int4",
  consecutive_failures: "int4",
  exhausted: "int8",
  undelivered: "float8",
  overdue: "float8",
  failing_since: "timestamptz",
  last_outcome: "text",
  throttled: "bool"
}

/** A statement as its text, or as what builds it. */
type HotStatement = string | ((sql: ReturnType<typeof databaseOf>) => Query<object>)

/** The object identifiers of PostgreSQL's own types, which never change. */
const names: Readonly<Record<number, string>> = {
  16: "bool",
  17: "bytea",
  20: "int8",
  23: "int4",
  25: "text",
  114: "json",
  701: "float8",
  1009: "text[]",
  1184: "timestamptz",
  3802: "jsonb"
}

const layerMigrated = Migrations.layer.pipe(Layer.provideMerge(layerFresh))

describe("the rows of hot statements", () => {
  layer(layerMigrated, { timeout: "120 seconds" })((it) => {
    it.effect.each<readonly [string, HotStatement, number, Readonly<Record<string, string>>]>([
      ["a snapshot", snapshotQuery, 3, snapshot],
      ["a snapshot for a version", versionSnapshotQuery, 5, snapshot],
      ["snapshots of many questions", snapshotsQuery, 5, questionSnapshot],
      ["a snapshot for a lease", leaseSnapshotQuery, 2, leaseSnapshot],
      ["snapshots for many leases", leaseSnapshotsQuery, 2, questionLease],
      ["licenses that are locked", lockQuery, 1, locked],
      ["licenses that are locked without waiting", lockFreeQuery, 1, locked],
      ["licenses that have a key", knownQuery, 1, locked],
      ["the seats that devices take", seatsTakenQuery, 1, seatsTaken],
      ["the devices that hold a lease", leaseHoldersQuery, 3, leaseHolder],
      ["devices that were seen", lastSeenQuery, 6, seen],
      ["the open leases of licenses", openLeasesQuery, 1, openLeases],
      ["the leases that devices hold", heldLeasesQuery, 3, heldLease],
      ["the leases that are given back", leasesOfTokensQuery, 2, lease],
      ["the time", instantQuery, 0, instant],
      ["a lease with its next token", rotateQuery, 4, extended],
      ["a lease with the same token", extendQuery, 3, extended],
      ["many leases that are extended", extendManyQuery, 4, extendedLease],
      ["uses that were counted before", countedQuery, 3, counted],
      ["the devices that are known", knownDevicesQuery, 3, device],
      ["a lease", `SELECT ${leaseColumns} FROM leases`, 0, lease],
      ["a stored answer", answerQuery, 2, answer],
      ["answers that are looked for", claimQuery, 2, claim],
      ["how many answers callers have stored", storedQuery, 1, stored],
      ["an API key", keyQuery, 1, key],
      ["an event of the feed", `SELECT ${feedColumns} FROM events`, 0, feedEvent],
      ["a webhook endpoint that changed", changesQuery, 1, change],
      ["a retry of a lane", retriesQuery, 2, retry],
      ["what lanes could work on", (sql: SqlDatabase) => listWork(sql, 0), 1, work],
      ["how far a lane is", placesQuery, 2, place],
      ["a lane that is measured", listLanes, 0, lane]
    ])("%s", ([, statement, parameters, columns]) =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* Database.DatabaseTarget
        const connection = yield* PgConnection.make({ url })
        const [text] = typeof statement === "string"
          ? [statement]
          : statement(databaseOf(yield* SqlClient.SqlClient)).fallible.compile()
        // No row is found with these; its description comes all the same.
        const { fields } = yield* connection.query(text, Array.from({ length: parameters }, () => null))
        const found = fields.map(({ dataTypeId, name }) => [name, names[dataTypeId] ?? dataTypeId] as const)
        assert.deepStrictEqual(Object.fromEntries(found), columns)
        assert.lengthOf(found, Object.keys(columns).length, "no column is there twice")
      })))

    it.effect.each([["the open leases of licenses", openLeasesQuery], [
      "the leases that devices hold",
      heldLeasesQuery
    ]])(
      "%s are never looked for among all that run out, however little the planner knows",
      ([, statement]) =>
        Effect.scoped(Effect.gen(function*() {
          const { url } = yield* Database.DatabaseTarget
          const connection = yield* (yield* PgConnection.make({ url })).pin
          const parameters = statement === openLeasesQuery ? [["lic_a"]] : [["lic_a"], ["fingerprint"], ["a"]]
          const plan = Effect.map(
            connection.query(`EXPLAIN ${statement}`, parameters),
            ({ rows }) => JSON.stringify(rows)
          )
          yield* connection.query("BEGIN")
          yield* connection.query("SET LOCAL enable_seqscan = off")
          assert.match(yield* plan, /leases_(one_open|by_license)/)
          for (const index of ["leases_one_open", "leases_by_license"]) yield* connection.query(`DROP INDEX ${index}`)
          assert.notInclude(yield* plan, "leases_due")
          yield* connection.query("ROLLBACK")
        }))
    )
  })
})
