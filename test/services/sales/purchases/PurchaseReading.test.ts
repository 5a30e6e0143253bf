import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Vault } from "../../../../src/services/keys/security/Vault.ts"
import { insertWork } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { NotRead, ProviderReader } from "../../../../src/services/sales/billing/ProviderReader.ts"
import { PurchaseReading } from "../../../../src/services/sales/purchases/PurchaseReading.ts"
import { PurchaseSnapshots } from "../../../../src/services/sales/purchases/PurchaseSnapshots.ts"
import { insertPurchases } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { connected } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

/** Purchases of two connections, and a provider that fails as it is told. */
const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const purchaseOf = Effect.fnUntraced(function*() {
    const connectionId = yield* connected(first, `bcn_r${++made}`)
    yield* first`UPDATE billing_connections SET has_api_key = true WHERE id = ${connectionId}`
    const id = `pur_${connectionId}`
    yield* insertPurchases(first, [{ id, connection_id: connectionId, name: "subscription/sub_1" }])
    yield* insertWork(first, [id])
    return id
  })
  const [one, other] = [yield* purchaseOf(), yield* purchaseOf()]
  const provider = { asked: 0, failure: undefined as NotRead | undefined }
  const services = Layer.mergeAll(
    Layer.succeed(SqlClient.SqlClient, first.client),
    Layer.mock(ProviderReader, {
      read: () =>
        Effect.suspend(() => {
          provider.asked += 1
          const { failure } = provider
          return failure === undefined ? Effect.succeed({ bodies: [], follow: [] }) : Effect.fail(failure)
        })
    }),
    Layer.mock(PurchaseSnapshots, { compare: () => Effect.succeed([]), toldIn: () => [] }),
    Layer.mock(Vault, {
      seal: () => new Uint8Array(),
      keyedHash: () => new Uint8Array(),
      open: () => Effect.succeed(new TextEncoder().encode("{\"secrets\":[],\"api_key\":\"k\"}"))
    })
  )
  const { read } = Context.get(yield* Layer.build(Layer.provide(PurchaseReading.layer, services)), PurchaseReading)
  /** How often the provider is asked when a purchase is read. */
  const asks = Effect.fnUntraced(function*(id: string) {
    const before = provider.asked
    yield* read(id)
    return provider.asked - before
  })
  const failureOf = (id: string) =>
    Effect.map(
      first<{ readonly read_failure: { readonly code: string } | null }>`
        SELECT read_failure FROM purchases WHERE id = ${id}`,
      ([row]) => row!.read_failure?.code
    )
  return { asks, failureOf, one, other, provider }
})

const seconds = 1_000

describe("a provider that does not answer", () => {
  layer(Workers.layer)((it) => {
    it.effect("is left alone for ten seconds, or as long as it says and an hour at most, and then is asked again", () =>
      Effect.gen(function*() {
        const { asks, failureOf, one, other, provider } = yield* world
        for (const code of ["unavailable", "rate_limited", "unreadable", "api_key_refused"] as const) {
          for (const retryAfter of [undefined, 0, 3 * seconds, 60 * seconds, 3_600 * seconds, 86_400 * seconds]) {
            provider.failure = new NotRead({ code, message: "away", retryAfter })
            assert.strictEqual(yield* asks(one), 1)
            provider.failure = undefined
            const pause = Math.min(Math.max(10 * seconds, retryAfter ?? 0), 3_600 * seconds)
            yield* TestClock.adjust(pause - 1)
            assert.strictEqual(yield* asks(one), 0, `${code} ${retryAfter}`)
            assert.strictEqual(yield* failureOf(one), code)
            assert.strictEqual(yield* asks(other), 1, "the provider of another connection")
            yield* TestClock.adjust(1)
            assert.strictEqual(yield* asks(one), 1, `${code} ${retryAfter}`)
            assert.isUndefined(yield* failureOf(one))
            assert.strictEqual(yield* asks(one), 1, "nothing is left of the pause")
          }
        }
      }))

    it.effect("is asked again at once where only this purchase could not be read", () =>
      Effect.gen(function*() {
        const { asks, failureOf, one, provider } = yield* world
        for (const code of ["not_found", "no_api_key"] as const) {
          provider.failure = new NotRead({ code, message: "not this one" })
          assert.strictEqual(yield* asks(one), 1)
          assert.strictEqual(yield* failureOf(one), code)
          assert.strictEqual(yield* asks(one), 1)
        }
      }))
  })
})
