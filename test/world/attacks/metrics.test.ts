import { assert, beforeAll, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import {
  answered,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  largest,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import { eventually } from "../../fixtures/Session.ts"

const seconds = isLong ? 20 : 1

/** How much memory an attack may take of the service, in MiB. */
const mostGrowth = 30

let stage: Stage

/** Every operation is asked as somebody who may and as a stranger, so that there are as many series as there ever are. */
const fillSeries = async ({ service }: Stage): Promise<void> => {
  for (const { method, path } of operations) {
    if (path.startsWith("/docs") || path.endsWith(".txt") || path === "/metrics") continue
    const target = path.replace(/:\w+/g, "none")
    for (const options of [{}, { token: null }, { raw: "{" }]) {
      await service.call(method, target, { ...options, headers: { "content-type": "application/json" } })
        .catch(() => undefined)
    }
  }
}

beforeAll(async () => {
  stage = await startStage()
  if (isLong) await fillSeries(stage)
})

const read = (connections: number, headers: Readonly<Record<string, string>> = {}): Attack => ({
  kind: "call",
  addresses: attackers,
  connections,
  requests: [requestOf("GET", "/metrics", headers)],
  patience: 30_000
})

const gzip = { "accept-encoding": "gzip" }

describe("strangers who read /metrics", () => {
  it.each([
    ["in a loop from 50 connections, plain", [read(50)]],
    ["in a loop from 50 connections, compressed", [read(50, gzip)]],
    ["900 at once, again and again, plain", [{ ...read(900), total: isLong ? 4_500 : 900 }]],
    ["900 at once, again and again, compressed", [{ ...read(900, gzip), total: isLong ? 4_500 : 900 }]]
  ])("%s: validates go on, and memory stays", async (name, attacks) => {
    const attacked = await stage.under({ onTestFailed: () => {} }, `/metrics ${name}`, attacks, seconds)
    const [outcome] = attacked.outcomes
    // A loaded machine may have no room for any of them in the second of the short form, but it has for one that waits.
    await eventually("/metrics is answered", async () => (await stage.service.call("GET", "/metrics")).status === 200)
    if (isLong) assert.isAbove(answered(outcome!, 200), 0)
    assert.sameMembers(Object.keys(outcome!.latencies).filter((status) => !["200", "503"].includes(status)), [])
    if (answered(outcome!, 200) > 0) assert.isAbove(largest(outcome!, 200), 1_000)
    expectUnharmed(attacked)
    if (isLong && !Number.isNaN(attacked.growth)) assert.isBelow(attacked.growth, mostGrowth, "MiB more of memory")
  }, attackTimeout)
})
