import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import {
  answered,
  asManager,
  attackers,
  attackTimeout,
  isLong,
  report,
  requestOf,
  startStage,
  validateOf
} from "../../fixtures/Attack.ts"
import { postgresServer } from "../../fixtures/PostgresServer.ts"
import { eventually, holdLicense } from "../../fixtures/Session.ts"

/** How long the database is away, in seconds. */
const seconds = isLong ? 20 : 1.5

/** What the log may grow by meanwhile, in bytes a second. */
const logLimit = 30_000

/** When a stop must have come to its end, in seconds, with some room for a machine that does something else. */
const stopLimit = isLong ? 16 : 40

describe("the database is away while callers go on", { concurrent: !isLong }, () => {
  it("they are told to come again, and the log tells it in a few lines", async () => {
    const server = await postgresServer()
    const stage = await startStage({ databaseUrl: server.url })
    const { service } = stage
    const { fingerprint, key } = await stage.license()
    await server.stopImmediately()
    const before = service.logs().length
    const [outcome] = await stage.send([{
      kind: "call",
      addresses: attackers,
      connections: 40,
      requests: [validateOf(key, fingerprint), requestOf("GET", "/api/v1/products", asManager)],
      perSecond: 200,
      patience: 15_000
    }], seconds)
    const bytes = (service.logs().length - before) / outcome!.seconds
    report("200 calls a second while the database is away", [
      `${answered(outcome!, 503)} times 503, ${outcome!.unanswered} without an answer`,
      `the log grows by ${bytes.toFixed(0)} bytes a second`
    ])
    await server.start()
    await eventually("the service is ready again", async () => {
      const { status } = await service.call("GET", "/readyz", { token: null })
      return status === 200
    })
    // What was asked last may be answered by a database that is back, or by one that was not away yet.
    assert.includeMembers(["200", "503"], Object.keys(outcome!.latencies))
    assert.isAbove(answered(outcome!, 503), 0)
    assert.strictEqual(outcome!.withoutRetryAfter, 0)
    assert.isBelow(bytes, logLimit, "what the log grows by, in bytes a second")
  }, attackTimeout)
})

describe("SIGTERM while uses of a license wait for its row", { concurrent: !isLong }, () => {
  it("ends in time, and who waits is answered", async () => {
    const stage = await startStage({ alone: true })
    const { service } = stage
    const { fingerprint, key, license, product } = await stage.license()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "Use", code: "use" })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    const lock = await holdLicense(service.databaseUrl, license.id)
    try {
      const stuck = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0
          ? service.license("consume", key, { fingerprint, feature_code: "use", event_id: randomUUID() })
          : service.license("activate", key, { fingerprint: randomUUID() }))
          .then(({ status }) => String(status), () => "no answer"))
      await lock.blocked(1)
      const begun = performance.now()
      service.signal("SIGTERM")
      const ended = await Promise.race([
        service.ended(),
        new Promise<undefined>((resolve) => setTimeout(resolve, stopLimit * 1000))
      ])
      const took = (performance.now() - begun) / 1000
      if (ended === undefined) service.signal("SIGKILL")
      const statuses = [...new Set(await Promise.all(stuck))]
      report("SIGTERM while 20 writes wait for a locked license", [
        `${ended === undefined ? `not ended after ${stopLimit}` : `ended with ${ended} after ${took.toFixed(1)}`} s, ` +
        `answers: ${statuses.join(", ")}`
      ])
      assert.strictEqual(ended, 0, `the exit code, within ${stopLimit} s`)
      assert.includeMembers(["429", "503"], statuses)
    } finally {
      await lock.release()
    }
  }, attackTimeout)
})
