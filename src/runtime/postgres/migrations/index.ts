import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import grants from "./0256_grants.ts"

/** A change of the schema. Its name is four digits, the next free number, and what it is about: `0256_resellers`. */
export interface Migration {
  /** Its purpose in one line, for `countersign migrate status`. */
  readonly does: string
  /**
   * Whether its statements are transactions of their own, each safe to repeat: it makes indexes beside writers, or checks
   * rows. Otherwise it runs in one transaction.
   */
  readonly isOnline: boolean
  readonly run: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>
}

/** Every migration after `schema.sql`, in order; a released name never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0256_grants": { does: "grants of licenses and pools of customers as one table", isOnline: true, run: grants }
}
