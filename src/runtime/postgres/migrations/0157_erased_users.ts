import { Effect } from "effect"
import { briefly, leisurely } from "../OnlineMigration.ts"

/** Users end with the erasure of their customer. */
export default Effect.gen(function*() {
  yield* briefly(`
    ALTER TABLE license_users DROP CONSTRAINT IF EXISTS license_users_removed_because_check,
      ADD CONSTRAINT license_users_removed_because_check
        CHECK (removed_because IN ('removed', 'reduced', 'transferred', 'erased')) NOT VALID`)
  yield* leisurely("ALTER TABLE license_users VALIDATE CONSTRAINT license_users_removed_because_check")
})
