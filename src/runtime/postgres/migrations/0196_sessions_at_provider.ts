import { addColumns } from "../OnlineMigration.ts"

/**
 * The account and the session at the identity provider that a session here was opened with, so that their end there ends it, and the
 * sealed ID token, by which its browser signs out there. They end with the row, and are in no backup.
 */
export default addColumns("person_sessions", {
  provider_issuer: `text COLLATE "C"`,
  provider_subject: `text COLLATE "C"`,
  provider_session: `text COLLATE "C"`,
  sealed_id_token: "bytea"
})
