import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { destinationOf } from "../../../src/runtime/postgres/DatabaseTls.ts"
import * as EmbeddedPostgres from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { refused, Service, startService } from "../../fixtures/Service.ts"
import { atEnd, database, eventually, holdLicense, session } from "../../fixtures/Session.ts"
import { tcpProxy } from "../../fixtures/TcpProxy.ts"

const temporaryDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A PostgreSQL that can be stopped and started. */
const ownServer = async () => {
  const directory = await temporaryDirectory()
  let scope = Scope.makeUnsafe()
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const start = async (): Promise<string> => {
    scope = Scope.makeUnsafe()
    const { url } = await Effect.runPromise(
      EmbeddedPostgres.start({ directory, durable: false }).pipe(Scope.provide(scope))
    )
    return Redacted.value(url)
  }
  atEnd(stop)
  return { start, stop }
}

const ready = async (service: Service) =>
  eventually("the service is ready", async () => {
    const answer = await service.call("GET", "/readyz").catch(() => undefined)
    return answer?.status === 200 && answer
  })

/** The counts of a license that a stopped service has left, as the next one finds them. */
const left = async (service: Service, id: string) => {
  const inspect = await session(service.databaseUrl)
  const [counts] = await inspect.query(
    "SELECT active_device_count, total_consumptions::int FROM licenses WHERE id = $1",
    [id]
  )
  await inspect.close()
  return counts
}

/** Whether nobody listens at an address any more. */
const isClosed = (url: string) => fetch(`${url}/healthz`).then(() => false, () => true)

/**
 * A stop in the middle of a request: during the drain everything is answered over connections that end with it; then the
 * port is closed, what was begun is answered, and the exit code is 0.
 */
const stopsOnceAnswered = async (service: Service) => {
  const { key, license } = await service.issue()
  const lock = await holdLicense(service.databaseUrl, license.id)
  const held = service.license("activate", key, { fingerprint: "f" })
  await lock.blocked(1)
  // What is sent to a group comes twice under npm, which forwards it: that asks once.
  for (let times = 0; times < 2; times++) service.signal("SIGTERM")
  const draining = await eventually("the service is draining", async () => {
    const answer = await service.call("GET", "/readyz")
    return answer.status === 503 && answer
  })
  assert.deepInclude(draining.body.data, { status: "not_ready", db: "ok", phase: "draining" })
  for (const path of ["/api/v1/products", "/healthz", "/metrics", "/no-such-page"]) {
    const late = await service.call("GET", path)
    assert.strictEqual(late.status, path === "/no-such-page" ? 404 : 200)
    assert.strictEqual(late.headers.connection, "close", path)
  }
  const validated = await service.license("validate", key, { fingerprint: "f" })
  assert.strictEqual(validated.headers.connection, "close", "a hot route")
  assert.isFalse(await isClosed(service.url))
  await eventually("the port is closed once a person asks again, who does not want to wait for the drain", () => {
    service.signal("SIGTERM")
    return isClosed(service.url)
  })
  await lock.release()
  assert.strictEqual((await held).status, 200)
  assert.strictEqual(await service.ended(), 0)
  assert.match(
    service.logs(),
    /"message":"draining"[^]*"message":"asked to stop again, so the drain ends"[^]*"message":"stopped"/
  )
  assert.deepInclude(await left(service, license.id), { active_device_count: 1 })
}

/** Two nodes that have found their database empty, both at once. */
let nodes: ReadonlyArray<Service>
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = await database()
  nodes = await Promise.all([1, 2].map(() => startService({ databaseUrl, as: "host" })))
})

/** Nearly all of it is waiting: for starts, for stops, and for what is given up. */
const sideBySide = { concurrent: true }

describe("a service whose database comes and goes", sideBySide, () => {
  it("answers probes without it, serves when it comes, stops once it has answered, and says when it allows too few connections", async () => {
    const postgres = await ownServer()
    const url = await postgres.start()
    await postgres.stop()
    const port = await freePort()
    const service = new Service(url, { PORT: String(port), COUNTERSIGN_DRAIN_SECONDS: "300" })
    service.launch()
    service.url = `http://127.0.0.1:${port}`
    const starting = await eventually("the port is open", () => service.call("GET", "/readyz").catch(() => undefined))
    assert.strictEqual(starting.status, 503)
    assert.deepInclude(starting.body.data, { status: "not_ready", phase: "starting" })
    assert.strictEqual((await service.call("GET", "/healthz")).status, 200)
    assert.strictEqual((await service.call("GET", "/metrics")).status, 200)
    const early = await service.call("GET", "/api/v1/products")
    refused(early, 503, "UNAVAILABLE")
    assert.strictEqual(early.headers["retry-after"], "1")
    await postgres.start()
    assert.deepInclude((await ready(service)).body.data, { status: "ready", db: "ok", phase: "ready" })
    const { key } = await service.issue()
    assert.strictEqual((await service.license("activate", key, { fingerprint: "f" })).status, 200)

    // The database goes away for good measure, and comes back.
    await postgres.stop()
    for (const path of ["/api/v1/products", "/api/v1/events", "/api/v1/system/public-keys"]) {
      const answer = await service.call("GET", path)
      refused(answer, 503, "UNAVAILABLE")
      assert.strictEqual(answer.headers["retry-after"], "1")
    }
    refused(await service.license("validate", key, { fingerprint: "f" }), 503, "UNAVAILABLE")
    const away = await service.call("GET", "/readyz")
    assert.strictEqual(away.status, 503)
    assert.deepInclude(away.body.data, { status: "not_ready", db: "unavailable", phase: "ready" })
    assert.strictEqual((await service.call("GET", "/health")).status, 200)
    await postgres.start()
    await ready(service)
    assert.strictEqual((await service.license("validate", key, { fingerprint: "f" })).status, 200)
    await stopsOnceAnswered(service)

    // With too few connections, a start and /readyz say how many are needed.
    const admin = await session(url)
    await admin.query("ALTER SYSTEM SET max_connections = 16")
    await admin.close()
    await postgres.stop()
    await postgres.start()
    const short = await startService({ databaseUrl: url })
    assert.match(short.logs(), /needs 23 connections to the database and can have \d+: max_connections allows 16/)
    const { body, status } = await short.call("GET", "/readyz")
    assert.strictEqual(status, 503)
    assert.deepInclude(body.data, { status: "not_ready", db: "ok", phase: "ready" })
    assert.match(body.data.reason, /needs 23 connections .* max_connections allows 16/)
  })
})

// By itself, so that what comes after it, which is held to a time, waits beside nothing else.
describe("a start of several nodes at once", () => {
  it("on an empty database migrates it once", async () => {
    const keys = await Promise.all(nodes.map((node) => node.data("GET", "/api/v1/signing-keys")))
    assert.lengthOf(keys[0], 1)
    assert.deepStrictEqual(keys[0], keys[1])
    const created = (await nodes[0]!.feed()).filter(({ event_type }) => event_type === "signing_key.created")
    assert.lengthOf(created, 1)
  })
})

describe("a stop that is waited for in vain", sideBySide, () => {
  it("answers a use that waits for a lock with 503, and ends with 0", async () => {
    const service = await startService({ as: "program" })
    const { key, license, product } = await service.issue({ policy: { license_type: "consumption" } })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "X", code: "x" })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    await service.license("activate", key, { fingerprint: "f" })
    const lock = await holdLicense(service.databaseUrl, license.id)
    const use = () => service.license("consume", key, { fingerprint: "f", feature_code: "x", event_id: randomUUID() })
    const stuck = [use(), use(), service.license("activate", key, { fingerprint: "g" })]
    await lock.blocked(2)
    const begun = performance.now()
    assert.strictEqual(await service.kill("SIGTERM"), 0)
    assert.isBelow(performance.now() - begun, 30_000)
    for (const answer of await Promise.all(stuck)) refused(answer, 503, "UNAVAILABLE")
    await lock.release()
    assert.deepInclude(await left(service, license.id), { total_consumptions: 0 })
  })

  it("answers what the database does not, and ends all the same", async () => {
    const url = new URL(databaseUrl)
    const proxy = await tcpProxy(destinationOf(url.href))
    const behind = new URL(url.href.replace(/\?.*$/, ""))
    behind.hostname = "127.0.0.1"
    behind.port = String(proxy.port)
    const service = await startService({ databaseUrl: behind.href, as: "program" })
    const { key } = await service.issue()
    await service.license("activate", key, { fingerprint: "f" })
    proxy.swallow()
    const stuck = [
      service.license("validate", key, { fingerprint: "f" }),
      service.license("activate", key, { fingerprint: "f" }),
      service.call("GET", "/api/v1/products")
    ]
    await eventually("they are under way", async () => {
      const { text } = await service.call("GET", "/metrics")
      return Number(/^http_server_active_requests(?:\{.*\})? (\d+)/m.exec(text)?.[1]) >= 3
    })
    const begun = performance.now()
    const status = await service.kill("SIGTERM")
    assert.isBelow(performance.now() - begun, 30_000)
    assert.oneOf(status, [0, 1])
    for (const answer of await Promise.all(stuck)) refused(answer, 503, "UNAVAILABLE")
    proxy.heal()
  })
})
