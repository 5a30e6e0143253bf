import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, NetConnectOpts } from "node:net"
import { TLSSocket } from "node:tls"
import { destinationOf, openSocket } from "../../../src/runtime/postgres/DatabaseTls.ts"
import * as certificates from "../../fixtures/certificates.ts"
import { freshDatabase } from "../../fixtures/Postgres.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"
import { tcpProxy } from "../../fixtures/TcpProxy.ts"

const patience = 1_500

/** A pool that reaches the database through a proxy. */
const throughProxy = Effect.gen(function*() {
  const { url } = yield* freshDatabase
  const proxy = yield* Effect.promise(() => tcpProxy(destinationOf(url)))
  const by = new URL(url)
  by.searchParams.set("host", "127.0.0.1")
  by.searchParams.set("port", String(proxy.port))
  const sql = yield* PgClient.make({
    url: Redacted.make(by.href),
    stream: () => openSocket(by.href, patience),
    multiplex: true,
    maxConnections: 4
  })
  return { proxy, sql }
})

const test = <A, E>(
  body: (
    way: Effect.Success<typeof throughProxy>
  ) => Effect.Effect<A, E, Effect.Services<typeof throughProxy>>
) => Effect.flatMap(throughProxy, body).pipe(Effect.provide(Reactivity.layer), Effect.scoped)

const pid = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row!.pid)

// They wait for connections to be given up, each for its own.
describe.concurrent("openSocket", () => {
  it("closes when its peer has ended, also where nobody reads", async () => {
    const server = createServer((peer) => peer.once("data", () => peer.end()))
    atEnd(async () => server.close())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const stream = openSocket(`postgres://127.0.0.1:${port}/`, 3_600_000)
    const closed = once(stream, "close")
    stream.write("cancel")
    await closed
    assert.isTrue(stream.destroyed)
  })

  it("gives up with a connection those on which nothing was heard since it was asked", async () => {
    const server = createServer((peer) => peer.on("data", (data) => data.includes("?") && peer.write("!")))
    atEnd(async () => server.close())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const open = async (patience: number) => {
      const stream = openSocket(`postgres://127.0.0.1:${port}/`, patience)
      atEnd(async () => void stream.destroy())
      const answered = once(stream, "data")
      stream.write("?")
      await answered
      return stream.on("error", () => {})
    }
    const [asked, idle, answering, unhurried] = [
      await open(patience),
      await open(3_600_000),
      await open(3_600_000),
      await open(Infinity)
    ]
    const failed = new Promise((resolve) => asked.once("close", resolve))
    asked.write(".")
    unhurried.write(".")
    const answered = once(answering, "data")
    answering.write("?")
    await answered
    await failed
    assert.deepStrictEqual([idle, answering, unhurried].map(({ destroyed }) => destroyed), [true, false, false])
  })

  it.live("gives up connections that never answer again, and new ones are opened", () =>
    test(({ proxy, sql }) =>
      Effect.gen(function*() {
        const begunToo = Deferred.makeUnsafe<void>()
        const goesOn = Deferred.makeUnsafe<void>()
        const inTransaction = yield* Effect.forkChild(Effect.exit(sql.withTransaction(Effect.gen(function*() {
          yield* sql`SELECT 1`
          yield* Deferred.succeed(begunToo, undefined)
          yield* Deferred.await(goesOn)
          yield* sql`SELECT 2`
        }))))
        yield* Deferred.await(begunToo)
        const before = yield* pid(sql)
        proxy.forget()
        yield* Deferred.succeed(goesOn, undefined)
        const begun = performance.now()
        const asked = [Effect.flip(sql`SELECT 1`), Effect.flip(sql`SELECT 2`)]
        for (const { reason } of yield* Effect.all(asked, { concurrency: 2 })) {
          assert.strictEqual(reason._tag, "ConnectionError")
          assert.include(String(reason.cause), "has not responded for 1.5 s")
        }
        assert.isAtLeast(performance.now() - begun, patience - 10)
        assert.strictEqual((yield* Fiber.join(inTransaction))._tag, "Failure")
        assert.isBelow(performance.now() - begun, 20_000)
        assert.notStrictEqual(yield* pid(sql), before)
      })
    ))

  it.live("keeps connections that have nothing to say, and those that answer late", () =>
    test(({ proxy, sql }) =>
      Effect.gen(function*() {
        const heard = yield* sql.listen("anything")
        yield* Effect.sleep(patience * 2)
        yield* sql`SELECT pg_sleep(${patience * 0.6 / 1000})`
        yield* sql.notify("anything", "at last")
        assert.strictEqual((yield* Queue.take(heard)).payload, "at last")
        assert.isAtMost(proxy.connections(), 2)
      })
    ))

  it.live("fails while nobody answers, and works when somebody does", () =>
    test(({ proxy, sql }) =>
      Effect.gen(function*() {
        proxy.swallow()
        assert.strictEqual((yield* Effect.flip(sql`SELECT 1`)).reason._tag, "ConnectionError")
        proxy.heal()
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
        assert.isAtMost(yield* Effect.promise(() => eventually("one connection", () => proxy.connections())), 2)
      })
    ))
})

/** The end of TLS before the server of the tests: what a managed database has. It ends with the test file. */
const tlsEnd = async (target: NetConnectOpts): Promise<number> => {
  const server = createServer((near) => {
    near.on("error", () => {})
    near.once("data", () => {
      near.write("S")
      const plain = new TLSSocket(near, { isServer: true, key: certificates.key, cert: certificates.valid })
      const far = connect(target)
      plain.on("error", () => far.destroy()).pipe(far).on("error", () => plain.destroy()).pipe(plain)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(async () => void server.close())
  return (server.address() as AddressInfo).port
}

describe.concurrent("openSocket under TLS", () => {
  it.live("carries statements, and gives up a connection that never answers again", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase
      const port = yield* Effect.promise(() => tlsEnd(destinationOf(url)))
      const proxy = yield* Effect.promise(() => tcpProxy({ host: "127.0.0.1", port }))
      const by = new URL(url)
      by.searchParams.set("host", "127.0.0.1")
      by.searchParams.set("port", String(proxy.port))
      const sql = yield* PgClient.make({
        url: Redacted.make(by.href),
        ssl: { ca: certificates.valid, servername: "hooks.example.test" },
        stream: () => openSocket(by.href, patience),
        maxConnections: 1
      })
      const long = "x".repeat(1_000_000)
      const [row] = yield* sql<{ readonly text: string }>`SELECT ${long}::text || 'y' AS text`
      assert.strictEqual(row!.text, `${long}y`)
      const before = yield* pid(sql)
      proxy.forget()
      assert.include(String((yield* Effect.flip(pid(sql))).reason.cause), "has not responded for 1.5 s")
      assert.notStrictEqual(yield* pid(sql), before)
    }).pipe(Effect.provide(Reactivity.layer), Effect.scoped))
})

describe("destinationOf", () => {
  it("reads what libpq reads", () => {
    const cases = [
      ["postgres://u:p@db.example.com/x", { host: "db.example.com", port: 5432 }],
      ["postgres://u@[::1]:6000/x", { host: "::1", port: 6000 }],
      ["postgres://u@localhost/x?host=%2Frun%2Fpg&port=6001", { path: "/run/pg/.s.PGSQL.6001" }],
      ["postgres://u@%2Frun%2Fpg/x", { path: "/run/pg/.s.PGSQL.5432" }],
      ["postgres:///x", { host: "localhost", port: 5432 }]
    ] as const
    for (const [url, destination] of cases) assert.deepStrictEqual(destinationOf(url), destination)
  })
})
