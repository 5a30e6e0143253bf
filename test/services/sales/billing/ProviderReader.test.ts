import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { CurrentEnvironment } from "../../../../src/services/ground/environments/CurrentEnvironment.ts"
import { Settings } from "../../../../src/services/ground/platform/Settings.ts"
import { ProviderHttp } from "../../../../src/services/ground/platform/Transport.ts"
import { ProviderReader } from "../../../../src/services/sales/billing/ProviderReader.ts"

const utf8 = new TextEncoder()

/** Reads a path in an environment, of a provider that gives one answer; with the URLs that were asked for. */
const read = Effect.fnUntraced(function*(
  environment: "live" | "test",
  { answer = {}, key, path = "/", provider }: {
    readonly provider: Provider
    readonly key: string
    readonly path?: string
    readonly answer?: unknown
  }
) {
  const asked: Array<string> = []
  const layer = ProviderReader.layer.pipe(Layer.provide([
    Layer.succeed(ProviderHttp, {
      get: ({ url }) => {
        asked.push(url)
        return Effect.succeed({ status: 200, headers: {}, body: utf8.encode(JSON.stringify(answer)) })
      }
    }),
    Layer.succeed(Settings, {} as Settings["Service"]),
    Layer.succeed(CurrentEnvironment, environment)
  ]))
  const outcome = yield* Effect.flatMap(
    ProviderReader,
    (reader) => reader.read({ provider, credentials: { secrets: [], api_key: key }, path, patienceMillis: 1_000 })
  ).pipe(
    Effect.match({ onFailure: ({ code, message }) => `${code}: ${message}`, onSuccess: () => "read" }),
    Effect.provide(layer)
  )
  return { outcome, asked }
})

describe("the API of a provider", () => {
  it.effect.each<readonly ["live" | "test", Provider, string]>([
    ["live", "stripe", "rk_test_1"],
    ["live", "paddle", "pdl_sdbx_apikey_1"],
    ["live", "chargebee", "acme-test:k"],
    ["live", "chargebee", "acme:test_1"],
    ["test", "stripe", "rk_live_1"],
    ["test", "paddle", "pdl_live_apikey_1"],
    ["test", "chargebee", "acme:live_1"]
  ])(
    "is not asked in %s, of %s, with the key %s, which was stored before it was refused",
    ([environment, provider, key]) =>
      Effect.gen(function*() {
        const { asked, outcome } = yield* read(environment, { provider, key })
        assert.deepStrictEqual(asked, [])
        assert.match(outcome, new RegExp(`^api_key_refused: .*${environment} environment`))
      })
  )

  it.effect.each<readonly ["live" | "test", isTest: boolean, outcome: RegExp]>([
    ["live", false, /^read$/],
    ["test", true, /^read$/],
    ["live", true, /^api_key_refused: .*provider's test mode.*live environment/],
    ["test", false, /^api_key_refused: .*provider's live mode.*test environment/]
  ])(
    "of Lemon Squeezy, in %s, with objects whose test_mode is %s: %s",
    ([environment, isTest, outcome]) =>
      Effect.gen(function*() {
        const answer = {
          data: [{ type: "orders", id: "1", attributes: { status: "paid", test_mode: isTest } }],
          meta: { page: { currentPage: 1, lastPage: 1 } }
        }
        const found = yield* read(environment, {
          provider: "lemon_squeezy",
          key: "k",
          path: "/v1/orders?page[number]=1",
          answer
        })
        assert.match(found.outcome, outcome)
      })
  )
})
