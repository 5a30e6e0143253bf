import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * How many days before the end of a license its owner is reminded, and how many days before it was announced last. NULL is 7 days, as
 * before. The index finds the licenses of a policy with a reminder to come by what was announced of them last.
 */
export default Effect.gen(function*() {
  yield* addColumns("policies", {
    expiring_days: { type: "int[]", check: "cardinality(expiring_days) BETWEEN 1 AND 10" }
  })
  yield* addColumns("licenses", { announced_days: { type: "int", check: "announced_days >= 1" } })
  yield* briefly(`COMMENT ON COLUMN licenses.announced_days IS
    'how many days before its end a license that is announced as expiring was announced last; NULL: 7'`)
  yield* createIndex(
    "licenses_to_remind",
    `ON licenses (
      (CASE WHEN announced = 'nothing' THEN 1000000 ELSE coalesce(announced_days, 7) END), policy_id, expires_at
    ) WHERE state = 'active' AND announced IN ('nothing', 'expiring') AND expires_at IS NOT NULL`
  )
})
