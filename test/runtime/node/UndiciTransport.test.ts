import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Socket } from "node:net"
import type { TransportError } from "../../../src/services/ground/platform/Transport.ts"
import * as certificates from "../../fixtures/certificates.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { answering, post, raw, send, verdict, within } from "../../fixtures/TransportAlone.ts"
import type { Options } from "../../fixtures/TransportAlone.ts"

describe("UndiciTransport", () => {
  it.live("posts the body as it is and answers with status and the headers that matter", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      target.respond = (response) =>
        response.writeHead(429, { "Retry-After": "7", "Webhook-Delivery": "disable", "X-Other": "1" }).end("later")
      const answer = yield* send(`${target.url}?a=b`)
      assert.deepStrictEqual(answer, { status: 429, headers: { "retry-after": "7", "webhook-delivery": "disable" } })
      const [got] = target.received
      assert.strictEqual(got!.path, "/hooks?a=b")
      assert.strictEqual(got!.body, "{\"a\":1}")
      assert.strictEqual(got!.headers["x-mark"], "1")
    }).pipe(Effect.scoped))

  it.live("does not follow a redirect", () =>
    Effect.gen(function*() {
      const other = yield* receiver()
      const target = yield* receiver()
      target.respond = (response) => response.writeHead(302, { location: other.url }).end()
      assert.include(yield* send(target.url), { status: 302 })
      assert.strictEqual(other.received.length, 0)
    }).pipe(Effect.scoped))

  it.live("connects to no forbidden address: literals, names, and any address among several", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      const refused = { error: "address_not_allowed" } as const
      const to = (host: string) => `http://${host}:${target.port}/`
      assert.deepStrictEqual(yield* send(to("127.0.0.1"), { allowed: [] }), refused)
      for (
        const host of ["2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "169.254.169.254"]
      ) {
        assert.deepStrictEqual(yield* send(to(host), { allowed: ["10.0.0.0/8"] }), refused, host)
      }
      assert.deepStrictEqual(yield* send(to("a.example"), { allowed: [] }), refused)
      const resolve = () => Promise.resolve(["127.0.0.1", "10.0.0.1"])
      assert.deepStrictEqual(yield* send(to("a.example"), { resolve }), refused)
      // Public, and so without encryption refused as well.
      const publicly = () => Promise.resolve(["93.184.216.34"])
      assert.deepStrictEqual(yield* send(to("a.example"), { resolve: publicly }), refused)
      assert.deepStrictEqual(yield* send(to("127.0.0.1"), { isOwnAddress: (_, port) => port === target.port }), refused)
      assert.strictEqual(target.received.length, 0)
      assert.include(yield* send(to("a.example")), { status: 200 })
    }).pipe(Effect.scoped))

  it.live("goes to the address that was judged when a name changes its mind", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      let asked = 0
      // Allowed when it is judged; whoever asked a second time would be led elsewhere.
      const resolve = () => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "127.0.0.99"])
      assert.include(yield* send(`http://rebinds.example:${target.port}/`, { resolve }), { status: 200 })
      assert.strictEqual(asked, 1)
      assert.strictEqual(target.received[0]!.headers.host, `rebinds.example:${target.port}`)
    }).pipe(Effect.scoped))

  it.live("judges anew at every connect: what was public when it was written may be loopback now", () =>
    Effect.gen(function*() {
      const target = yield* receiver()
      const url = `https://rebinds.example:${target.port}/`
      // Public when the endpoint is made; loopback, or loopback among others, whenever it is connected to.
      const answers = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]]
      let asked = 0
      const resolve = () => Promise.resolve(answers[asked++]!)
      yield* within(
        { allowed: [], resolve },
        Effect.gen(function*() {
          assert.strictEqual(yield* verdict(url), "allowed")
          for (let attempt = 1; attempt < answers.length; attempt++) {
            assert.deepStrictEqual(yield* post(url), { error: "address_not_allowed" }, String(answers[attempt]))
          }
        })
      )
      assert.strictEqual(asked, answers.length)
      assert.strictEqual(target.received.length, 0)
    }).pipe(Effect.scoped))

  it.live("judges every address of a name when its URL is written, and tells one that has none from one that is late", () =>
    Effect.gen(function*() {
      const failed = (code: string) => Object.assign(new Error(code), { code })
      const judge = (addresses: ReadonlyArray<string>, url = "https://a.example/", more: Options = {}) =>
        within({ allowed: [], resolve: () => Promise.resolve(addresses), ...more }, verdict(url))
      assert.strictEqual(yield* judge(["93.184.216.34", "2606:2800:220:1::1"]), "allowed")
      for (const inside of ["10.0.0.1", "169.254.169.254", "fd00::1", "64:ff9b::a00:1", "::ffff:10.0.0.1"]) {
        assert.strictEqual(yield* judge(["93.184.216.34", inside]), "refused", inside)
      }
      assert.strictEqual(yield* judge(["10.0.0.1"], "http://a.example/", { allowed: ["10.0.0.0/8"] }), "allowed")
      assert.strictEqual(yield* judge([], "https://127.0.0.1/"), "refused")
      assert.strictEqual(yield* judge([], "https://[::1]/"), "refused")
      for (const resolve of [() => Promise.resolve([]), () => Promise.reject(failed("ENOTFOUND"))]) {
        assert.strictEqual(yield* judge([], "https://a.example/", { resolve }), "nameless")
      }
      assert.strictEqual(
        yield* judge([], "https://a.example/", { resolve: () => Promise.reject(failed("EAI_AGAIN")) }),
        "unknown"
      )
      assert.strictEqual(
        yield* judge([], "https://a.example/", { resolve: () => new Promise<never>(() => {}) }),
        "unknown"
      )
      const isOwnAddress = (_: string, port: number) => port === 8443
      assert.strictEqual(yield* judge(["93.184.216.34"], "https://a.example:8443/", { isOwnAddress }), "refused")
      // One of the two addresses of this machine is allowed.
      const loopback = ["127.0.0.1", "::1"]
      assert.strictEqual(yield* judge(loopback, "http://localhost/", { allowed: ["127.0.0.0/8"] }), "allowed")
      assert.strictEqual(yield* judge(loopback, "http://a.example/", { allowed: ["127.0.0.0/8"] }), "refused")
      assert.strictEqual(yield* judge(loopback, "http://localhost/"), "refused")
    }))

  it.live("verifies certificates, for the name and not the address", () =>
    Effect.gen(function*() {
      const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
      const good = yield* raw(answering(ok), { cert: certificates.valid })
      const old = yield* raw(answering(ok), { cert: certificates.expired })
      const url = (port: number, host = "hooks.example.test") => `https://${host}:${port}/`
      assert.include(yield* send(url(good.port), { trusted: certificates.valid }), { status: 200 })
      assert.include(yield* send(url(good.port)), { error: "tls" }, "an unknown authority")
      assert.include(
        yield* send(url(good.port, "other.example.test"), { trusted: certificates.valid }),
        { error: "tls" },
        "another name"
      )
      assert.include(
        yield* send(url(good.port, "127.0.0.1"), { trusted: certificates.valid }),
        { error: "tls" },
        "the address"
      )
      assert.include(yield* send(url(old.port), { trusted: certificates.expired }), { error: "tls" }, "expired")
    }).pipe(Effect.scoped))

  it.live("says what went wrong", () =>
    Effect.gen(function*() {
      const closed = yield* Effect.scoped(raw(() => {}))
      const resets = yield* raw((socket) => socket.once("data", () => socket.resetAndDestroy()))
      const babbles = yield* raw(answering("SMTP ready\r\n\r\n"))
      const headers = yield* raw(answering(`HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(10_000)}\r\n`))
      const cases: ReadonlyArray<readonly [number, TransportError]> = [
        [closed.port, "connect"],
        [resets.port, "reset"],
        [babbles.port, "protocol"],
        [headers.port, "protocol"]
      ]
      for (const [port, error] of cases) {
        assert.deepStrictEqual(yield* send(`http://127.0.0.1:${port}/`), { error }, `port ${port}`)
      }
      const unknown = () => Promise.reject(new Error("ENOTFOUND"))
      assert.deepStrictEqual(yield* send("http://a.example/", { resolve: unknown }), { error: "dns" })
      const silent = () => new Promise<never>(() => {})
      assert.deepStrictEqual(yield* send("http://a.example/", { resolve: silent }), { error: "dns" })
    }).pipe(Effect.scoped))

  it.live("reads 4 KiB of an answer without an end and hangs up", () =>
    Effect.gen(function*() {
      const endless = yield* raw((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n")
          const pour = () => {
            while (!socket.destroyed && socket.write("x".repeat(1024)));
          }
          socket.on("drain", pour)
          pour()
        })
      )
      assert.include(yield* send(`http://127.0.0.1:${endless.port}/`), { status: 200 })
    }).pipe(Effect.scoped))

  it.live("believes the status and the headers, however the body goes on", () =>
    Effect.gen(function*() {
      const heads = {
        "200 OK": { status: 200, headers: {} },
        "410 Gone": { status: 410, headers: {} },
        "429 Slow\r\nretry-after: 9": { status: 429, headers: { "retry-after": "9" } },
        "308 There\r\nlocation: /new?a=b": { status: 308, headers: { location: "/new?a=b" } },
        "500 Oh\r\nwebhook-delivery: disable": { status: 500, headers: { "webhook-delivery": "disable" } }
      }
      const bodies: ReadonlyArray<readonly [string, (socket: Socket) => void]> = [
        ["is cut", (socket) => {
          socket.write("content-length: 9\r\n\r\nab")
          // A reset takes with it what was not read yet.
          setTimeout(() => socket.resetAndDestroy(), 100)
        }],
        ["ends early", (socket) => socket.end("content-length: 9\r\n\r\nab")],
        ["never ends", (socket) => socket.write("content-length: 9\r\n\r\nab")],
        ["has a bad chunk", (socket) => socket.write("transfer-encoding: chunked\r\n\r\nzz\r\n")]
      ]
      for (const [head, expected] of Object.entries(heads)) {
        for (const [name, rest] of bodies) {
          const target = yield* raw((socket) =>
            socket.once("data", () => {
              socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 ${head}\r\n`)
              rest(socket)
            })
          )
          // Who waited for an end that never comes would wait longer than a test may last.
          const patience = { dns: 300, connect: 5_000, headers: 10_000, total: 600_000 }
          const answer = yield* send(`http://127.0.0.1:${target.port}/`, { patience })
          assert.deepStrictEqual(answer, expected, `${head} ${name}`)
        }
      }
    }).pipe(Effect.scoped))

  it.live("hangs up on answers without an end, of which it keeps but a few", () =>
    Effect.gen(function*() {
      const drips = yield* raw((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
          const timer = setInterval(() => socket.write("x"), 100)
          socket.once("close", () => clearInterval(timer))
        })
      )
      const open = () => drips.connections.filter(({ destroyed }) => !destroyed).length
      const patience = { dns: 5_000, connect: 5_000, headers: 5_000, total: 6_000 }
      yield* within(
        { patience },
        Effect.gen(function*() {
          const url = `http://127.0.0.1:${drips.port}/`
          const answers = yield* Effect.all(Array.from({ length: 150 }, () => post(url)), { concurrency: "unbounded" })
          assert.isTrue(answers.every((answer) => "status" in answer && answer.status === 200))
          for (let waited = 0; open() > 128 && waited < 100; waited++) yield* Effect.sleep(10)
          assert.isAtMost(open(), 128)
          for (let waited = 0; open() > 0 && waited < 2_000; waited++) yield* Effect.sleep(10)
          assert.strictEqual(open(), 0, "when their time is over")
        })
      )
    }).pipe(Effect.scoped))

  it.live("gives up when there are no headers in time, or no end of them", () =>
    Effect.gen(function*() {
      const silent = yield* raw(() => {})
      const drips = yield* raw((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nx-slow: ")
          const timer = setInterval(() => socket.write("x"), 500)
          socket.once("close", () => clearInterval(timer))
        })
      )
      const timed = (url: string, headers: number) =>
        Effect.gen(function*() {
          const started = performance.now()
          const answer = yield* send(url, { patience: { dns: 100, connect: 500, headers, total: 3_000 } })
          return { answer, seconds: (performance.now() - started) / 1000 }
        })
      const [a, b] = yield* Effect.all([
        timed(`http://127.0.0.1:${silent.port}/`, 1_000),
        timed(`http://127.0.0.1:${drips.port}/`, 10_000)
      ], { concurrency: 2 })
      assert.deepStrictEqual([a.answer, b.answer], [{ error: "timeout" }, { error: "timeout" }])
      // No sooner than was asked for, and not by the other's patience; how much later is the machine's affair.
      assert.isTrue(a.seconds > 0.9 && a.seconds < b.seconds, `${a.seconds} s without headers`)
      assert.isTrue(b.seconds > 2.9, `${b.seconds} s in all`)
    }).pipe(Effect.scoped))

  it.live("hangs up when it is interrupted", () =>
    Effect.gen(function*() {
      const socketState = { hungUp: false }
      const asked = yield* Effect.acquireRelease(Effect.sync(() => Promise.withResolvers<void>()), () => Effect.void)
      const silent = yield* raw((socket) => {
        socket.once("data", () => asked.resolve())
        socket.once("close", () => {
          socketState.hungUp = true
        })
      })
      const sending = yield* Effect.forkChild(send(`http://127.0.0.1:${silent.port}/`))
      yield* Effect.promise(() => asked.promise)
      yield* Fiber.interrupt(sending)
      for (let waited = 0; !socketState.hungUp && waited < 100; waited++) yield* Effect.sleep(10)
      assert.isTrue(socketState.hungUp)
    }).pipe(Effect.scoped))
})
