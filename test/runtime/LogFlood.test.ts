import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { CurrentExchange } from "../../src/http/ground/edge/Exchanges.ts"
import { withoutFloods } from "../../src/runtime/LogFlood.ts"
import { destinationOf } from "../../src/runtime/postgres/DatabaseTls.ts"
import { startService } from "../fixtures/Service.ts"
import { eventually, migrated } from "../fixtures/Session.ts"
import { tcpProxy } from "../fixtures/TcpProxy.ts"

/** What a logger writes while an effect runs, and until it is closed. */
const written = (work: Effect.Effect<unknown>) =>
  Effect.gen(function*() {
    // oxlint-disable-next-line typescript/no-explicit-any -- lines as they are printed
    const lines: Array<any> = []
    const inner = Logger.make((options) => lines.push(Logger.formatStructured.log(options)))
    const scope = Scope.makeUnsafe()
    const logger = yield* withoutFloods(inner).pipe(Scope.provide(scope))
    yield* work.pipe(Effect.provide(Logger.layer([logger])))
    yield* Scope.close(scope, Exit.void)
    return lines
  })

const away = new SqlError({
  reason: new ConnectionError({
    cause: new Error("connect ECONNREFUSED"),
    message: "cannot connect",
    operation: "connect"
  })
})

describe("the log of warnings and errors", () => {
  it.live("has one line for a cause, whoever writes it, and then their count without a stack", () =>
    Effect.gen(function*() {
      const lines = yield* written(
        Effect.forEach(
          Array.from({ length: 50 }, (_, index) => index),
          (index) =>
            Effect.logWarning(
              `Part ${index % 3} failed and is tried again`,
              index % 2 === 0
                ? Cause.fail(away)
                : Cause.die(away)
            ),
          { discard: true }
        )
      )
      assert.lengthOf(lines, 2)
      assert.match(lines[0].message, /^Part 0 failed and is tried again: .*ECONNREFUSED/)
      assert.deepStrictEqual(
        lines[1].annotations.lines.toSorted(),
        [0, 1, 2].map((part) => `Part ${part} failed and is tried again`)
      )
      assert.strictEqual(lines[1].annotations.count, 49)
      for (const { cause } of lines) assert.isUndefined(cause)
    }))

  it.live("has one stack for a mistake, and every line of what is quoted by its request", () =>
    Effect.gen(function*() {
      const mistake = new TypeError("outer", { cause: new RangeError("inner", { cause: new Error("innermost") }) })
      const failing = Effect.logError("request failed", Cause.die(mistake))
      const lines = yield* written(
        Effect.all([
          failing,
          failing,
          failing.pipe(Effect.annotateLogs({ request_id: "req_1" })),
          failing.pipe(Effect.annotateLogs({ request_id: "req_2" })),
          Effect.logInfo("fine"),
          Effect.logInfo("fine")
        ], { discard: true })
      )
      assert.deepStrictEqual(
        lines.map(({ annotations, message }) => annotations.request_id ?? annotations.count ?? message),
        ["request failed", "req_1", "req_2", "fine", "fine", 1]
      )
      for (const { cause } of lines.filter(({ level }) => level === "ERROR")) {
        assert.match(cause, /^TypeError: .*outer.*inner.*innermost\n/)
        assert.lengthOf(cause.match(/^\S*Error/gm), 1)
        assert.notInclude(cause, "[cause]")
      }
    }))

  it.live("names the request and its trace in lines that are written for one", () =>
    Effect.gen(function*() {
      const [line] = yield* written(
        Effect.logWarning("odd").pipe(Effect.provideService(CurrentExchange, {
          method: "GET",
          path: "/",
          route: () => "/",
          begun: 0,
          requestId: "req_3",
          principal: undefined,
          code: undefined,
          environment: "live",
          traceId: "4bf92f3577b34da6a3ce929d0e0e4736"
        }))
      )
      assert.deepStrictEqual(line.annotations, {
        request_id: "req_3",
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736"
      })
    }))

  it("of a service whose database is gone has a line a second and cause, with a count", async () => {
    const behind = await migrated()
    const proxy = await tcpProxy(destinationOf(behind))
    const way = new URL(behind)
    way.search = ""
    way.hostname = "127.0.0.1"
    way.port = String(proxy.port)
    const service = await startService({ databaseUrl: behind, environment: { DATABASE_URL: way.href } })
    const before = service.logs().length
    proxy.close()
    const warnings = () =>
      service.logs().slice(before).split("\n").filter((line) => /"level":"(WARN|ERROR)"/.test(line))
        .map((line) => JSON.parse(line))
    await eventually(
      "several parts have failed again and again",
      () => warnings().reduce((sum, { annotations }) => sum + (annotations.count ?? 1), 0) >= 20
    )
    const byCause = new Map<string, Array<number>>()
    for (const { annotations, cause, message, timestamp } of warnings()) {
      assert.isUndefined(cause, message)
      if (annotations.code !== undefined) continue
      const reason = message.slice(message.indexOf(": "))
      byCause.set(reason, [...byCause.get(reason) ?? [], Date.parse(timestamp)])
    }
    const lines = [...byCause.values()].flat()
    const seconds = (Math.max(...lines) - Math.min(...lines)) / 1000
    for (const [reason, times] of byCause) assert.isAtMost(times.length, seconds + 2, reason)
    await service.kill("SIGKILL")
  })
})
