/** An open lease, and the generation of its token: 1 for the first, one more each time it is replaced. */
export interface OpenLease {
  readonly id: string
  readonly generation: bigint
}

/** How many floating seats of a license other devices hold. */
export interface OtherLeases {
  readonly others: number
}

/** When a lease that was extended expires. */
export interface ExtendedRow {
  readonly expires_at: Date
}

/** Now, in SQL: the period of a lease counts from it. Rounded down to the precision of the wire. */
export const expiryFrom = "date_trunc('milliseconds', clock_timestamp())"

const periodOf = (minutes: string) => `${expiryFrom} + make_interval(mins => ${minutes}::int)`

/** Counts {@link OtherLeases}; its parameters are the license, and the calling device or NULL for a new one. */
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

/** {@link rotateQuery} that keeps the token. Its parameters are the period in minutes, the lease and the generation. */
export const extendQuery = `
  UPDATE leases SET last_heartbeat_at = ${expiryFrom}, expires_at = ${periodOf("$1")}
  WHERE id = $2 AND generation = $3 AND ended_at IS NULL
    AND expires_at > clock_timestamp()
  RETURNING expires_at`
