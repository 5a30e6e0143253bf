import { briefly } from "../OnlineMigration.ts"

/** Why a person did something, as activities show it. The version before writes none. */
export default briefly("ALTER TABLE activities ADD COLUMN IF NOT EXISTS reason text")
