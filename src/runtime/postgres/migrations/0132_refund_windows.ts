import { addColumns } from "../OnlineMigration.ts"

/** For how many minutes apps may refund their own uses. NULL where they may not, so that events stay as they are. */
export default addColumns("policies", {
  refund_window_minutes: { type: "integer", check: "refund_window_minutes BETWEEN 1 AND 44640" }
})
