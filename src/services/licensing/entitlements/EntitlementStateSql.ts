import type { SqlClient, Statement } from "effect/sql"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { Snapshot, SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { DeviceBindingKind } from "../../../domain/licensing/licenses/Device.ts"
import { sharedPools, storedGrants } from "../../catalog/terms/OpenGrantSql.ts"
import { recounted } from "../../catalog/terms/UsedValueSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { signedFields } from "../licenses/CustomFieldValueSql.ts"

/** The lease of a token. Where no lease has the token, its members are null. */
interface LeaseOfToken {
  readonly lease_id: string | null
  readonly lease_expires_at: Date
  readonly lease_end_reason: string | null
  readonly lease_generation: bigint
  /** Whether the token is valid: the newest one of the lease, or the one before it while the two overlap. */
  readonly lease_token_live: boolean
  readonly lease_token_current: boolean
  /** The further product that it was taken for; null for the first. */
  readonly lease_product_id: string | null
  /** The code of the product that the app named when it took the lease; null where it named none. */
  readonly lease_product_code: string | null
  readonly binding_kind: DeviceBindingKind
  readonly binding_key: string
  readonly is_vm: boolean
}

/** A snapshot with the lease of a token. */
export interface LeaseSnapshot extends Snapshot, LeaseOfToken {}

/** The columns of a {@link LeaseSnapshot}. */
export interface LeaseSnapshotRow extends SnapshotRow, LeaseOfToken {}

/** A row, and the position (from 1) of the question that it answers. */
export type Answering<Row extends SnapshotRow> = Row & { readonly question: number }

/** A license that is locked now, or that is known, and the key hash by which it was found. */
export interface LockedRow {
  readonly key_hash: Uint8Array
  readonly license_id: string
}

const lockText = (name: string) => `
  -- name: ${name}
  SELECT k.key_hash, l.id AS license_id FROM licenses l JOIN license_keys k ON k.license_id = l.id
  WHERE k.key_hash = ANY($1::bytea[])
  ORDER BY l.id FOR NO KEY UPDATE OF l`

export const lockQuery = lockText("licenses.lock by keys")

export const lockFreeQuery = `${lockText("licenses.lock free by keys")} SKIP LOCKED`

/** The hash of a license key. */
interface Keyed {
  readonly keyHash: Uint8Array
}

const hashesOf = (keys: ReadonlyArray<Keyed>) => [keys.map(({ keyHash }) => keyHash)]

/** Locks the license of a key. */
export const lockLicense = (sql: Database, { keyHash }: Keyed): Query<object> =>
  sql`
    -- name: licenses.lock by key
    SELECT 1 FROM licenses l JOIN license_keys k ON k.license_id = l.id
    WHERE k.key_hash = ${keyHash} FOR NO KEY UPDATE OF l`

/** Locks the licenses of keys. Without `wait`, those that are locked elsewhere are skipped. */
export const lockLicenses = (
  sql: Database,
  keys: ReadonlyArray<Keyed>,
  { wait }: { readonly wait: boolean }
): Query<LockedRow> => sql.unsafe<LockedRow>(wait ? lockQuery : lockFreeQuery, hashesOf(keys))

export const knownQuery = `
  -- name: license_keys.list known
  SELECT key_hash, license_id FROM license_keys WHERE key_hash = ANY($1::bytea[])`

/** The licenses of those of these keys that one has. */
export const listKnownLicenses = (sql: Database, keys: ReadonlyArray<Keyed>): Query<LockedRow> =>
  sql.unsafe<LockedRow>(knownQuery, hashesOf(keys))

/** How long the previous token of a lease still works, for a holder whose last answer got lost. An SQL interval. */
const leaseTokenOverlap = "interval '30 seconds'"

/** The optional rules of a policy `p` that runtime calls are decided by. */
const optionalRules =
  `duration maintenance_duration activation_overage floating_overage lease_unit offline_file_days hold_offline_seats
  max_users max_devices_per_user refund_window_minutes`.split(/\s+/)

/**
 * Values that only some policies, licenses and products have, as one column: columns that are almost always NULL would be sent and read
 * each by itself.
 */
const more = `
  CASE WHEN num_nonnulls(l.awaits_activation, l.ends_without_grace, l.overrides, r.former_codes, l.rolled_until,
      ${optionalRules.map((rule) => `p.${rule}`).join(", ")}) > 0
    THEN json_build_object('awaits_activation', l.awaits_activation, 'ends_without_grace', l.ends_without_grace,
      'overrides', l.overrides, 'former_codes', r.former_codes, 'rolled_until', l.rolled_until, 'rules', json_strip_nulls(json_build_object(
        ${optionalRules.map((rule) => `'${rule}', p.${rule}`).join(", ")}))) END AS more`

const measure = "'decimals', f.decimals, 'meter', f.meter, 'meter_dimension', f.meter_dimension"
/** The features that the policy grants, and the license's own; see the domain for how the two are laid together. */
const features = `
  (SELECT json_agg(json_build_object(
      'id', f.id, 'code', f.code, 'enabled', g.enabled, 'value', g.value, ${measure}, 'quota', g.max_consumptions, 'period', g.period,
      'overage', g.overage, 'expires_after', g.expires_after, 'thresholds', g.quota_thresholds,
      'remaining_thresholds', g.remaining_thresholds, 'carrying', CASE WHEN num_nonnulls(g.rollover, g.past_terms) > 0
        THEN json_build_object('rollover', g.rollover, 'since', g.rollover_since, 'past', g.past_terms) END,
      'product', nullif(f.product_id, l.product_id))
      ORDER BY f.code)
    FROM policy_features g JOIN features f ON f.id = g.feature_id WHERE g.policy_id = l.policy_id) AS granted,
  (SELECT json_agg(json_build_object(
      'id', f.id, 'code', f.code, ${measure}, 'enabled', a.enabled, 'expires_at', a.expires_at,
      'quota', a.max_consumptions, 'consumed', a.total_consumptions, 'product', nullif(f.product_id, l.product_id),
      'more', CASE WHEN num_nonnulls(a.is_counter, a.value, a.period, a.overage, a.period_start, a.credits, a.granted_consumptions, a.announced_threshold,
          a.announced_remaining, a.quota_thresholds, a.remaining_thresholds, g.period) > 0
        THEN json_build_object('is_counter', a.is_counter, 'value', a.value, 'period', a.period, 'overage', a.overage, 'thresholds', a.quota_thresholds, 'remaining_thresholds', a.remaining_thresholds,
          'period_start', a.period_start, 'period_consumed', a.period_consumptions, 'credits', a.credits,
          'credits_start', a.credits_start, 'granted', ${storedGrants},
          'announced', a.announced_threshold, 'announced_remaining', a.announced_remaining, 'announced_start', a.announced_period_start, 'recounted', ${recounted}, 'counted_apart', a.counted_apart) END) ORDER BY f.code)
    FROM license_features a JOIN features f ON f.id = a.feature_id
    LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id WHERE a.license_id = l.id) AS features`

/**
 * The statement of a snapshot. Each member of `source` is SQL; `version` is an expression for the caller's version,
 * `product` one for the code of the product that the caller says it is.
 */
export const snapshotText = (name: string, source: {
  readonly columns?: string
  readonly from: string
  readonly devices: string
  readonly version: string
  readonly product: string
  readonly where: string
}): string => {
  const product = `CASE WHEN l.product_ids IS NULL THEN l.product_id ELSE coalesce(
      (SELECT b.id FROM products b
        WHERE (b.code = ${source.product} OR ${source.product} = ANY(b.former_codes)) AND b.id = ANY(l.product_ids)), l.product_id) END`
  return `
  -- name: ${name}
  SELECT clock_timestamp() AS now, (SELECT id FROM signing_keys WHERE status = 'active') AS kid,
    l.id AS license_id, l.state, l.starts_at, l.expires_at, l.maintenance_expires_at, l.created_at,
    l.entitlement_version, r.id AS product_id, r.code AS product_code,
    CASE WHEN l.product_ids IS NOT NULL THEN (SELECT json_agg(json_build_object('id', b.id, 'code', b.code, 'former_codes', b.former_codes))
      FROM products b WHERE b.id = ANY(l.product_ids)) END AS further,
    p.code AS policy_code, p.license_type, p.max_activations,
    p.max_container_instances, p.max_floating_users, p.floating_timeout_minutes, p.grace_period_days,
    p.validation_interval_minutes, p.allow_vm, p.allow_container, p.allow_offline_activation, p.offline_grace_days,
    ${more},
    CASE WHEN l.subscription_id IS NOT NULL THEN (
      SELECT json_build_object('start', s.current_period_start, 'end', s.current_period_end)
      FROM subscriptions s WHERE s.id = l.subscription_id) END AS subscription_period,
    d.id AS device_id,
    CASE WHEN d.floating AND d.status = 'active' AND NOT EXISTS (
        SELECT 1 FROM leases e WHERE e.license_id = l.id AND e.device_id = d.id AND e.ended_at IS NULL
          AND e.expires_at > clock_timestamp())
      THEN 'expired' ELSE d.status END AS device_status,
    coalesce(d.floating, false) AS device_floating,
    ${features},
    ${signedFields}, ${sharedPools},
    ${source.version} IS NOT NULL AND EXISTS (SELECT 1 FROM product_versions v WHERE v.product_id = ${product})
      AS has_versions,
    (SELECT v.released_at FROM product_versions v WHERE v.product_id = ${product} AND v.version = ${source.version})
      AS version_released_at${source.columns ?? ""}
  FROM ${source.from}
  JOIN licenses l ON l.id = k.license_id
  JOIN policies p ON p.id = l.policy_id
  JOIN products r ON r.id = l.product_id
  ${source.devices}
  WHERE ${source.where} AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())`
}

const oneQuestion = {
  from: "license_keys k",
  devices: "LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = $1 AND d.binding_key = $2",
  where: "k.key_hash = $3"
}

/**
 * The statement behind runtime answers. It is a constant, because composing it for each request costs as much as sending
 * it. The planner removes the look-ups of a version that is NULL.
 */
export const snapshotQuery = snapshotText("licenses.find snapshot", {
  ...oneQuestion,
  version: "NULL::text",
  product: "NULL::text"
})

/**
 * {@link snapshotQuery} for a caller that says which version it runs. It is a statement of its own, because its look-ups
 * add half to the cost on the server, even when the parameter is NULL.
 */
export const versionSnapshotQuery = snapshotText("licenses.find snapshot of version", {
  ...oneQuestion,
  version: "$4::text",
  product: "$5::text"
})

/** Names a snapshot to read: of which license, for which device, for which version of the product. */
export interface SnapshotQuestion {
  readonly credential: Keyed
  readonly binding: DeviceBinding
  /** The version that the caller runs, if it says so; looked up among the versions of the product. */
  readonly appVersion: string | undefined
  /** The code of the product that the caller says it is. */
  readonly productCode: string | undefined
  /** The credential of the user who is signed in. */
  readonly userToken: string | undefined
}

/** Finds the snapshot of a question. */
export const findSnapshot = (
  sql: SqlClient.SqlClient,
  { appVersion, binding: { key, kind }, credential: { keyHash }, productCode }: SnapshotQuestion
): Statement.Statement<SnapshotRow> =>
  appVersion === undefined
    ? sql.unsafe<SnapshotRow>(snapshotQuery, [kind, key, keyHash])
    : sql.unsafe<SnapshotRow>(versionSnapshotQuery, [kind, key, keyHash, appVersion, productCode ?? ""])

/** {@link snapshotQuery} for many questions. An unknown license key has no row, so each row says which one it answers. */
export const snapshotsQuery = snapshotText("licenses.list snapshots", {
  columns: ", q.question::int AS question",
  from: `unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[]) WITH ORDINALITY
    AS q (kind, key, hash, version, product, question)
  JOIN license_keys k ON k.key_hash = q.hash`,
  devices: "LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = q.kind AND d.binding_key = q.key",
  version: "nullif(q.version, '')",
  product: "nullif(q.product, '')",
  where: "true"
})

/** Finds the snapshots of many questions in one statement. */
export const listSnapshots = (
  sql: SqlClient.SqlClient,
  questions: ReadonlyArray<SnapshotQuestion>
): Statement.Statement<Answering<SnapshotRow>> =>
  sql.unsafe<Answering<SnapshotRow>>(snapshotsQuery, [
    questions.map(({ binding }) => binding.kind),
    questions.map(({ binding }) => binding.key),
    questions.map(({ credential }) => credential.keyHash),
    questions.map(({ appVersion }) => appVersion ?? ""),
    questions.map(({ productCode }) => productCode ?? "")
  ])

/** The columns of a lease, given the hash by which it was sought. */
const leaseColumns = (hash: string) =>
  `, s.id AS lease_id, s.expires_at AS lease_expires_at,
    s.end_reason AS lease_end_reason, s.product_id AS lease_product_id,
    s.product_code AS lease_product_code, s.generation AS lease_generation, s.token_hash = ${hash} AS lease_token_current,
    s.token_hash = ${hash} OR s.rotated_at + ${leaseTokenOverlap} > clock_timestamp() AS lease_token_live,
    d.binding_kind, d.binding_key, d.is_vm`

/** The lease with this hash, and its device. */
const leaseAndDevice = (hash: string) => `
  LEFT JOIN leases s ON s.license_id = l.id AND (s.token_hash = ${hash} OR s.previous_token_hash = ${hash})
  LEFT JOIN devices d ON d.id = s.device_id`

export const leaseSnapshotQuery = snapshotText("licenses.find snapshot by lease", {
  columns: leaseColumns("$1"),
  from: "license_keys k",
  devices: leaseAndDevice("$1"),
  version: "NULL::text",
  product: "NULL::text",
  where: "k.key_hash = $2"
})

/** Names the lease to read: by the hash of its token, under which license. */
export interface LeaseQuestion {
  readonly credential: Keyed
  readonly tokenHash: Uint8Array
  /** The credential of the user who is signed in. */
  readonly userToken?: string | undefined
}

/** Finds the snapshot for the holder of a lease. */
export const findLeaseSnapshot = (
  sql: SqlClient.SqlClient,
  { credential, tokenHash }: LeaseQuestion
): Statement.Statement<LeaseSnapshotRow> =>
  sql.unsafe<LeaseSnapshotRow>(leaseSnapshotQuery, [tokenHash, credential.keyHash])

export const leaseSnapshotsQuery = snapshotText("licenses.list snapshots by leases", {
  columns: `${leaseColumns("q.token")}, q.question::int AS question`,
  from: `unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS q (token, hash, question)
  JOIN license_keys k ON k.key_hash = q.hash`,
  devices: leaseAndDevice("q.token"),
  version: "NULL::text",
  product: "NULL::text",
  where: "true"
})

/** Finds the snapshots for the holders of many leases in one statement. */
export const listLeaseSnapshots = (
  sql: SqlClient.SqlClient,
  questions: ReadonlyArray<LeaseQuestion>
): Statement.Statement<Answering<LeaseSnapshotRow>> =>
  sql.unsafe<Answering<LeaseSnapshotRow>>(leaseSnapshotsQuery, [
    questions.map(({ tokenHash }) => tokenHash),
    questions.map(({ credential }) => credential.keyHash)
  ])
