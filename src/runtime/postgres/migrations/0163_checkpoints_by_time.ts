import { createIndex } from "../OnlineMigration.ts"

/** By an index a statement finds where in the log its period lies: a checkpoint says how many events there were at its time. */
export default createIndex("event_checkpoints_by_time", "ON event_checkpoints (created_at)")
