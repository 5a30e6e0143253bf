import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Sign-ins of users by mail that wait for their code or their link. A row holds no address: the user has it, if there is one. Nothing refers
 * to a row, and none is in a backup.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS user_mail_sign_ins (
      token_hash bytea PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL,
      reference text NOT NULL,
      user_id text COLLATE "C",
      link_hash bytea,
      code_hash bytea,
      tries int NOT NULL DEFAULT 0,
      confirmed_at timestamptz,
      expires_at timestamptz NOT NULL
    )`)
  yield* createIndex(
    "user_mail_sign_ins_by_link",
    "ON user_mail_sign_ins (link_hash) WHERE link_hash IS NOT NULL",
    "UNIQUE"
  )
  yield* createIndex("user_mail_sign_ins_over", "ON user_mail_sign_ins (expires_at)")
})
