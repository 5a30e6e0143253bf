import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import {
  answered,
  asManager,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Stage } from "../../fixtures/Attack.ts"
import { eventually } from "../../fixtures/Session.ts"

/** What the service may have in memory meanwhile, in MiB. */
const memoryLimit = 300

/** How long a peer may leave what it is sent, and the time in which that is noticed, in seconds. */
const seconds = isLong ? 45 : 2

const unread = (connections: number, request: Uint8Array) =>
  ({
    kind: "hold",
    addresses: attackers,
    connections,
    opening: request,
    reads: false,
    returns: false
  }) as const

/** One of its own for each attack, because its memory is measured; in the short form both must go into that of one. */
let stages: readonly [Stage, Stage]

beforeAll(async () => {
  const first = await startStage({ alone: true })
  stages = [first, isLong ? await startStage({ alone: true }) : first]
})

describe("readers who ask and never read:", () => {
  it("600 of the documentation cost no memory", async (test) => {
    const [stage] = stages
    const attacked = await stage.under(
      test,
      "600 answers to GET /openapi.json that nobody reads",
      [
        // Several on each connection: of one alone, the kernel would take the most.
        unread(600, Buffer.concat(Array.from({ length: 4 }, () => requestOf("GET", "/openapi.json", {}))))
      ],
      seconds
    )
    assert.isNotTrue(attacked.memory > memoryLimit, `${attacked.memory.toFixed(0)} MiB`)
    expectUnharmed(attacked)
  }, attackTimeout)

  it("downloads of an export cost no memory", async (test) => {
    const uses = isLong ? 20_000 : 200
    const readers = isLong ? 2_000 : 200
    const [, stage] = stages
    const { fingerprint, key, license, product } = await stage.license()
    const { service } = stage
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "Use", code: "use" })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    const consume = requestOf("POST", "/api/v1/license/consume", {
      authorization: `License ${key}`,
      "idempotency-key": "use-##########"
    }, { fingerprint, feature_code: "use", amount: 1, event_id: `use-##########-${randomUUID()}` })
    const [consumed] = await stage.send([
      {
        kind: "call",
        addresses: ["127.0.0.1"],
        connections: 48,
        requests: [consume],
        total: uses,
        patience: 60_000
      }
    ], 150)
    assert.isAtLeast(answered(consumed!, 200), uses - 48)
    const { id } = await service.data("POST", "/api/v1/reports/exports", { report_kind: "usage-ledger" })
    const path = `/api/v1/reports/exports/${id}`
    const ready = await eventually("the export is ready", async () => {
      const record = await service.data("GET", path)
      await delay(100)
      return record.status === "ready" ? record : undefined
    })

    const attacked = await stage.under(
      test,
      `${readers} downloads of ${ready.artifact_size} bytes that nobody reads`,
      [
        unread(readers, requestOf("GET", `${path}/download`, asManager))
      ],
      seconds
    )
    assert.isNotTrue(attacked.memory > memoryLimit, `${attacked.memory.toFixed(0)} MiB`)
    expectUnharmed(attacked)
  }, attackTimeout)
})
