import type { Database, Query } from "../../ground/persistence/Database.ts"

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
