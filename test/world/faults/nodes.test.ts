import { assert, describe, it } from "@effect/vitest"
import { setTimeout as delay } from "node:timers/promises"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { Ledger } from "../../fixtures/Ledger.ts"
import { startLoad } from "../../fixtures/Load.ts"
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

/** Attempts that a node has made since its start. */
const attempts = async (service: Service): Promise<number> => {
  const { text } = await service.call("GET", "/metrics", { token: null })
  return [...text.matchAll(/^countersign_delivery_attempts_total\{[^}]*\} (\S+)$/gm)]
    .reduce((sum, [, value]) => sum + Number(value), 0)
}

describe("two nodes on one database", () => {
  it("one is stopped, killed or ended: the other takes its lanes over, and nothing is lost", async (test) => {
    const first = await startService({ as: "program" })
    const second = await startService({ databaseUrl: first.databaseUrl, as: "program" })
    const nodes = [first, second]
    // One is stopped in the middle of whatever it does.
    await holdsTransactions(first.databaseUrl)
    const ledger = await Ledger.open()
    await ledger.subscribe(first, endpoints)
    const load = await startLoad(nodes, size, test)
    const times: Array<string> = []

    /** Waits until each node delivers to some of the endpoints. */
    const bothDeliver = async () => {
      const before = await Promise.all(nodes.map(attempts))
      await eventually("both nodes deliver", async () => {
        const now = await Promise.all(nodes.map(attempts))
        return now.every((count, index) => count > before[index]! + 20)
      })
    }

    /** The fault of a node, from which on what is written must come to every endpoint within the promised time. */
    const lose = async (what: string, fault: () => unknown) => {
      await bothDeliver()
      const at = Date.now()
      const number = ledger.fault()
      await fault()
      // What the lost node had read of the feed before may still come from it; not what is written after.
      await ledger.reachesAll(at + 500)
      const seconds = (Date.now() - at) / 1000
      times.push(`${what} ${seconds.toFixed(1)} s`)
      if (isLong) assert.isAtMost(seconds, takeover, what)
      return { at, repeats: ledger.repeatsSince(number) }
    }

    const stop = async (node: Service) => {
      const { at } = await lose("SIGSTOP", () => node.signal("SIGSTOP"))
      await delay(Math.max(0, stoppedFor - (Date.now() - at)))
      ledger.fault()
      node.signal("SIGCONT")
    }
    const kill = async (node: Service) => {
      await lose("SIGKILL", () => node.kill("SIGKILL"))
      await node.start()
    }
    const end = async (node: Service) => {
      const { repeats } = await lose("SIGTERM", async () => assert.strictEqual(await node.kill("SIGTERM"), 0))
      times.push(`${repeats} duplicates`)
    }

    await stop(first)
    await kill(second)
    if (isLong) {
      await end(first)
      await first.start()
      await stop(second)
      await kill(first)
    }
    await end(second)
    if (isLong) {
      await second.start()
      await bothDeliver()
    }
    await ledger.settle(`two nodes (taken over after: ${times.join(", ")})`, first, load)
  }, faultTimeout)
})
