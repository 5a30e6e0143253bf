import { briefly } from "../OnlineMigration.ts"

/** Mails that are about a customer, and not about a license. */
export default briefly("ALTER TABLE mails ALTER COLUMN license_id DROP NOT NULL")
