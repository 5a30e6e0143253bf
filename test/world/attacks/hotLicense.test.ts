import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  answered,
  atMost,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import { holdLicense } from "../../fixtures/Session.ts"

const connections = 100
const seconds = isLong ? 20 : 1

/** Longer than a request waits for a row. */
const lockedSeconds = isLong ? 20 : 5.5

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})

/** Activates a device that no request before had, with a key that none had. */
const activating = (key: string): Attack => ({
  kind: "call",
  addresses: attackers,
  connections,
  requests: [
    requestOf("POST", "/api/v1/license/activate", {
      authorization: `License ${key}`,
      "idempotency-key": "attack-##########"
    }, { fingerprint: "device-##########" })
  ],
  patience: 60_000,
  ...atMost(600, connections)
})

const refusals = ["403", "409", "429", "503"]

// The long form measures how the normal caller fares under each alone.
describe(`${connections} connections that activate one license`, { concurrent: !isLong }, () => {
  it("that is full: validate of another goes on as before", async (test) => {
    const full = await stage.license({ policy: { max_activations: 1 } })
    const attacked = await stage.under(
      test,
      `${connections} connections activate one full license`,
      [activating(full.key)],
      seconds
    )
    const [outcome] = attacked.outcomes
    assert.includeMembers(refusals, Object.keys(outcome!.latencies))
    if (isLong) assert.isAbove(answered(outcome!, 403), 0)
    assert.strictEqual((await stage.service.license("activate", full.key, { fingerprint: "after-all" })).status, 403)
    assert.strictEqual(outcome!.withoutRetryAfter, 0)
    expectUnharmed(attacked)
  }, attackTimeout)

  it("whose row is locked: validate of another goes on as before", async (test) => {
    const locked = await stage.license({ policy: { max_activations: 1 } })
    const lock = await holdLicense(stage.service.databaseUrl, locked.license.id)
    try {
      const attacked = await stage.under(
        test,
        `${connections} connections activate one license whose row is locked`,
        [activating(locked.key)],
        lockedSeconds
      )
      assert.includeMembers(refusals, Object.keys(attacked.outcomes[0]!.latencies))
      expectUnharmed(attacked)
    } finally {
      await lock.release()
    }
  }, attackTimeout)

  it("a hot metered license still takes what its callers consume", async (test) => {
    const hot = await stage.license({ policy: { max_activations: 1 } })
    const feature = await stage.service.data("POST", `/api/v1/products/${hot.product.id}/features`, {
      name: "Render",
      code: "render"
    })
    await stage.service.data("POST", `/api/v1/licenses/${hot.license.id}/features`, { feature_id: feature.id })
    const attacked = await stage.under(test, "64 connections consume of one license", [{
      kind: "call",
      addresses: attackers,
      connections: 64,
      requests: [
        requestOf("POST", "/api/v1/license/consume", {
          authorization: `License ${hot.key}`,
          "idempotency-key": "use-##########"
        }, { fingerprint: hot.fingerprint, feature_code: "render", amount: 1, event_id: "use-##########" })
      ],
      patience: 60_000,
      ...atMost(600, 64)
    }], seconds)
    const [outcome] = attacked.outcomes
    assert.includeMembers(["200"], Object.keys(outcome!.latencies), "a use is not refused because there are many")
    if (isLong) assert.isAbove(answered(outcome!, 200) / outcome!.seconds, 500, "uses a second")
    // A machine that does something else may answer none of them within the time of the short form.
    const use = { fingerprint: hot.fingerprint, feature_code: "render", amount: 1, event_id: "after-all" }
    assert.strictEqual((await stage.service.license("consume", hot.key, use)).status, 200)
    assert.strictEqual(attacked.disturbed.failures, "")
  }, attackTimeout)
})
