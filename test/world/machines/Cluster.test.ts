import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import type { ClusterOptions } from "../../../src/runtime/Cluster.ts"
import * as FeedNotifications from "../../../src/runtime/node/FeedNotifications.ts"
import { EndpointActor } from "../../../src/services/delivery/EndpointActor.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { append, layerDelivery, until } from "../../fixtures/Delivery.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import type { Receiver } from "../../fixtures/Receiver.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { layerTarget } from "../../fixtures/Target.ts"
import { tcpProxy } from "../../fixtures/TcpProxy.ts"

const sharing = (options: Partial<ClusterOptions> = {}) =>
  FeedNotifications.layer.pipe(
    Layer.provideMerge(layerDelivery({ mode: "shared", host: "127.0.0.1", port: 0, ...options }))
  )

const node = sharing()

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

/** Makes twelve endpoints at a receiver; answers their ids and how many deliveries of different events have come. */
const twelve = (target: Receiver) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpoints
    const ids = yield* Effect.forEach(Array.from({ length: 12 }, (_, index) => index), (index) =>
      endpoints.create({ name: `${index}`, url: `${target.url}/${index}`, event_types: ["license.*"] }).pipe(
        Effect.map(({ webhook }) =>
          webhook.id
        )
      ))
    const distinct = () =>
      new Set(target.received.map(({ headers, path }) => `${path} ${headers["x-service-event-sequence"]}`)).size
    return { ids, distinct }
  })

describe.concurrent("Cluster", () => {
  it.live(
    "delivers to every endpoint while its nodes cannot reach each other, and shares again afterwards",
    () =>
      Effect.gen(function*() {
        const target = yield* receiver()
        // What the nodes say to each other passes here.
        const listens = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)].map((port) => ({
          host: "127.0.0.1",
          port
        }))
        const ways = yield* Effect.promise(() => Promise.all(listens.map((listen) => tcpProxy(listen))))
        const nodes = yield* Effect.forEach(
          ways,
          ({ port }, index) => Layer.build(Layer.fresh(sharing({ port, listen: listens[index]! })))
        )
        const { distinct, ids } = yield* Effect.provide(twelve(target), nodes[0]!)
        yield* placed(nodes, ids)
        for (const way of ways) way.swallow()
        for (let round = 1; round <= 3; round++) {
          for (const each of nodes) yield* Effect.provide(append(3), each)
          yield* until("both nodes' events reach every endpoint", () => distinct() === 12 * 6 * round)
          // The last round is past the time in which a node is found dead and its shards have moved: 8 seconds.
          if (round < 3) yield* Effect.sleep("4500 millis")
        }
        for (const way of ways) way.heal()
        yield* placed(nodes, ids)
        yield* Effect.provide(append(3), nodes[1]!)
        yield* until("all of it arrives", () => distinct() === 12 * 21)
      }).pipe(Effect.provide(layerTarget), Effect.scoped)
  )

  it.live(
    "needs no way between its nodes: they share and take over when the addresses they give lead nowhere",
    () =>
      Effect.gen(function*() {
        const target = yield* receiver()
        const scopes = [yield* Scope.make(), yield* Scope.make()] as const
        const nodes: Array<Node> = []
        for (const scope of scopes) {
          const layer = sharing({
            port: yield* Effect.promise(freePort),
            listen: { host: "127.0.0.1", port: yield* Effect.promise(freePort) }
          })
          nodes.push(yield* Layer.buildWithScope(Layer.fresh(layer), scope))
        }
        const { distinct, ids } = yield* Effect.provide(twelve(target), nodes[0]!)
        const before = yield* placed(nodes, ids)
        for (let round = 1; round <= 3; round++) {
          for (const each of nodes) yield* Effect.provide(append(3), each)
          yield* until("both nodes' events reach every endpoint", () => distinct() === 12 * 6 * round)
          yield* Effect.sleep("3 seconds")
        }
        assert.strictEqual(yield* placed(nodes, ids), before, "nothing moves")
        assert.strictEqual(target.received.length, 12 * 18, "and nothing is repeated")
        yield* Scope.close(scopes[0], Exit.void)
        yield* Effect.provide(append(3), nodes[1]!)
        yield* until("the other takes over", () => distinct() === 12 * 21)
        yield* Scope.close(scopes[1], Exit.void)
      }).pipe(Effect.provide(layerTarget), Effect.scoped)
  )

  it.live(
    "shares lanes between two nodes, and one takes over all of them when the other leaves",
    () =>
      Effect.gen(function*() {
        const target = yield* receiver()
        const scopes = [yield* Scope.make(), yield* Scope.make()] as const
        // One after the other, as `npm start` twice.
        const first = yield* Layer.buildWithScope(node, scopes[0])
        const { distinct, ids } = yield* Effect.provide(twelve(target), first)
        const second = yield* Layer.buildWithScope(Layer.fresh(node), scopes[1])
        const mine = yield* placed([first, second], ids)
        assert.isTrue(mine > 0 && mine < 12)
        // From either node, to the lanes of both.
        yield* Effect.provide(append(12), first)
        yield* Effect.provide(append(12), second)
        yield* until("both nodes deliver", () => distinct() === 12 * 24)
        assert.strictEqual(target.received.length, 12 * 24, "no repetition while nothing moves")
        yield* Scope.close(scopes[0], Exit.void)
        yield* Effect.provide(append(12), second)
        yield* until("the second takes over", () => distinct() === 12 * 36)
        const sequencer = yield* Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT count(*)::int AS count FROM event_outbox`),
          second
        )
        assert.deepStrictEqual(sequencer, [{ count: 0 }])
        yield* Scope.close(scopes[1], Exit.void)
      }).pipe(Effect.provide(layerTarget), Effect.scoped)
  )
})
