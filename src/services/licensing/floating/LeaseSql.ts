import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Lease } from "../../../domain/licensing/entitlements/Lease.ts"
import type { Database, Fragments, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { bindingParameters, hasNoLease, leaseColumns, ofBindings } from "../licenses/DeviceComponentSql.ts"
import type { LicenseBinding } from "../licenses/DeviceComponentSql.ts"

/** An open lease, and the generation of its token: 1 for the first, one more each time it is replaced. */
export interface OpenLease {
  readonly id: string
  readonly generation: bigint
}

/** An open lease of a device that checks out again. */
export interface HeldLease extends OpenLease {
  readonly device_id: string
  /** The process that it was opened for; empty where a lease is the device's, or the process gave no name. */
  readonly process_id: string
  /** Whether its time has not run out yet. */
  readonly live: boolean
}

/** How many leases of a license are open, and how many of those have run out. */
export interface OpenLeases {
  readonly license_id: string
  readonly open: number
  readonly expired: number
}

/** When a lease that was extended expires. */
export interface ExtendedRow {
  readonly expires_at: Date
}

/** The leases of a license, as conditions; `live` selects those that hold a seat now, or with false those that do not. */
export const leaseConditions = (
  sql: Fragments,
  licenseId: string,
  live: boolean | undefined
): ReadonlyArray<Statement.Fragment> => [
  sql`license_id = ${licenseId}`,
  ...(live === true ? [sql`ended_at IS NULL AND expires_at > clock_timestamp()`] : []),
  ...(live === false ? [sql`(ended_at IS NOT NULL OR expires_at <= clock_timestamp())`] : [])
]

/** A page of leases. */
export const listLeases = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: leases.list
    SELECT ${sql.literal(leaseColumns)} ${place} FROM leases ${where} ${orderBy} LIMIT ${limit}`

/** A lease of a license. */
export const findLease = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: leases.find
    SELECT ${sql.literal(leaseColumns)} FROM leases WHERE license_id = ${licenseId} AND id = ${id}`

/** When the next lease expires. It lasts for minutes, and so is known before, to whoever reads this twice a minute. */
export const leasesDue = (sql: Database): Statement.Fragment =>
  sql`SELECT min(expires_at) FROM leases WHERE ended_at IS NULL`

/** Licenses that have expired leases, none of those in `except`. */
export const listExpired = (
  sql: Database,
  except: ReadonlyArray<string>,
  most: number
): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: leases.list expired
    SELECT DISTINCT license_id FROM leases
    WHERE ended_at IS NULL AND expires_at <= now() AND license_id <> ALL(${except}::text[]) LIMIT ${most}`

/** Now, in SQL: the period of a lease counts from it. Rounded down to the precision of the wire. */
const expiryFrom = "date_trunc('milliseconds', clock_timestamp())"

const periodOf = (minutes: string) => `${expiryFrom} + make_interval(mins => ${minutes}::int)`

/** An instant of the database's clock, from which the period of a lease counts. */
export interface Instant {
  readonly at: Date
}

export const instantQuery = `
  -- name: clock.find lease start
  SELECT ${expiryFrom} AS at`

/** Finds the {@link Instant}. */
export const findInstant = (sql: Database): Query<Instant> => sql.unsafe<Instant>(instantQuery)

export const openLeasesQuery = `
  -- name: leases.count open
  SELECT q.license_id, o.open, o.expired FROM unnest($1::text[]) AS q (license_id) CROSS JOIN LATERAL (
    SELECT count(*)::int AS open, (count(*) FILTER (WHERE expires_at <= clock_timestamp()))::int AS expired
    FROM leases WHERE license_id = q.license_id AND ended_at IS NULL
  ) o`

/** Counts the open leases of licenses. */
export const countOpenLeases = (sql: Database, licenseIds: ReadonlyArray<string>): Query<OpenLeases> =>
  sql.unsafe<OpenLeases>(openLeasesQuery, [licenseIds])

export const heldLeasesQuery = `
  -- name: leases.lock held
  SELECT h.* FROM (${ofBindings("id, license_id")}) d CROSS JOIN LATERAL (
    SELECT id, generation, device_id, process_id, expires_at > clock_timestamp() AS live FROM leases
    WHERE license_id = d.license_id AND device_id = d.id AND ended_at IS NULL
    ORDER BY id DESC FOR NO KEY UPDATE
  ) h`

/**
 * Locks the open leases of bindings, the newest first: heartbeats do not lock the license, so one could replace a token
 * meanwhile.
 */
export const lockHeldLeases = (sql: Database, bindings: ReadonlyArray<LicenseBinding>): Query<HeldLease> =>
  sql.unsafe<HeldLease>(heldLeasesQuery, bindingParameters(bindings))

const openQuery = `
  -- name: leases.insert
  INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at, product_id,
    product_code, process_id)
  SELECT id, license_id, device_id, token_hash, at, at, expires_at, nullif(product, ''), nullif(code, ''), process
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::timestamptz[], $6::timestamptz[], $7::text[],
      $8::text[], $9::text[])
    AS v (id, license_id, device_id, token_hash, at, expires_at, product, code, process)`

/** A lease that is taken, or kept for another period. */
export interface TakenLease {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly expiresAt: Date
  /** The code of the product that the app named; empty where it named none. Its heartbeats name the lease alone. */
  readonly code: string
}

/** A lease that is opened, and the lease as its event shows it. */
export interface OpenedLease extends TakenLease {
  readonly lease: Lease
}

/** Opens leases, which count from an instant. */
export const insertLeases = (sql: Database, at: Date, leases: ReadonlyArray<OpenedLease>): Effect.Effect<unknown> =>
  leases.length === 0 ? Effect.void : sql.unsafe(openQuery, [
    leases.map(({ id }) => id),
    leases.map(({ lease }) => lease.license_id),
    leases.map(({ lease }) => lease.device_id),
    leases.map(({ tokenHash }) => tokenHash),
    leases.map(() => at),
    leases.map(({ expiresAt }) => expiresAt),
    // Arrays have no NULL: empty is the first product, and the device or a process without a name.
    leases.map(({ lease }) => lease.product_id ?? ""),
    leases.map(({ code }) => code),
    leases.map(({ lease }) => lease.process_id ?? "")
  ])

const keepQuery = `
  -- name: leases.update kept
  UPDATE leases l SET generation = l.generation + 1, previous_token_hash = l.token_hash, token_hash = v.token_hash,
    rotated_at = clock_timestamp(), last_heartbeat_at = v.at, expires_at = v.expires_at,
    product_code = nullif(v.code, '')
  FROM unnest($1::text[], $2::bytea[], $3::timestamptz[], $4::timestamptz[], $5::text[])
    AS v (id, token_hash, at, expires_at, code)
  WHERE l.id = v.id`

/** Keeps leases from an instant on for another period, and replaces their tokens. This transaction has locked them. */
export const updateKeptLeases = (sql: Database, at: Date, leases: ReadonlyArray<TakenLease>): Effect.Effect<unknown> =>
  leases.length === 0 ? Effect.void : sql.unsafe(keepQuery, [
    leases.map(({ id }) => id),
    leases.map(({ tokenHash }) => tokenHash),
    leases.map(() => at),
    leases.map(({ expiresAt }) => expiresAt),
    leases.map(({ code }) => code)
  ])

export const leasesOfTokensQuery = `
  -- name: leases.lock by token
  SELECT h.* FROM unnest($1::text[], $2::bytea[]) AS q (license_id, token) CROSS JOIN LATERAL (
    SELECT ${leaseColumns} FROM leases
    WHERE license_id = q.license_id AND (token_hash = q.token OR previous_token_hash = q.token) FOR NO KEY UPDATE
  ) h`

/** A lease by the hash of one of its tokens. */
interface TokenOfLicense {
  readonly licenseId: string
  readonly tokenHash: Uint8Array
}

/** Locks the leases that have these tokens: a heartbeat could extend one of them meanwhile. */
export const lockLeasesOfTokens = (sql: Database, tokens: ReadonlyArray<TokenOfLicense>): Query<object> =>
  sql.unsafe(leasesOfTokensQuery, [
    tokens.map(({ licenseId }) => licenseId),
    tokens.map(({ tokenHash }) => tokenHash)
  ])

const checkInQuery = `
  -- name: leases.update checked in
  UPDATE leases l SET ended_at = v.at, end_reason = 'checked_in'
  FROM unnest($1::text[], $2::timestamptz[]) AS v (id, at) WHERE l.id = v.id`

/** Ends leases that are given back. This transaction has locked them. */
export const updateCheckedIn = (sql: Database, at: Date, ids: ReadonlyArray<string>): Query<object> =>
  sql.unsafe(checkInQuery, [ids, ids.map(() => at)])

const unbindQuery = `
  -- name: devices.update unbound
  UPDATE devices SET status = 'deactivated', updated_at = now()
  WHERE id = ANY($1::text[]) AND floating AND status = 'active' AND ${hasNoLease("devices")}`

/** Closes those of these devices that were bound for their leases alone, and have none left. */
export const updateUnbound = (sql: Database, deviceIds: ReadonlyArray<string>): Query<object> =>
  sql.unsafe(unbindQuery, [deviceIds])

/** Whether a lease may be extended: a seat that has run out may be somebody else's by now. */
const isLive = (lease: string) =>
  `${lease}.ended_at IS NULL
    -- guard: a heartbeat revives no expired lease
    AND ${lease}.expires_at > clock_timestamp()`

/** Whether a lease still has the generation that was read (optimistic lock): of two requests one replaces the token. */
const isUnchanged = (lease: string, generation: string) => `
    -- guard: a token is replaced once
    ${lease}.generation = ${generation}`

/**
 * Extends a live lease and replaces its token, if it still has the generation that was read (optimistic lock). Its
 * parameters are the hash of the next token, the period in minutes, the lease and the generation.
 */
export const rotateQuery = `
  -- name: leases.update rotated
  UPDATE leases l SET generation = generation + 1, previous_token_hash = token_hash,
    token_hash = $1, rotated_at = clock_timestamp(), last_heartbeat_at = ${expiryFrom},
    expires_at = ${periodOf("$2")}
  WHERE id = $3 AND ${isLive("l")} AND ${isUnchanged("l", "$4")}
  RETURNING expires_at`

/** {@link rotateQuery} that keeps the token. Its parameters are the period in minutes, the lease and the generation. */
export const extendQuery = `
  -- name: leases.update extended
  UPDATE leases l SET last_heartbeat_at = ${expiryFrom}, expires_at = ${periodOf("$1")}
  WHERE id = $2 AND ${isLive("l")} AND ${isUnchanged("l", "$3")}
  RETURNING expires_at`

/** An {@link ExtendedRow}, and the lease as it is then. */
export interface ExtendedLease extends OpenLease, ExtendedRow {}

/**
 * {@link rotateQuery} and {@link extendQuery} for many leases at once. The parameters are arrays: the hashes of the next
 * tokens, empty where the token stays; the periods in minutes; the leases; the generations. A lease that a transaction
 * has locked is left out like one that has changed: waiting for one while holding others could deadlock.
 */
export const extendManyQuery = `
  -- name: leases.update extended many
  WITH requested AS (
    SELECT * FROM unnest($1::bytea[], $2::int[], $3::text[], $4::bigint[]) AS a (next, minutes, id, generation)
  ), taken AS (
    SELECT l.id FROM leases l JOIN requested a ON a.id = l.id AND ${isUnchanged("l", "a.generation")}
    WHERE ${isLive("l")}
    -- guard: a group of heartbeats waits for no lease
    FOR NO KEY UPDATE OF l SKIP LOCKED
  )
  UPDATE leases l SET
    generation = l.generation + (a.next <> '')::int,
    previous_token_hash = CASE WHEN a.next <> '' THEN l.token_hash ELSE l.previous_token_hash END,
    token_hash = CASE WHEN a.next <> '' THEN a.next ELSE l.token_hash END,
    rotated_at = CASE WHEN a.next <> '' THEN clock_timestamp() ELSE l.rotated_at END,
    last_heartbeat_at = ${expiryFrom}, expires_at = ${periodOf("a.minutes")}
  FROM requested a JOIN taken USING (id)
  WHERE l.id = a.id AND l.generation = a.generation
  RETURNING l.id, l.generation, l.expires_at`

/** A lease to be kept for another period. */
export interface Extension {
  /** As it was read: a lease that was changed since is not extended. */
  readonly lease: OpenLease
  /** The period. */
  readonly minutes: number
  /** The hash of the next token; undefined keeps the token. */
  readonly next: Uint8Array | undefined
}

const noToken = new Uint8Array(0)

/** Extends one lease, and waits for whoever has locked it; answers nothing when it may not be extended. */
export const updateExtended = (sql: Database, { lease, minutes, next }: Extension): Query<ExtendedRow> =>
  next === undefined
    ? sql.unsafe<ExtendedRow>(extendQuery, [minutes, lease.id, lease.generation])
    : sql.unsafe<ExtendedRow>(rotateQuery, [next, minutes, lease.id, lease.generation])

/** Extends leases, and waits for none of them; answers those that it extended. */
export const updateExtendedMany = (sql: Database, extensions: ReadonlyArray<Extension>): Query<ExtendedLease> =>
  sql.unsafe<ExtendedLease>(extendManyQuery, [
    extensions.map(({ next }) => next ?? noToken),
    integers(extensions.map(({ minutes }) => minutes)),
    extensions.map(({ lease }) => lease.id),
    integers(extensions.map(({ lease }) => lease.generation))
  ])
