import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, failing } from "../../../../src/domain/ground/wire/Errors.ts"
import { layer as layerCryptography } from "../../../../src/runtime/node/NodeCryptography.ts"
import { Customers } from "../../../../src/services/customers/Customers.ts"
import { Identifiers } from "../../../../src/services/ground/persistence/Identifiers.ts"
import { Vault } from "../../../../src/services/keys/security/Vault.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { Events } from "../../../../src/services/log/Events.ts"
import type { NewEvent } from "../../../../src/services/log/Events.ts"
import { MailQueue } from "../../../../src/services/mail/MailQueue.ts"
import { updateConnection } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { insertWork } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { insertEvents } from "../../../../src/services/sales/billing/InboxSql.ts"
import { PurchaseCommands } from "../../../../src/services/sales/purchases/PurchaseCommands.ts"
import { PurchaseReading } from "../../../../src/services/sales/purchases/PurchaseReading.ts"
import { PurchaseUnits } from "../../../../src/services/sales/purchases/PurchaseUnits.ts"
import { PurchaseWork } from "../../../../src/services/sales/purchases/PurchaseWork.ts"
import { insertPurchases } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { connected, storedEvent } from "../../../fixtures/StoredEvents.ts"
import { stripe, stripeSubscription } from "../../../fixtures/StripeObjects.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

/** An hour ago, in Unix seconds. */
const hourAgo = Math.floor(Date.now() / 1000) - 3600

const mapped = (by: string) => ({ prices: [{ by: "price", value: by, policy_id: "pol_gone" }] } as const)

/** A purchase whose price nothing is mapped to, and looks at it whose commands are what a test says. */
const world = Effect.gen(function*() {
  const { first, second } = yield* Workers
  const connectionId = yield* connected(first, `bcn_w${++made}`)
  const id = `pur_${connectionId}`
  yield* insertPurchases(first, [{ id, connection_id: connectionId, name: "subscription/sub_1" }])

  const tell = (status: string, at = 0) => {
    const body = stripe("customer.subscription.updated", hourAgo + at * 60, stripeSubscription({ status }))
    const event = storedEvent(body.id, {
      type: body.type,
      body: new TextEncoder().encode(JSON.stringify(body)),
      objects: ["subscription/sub_1"]
    })
    return insertEvents(first, [{ connectionId, events: [event] }])
  }
  const appended: Array<NewEvent> = []
  const looked: { during: Effect.Effect<unknown, Conflict> } = { during: Effect.void }
  const services = Layer.mergeAll(
    layerCryptography,
    Layer.succeed(SqlClient.SqlClient, first.client),
    Layer.mock(Customers, {}),
    Layer.mock(Events, { append: (event) => Effect.sync(() => void appended.push(event)) }),
    Layer.mock(Identifiers, { next: (type) => `${type}_1`, follow: () => {} }),
    Layer.mock(MailQueue, { isConfigured: false }),
    Layer.mock(Licenses, { getAll: () => Effect.succeed(new Map()) }),
    Layer.mock(PurchaseCommands, {
      run: () => Effect.suspend(() => Effect.as(looked.during, { differs: false }))
    }),
    Layer.mock(PurchaseUnits, {
      plan: () => Effect.succeed({ steps: [], given: [], holds: [], now: 0 }),
      run: () => Effect.succeed({ given: [], waiting: [] })
    }),
    Layer.mock(PurchaseReading, { read: () => Effect.void }),
    Layer.mock(Vault, { seal: () => new Uint8Array(), keyedHash: () => new Uint8Array() })
  )
  const { look } = yield* Effect.provide(PurchaseWork, Layer.provide(PurchaseWork.layer, services))
  const asked = Effect.andThen(insertWork(first, [id]), look(id))
  const left = Effect.map(first`SELECT id FROM purchase_work WHERE purchase_id = ${id}`, ({ length }) => length)
  const found = Effect.map(
    first<
      { readonly status: string; readonly failure: unknown }
    >`SELECT status, failure FROM purchases WHERE id = ${id}`,
    ([row]) => row!
  )
  const map = (mapping: ReturnType<typeof mapped>) => updateConnection(second, connectionId, { mapping })
  return { appended, asked, found, left, look, looked, map, tell }
})

describe("a look at a purchase", () => {
  layer(Workers.layer)((it) => {
    it.effect("tells the feed what it has become, and again only where people would see another one", () =>
      Effect.gen(function*() {
        const { appended, asked, found, tell } = yield* world
        yield* tell("active")
        yield* asked
        assert.deepInclude(yield* found, { status: "waiting", failure: null })
        assert.deepStrictEqual(appended.map(({ type }) => type), ["purchase.waiting"])
        yield* asked
        assert.lengthOf(appended, 1)
        yield* tell("past_due", 1)
        yield* asked
        assert.deepStrictEqual(appended.map(({ type }) => type), ["purchase.waiting", "purchase.waiting"])
        assert.deepInclude(appended[1]!.data, { state: "past_due" })
      }))

    it.effect("takes its work, and does nothing where there is none", () =>
      Effect.gen(function*() {
        const { appended, asked, left, look, tell } = yield* world
        yield* tell("active")
        yield* look("pur_none")
        assert.deepStrictEqual(appended, [])
        yield* asked
        assert.strictEqual(yield* left, 0)
      }))

    it.effect("that will wait is followed by another one, where the mapping has meanwhile become another", () =>
      Effect.gen(function*() {
        const { asked, left, looked, map, tell } = yield* world
        yield* tell("active")
        looked.during = map(mapped("price_other"))
        yield* asked
        assert.strictEqual(yield* left, 1)
        // The next one finds the same mapping again, and asks for no other.
        looked.during = map(mapped("price_other"))
        yield* asked
        assert.strictEqual(yield* left, 0)
      }))

    it.effect("that fails says why, keeps its work, and tells the feed once for each reason", () =>
      Effect.gen(function*() {
        const { appended, asked, found, left, looked, tell } = yield* world
        yield* tell("active")
        looked.during = Effect.fail(failing(Conflict, "The license has a duration of its own."))
        yield* asked
        const failure = { code: "CONFLICT", message: "The license has a duration of its own." }
        assert.deepStrictEqual(yield* found, { status: "failed", failure })
        assert.isAbove(yield* left, 0)
        assert.deepStrictEqual(appended.map(({ type }) => type), ["purchase.failed"])
        yield* asked
        assert.lengthOf(appended, 1)
        looked.during = Effect.void
        yield* asked
        assert.deepStrictEqual(appended.map(({ type }) => type), ["purchase.failed", "purchase.waiting"])
        assert.deepInclude(yield* found, { failure: null })
      }))

    it.effect("that hears of a time which is more than a day ahead waits for it, and says so", () =>
      Effect.gen(function*() {
        const { appended, asked, found, left, looked, tell } = yield* world
        const inTwoDays = 2 * 24 * 60 + 60
        yield* tell("active", inTwoDays)
        looked.during = Effect.die("nothing is done yet")
        yield* asked
        assert.deepInclude(yield* found, { status: "waiting", failure: null })
        assert.deepStrictEqual(appended.map(({ type }) => type), ["purchase.waiting"])
        assert.include(JSON.stringify(appended[0]!.data), "event_ahead")
        assert.isAbove(yield* left, 0, "it is looked at again by itself")
      }))
  })
})
