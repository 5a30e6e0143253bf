/** An open lease, and how many times its token was replaced; the first token is of generation 1. */
export interface OpenLease {
  readonly id: string
  readonly generation: bigint
}

/** How many seats of a license other devices have. */
export interface OtherLeases {
  readonly others: number
}

/** A lease that was extended. */
export interface ExtendedRow {
  readonly expires_at: Date
}

/** The instant that the period of a lease counts from, an SQL expression with the precision of the wire. */
export const expiryFrom = "date_trunc('milliseconds', clock_timestamp())"

const periodOf = (minutes: string) => `${expiryFrom} + make_interval(mins => ${minutes}::int)`

/** Counts {@link OtherLeases}; its parameters are the license and the device that asks, or NULL for a new one. */
export const otherLeasesQuery = `
  SELECT count(*)::int AS others FROM leases
  WHERE license_id = $1 AND ended_at IS NULL
    AND device_id IS DISTINCT FROM $2`

/** Locks and reads the {@link OpenLease} of a device; its parameters are the license and the device. */
export const openLeaseQuery = `
  SELECT id, generation FROM leases
  WHERE license_id = $1 AND ended_at IS NULL
    AND device_id = $2 FOR NO KEY UPDATE`

/**
 * Extends a live lease and replaces its token, if it still has the generation that was read (optimistic lock). Its
 * parameters are the hash of the next token, the period in minutes, the lease and the generation.
 */
export const rotateQuery = `
  UPDATE leases SET generation = generation + 1, previous_token_hash = token_hash,
    token_hash = $1, rotated_at = clock_timestamp(), last_heartbeat_at = ${expiryFrom},
    expires_at = ${periodOf("$2")}
  WHERE id = $3 AND generation = $4 AND ended_at IS NULL
    AND expires_at > clock_timestamp()
  RETURNING expires_at`

/** {@link rotateQuery} with the token as it is; its parameters are the period in minutes, the lease and the generation. */
export const extendQuery = `
  UPDATE leases SET last_heartbeat_at = ${expiryFrom}, expires_at = ${periodOf("$1")}
  WHERE id = $2 AND generation = $3 AND ended_at IS NULL
    AND expires_at > clock_timestamp()
  RETURNING expires_at`
