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
