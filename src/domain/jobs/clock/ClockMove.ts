import { Schema } from "effect"
import { DurationInput } from "../../catalog/terms/Duration.ts"
import { environmentNames } from "../../ground/environments/EnvironmentName.ts"
import { bigCount, field, optional, Timestamp, TimestampInput } from "../../ground/wire/Fields.ts"

/** An environment as a caller sees it. */
export const Environment = Schema.Struct({
  name: field(Schema.Literals(environmentNames), "The name: `live`, or `test`."),
  now: field(Timestamp, "The time of its clock."),
  clock_moved: field(Schema.Boolean, "Whether the clock differs from real time. The clock of `live` never does."),
  available: field(
    Schema.Array(Schema.Literals(environmentNames)),
    "The environments of this service. `test` is absent where it is turned off."
  )
}).annotate({
  identifier: "Environment",
  description: "The environment that the token belongs to.",
  examples: [{ name: "test", now: "2027-03-01T00:00:00.000Z", clock_moved: true, available: ["live", "test"] }]
})
export type Environment = typeof Environment.Type

/** Where a clock is moved to: an instant, or a span after its time. */
export const ClockMove = Schema.Struct({
  now: optional(TimestampInput, "The new time of the clock. It must not be earlier than the current one."),
  advance: optional(DurationInput, "The time to advance the clock by. Alternative: `now`.", "P1M")
}).annotate({
  identifier: "ClockMoveRequest",
  description: "The new time of the clock, as `now` or as `advance`.",
  examples: [{ advance: "P1M" }]
})
export type ClockMove = typeof ClockMove.Type

/** A clock that was moved, and what happened on the way. */
export const ClockMoved = Schema.Struct({
  now: field(Timestamp, "The time of the clock now."),
  events: field(bigCount(0), "How many events happened between the old time and the new one.")
}).annotate({
  identifier: "ClockMoved",
  description: "The clock after the move, and how many events happened on the way.",
  examples: [{ now: "2027-03-01T00:00:00.000Z", events: 12 }]
})
export type ClockMoved = typeof ClockMoved.Type
