import { assert, describe, it } from "@effect/vitest"
import { setTimeout as delay } from "node:timers/promises"
import type { TestContext } from "vitest"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { Ledger } from "../../fixtures/Ledger.ts"
import type { Refuses } from "../../fixtures/Ledger.ts"
import { startLoad } from "../../fixtures/Load.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

/** So many that each node has some of them. */
const endpoints = 12
const stoppedFor = isLong ? 40_000 : 0
/** Clients, and how long each waits after an answer, in milliseconds. Every event goes to every endpoint. */
const size = isLong ? { clients: 6, pause: 15 } : { clients: 2, pause: 400 }

/**
 * How long it may take, in seconds, until the lanes of a node that is lost work on another one. It is held to where nothing
 * else runs.
 */
const takeover = 15

/** Attempts that a node has made since its start. A connection to one that was stopped for long may have ended. */
const attempts = async (service: Service): Promise<number> => {
  const { text } = await eventually(
    "a node shows its metrics",
    () => service.call("GET", "/metrics", { token: null }).catch(() => undefined)
  )
  return [...text.matchAll(/^countersign_delivery_attempts_total\{[^}]*\} (\S+)$/gm)]
    .reduce((sum, [, value]) => sum + Number(value), 0)
}

/** So many nodes on one database, which write and deliver, and what is done to them. */
const underLoad = async (
  { count, load: size, refusesOf, within }: {
    readonly count: number
    readonly load: { readonly clients: number; readonly pause: number }
    readonly refusesOf?: (index: number) => Refuses
    /** How soon, in seconds, what is written after a fault comes to every endpoint. */
    readonly within?: number
  },
  test: TestContext
) => {
  const first = await startService({ as: "program" })
  const others = await Promise.all(
    Array.from({ length: count - 1 }, () => startService({ databaseUrl: first.databaseUrl, as: "program" }))
  )
  const nodes = [first, ...others]
  // One is stopped in the middle of whatever it does.
  await holdsTransactions(first.databaseUrl)
  const ledger = await Ledger.open()
  await ledger.subscribe(first, endpoints, refusesOf)
  const load = await startLoad(nodes, size, test)
  const times: Array<string> = []

  /** Waits until each node delivers to some of the endpoints. */
  const allDeliver = async () => {
    const before = await Promise.all(nodes.map(attempts))
    await eventually("all nodes deliver", async () => {
      const now = await Promise.all(nodes.map(attempts))
      return now.every((count, index) => count > before[index]! + 20)
    })
  }

  /** The fault of a node, from which on what is written must come to every endpoint within the promised time. */
  const lose = async (what: string, fault: () => unknown) => {
    await allDeliver()
    const at = Date.now()
    const number = ledger.fault()
    await fault()
    // What the lost node had read of the feed before may still come from it; not what is written after.
    await ledger.reachesAll(at + 500, within)
    const seconds = (Date.now() - at) / 1000
    times.push(`${what} ${seconds.toFixed(1)} s`)
    return { at, number, seconds }
  }

  return {
    nodes,
    ledger,
    load,
    times,
    allDeliver,
    /** Stops a node for so long, in milliseconds, and longer where the others have not taken over before. */
    stop: async (node: Service, millis: number) => {
      const { at, seconds } = await lose("SIGSTOP", () => node.signal("SIGSTOP"))
      await delay(Math.max(0, millis - (Date.now() - at)))
      ledger.fault()
      node.signal("SIGCONT")
      return seconds
    },
    kill: async (node: Service) => {
      const { seconds } = await lose("SIGKILL", () => node.kill("SIGKILL"))
      await node.start()
      return seconds
    },
    end: async (node: Service) => {
      const { number, seconds } = await lose(
        "SIGTERM",
        async () => assert.strictEqual(await node.kill("SIGTERM"), 0)
      )
      times.push(`${ledger.repeatsSince(number)} duplicates`)
      return seconds
    }
  }
}

describe("two nodes on one database", () => {
  it("one is stopped, killed or ended: the other takes its lanes over, and nothing is lost", async (test) => {
    const { allDeliver, end, kill, ledger, load, nodes, stop, times } = await underLoad({ count: 2, load: size }, test)
    const [first, second] = [nodes[0]!, nodes[1]!]
    const took = [await stop(first, stoppedFor), await kill(second)]
    if (isLong) {
      took.push(await end(first))
      await first.start()
      took.push(await stop(second, stoppedFor), await kill(first))
    }
    took.push(await end(second))
    if (isLong) {
      assert.isAtMost(Math.max(...took), takeover, times.join(", "))
      await second.start()
      await allDeliver()
    }
    await ledger.settle(`two nodes (taken over after: ${times.join(", ")})`, first, load)
  }, faultTimeout)
})

/** How long, in seconds, deliveries may take after a fault, whatever the receivers refuse. */
const caughtUp = 90

/**
 * What receivers refuse, by their number: some nothing; some by chance, one in seventeen; and some what comes faster than a
 * bucket of tokens allows. Each takes more than is written, if it is asked well: chance alone, with its rests of a second, leaves
 * 15 a second.
 */
const refusing = (): (index: number) => Refuses => {
  const chances = chance("refusals")
  const byChance: Refuses = () => chances.upTo(17) < 1 ? 1 : undefined
  const bucket = (perSecond: number, burst: number): Refuses => {
    let tokens = burst
    let at = performance.now()
    return () => {
      const now = performance.now()
      tokens = Math.min(burst, tokens + (now - at) * perSecond / 1000)
      at = now
      if (tokens < 1) return 1
      tokens -= 1
      return undefined
    }
  }
  return (index) => [() => undefined, byChance, bucket(20, 20), bucket(40, 5)][index % 4]!
}

describe("three nodes on one database, whose receivers refuse", () => {
  it(`stopped, killed and ended in turn: all comes within ${caughtUp} s, and nothing is lost`, async (test) => {
    const { allDeliver, end, kill, ledger, load, nodes, stop, times } = await underLoad({
      count: 3,
      load: { clients: 2, pause: isLong ? 250 : 400 },
      refusesOf: refusing(),
      within: caughtUp
    }, test)
    const [first, second, third] = [nodes[0]!, nodes[1]!, nodes[2]!]
    await stop(first, isLong ? 90_000 : 0)
    await kill(second)
    await end(third)
    await third.start()
    if (isLong) {
      await stop(third, 90_000)
      await kill(first)
      await end(second)
      await second.start()
      await allDeliver()
    }
    assert.isAbove(ledger.refused, 0)
    const name = `three nodes, receivers that refuse (taken over after: ${times.join(", ")})`
    await ledger.settle(name, first, load, caughtUp)
  }, faultTimeout)
})
