import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { request } from "node:http"
import { servedLeafText } from "../../../src/domain/log/EventLeaf.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"
import { TileMonitor } from "../../fixtures/TileMonitor.ts"
import { readCheckpoint } from "../../fixtures/TlogReader.ts"

let service: Service
let keys: ReadonlyArray<{ readonly public_key: string }>

const prefix = "/api/v1/log/1/"

/** How many customers were made. */
let customers = 0

/** A resource of the log as it is sent; `Service` would read it as text. */
const fetchFrom =
  (of: Service) => (path: string, token = of.token): Promise<{ status: number; headers: Body; bytes: Buffer }> =>
    new Promise((resolve, reject) => {
      const sent = request(`${of.url}${prefix}${path}`, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
        const pieces: Array<Buffer> = []
        answer.on("data", (piece) => pieces.push(piece))
        answer.on(
          "end",
          () => resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(pieces) })
        )
      })
      sent.on("error", reject)
      sent.end()
    })

/** Makes so many events, each the creation of a customer. */
const makeEvents = async (of: Service, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 20) {
    await Promise.all(
      Array.from(
        { length: 20 },
        (_, at) => of.data("POST", "/api/v1/customers", { code: `c-${++customers}`, name: `Zoë ${made + at}` })
      )
    )
  }
}

/** The checkpoint of the log once it covers all events, read by its signature. */
const checkpointOf = async (of: Service, keys: ReadonlyArray<{ readonly public_key: string }>) => {
  const { sequence } = (await of.feed()).at(-1)
  return eventually("a checkpoint covers the feed", async () => {
    const { bytes, status } = await fetchFrom(of)("checkpoint")
    if (status !== 200) return undefined
    const read = readCheckpoint(bytes.toString("utf8"), keys)
    return read.size >= sequence ? read : undefined
  })
}

const monitorOf = (of: Service): TileMonitor =>
  new TileMonitor(async (path) => {
    const { bytes, status } = await fetchFrom(of)(path)
    if (status !== 404) assert.strictEqual(status, 200, bytes.toString())
    return status === 200 ? bytes : undefined
  })

beforeAll(async () => {
  service = await startService()
  keys = await service.data("GET", "/api/v1/system/public-keys")
})

describe("the log, read by C2SP tlog-tiles", () => {
  it("is followed by a monitor that knows the standard alone, and its entries are the leaves of the feed", async () => {
    const monitor = monitorOf(service)
    for (const count of [20, 260, 40]) {
      await makeEvents(service, count)
      await monitor.follow(await checkpointOf(service, keys))
    }
    const feed = (await service.feed()).slice(0, monitor.entries.length)
    assert.isAbove(feed.length, 300)
    assert.deepStrictEqual(
      monitor.entries.map((entry) => Buffer.from(entry).toString("utf8")),
      feed.map(servedLeafText)
    )
  })

  it("sends bytes that may be kept for ever by who asked, and a checkpoint that may not", async () => {
    const { size } = await checkpointOf(service, keys)
    const hashes = await fetchFrom(service)("tile/0/000")
    assert.strictEqual(hashes.bytes.length, 8192)
    const entries = await fetchFrom(service)(`tile/entries/001.p/${size - 256}`)
    for (const { headers, status } of [hashes, entries]) {
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "application/octet-stream")
      assert.strictEqual(headers["cache-control"], "private, max-age=31536000, immutable")
      assert.match(headers.vary, /authorization/i)
    }
    const { headers } = await service.call("GET", "/api/v1/log/1/checkpoint")
    assert.strictEqual(headers["content-type"], "text/plain; charset=utf-8")
    assert.strictEqual(headers["cache-control"], "no-store")
    const [, , root] = (await fetchFrom(service)("checkpoint")).bytes.toString().split("\n")
    assert.lengthOf(Buffer.from(root!, "base64"), 32)
  })

  it("has a tile by one more spelling alone, that of clients which encode slashes", async () => {
    const plain = (await fetchFrom(service)("tile/0/001.p/3")).bytes
    assert.lengthOf(plain, 96)
    assert.deepStrictEqual((await fetchFrom(service)("tile/0/001.p%2F3")).bytes, plain)
    for (
      const other of [
        "tile/0/1.p/3",
        "tile/0/x000/001.p/3",
        "tile/00/001.p/3",
        "tile/0//001.p/3",
        "tile/0/001.p/03",
        "tile/0/001.p/3/4",
        "tile/64/000",
        "tile/entries",
        "tile/0/001.p/256"
      ]
    ) {
      assert.strictEqual((await fetchFrom(service)(other)).status, 404, other)
    }
  })

  it("answers nothing that the newest checkpoint does not cover, and of no other epoch", async () => {
    const { size } = await checkpointOf(service, keys)
    for (
      const path of [
        `tile/0/001.p/${size - 255}`,
        "tile/0/001",
        "tile/1/000",
        "tile/1/000.p/2",
        "tile/entries/001",
        "tile/7/000.p/1",
        "tile/0/x999/x999/x999/x999/999"
      ]
    ) {
      const { detail } = refused(await service.call("GET", `${prefix}${path}`), 404, "NOT_FOUND")
      assert.include(detail, `covers ${size} events`, path)
    }
    for (const path of ["checkpoint", "tile/0/000", "tile/entries/000"]) {
      for (const epoch of ["2", "0", "01", "x"]) {
        const { detail } = refused(await service.call("GET", `/api/v1/log/${epoch}/${path}`), 404, "NOT_FOUND")
        assert.include(detail, "epoch 1")
      }
    }
  })

  it("needs event:read, and entries a token that is limited to no product", async () => {
    const { bytes: first } = await fetchFrom(service)("tile/0/000")
    for (const path of ["checkpoint", "tile/0/000", "tile/entries/000"]) {
      refused(await service.call("GET", `${prefix}${path}`, { token: null }), 401, "UNAUTHENTICATED")
    }
    const product = await service.data("POST", "/api/v1/products", { name: "One", code: "one" })
    const keyOf = async (scopes: ReadonlyArray<string>, more: Body = {}) =>
      (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes, ...more })).token
    const other = await keyOf(["license:read"])
    refused(await service.call("GET", `${prefix}tile/0/000`, { token: other }), 403, "TOKEN_SCOPE_DENIED")
    const limited = await keyOf(["event:read"], { product_ids: [product.id] })
    refused(await service.call("GET", `${prefix}tile/entries/000`, { token: limited }), 403, "TOKEN_PRODUCT_DENIED")
    assert.deepStrictEqual((await fetchFrom(service)("tile/0/000", limited)).bytes, first)
  })

  it("is named after the address of the page that verifies, whole, in each environment: statements print it", async () => {
    for (const  of of[service, inTestOf(service, testDatabaseOf(service))]) {
      const { origin } = await eventually("a checkpoint is signed", async () => {
        const { body, status } = await of.call("GET", "/api/v1/events/checkpoint")
        return status === 200 ? body.data : undefined
      })
      const [, place = ""] = /^(.+)\/events\//.exec(origin) ?? []
      assert.strictEqual(place, new URL(of.url).host + (of === service ? "" : "/test"))
      const page = await fetch(`http://${place}/verify`)
      assert.strictEqual(page.status, 200, place)
      assert.include(await page.text(), "<!doctype html>")
    }
  })

  it("is another one in the test environment", async () => {
    const test = inTestOf(service, testDatabaseOf(service))
    const testKeys = await service.data("GET", "/test/api/v1/system/public-keys")
    await makeEvents(test, 20)
    const monitor = monitorOf(test)
    const { origin } = await checkpointOf(test, testKeys)
    assert.include(origin, "/test/events/")
    await monitor.follow(await checkpointOf(test, testKeys))
    assert.include(Buffer.from(monitor.entries[0]!).toString(), "\"environment\":\"test\"")
    const live = createHash("sha256").update((await fetchFrom(service)("tile/0/000.p/5")).bytes).digest("hex")
    assert.notStrictEqual(
      createHash("sha256").update((await fetchFrom(test)("tile/0/000.p/5")).bytes).digest("hex"),
      live
    )
  })
})
