import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { TestContext } from "vitest"
import {
  answered,
  asManager,
  atMost,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  report,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const seconds = isLong ? 20 : 1
const mebibyte = 1024 * 1024

const names = new URL("../../fixtures/slowNames.mjs", import.meta.url).href

let stage: Stage
let database: Session

beforeAll(async () => {
  stage = await startStage({ environment: { NODE_OPTIONS: `--import ${names}` } })
  database = await session(stage.service.databaseUrl)
})

/** Everything the database has on disk, in bytes. */
const stored = async (): Promise<number> =>
  Number((await database.query("SELECT pg_database_size(current_database())::float8 AS bytes"))[0].bytes)

/** Under the attack, and how much the database has grown by it, for each request that was answered, in bytes. */
const growth = async (test: TestContext, name: string, attack: Attack) => {
  const before = await stored()
  const attacked = await stage.under(test, name, [attack], seconds)
  const requests = answered(attacked.outcomes[0]!, 200)
  const bytes = await stored() - before
  report(`${name}: what is left`, [
    `${(bytes / mebibyte).toFixed(1)} MiB for ${requests} answers, ${
      (bytes / mebibyte / seconds).toFixed(2)
    } MiB a second`
  ])
  return { attacked, bytes, requests }
}

const asking = (operation: string, key: string, body: object): Attack => ({
  kind: "call",
  addresses: attackers.slice(0, 1),
  connections: 8,
  requests: [
    requestOf("POST", `/api/v1/license/${operation}`, {
      authorization: `License ${key}`,
      "idempotency-key": "ask-##########"
    }, body)
  ],
  patience: 20_000,
  ...atMost(600, 8)
})

describe("answers that are kept for their Idempotency-Keys", () => {
  it("questions leave nothing", async (test) => {
    const { fingerprint, key } = await stage.license()
    const { attacked, bytes, requests } = await growth(
      test,
      "validate with another Idempotency-Key each time",
      asking("validate", key, { fingerprint })
    )
    assert.isAbove(requests, 0)
    // What is written about the device that was seen, whatever is asked.
    assert.isBelow(bytes, isLong ? mebibyte / 2 : mebibyte / 4)
    expectUnharmed(attacked)
  }, attackTimeout)

  it("who activates what is activated leaves nothing that grows", async (test) => {
    const { fingerprint, key } = await stage.license()
    const { attacked, bytes } = await growth(
      test,
      "activate of the same device with another Idempotency-Key each time",
      asking("activate", key, { fingerprint })
    )
    assert.isBelow(bytes, (isLong ? 4 : 1) * mebibyte, "an event tells of each, and an answer is kept of few")
    assert.strictEqual(attacked.disturbed.failures, "")
  }, attackTimeout)
})

describe("webhooks while the name servers do not respond", () => {
  it("40 creations with an Idempotency-Key: reads go on", async (test) => {
    const attacked = await stage.under(test, "40 connections create webhooks whose names nobody resolves", [{
      kind: "call",
      addresses: attackers,
      connections: 40,
      requests: [
        requestOf("POST", "/api/v1/webhooks", { ...asManager, "idempotency-key": "hook-##########" }, {
          name: "Slow",
          url: "https://h##########.slow.example/"
        })
      ],
      patience: 30_000
    }, {
      kind: "call",
      addresses: ["127.0.0.1"],
      connections: 8,
      requests: [requestOf("GET", "/api/v1/products", asManager)],
      perSecond: 10,
      patience: 20_000
    }], seconds)
    const [, reads] = attacked.outcomes
    assert.deepStrictEqual(Object.keys(reads!.latencies), ["200"], "who lists products is answered")
    if (isLong) {
      const slowest = Math.max(...reads!.latencies["200"]!)
      assert.isAtMost(slowest, isLong ? 1_000 : 4_000, "the slowest list, in milliseconds")
    }
    expectUnharmed(attacked)
  }, attackTimeout)
})
