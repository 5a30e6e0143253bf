import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import { connect, createServer } from "node:net"
import type { Server, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { AppConfig, load } from "../../../src/runtime/config/Config.ts"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { addressOf, refusalOf, warningOf } from "../../../src/runtime/postgres/DatabaseServer.ts"
import { DeliverySql } from "../../../src/services/ground/persistence/TransactionSql.ts"
import { QuestionSql } from "../../../src/services/ground/platform/DatabaseHealthSql.ts"
import { nestedBorrowing } from "../../fixtures/FileEnd.ts"
import { freshDatabase, layerFresh } from "../../fixtures/Postgres.ts"
import { hold } from "../../fixtures/Session.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "countersign-"))),
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
)

/** A way to the server of the tests that can be closed and opened: a Unix socket of its own. */
class Gate {
  readonly url: string
  private readonly socket: string
  private readonly connections = new Set<Socket>()
  private readonly server: Server

  constructor(databaseUrl: string, directory: string) {
    this.socket = join(directory, ".s.PGSQL.5432")
    const real = new URL(databaseUrl)
    const host = real.searchParams.get("host") ?? (real.hostname || "localhost")
    const port = Number(real.port || 5432)
    const url = new URL(databaseUrl)
    url.searchParams.set("host", directory)
    url.port = ""
    this.url = url.href
    this.server = createServer((near) => {
      const far = host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
      for (const [socket, other] of [[near, far], [far, near]] as const) {
        this.connections.add(socket)
        socket.on("error", () => other.destroy()).on("close", () => {
          this.connections.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
  }

  readonly open = Effect.promise(() => new Promise<void>((resume) => this.server.listen(this.socket, resume)))

  readonly close = Effect.promise(() =>
    new Promise<void>((resume) => {
      this.server.close(() => resume())
      for (const socket of this.connections) socket.destroy()
    })
  )

  static readonly make: Effect.Effect<Gate, never, Scope.Scope> = Effect.gen(function*() {
    const { url } = yield* freshDatabase
    return new Gate(url, yield* temporaryDirectory)
  })
}

const targetOf = (url: string) => Layer.succeed(Database.DatabaseTarget, { url: Redacted.make(url) })

/** Builds the pools for a URL in the scope. */
const open = (url: string) => Layer.build(Layer.provide(Database.layerTarget, targetOf(url)))

describe("Database", () => {
  layer(layerFresh)("pools", (it) => {
    it.effect("sets up every session", () =>
      Effect.gen(function*() {
        for (
          const sql of [yield* SqlClient.SqlClient, yield* PgClient.PgClient, yield* QuestionSql, yield* DeliverySql]
        ) {
          const rows = yield* sql`select current_setting('application_name') as application,
            current_setting('statement_timeout') as statement,
            current_setting('idle_in_transaction_session_timeout') as idle`
          assert.match(String(rows[0]!["application"]), /^countersign [0-9a-z-]+$/)
          assert.deepInclude(rows[0], { statement: "30s", idle: "5s" })
        }
      }))

    it.effect("keeps the connections of the API, of questions and of delivery apart", () =>
      Effect.gen(function*() {
        const { url } = yield* Database.DatabaseTarget
        /** The sessions that 30 transactions have: none ends before each session that is expected has one. */
        const pids = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, sessions: number) {
          const lock = yield* Effect.promise(() => hold(Redacted.value(url), "SELECT pg_advisory_xact_lock(1)"))
          // The sessions of delivery would wait for 100 ms only.
          const transaction = sql.withTransaction(Effect.andThen(
            sql`SET LOCAL lock_timeout = '60s'`.unprepared,
            sql<{ pid: number }>`SELECT pg_advisory_xact_lock_shared(1), pg_sleep(0.02), pg_backend_pid() AS pid`
          ))
          const running = yield* Effect.forkChild(
            Effect.all(Array.from({ length: 30 }, () => transaction), { concurrency: "unbounded" }),
            { startImmediately: true }
          )
          yield* Effect.promise(() => lock.blocked(sessions))
          yield* Effect.promise(() => lock.release())
          return new Set((yield* Fiber.join(running)).map(([row]) => row!.pid))
        })
        const api = yield* pids(yield* SqlClient.SqlClient, 10)
        const delivery = yield* pids(yield* DeliverySql, 4)
        const questions = yield* pids(yield* QuestionSql, 3)
        assert.strictEqual(api.size, 10)
        assert.strictEqual(delivery.size, 4)
        assert.strictEqual(questions.size, 3)
        assert.strictEqual(new Set([...api, ...delivery, ...questions]).size, 17)
      }))

    it.effect("tells in the log who asks a pool for a connection while holding one of it", () =>
      Effect.gen(function*() {
        const [sql, delivery] = [yield* SqlClient.SqlClient, yield* DeliverySql]
        const saidBy = (work: Effect.Effect<unknown, unknown>) => {
          const said: Array<string> = []
          const logger = Logger.make(({ message }) => void said.push(String(message)))
          return Effect.as(Effect.provide(work, Logger.layer([logger])), said)
        }
        // A read that does not know of the transaction around it, as by services that were taken before.
        const outside = Effect.updateContext(
          sql`select 1`,
          (context: Context.Context<never>) => Context.omit(sql.transactionService)(context) as typeof context
        )
        for (
          const nested of [
            Effect.scoped(Effect.andThen(sql.reserve, sql`select 1`)),
            sql.withTransaction(outside),
            sql.withTransaction(Effect.scoped(Effect.andThen(sql`select 1`, outside)))
          ]
        ) {
          const [line = "", ...more] = yield* saidBy(nested)
          assert.match(line, new RegExp(`^${nestedBorrowing}`))
          assert.deepStrictEqual(more, [])
        }
        const apart = sql.withTransaction(Effect.andThen(sql`select 1`, delivery.withTransaction(delivery`select 1`)))
        assert.deepStrictEqual(yield* saidBy(Effect.andThen(apart, sql`select 1`)), [])
      }))

    it.effect("is a database of the test's own", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ name: string }>`select current_database() as name`
        assert.match(row!.name, /^test_[0-9a-f]{16}$/)
      }))
  })

  it.live("waits for a server that starts, and outlives one that goes away", () =>
    Effect.gen(function*() {
      const gate = yield* Gate.make
      const opening = yield* Effect.forkChild(open(gate.url), { startImmediately: true })
      yield* Effect.promise(() => delay(100))
      assert.isUndefined(opening.pollUnsafe())
      yield* gate.open
      const services = yield* Fiber.join(opening)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
        const running = yield* Effect.forkChild(Effect.flip(sql`select pg_sleep(30)`), { startImmediately: true })
        yield* Effect.promise(() => delay(50))
        yield* gate.close
        assert.strictEqual((yield* Fiber.join(running)).reason._tag, "ConnectionError")
        assert.strictEqual((yield* Effect.flip(sql`select 1`)).reason._tag, "ConnectionError")
        yield* gate.open
        assert.deepStrictEqual(yield* sql`select 2 as two`, [{ two: 2 }])
        yield* gate.close
      }).pipe(Effect.provideContext(services))
    }))

  it.effect("gives up after 10 seconds, naming the host and never the password", () =>
    Effect.gen(function*() {
      const taken = createServer()
      const port = yield* Effect.promise(() =>
        new Promise<number>((resume) =>
          taken.listen(0, "127.0.0.1", () => {
            const address = taken.address()
            taken.close(() => resume(typeof address === "object" && address !== null ? address.port : 0))
          })
        )
      )
      const opening = yield* Effect.forkChild(
        Effect.flip(open(`postgres://someone:hush-hush@127.0.0.1:${port}/licenses`)),
        { startImmediately: true }
      )
      let seconds = 0
      while (opening.pollUnsafe() === undefined && seconds < 30) {
        yield* Effect.promise(() => delay(20))
        yield* TestClock.adjust("1 second")
        seconds++
      }
      const { message } = yield* Fiber.join(opening)
      assert.isAtLeast(seconds, 10)
      assert.isBelow(seconds, 30)
      assert.include(message, `127.0.0.1:${port}/licenses after 10 s`)
      assert.include(message, "ECONNREFUSED")
      assert.include(message, "DATABASE_URL")
      assert.notInclude(message, "hush-hush")
    }).pipe(Effect.scoped))

  it.effect("does not wait for a database that will not come", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase
      const missing = new URL(url)
      missing.pathname = "/nowhere"
      const { message } = yield* Effect.flip(open(missing.href))
      assert.include(message, "/nowhere: database \"nowhere\" does not exist")
    }))

  it("refuses a PostgreSQL that is too old", () => {
    assert.include(
      refusalOf({ number: 140_012, name: "14.12" }, "db:5432/x"),
      "db:5432/x is PostgreSQL 14.12. Countersign needs PostgreSQL 15 or newer"
    )
    assert.isUndefined(refusalOf({ number: 150_000, name: "15.0" }, "db:5432/x"))
  })

  it("warns of a PostgreSQL that is newer than those it is tested with, and takes it", () => {
    const next = { number: 190_000, name: "19beta1" }
    assert.isUndefined(refusalOf(next, "db:5432/x"))
    assert.include(
      warningOf(next, "db:5432/x"),
      "db:5432/x is PostgreSQL 19beta1, which is newer than this release. It is tested with PostgreSQL 15 to 18"
    )
    assert.isUndefined(warningOf({ number: 180_004, name: "18.4" }, "db:5432/x"))
  })

  it("describes a target without its secrets", () => {
    const addresses = [
      ["postgres://u:p@db.example.com/licenses", "db.example.com:5432/licenses"],
      ["postgresql://u:p@[::1]:6000/x", "[::1]:6000/x"],
      ["postgres://u:p@localhost/x?host=%2Frun%2Fpg&password=q", "/run/pg/x"],
      ["postgres://%2Frun%2Fpg/x", "/run/pg/x"],
      ["postgres:///x", "localhost:5432/x"]
    ] as const
    for (const [url, address] of addresses) assert.strictEqual(addressOf(Redacted.make(url)), address)
  })

  it.live("runs a server of its own without DATABASE_URL", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const config = yield* load({ cwd: directory, isRoot: false, isTerminal: false, variables: [] }).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({})))
      )
      yield* Effect.gen(function*() {
        const sql = yield* DeliverySql
        assert.deepStrictEqual(yield* sql`select current_database() as name`, [{ name: "countersign" }])
        assert.isTrue(Fs.existsSync(join(directory, ".countersign", "postgres", "postmaster.pid")))
      }).pipe(Effect.provide(Layer.provide(Database.layer, Layer.succeed(AppConfig, config))))
      assert.isFalse(Fs.existsSync(join(directory, ".countersign", "postgres", "postmaster.pid")))
    }))
})
