import { briefly } from "../OnlineMigration.ts"

/** Mails that say no key: what their events said, and the parts that tell whether it still holds. */
export default briefly(`
  ALTER TABLE mails ALTER COLUMN secret DROP NOT NULL, ALTER COLUMN key_hash DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS details jsonb`)
