import { briefly } from "../OnlineMigration.ts"

/**
 * The end of the chain keeps its hash, which version 0.1.0 continues the chain from: its nodes run beside newer ones
 * during an upgrade. Only databases of versions that were never released are without.
 */
export default briefly("ALTER TABLE event_chain ADD COLUMN IF NOT EXISTS last_hash bytea")
