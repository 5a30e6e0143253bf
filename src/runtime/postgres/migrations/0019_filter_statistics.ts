import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Statistics of the columns of an activity that depend on one another: the action decides most of the others. Without
 * them the planner multiplies their shares, expects matches everywhere for a pair of filters that never come together,
 * and walks through all activities by time, one random page after the other.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE STATISTICS activities_filters (mcv) ON action, source, status_code, result_class FROM activities`
  // A sample, which takes about a second however many rows there are. Otherwise a large table that grows slowly would
  // wait for months until a tenth of it is new.
  yield* sql`ANALYZE activities (action, source, status_code, result_class)`
})
