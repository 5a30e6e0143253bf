import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { atEnd, eventually, hold } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService({
    environment: {
      COUNTERSIGN_LIMIT_ARRIVAL_SECONDS: "2",
      COUNTERSIGN_LIMIT_STALL_SECONDS: "2",
      COUNTERSIGN_LIMIT_IN_FLIGHT: "20",
      COUNTERSIGN_LIMIT_CONNECTIONS_PER_ADDRESS: "60",
      COUNTERSIGN_LIMIT_LARGE_ANSWERS_PER_ADDRESS: "12"
    }
  })
  issued = await service.issue()
})

/** A connection from an address of loopback that is not the other callers'. */
const open = async (from = "127.0.0.2"): Promise<Socket> => {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(service.url).port), localAddress: from })
  socket.on("error", () => {})
  atEnd(async () => void socket.destroy())
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))
  return socket
}

/** The answers to bytes as they are, until the service closes the connection. */
const say = async (bytes: string, from?: string): Promise<string> => {
  const socket = await open(from)
  socket.write(bytes)
  return text(socket)
}

/** Holds a raw answer to the envelope; answers the code. */
const enveloped = (answer: string, status: number): string => {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer.slice(0, 300))
  const [head = "", body = ""] = answer.split("\r\n\r\n")
  const requestId = /\r\nx-request-id: (\S+)/i.exec(head)?.[1]
  assert.match(head, /\r\nx-content-type-options: nosniff/i)
  const { error, meta } = JSON.parse(body)
  assert.strictEqual(meta.request_id, requestId)
  assert.isTrue(error.doc_url.endsWith(`/docs/errors/${error.code}`))
  assert.isNotEmpty(error.message)
  return error.code
}

/** What `/metrics` counts of refusals for a reason. */
const counted = async (reason: string): Promise<number> => {
  const { text } = await service.call("GET", "/metrics")
  return Number(
    new RegExp(`^countersign_http_refused_total\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)`, "m").exec(text)?.[1]
  )
}

const host = "host: countersign\r\n"
const json = "content-type: application/json\r\n"
const validate = (rest: string, key = issued.key) =>
  `POST /api/v1/license/validate HTTP/1.1\r\n${host}${json}authorization: License ${key}\r\n${rest}`

describe.concurrent("what does not come", () => {
  it("of a body takes nobody's room, and is REQUEST_TIMEOUT in the end", async () => {
    const device = { fingerprint: randomUUID() }
    assert.strictEqual((await service.license("activate", issued.key, device)).status, 200)
    // More than may be in flight, of every kind.
    const slow = await Promise.all(Array.from({ length: 50 }, () => open()))
    const ends = slow.map((socket) => text(socket))
    for (const socket of slow) socket.write(validate("content-length: 100\r\n\r\n{"))
    for (const socket of slow) socket.write(" ")
    assert.strictEqual((await service.license("validate", issued.key, device)).status, 200)
    assert.strictEqual((await service.call("GET", "/api/v1/products")).status, 200)
    for (const answer of await Promise.all(ends)) assert.strictEqual(enveloped(answer, 408), "REQUEST_TIMEOUT")
    assert.isAtLeast(await counted("body_too_slow"), 50)
  })

  it("of a body is not waited for where the credential is wrong", async () => {
    const answer = await say(
      `POST /api/v1/products HTTP/1.1\r\n${host}${json}authorization: Bearer wrong\r\nconnection: close\r\n` +
        `content-length: 100000\r\n\r\n{`
    )
    assert.strictEqual(enveloped(answer, 401), "UNAUTHENTICATED")
  })

  it("of a body is not asked for by 100 Continue where the credential is wrong", async () => {
    const answer = await say(
      `POST /api/v1/products HTTP/1.1\r\n${host}${json}authorization: Bearer wrong\r\nexpect: 100-continue\r\n` +
        `content-length: 100\r\n\r\n`
    )
    assert.strictEqual(enveloped(answer, 401), "UNAUTHENTICATED")
  })

  it("of headers is REQUEST_TIMEOUT too", async () => {
    assert.strictEqual(enveloped(await say(`GET /healthz HTTP/1.1\r\n${host}x-slow: `), 408), "REQUEST_TIMEOUT")
    assert.isAtLeast(await counted("headers_too_slow"), 1)
  })
})

describe("bodies", () => {
  it.each(["activate", "validate", "check", "consume", "deactivate", "floating/checkout", "offline"])(
    "of %s have at most 16 KiB, however they are framed",
    async (operation) => {
      const body = { fingerprint: "f", feature_code: "f", event_id: "e", hostname: "x".repeat(16 * 1024) }
      for (const headers of [{}, { "transfer-encoding": "chunked" }] as const) {
        refused(await service.license(operation, issued.key, body, headers), 413, "PAYLOAD_TOO_LARGE")
      }
    }
  )

  it("of 8,000 unknown members are refused with 20 of them, in less than 16 KiB", async () => {
    const body = {
      ...Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [`m${index}${"é".repeat(4)}`, 1])),
      ["\u0001".repeat(4_000)]: 1
    }
    const answer = await service.call("POST", "/api/v1/products", { body })
    assert.lengthOf(refused(answer, 400, "UNKNOWN_FIELD").fields, 20)
    assert.isBelow(Buffer.byteLength(answer.text), 16 * 1024)
  })

  it("of control characters do not make a long answer either", async () => {
    const body = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [String.fromCharCode(1 + index % 8).repeat(200) + index, 1])
    )
    const answer = await service.call("POST", "/api/v1/products", { body })
    assert.isNotEmpty(refused(answer, 400, "UNKNOWN_FIELD").fields)
    assert.isBelow(Buffer.byteLength(answer.text), 16 * 1024)
  })
})

describe("what is no proper request", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n", 400, "INVALID_HEADER", "malformed"],
    ["a header name with a space", `GET / HTTP/1.1\r\n${host}a b: c\r\n\r\n`, 400, "INVALID_HEADER", "malformed"],
    [
      "two lengths",
      `POST / HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`,
      400,
      "INVALID_HEADER",
      "malformed"
    ],
    [
      "two Host headers",
      `GET /healthz HTTP/1.1\r\n${host}Host: other\r\nconnection: close\r\n\r\n`,
      400,
      "INVALID_HEADER",
      "host"
    ],
    ["no Host header", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "INVALID_HEADER", "host"],
    [
      "headers of more than 16 KiB",
      `GET /healthz HTTP/1.1\r\n${host}x: ${"x".repeat(17 * 1024)}\r\n\r\n`,
      431,
      "HEADERS_TOO_LARGE",
      "headers_too_large"
    ],
    [
      "a transfer coding beside chunked",
      `POST /healthz HTTP/1.1\r\n${host}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
      "INVALID_HEADER",
      "malformed"
    ],
    [
      "chunks in HTTP/1.0",
      `POST /healthz HTTP/1.0\r\n${host}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "INVALID_HEADER",
      "malformed"
    ],
    ["HTTP/0.9", `GET /healthz HTTP/0.9\r\n${host}\r\n`, 505, "INVALID_HEADER", "malformed"],
    ["HTTP/2.0", `GET /healthz HTTP/2.0\r\n${host}\r\n`, 505, "INVALID_HEADER", "malformed"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "INVALID_HEADER", "malformed"],
    ["a method that nobody knows", `BREW /healthz HTTP/1.1\r\n${host}\r\n`, 501, "INVALID_HEADER", "malformed"],
    ["a tunnel", `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, 501, "INVALID_HEADER", "malformed"],
    [
      "a method of others",
      `PROPFIND /api/v1/products HTTP/1.1\r\n${host}connection: close\r\n\r\n`,
      405,
      "METHOD_NOT_ALLOWED",
      undefined
    ],
    [
      "a body too long, for which a word is waited",
      `POST /api/v1/products HTTP/1.1\r\n${host}expect: 100-continue\r\ncontent-length: 300000\r\n\r\n`,
      413,
      "PAYLOAD_TOO_LARGE",
      "body_too_large"
    ],
    [
      "a body of an app too long, for which a word is waited",
      `POST /api/v1/license/validate HTTP/1.1\r\n${host}expect: 100-continue\r\ncontent-length: 17000\r\n\r\n`,
      413,
      "PAYLOAD_TOO_LARGE",
      "body_too_large"
    ],
    [
      "an expectation that cannot be met",
      `GET /healthz HTTP/1.1\r\n${host}expect: tea\r\n\r\n`,
      417,
      "INVALID_HEADER",
      "expectation"
    ]
  ])("%s", async (_, bytes, status, code, reason) => {
    assert.strictEqual(enveloped(await say(bytes), status), code)
    if (reason !== undefined) assert.isAtLeast(await counted(reason), 1)
  })

  it("an upgrade that nobody offers is a request like any other", async () => {
    const answer = await say(
      `GET /healthz HTTP/1.1\r\n${host}connection: upgrade, close\r\nupgrade: websocket\r\n\r\n`
    )
    assert.match(answer, /^HTTP\/1\.1 200 /)
  })
})

describe("connections", () => {
  it("are capped for each address; others come in", async () => {
    const sockets = await Promise.all(Array.from({ length: 61 }, () => open("127.0.0.3")))
    const answers = sockets.map((socket) => text(socket))
    const first = await Promise.race(answers)
    assert.strictEqual(enveloped(first, 503), "UNAVAILABLE")
    assert.isAtLeast(await counted("connections_per_address"), 1)
    const { text: metrics } = await service.call("GET", "/metrics")
    assert.isAtLeast(Number(/^countersign_http_connections(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1]), 60)
    for (const socket of sockets) socket.destroy()
    await eventually("a connection is free", async () => {
      const answer = await say(`GET /healthz HTTP/1.1\r\n${host}connection: close\r\n\r\n`, "127.0.0.3")
      return answer.startsWith("HTTP/1.1 200 ")
    })
  })

  it("whose peer takes nothing of its answer are closed", async () => {
    assert.strictEqual((await service.call("GET", "/openapi.json")).status, 200)
    const before = await counted("answer_not_taken")
    const socket = await open()
    socket.pause()
    // Those that find a place are more than the buffers between us take.
    socket.write(`GET /openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(32))
    await eventually("the peer is given up", async () => (await counted("answer_not_taken")) > before)
    assert.strictEqual((await service.call("GET", "/healthz")).status, 200)
  })

  it("take a few large answers at once; others have theirs, and a place is free when an answer has ended", async () => {
    const docs = `GET /openapi.json HTTP/1.1\r\n${host}`
    const held: Array<Socket> = []
    /** Asks for more than the kernel takes in the place of a peer that reads nothing; what comes after that stays here. */
    const hold = async () => {
      const socket = await open("127.0.0.4")
      socket.pause().write(`${docs}\r\n`.repeat(16))
      held.push(socket)
    }
    const refusal = await eventually("there is no place for more", async () => {
      await hold()
      const answer = await say(`${docs}connection: close\r\n\r\n`, "127.0.0.4")
      return answer.startsWith("HTTP/1.1 503 ") && answer
    })
    assert.isAbove(await counted("large_answers"), 0)
    assert.strictEqual(enveloped(refusal, 503), "UNAVAILABLE")
    assert.match(refusal, /\r\nretry-after: \d+/i)
    assert.strictEqual((await service.call("GET", "/openapi.json")).status, 200)
    // A download that would find no place is refused before it is asked who calls.
    const download = `GET /api/v1/reports/exports/rex_none/download HTTP/1.1\r\n${host}connection: close\r\n\r\n`
    await eventually("a download finds no place", async () => {
      await hold()
      return (await say(download, "127.0.0.4")).startsWith("HTTP/1.1 503 ")
    })
    assert.strictEqual(enveloped(await say(download), 401), "UNAUTHENTICATED")
    for (const socket of held) socket.destroy()
    await eventually(
      "a place is free",
      async () => (await say(`${docs}connection: close\r\n\r\n`, "127.0.0.4")).startsWith("HTTP/1.1 200 ")
    )
  })
})

describe("pages", () => {
  it("are compressed for who takes it, under a tag of their own", async () => {
    for (
      const path of [
        "/docs",
        "/docs/reference/createLicense",
        "/docs/reference.js",
        "/docs/pages.css",
        "/openapi.yaml",
        "/llms-full.txt",
        "/llms.txt",
        "/docs/errors"
      ]
    ) {
      const plain = await service.call("GET", path)
      const packed = await service.call("GET", path, { headers: { "accept-encoding": "br, gzip;q=0.8" } })
      assert.strictEqual(packed.headers["content-encoding"], "br", path)
      assert.isBelow(Number(packed.headers["content-length"]), Number(plain.headers["content-length"]) / 2, path)
      assert.notStrictEqual(packed.headers["etag"], plain.headers["etag"])
      assert.strictEqual(packed.headers["vary"], "accept-encoding")
      const zipped = await service.call("GET", path, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(zipped.headers["content-encoding"], "gzip", path)
      assert.isBelow(Number(zipped.headers["content-length"]), Number(plain.headers["content-length"]) / 2, path)
      assert.notStrictEqual(zipped.headers["etag"], packed.headers["etag"])
      const refusing = await service.call("GET", path, { headers: { "accept-encoding": "gzip;q=0" } })
      assert.isUndefined(refusing.headers["content-encoding"])
      const known = await service.call("GET", path, {
        headers: { "accept-encoding": "gzip", "if-none-match": String(zipped.headers["etag"]) }
      })
      assert.strictEqual(known.status, 304)
    }
  })

  it("run what stands in them alone, are framed by nobody, and tell nobody where they were left", async () => {
    for (const path of ["/docs", "/docs/reference/createLicense", "/docs/errors"]) {
      const { headers, text } = await service.call("GET", path)
      const policy = String(headers["content-security-policy"])
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.notMatch(policy, /https?:|script-src[^;]*unsafe/)
      // Scripts are files of this service; none stands in a page.
      assert.notMatch(text, /<script(?![^>]* src="\/)/)
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
    }
    assert.strictEqual((await service.call("GET", "/healthz")).headers["x-content-type-options"], "nosniff")
  })
})

describe("overload", () => {
  const check = () =>
    service.call("POST", "/api/v1/license/check", { licenseKey: issued.key, body: { fingerprint: "f" } })

  it("of management leaves room for what apps ask", async () => {
    const lock = await hold(service.databaseUrl, "LOCK TABLE features IN ACCESS EXCLUSIVE MODE")
    const state = { refused: 0 }
    const waiting = Array.from({ length: 58 }, async () => {
      const answer = await service.call("GET", "/api/v1/features/feat_none")
      if (answer.status === 503) state.refused++
      return answer
    })
    await eventually("38 of 58 are refused", () => state.refused === 38)
    refused(await service.call("GET", "/api/v1/products"), 503, "UNAVAILABLE")
    assert.strictEqual((await service.call("GET", "/healthz")).status, 200)
    // Let in, and waiting for a connection to the database with the others.
    const asked = check()
    const before = state.refused
    await lock.release()
    assert.notStrictEqual((await asked).status, 503)
    await Promise.all(waiting)
    assert.strictEqual(state.refused, before)
    assert.isAtLeast(await counted("overloaded"), 39)
  })

  it("is said by /readyz while load is shed, and no more afterwards", async () => {
    const lock = await hold(service.databaseUrl, "LOCK TABLE licenses IN ACCESS EXCLUSIVE MODE")
    const waiting: Array<Promise<unknown>> = []
    const reason = await eventually("the service says that it is overloaded", async () => {
      // There is room for 40 questions.
      while (waiting.length < 50) waiting.push(check())
      const more = await Promise.race([check(), setTimeout(100)])
      if (more === undefined) return undefined
      const { body, status } = await service.call("GET", "/readyz")
      return status === 503 && body.data.reason
    })
    assert.match(reason, /overloaded/)
    await lock.release()
    await Promise.all(waiting)
    await eventually("the service is ready again", async () => (await service.call("GET", "/readyz")).status === 200)
  })
})
