import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import * as FeedNotifications from "../../src/runtime/FeedNotifications.ts"
import { EndpointActor } from "../../src/services/EndpointActor.ts"
import { WebhookEndpoints } from "../../src/services/WebhookEndpoints.ts"
import { append, layerDelivery, until } from "../fixtures/Delivery.ts"
import { receiver } from "../fixtures/Receiver.ts"
import { layerTarget } from "../fixtures/Target.ts"

const node = FeedNotifications.layer.pipe(
  Layer.provideMerge(layerDelivery({ mode: "shared", host: "127.0.0.1", port: 0 }))
)

type Node = Context.Context<Layer.Success<typeof node>>

/** Waits until exactly one of the nodes delivers to each endpoint, and answers how many are the first one's. */
const placed = (nodes: ReadonlyArray<Node>, ids: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const actors = yield* Effect.forEach(nodes, (context) => Effect.provide(EndpointActor, context))
    const owners = (id: string) => actors.filter((actor) => actor.isHere(id)).length
    const shared = () =>
      ids.every((id) => owners(id) === 1) && actors.every((actor) => ids.some((id) => actor.isHere(id)))
    yield* until("every lane has one owner, every node a lane", shared)
    return ids.filter((id) => actors[0]!.isHere(id)).length
  })

describe("Cluster", () => {
  it.live(
    "shares lanes between two nodes, and one takes over all of them when the other leaves",
    () =>
      Effect.gen(function*() {
        const target = yield* receiver()
        const scopes = [yield* Scope.make(), yield* Scope.make()] as const
        // One after the other, as `npm start` twice.
        const first = yield* Layer.buildWithScope(node, scopes[0])
        const ids = yield* Effect.provide(
          Effect.gen(function*() {
            const endpoints = yield* WebhookEndpoints
            return yield* Effect.forEach(Array.from({ length: 12 }, (_, index) => index), (index) =>
              endpoints.create({ name: `${index}`, url: `${target.url}/${index}`, event_types: ["license.*"] }).pipe(
                Effect.map(({ webhook }) =>
                  webhook.id
                )
              ))
          }),
          first
        )
        const second = yield* Layer.buildWithScope(Layer.fresh(node), scopes[1])
        const mine = yield* placed([first, second], ids)
        assert.isTrue(mine > 0 && mine < 12)
        const distinct = () =>
          new Set(target.received.map(({ headers, path }) => `${path} ${headers["x-service-event-sequence"]}`)).size
        // From either node, to the lanes of both.
        yield* Effect.provide(append(20), first)
        yield* Effect.provide(append(20), second)
        yield* until("both nodes deliver", () => distinct() === 12 * 40)
        assert.strictEqual(target.received.length, 12 * 40, "no repetition while nothing moves")
        yield* Scope.close(scopes[0], Exit.void)
        yield* Effect.provide(append(20), second)
        yield* until("the second takes over", () => distinct() === 12 * 60)
        const sequencer = yield* Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT count(*)::int AS count FROM event_outbox`),
          second
        )
        assert.deepStrictEqual(sequencer, [{ count: 0 }])
        yield* Scope.close(scopes[1], Exit.void)
      }).pipe(Effect.provide(layerTarget), Effect.scoped),
    60_000
  )
})
