import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** Whose fault it was that the last attempt to send a mail failed. NULL: none did, or an earlier release made it. */
export default Effect.gen(function*() {
  yield* addColumns("mails", { last_fault: "text" })
  yield* briefly(`COMMENT ON COLUMN mails.last_fault IS
    'whose fault the last failure was: us, a moment, or doubt whether it arrived; NULL without one'`)
})
