import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * Sign-in at an identity provider: which roles came by its claims, which invitations link an account, and which sign-ins were
 * finished, so that none is finished twice. The last are in no backup.
 */
export default Effect.gen(function*() {
  yield* addColumns("people", { claimed_roles: `text[] COLLATE "C" NOT NULL DEFAULT '{}'` })
  yield* addColumns("person_invitations", { links_account: "boolean NOT NULL DEFAULT false" })
  yield* addColumns("person_sessions", { sign_in_method: "text NOT NULL DEFAULT 'invitation'" })
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS spent_sign_ins (
      seed_hash bytea PRIMARY KEY,
      expires_at timestamptz NOT NULL
    )`)
})
