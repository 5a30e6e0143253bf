import type { EpochStarted } from "../../domain/log/LogEpoch.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

/** Where an epoch begins, and the last event of the one before that it keeps. */
export interface StartRow {
  readonly epoch: number
  readonly first_sequence: bigint
  readonly restored_sequence: bigint
}

/** An epoch after the first, as it is recorded. */
export interface EpochRow extends StartRow {
  readonly origin: string
  readonly previous_origin: string
  readonly restored_hash: string
  readonly reason: string
  readonly witness: NonNullable<EpochStarted["witness"]> | null
  readonly started_at: Date
}

/** The starts of the epochs after the first, in order. */
export const listEpochStarts = (sql: Database): Query<StartRow> =>
  sql<StartRow>`
    -- name: log_epochs.list starts
    SELECT epoch, first_sequence, restored_sequence FROM log_epochs ORDER BY epoch`

/** The epochs after the first, in order. */
export const listEpochs = (sql: Database): Query<EpochRow> =>
  sql<EpochRow>`
    -- name: log_epochs.list
    SELECT * FROM log_epochs ORDER BY epoch`

/** Stores the name of the log, unless it has one; answers the one that it has then. */
export const insertLogName = (sql: Database, name: Uint8Array): Query<{ readonly value: Uint8Array }> =>
  sql<{ readonly value: Uint8Array }>`
    -- name: service_state.insert log origin
    INSERT INTO service_state (key, value) VALUES ('log_origin', ${name})
    -- guard: the log keeps its first name
    ON CONFLICT (key) DO UPDATE SET value = service_state.value
    RETURNING value`
