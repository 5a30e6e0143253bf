import { briefly } from "../OnlineMigration.ts"

/** Templates of mails that are the vendor's own, by kind and language. Without a row a mail is worded as it ships. */
export default briefly(`
  CREATE TABLE IF NOT EXISTS mail_templates (
    kind text NOT NULL,
    language text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, language)
  )`)
