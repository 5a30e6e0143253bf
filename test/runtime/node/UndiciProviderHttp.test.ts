import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TransportSurroundings } from "../../../src/runtime/node/GuardedConnect.ts"
import * as UndiciProviderHttp from "../../../src/runtime/node/UndiciProviderHttp.ts"
import { Settings } from "../../../src/services/ground/platform/Settings.ts"
import { ProviderHttp } from "../../../src/services/ground/platform/Transport.ts"
import { layerSettings } from "../../fixtures/Delivery.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { raw } from "../../fixtures/TransportAlone.ts"

const get = (url: string, { allowed = ["127.0.0.0/8"], patienceMillis = 60_000 } = {}) =>
  Effect.flatMap(ProviderHttp, (http) => http.get({ url, headers: { authorization: "Bearer k" }, patienceMillis }))
    .pipe(
      Effect.match({
        onFailure: ({ reason }) => reason,
        onSuccess: ({ body, headers, status }) => ({ body: new TextDecoder().decode(body), headers, status })
      }),
      Effect.provide(
        UndiciProviderHttp.layer.pipe(
          Layer.provide(Layer.effect(
            Settings,
            Effect.map(Settings, (settings) => ({ ...settings, webhookAllowedCidrs: allowed }))
          )),
          Layer.provide(layerSettings)
        )
      ),
      Effect.provideService(TransportSurroundings, {
        resolve: () => [Promise.resolve(["127.0.0.1"])],
        isOwnAddress: () => false,
        patience: { dns: 5_000, connect: 5_000, headers: 10_000, total: 15_000 }
      })
    )

describe("UndiciProviderHttp", () => {
  it.live("reads an answer whole, with the headers that matter, and shows the key", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      target.own.add("authorization")
      target.respond = (response) =>
        response.writeHead(429, { "Retry-After": "7", date: "Sat, 21 Nov 2026 10:30:00 GMT", "X-Other": "1" })
          .end("[1]")
      assert.deepStrictEqual(yield* get(`${target.url}?a[]=b`), {
        status: 429,
        headers: { date: "Sat, 21 Nov 2026 10:30:00 GMT", "retry-after": "7" },
        body: "[1]"
      })
      assert.strictEqual(target.received[0]?.headers.authorization, "Bearer k")
    }).pipe(Effect.scoped))

  it.live("does not follow a redirect", () =>
    Effect.gen(function*() {
      const other = yield* receiver()
      const target = yield* receiver()
      target.own.add("authorization")
      target.respond = (response) => response.writeHead(302, { location: other.url }).end()
      assert.deepInclude(yield* get(target.url), { status: 302 })
      assert.strictEqual(other.received.length, 0)
    }).pipe(Effect.scoped))

  it.live("connects to no address that deliveries may not go to", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      assert.strictEqual(yield* get(target.url, { allowed: [] }), "address_not_allowed")
      assert.strictEqual(yield* get(`http://a.example:${target.port}/`, { allowed: [] }), "address_not_allowed")
      assert.strictEqual(target.received.length, 0)
    }).pipe(Effect.scoped))

  it.live("waits no longer than it may, for an answer and for the rest of one", () =>
    Effect.gen(function*() {
      const silent = yield* raw(() => {})
      assert.strictEqual(yield* get(`http://127.0.0.1:${silent.port}/`, { patienceMillis: 200 }), "timeout")
      const dripping = yield* raw((socket) =>
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1,"))
      )
      assert.strictEqual(yield* get(`http://127.0.0.1:${dripping.port}/`, { patienceMillis: 200 }), "timeout")
    }).pipe(Effect.scoped))

  it.live("reads no body that never ends", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      target.own.add("authorization")
      target.respond = (response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
        }
        response.on("drain", more)
        more()
      }
      assert.strictEqual(yield* get(target.url), "too_large")
    }).pipe(Effect.scoped))
})
