import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** What a lane learned of its receiver's pace, and how its last attempt ended. */
export default Effect.gen(function*() {
  yield* addColumns("webhook_lanes", {
    rest_until: "timestamptz",
    rate_per_second: "double precision",
    refusals: "integer NOT NULL DEFAULT 0",
    throttled_since: "timestamptz",
    last_class: "text",
    last_status: "integer",
    last_location: "text"
  })
  yield* briefly(`COMMENT ON COLUMN webhook_lanes.rest_until IS
    'no attempt before this, because the receiver asked for a slower pace'`)
  yield* briefly(`COMMENT ON COLUMN webhook_lanes.rate_per_second IS
    'the rate that is learned of a receiver which limits it; NULL: unlimited'`)
  yield* briefly(`COMMENT ON COLUMN webhook_lanes.refusals IS
    'how often in a row the receiver refused for its pace, without a delivery in between'`)
  yield* briefly(`COMMENT ON COLUMN webhook_lanes.throttled_since IS
    'since when the receiver has refused everything for its pace'`)
  yield* briefly(`COMMENT ON COLUMN webhook_lanes.last_class IS 'how the last attempt ended (WebhookOutcomeClass)'`)
})
