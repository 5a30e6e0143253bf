import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditActorType, EventKind } from "../../../src/domain/log/EventKind.ts"
import { resourceTypeOf } from "../../../src/domain/log/EventKind.ts"
import type { FeedQuery } from "../../../src/services/log/Events.ts"
import { Events } from "../../../src/services/log/Events.ts"
import type { FeedFilters } from "../../../src/services/log/FeedPosition.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import { layerNode } from "../../fixtures/Delivery.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const types: ReadonlyArray<EventKind> = ["license.usage_recorded", "license.activated", "product.created"]
const actors: ReadonlyArray<AuditActorType> = ["license", "api_key", "system"]
const resources = ["first", "second"]

/** Every combination, thrice: uses by others than licenses too, which nothing makes today. */
const made = Array.from({ length: 3 }).flatMap(() =>
  types.flatMap((type) => actors.flatMap((actor) => resources.map((resourceId) => ({ type, actor, resourceId }))))
)

/** The filters, and each of them with this one as well. */
const orBy = (filters: ReadonlyArray<FeedFilters>, name: keyof FeedFilters, values: ReadonlyArray<string>) => [
  ...filters,
  ...values.flatMap((value) => filters.map((filter): FeedFilters => Object.assign({ [name]: value }, filter)))
]

const everyFilter = orBy(
  orBy(orBy(orBy([{}], "event_type", types), "actor_type", [...actors, "oidc_subject"]), "resource_id", resources),
  "resource_type",
  ["license", "product"]
)

it.live("every combination of filters finds what it asks for, page by page, in both orders", () =>
  Effect.gen(function*() {
    const events = yield* Events
    const sequencer = yield* Sequencer
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(events.appendAll(made.map(({ actor, ...event }) => ({
      ...event,
      data: {},
      actor: { type: actor, id: "somebody", scopes: [] }
    }))))
    while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step

    const pages = Effect.fnUntraced(function*(filters: FeedFilters, order: FeedQuery["order"]) {
      const found: Array<number> = []
      let cursor: number | undefined
      while (true) {
        const page = yield* events.list({ ...filters, order, cursor, limit: 5 })
        found.push(...page.items.map(({ sequence }) => sequence))
        if (!page.page_info.has_more) return found
        cursor = Number(page.page_info.next_cursor)
      }
    })
    for (const filters of everyFilter) {
      const expected = made.flatMap(({ actor, resourceId, type }, index) =>
        (filters.event_type ?? type) === type && (filters.actor_type ?? actor) === actor &&
          (filters.resource_id ?? resourceId) === resourceId &&
          (filters.resource_type ?? resourceTypeOf(type)) === resourceTypeOf(type)
          ? [index + 1]
          : []
      )
      const what = JSON.stringify(filters)
      assert.deepStrictEqual(yield* pages(filters, "asc"), expected, what)
      assert.deepStrictEqual(yield* pages(filters, "desc"), expected.toReversed(), what)
    }
  }).pipe(
    Effect.provide(Sequencer.layer.pipe(Layer.provideMerge(layerNode), Layer.provide(layerTarget))),
    Effect.scoped
  ))
