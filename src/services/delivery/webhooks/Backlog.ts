import { Effect } from "effect"
import { kinds } from "../../../domain/log/EventKind.ts"
import { matches } from "../../../domain/log/Subscription.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { countPlaces } from "./WebhookLaneSql.ts"

/** A span of the feed that an endpoint has not been sent: after `from`, up to `to`. */
export interface Backlog {
  readonly from: number
  readonly to: number
  /** How many events of it the endpoint takes, and which. */
  readonly events: number
  readonly eventTypes: ReadonlyArray<string>
}

/** How many places of the feed one statement counts: about a second of work on a busy machine, of the 30 that it may take. */
const slice = 1_000_000

/** How many events of a span of the feed a subscription takes, however long the span is. */
export const countEvents = Effect.fnUntraced(function*(
  sql: Database,
  eventTypes: ReadonlyArray<string>,
  from: number,
  to: number
) {
  const taken = kinds.filter((kind) => matches(eventTypes, kind))
  let events = 0
  for (let after = from; after < to; after += slice) {
    const [counted] = yield* countPlaces(
      sql,
      after,
      Math.min(after + slice, to),
      eventTypes.length === 0 ? undefined : taken
    )
    events += Number(counted!.count)
  }
  return events
})
