import type { EpochStarted } from "../../../domain/log/LogEpoch.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Locks the end of the log, and finds its last event. */
export const lockLastSequence = (sql: Database): Query<{ readonly last_sequence: bigint }> =>
  sql<{ readonly last_sequence: bigint }>`
    -- name: event_chain.lock for restore
    SELECT last_sequence FROM event_chain FOR UPDATE`

/** Finds the hash of an event, in hex. */
export const findPlaceHash = (sql: Database, sequence: number): Query<{ readonly hash: string }> =>
  sql<{ readonly hash: string }>`
    -- name: event_places.find hash
    SELECT encode(hash, 'hex') AS hash FROM event_places WHERE sequence = ${sequence}`

/** Inserts an epoch. */
export const insertEpoch = (sql: Database, begun: EpochStarted): Query<object> =>
  sql`
    -- name: log_epochs.insert
    INSERT INTO log_epochs (epoch, origin, first_sequence, previous_origin, restored_sequence, restored_hash,
      reason, witness)
    VALUES (${begun.epoch}, ${begun.origin}, ${begun.first_sequence}, ${begun.previous_origin},
      ${begun.restored_sequence}, ${begun.restored_hash}, ${begun.reason},
      ${begun.witness === undefined ? null : JSON.stringify(begun.witness)}::jsonb)`

/** Deletes the mails that waited at the time of the backup: they may have been sent since. */
export const deleteMailsBefore = (sql: Database): Query<object> =>
  sql`
    -- name: mails.delete before restore
    DELETE FROM mails RETURNING event_id`

/** Finds the ordinal of the event that was appended last. */
export const findLastPending = (sql: Database): Query<{ readonly ordinal: bigint }> =>
  sql<{ readonly ordinal: bigint }>`
    -- name: event_pending.find last
    SELECT max(ordinal) AS ordinal FROM event_pending`

/** Gives the events that wait for a place, and were appended before the one of an ordinal, their place after it. */
export const updatePendingBehind = (sql: Database, ordinal: bigint): Query<object> =>
  sql`
    -- name: event_pending.update put last
    WITH waiting AS (
      DELETE FROM event_pending WHERE ordinal < ${ordinal} RETURNING ordinal
    ), moved AS (
      SELECT ordinal, nextval(pg_get_serial_sequence('event_pending', 'ordinal')) AS later
      FROM (SELECT ordinal FROM waiting ORDER BY ordinal) w
    ), records AS (
      UPDATE event_records r SET ordinal = m.later FROM moved m WHERE r.ordinal = m.ordinal
    )
    INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE SELECT later FROM moved ORDER BY later`

/** Finds the value of a key of the service's state. */
export const findState = (sql: Database, key: string): Query<{ readonly value: Uint8Array }> =>
  sql<{ readonly value: Uint8Array }>`
    -- name: service_state.find unfinished restore
    SELECT value FROM service_state WHERE key = ${key}`

/** Deletes a key of the service's state. */
export const deleteState = (sql: Database, key: string): Query<object> =>
  sql`
    -- name: service_state.delete unfinished restore
    DELETE FROM service_state WHERE key = ${key}`

/** A signature of a witness on a checkpoint. */
export interface CosignatureRow {
  readonly tree_size: bigint
  readonly witness: string
  readonly line: string
  readonly cosigned_at: Date
}

/** The witnesses whose signatures count, and how many must have signed one checkpoint. */
export interface Quorum {
  readonly witnesses: ReadonlyArray<string>
  readonly least: number
}

/** Inserts the signature of a witness on the checkpoint of a size; a later one takes the place of an earlier. */
export const insertCosignature = (
  sql: Database,
  { line, size, time, witness }: {
    readonly size: number
    readonly witness: string
    readonly line: string
    /** Unix seconds of the clock of the witness. */
    readonly time: number
  }
): Query<object> =>
  sql`
    -- name: checkpoint_cosignatures.insert
    INSERT INTO checkpoint_cosignatures (tree_size, witness, line, cosigned_at)
    VALUES (${size}, ${witness}, ${line}, to_timestamp(${time}::float8))
    ON CONFLICT (tree_size, witness) DO UPDATE SET line = excluded.line, cosigned_at = excluded.cosigned_at`

/** Finds the size of the largest checkpoint that a witness signed; 0 before the first. */
export const findCosignedSize = (sql: Database, witness: string): Query<{ readonly size: number }> =>
  sql<{ readonly size: number }>`
    -- name: checkpoint_cosignatures.find size
    SELECT coalesce(max(tree_size), 0)::float8 AS size FROM checkpoint_cosignatures WHERE witness = ${witness}`

/** Finds the size of the newest checkpoint of at most so many events that a quorum signed. */
export const findQuorumSize = (
  sql: Database,
  { least, witnesses }: Quorum,
  most: number
): Query<{ readonly tree_size: bigint }> =>
  sql<{ readonly tree_size: bigint }>`
    -- name: checkpoint_cosignatures.find quorum
    SELECT tree_size FROM checkpoint_cosignatures
    WHERE witness = ANY(${witnesses}::text[]) AND tree_size <= ${most}
    GROUP BY tree_size HAVING count(*) >= ${least} ORDER BY tree_size DESC LIMIT 1`

/** Finds the size of the first checkpoint of at least so many events that a quorum signed. */
export const findCoveringQuorumSize = (
  sql: Database,
  { least, witnesses }: Quorum,
  size: number
): Query<{ readonly tree_size: bigint }> =>
  sql<{ readonly tree_size: bigint }>`
    -- name: checkpoint_cosignatures.find covering quorum
    SELECT tree_size FROM checkpoint_cosignatures
    WHERE witness = ANY(${witnesses}::text[]) AND tree_size >= ${size}
    GROUP BY tree_size HAVING count(*) >= ${least} ORDER BY tree_size LIMIT 1`

/** Finds the age of the newest checkpoint that a quorum signed, in seconds. */
export const findQuorumAge = (sql: Database, { least, witnesses }: Quorum): Query<{ readonly age: number }> =>
  sql<{ readonly age: number }>`
    -- name: checkpoint_cosignatures.find age
    SELECT extract(epoch FROM now() - max(cosigned_at))::float8 AS age FROM checkpoint_cosignatures
    WHERE witness = ANY(${witnesses}::text[])
    GROUP BY tree_size HAVING count(*) >= ${least} ORDER BY tree_size DESC LIMIT 1`

/** Finds the age of the first checkpoint over more events than a quorum has signed, in seconds. */
export const findQuorumLag = (sql: Database, size: number): Query<{ readonly age: number }> =>
  sql<{ readonly age: number }>`
    -- name: event_checkpoints.find quorum lag
    SELECT extract(epoch FROM now() - created_at)::float8 AS age FROM event_checkpoints
    WHERE tree_size > ${size} ORDER BY tree_size LIMIT 1`

/** Lists the signatures of these witnesses on the checkpoint of a size. */
export const listCosignatures = (
  sql: Database,
  size: number,
  witnesses: ReadonlyArray<string>
): Query<CosignatureRow> =>
  sql<CosignatureRow>`
    -- name: checkpoint_cosignatures.list
    SELECT tree_size, witness, line, cosigned_at FROM checkpoint_cosignatures
    WHERE tree_size = ${size} AND witness = ANY(${witnesses}::text[]) ORDER BY witness`

/** Deletes the signatures of a witness but for the newest ones. */
export const deleteCosignatures = (sql: Database, witness: string, keep: number): Query<object> =>
  sql`
    -- name: checkpoint_cosignatures.delete old
    DELETE FROM checkpoint_cosignatures WHERE witness = ${witness} AND tree_size < (
      SELECT min(tree_size) FROM (
        SELECT tree_size FROM checkpoint_cosignatures WHERE witness = ${witness} ORDER BY tree_size DESC LIMIT ${keep}
      ) newest)`
