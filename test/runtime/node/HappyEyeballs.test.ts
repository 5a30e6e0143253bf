import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { raceForConnection } from "../../../src/runtime/node/GuardedConnect.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { send } from "../../fixtures/TransportAlone.ts"
import type { Options, Surroundings } from "../../fixtures/TransportAlone.ts"

describe("HappyEyeballs", () => {
  it.live("goes on with the family of addresses that is known, and does not wait for the other", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      const url = `http://a.example:${target.port}/`
      const never = new Promise<never>(() => {})
      // Who waited for the look-up that never ends would run out of the whole time.
      const patience = { dns: 120_000, connect: 5_000, headers: 10_000, total: 60_000 }
      const found = (families: Surroundings["resolve"], more: Options = {}) =>
        send(url, { families, patience, ...more })
      const here = () => Promise.resolve(["127.0.0.1"])
      for (
        const families of [() => [here(), never], () => [never, here()], () => [Promise.resolve([]), here(), never]]
      ) {
        assert.include(yield* found(families), { status: 200 })
      }
      assert.deepStrictEqual(
        yield* found(() => [Promise.resolve([]), never], { patience: { ...patience, dns: 2_000 } }),
        {
          error: "dns"
        }
      )
      assert.strictEqual(target.received.length, 3)
    }).pipe(Effect.scoped))

  it.live("tries the preferred family first, where its look-up is only a little later", () =>
    Effect.promise(async () => {
      /** The addresses that are tried, in order, where the preferred look-up takes so long. */
      const tried = (millis: number) => {
        const asked: Array<string> = []
        const later = new Promise<ReadonlyArray<string>>((resolve) => setTimeout(() => resolve(["preferred"]), millis))
        return new Promise<ReadonlyArray<string>>((resolve) =>
          raceForConnection({
            lookups: [later, Promise.resolve(["other"])],
            lookupPatience: 2_000,
            without: { nameless: () => new Error("nameless"), late: () => new Error("late") },
            judge: (addresses) => addresses,
            connect: (address, done) => {
              asked.push(address)
              setTimeout(() => done(new Error("refused"), null))
              return { destroy: () => {} }
            }
          }, () => resolve(asked))
        )
      }
      assert.deepStrictEqual(await tried(5), ["preferred", "other"])
      assert.deepStrictEqual(await tried(500), ["other", "preferred"])
    }))

  it.live("tries the next address beside one that does not answer, up to the last, and judges each before", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      const url = `http://a.example:${target.port}/`
      const patience = { dns: 2_000, connect: 5_000, headers: 10_000, total: 15_000 }
      const refusing = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.1"]
      assert.include(yield* send(url, { resolve: () => Promise.resolve(refusing), patience }), { status: 200 })
      // Addresses of a network that leads nowhere, allowed by the operator.
      const allowed = ["127.0.0.0/8", "192.0.2.0/24"]
      const silent = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "127.0.0.1"]
      // One after the other would run out of the whole time.
      const patient = { ...patience, connect: 60_000, total: 90_000 }
      assert.include(yield* send(url, { resolve: () => Promise.resolve(silent), allowed, patience: patient }), {
        status: 200
      })
      // A name with hundreds of addresses has us knock at a few of them.
      const many = [...Array.from({ length: 16 }, (_, index) => `127.0.0.${index + 2}`), "127.0.0.1"]
      assert.deepStrictEqual(yield* send(url, { resolve: () => Promise.resolve(many), patience }), { error: "connect" })
      // The second family is judged when it comes, while the first is being connected to.
      const families = () => [
        Promise.resolve(["192.0.2.1"]),
        new Promise<ReadonlyArray<string>>((resolve) => setTimeout(() => resolve(["fd00::1", "127.0.0.1"]), 100))
      ]
      assert.deepStrictEqual(yield* send(url, { families, allowed, patience }), { error: "address_not_allowed" })
      assert.strictEqual(target.received.length, 2)
    }).pipe(Effect.scoped))
})
