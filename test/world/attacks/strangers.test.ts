// Strangers without a credential who ask for one thing in a loop: each operation and each page, as the service declares them. The caller
// beside them waits at most twice as long as beside those who ask for what there is not.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { setTimeout as delay } from "node:timers/promises"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { attackers, attackTimeout, isLong, report, requestOf, startStage } from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import { everyRoute, pathOf } from "../../fixtures/EveryRoute.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

type Target = readonly [method: string, path: string, headers?: Readonly<Record<string, string>>]

/** How many connections ask. */
const crowds = isLong ? [100, 300, 900] : [60]
const seconds = isLong ? 4 : 1
/** How often both are measured, in turns; the middle of the ratios counts. */
const turns = isLong ? 3 : 1

/** What the door and the edge answer themselves. */
const edges: Readonly<Record<string, ReadonlyArray<Target>>> = {
  "probes": [["GET", "/healthz"], ["GET", "/readyz"], ["GET", "/health"]],
  "what is moved": [["GET", "/console/"], ["GET", "/api/v1/licenses/"]],
  "preflights": [["OPTIONS", "/api/v1/license/validate", {
    origin: "https://app.example.com",
    "access-control-request-method": "POST"
  }]],
  "methods that a path does not have": [["DELETE", "/healthz"], ["PUT", "/readyz"], ["PATCH", "/api/v1/licenses"]],
  // A near path is looked for, of which the one that is compared with has none.
  "paths that are nearly there": [["GET", "/favicon.ico"], ["GET", "/api/v1/licences"], [
    "POST",
    "/api/v1/licenses/none/renewal"
  ]]
}

/** What no operation has is grouped by its first word, and the portal by that of its licenses. */
const pageGroupOf = (path: string): string =>
  path.startsWith("/portal/licenses/")
    ? "licenses of the portal"
    : `pages of /${path.split(/[/.]/)[path.startsWith("/api/") ? 3 : 1]}`

/** The targets by their group: each operation is in that of its declaration, and the service's router has all others. */
const groups = new Map<string, Array<Target>>()
const declared = new Map(operations.map(({ group, method, path }) => [`${method} ${path}`, group]))
for (const route of await everyRoute()) {
  const { method, path } = route
  // Metrics have attacks of their own, and the scripts of the console are static files of one kind, as its page is.
  if (path === "/metrics" || /^\/assets\/console\/.*\.js$/.test(path)) continue
  const group = declared.get(`${method} ${path}`) ?? pageGroupOf(path)
  groups.set(group, [...groups.get(group) ?? [], [method, pathOf(route)]])
}
for (const [name, targets] of Object.entries(edges)) groups.set(name, [...targets])

const asking = (targets: ReadonlyArray<Target>, connections: number): Attack => ({
  kind: "call",
  addresses: attackers,
  connections,
  requests: targets.map(([method, path, headers = {}]) =>
    requestOf(method, path, headers, method === "GET" || method === "OPTIONS" ? undefined : {})
  ),
  patience: 30_000
})

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ environment: { COUNTERSIGN_PORTAL: "on" } })
})

/** The normal caller beside a crowd that stands. */
const beside = async (targets: ReadonlyArray<Target>, connections: number) => {
  const crowd = stage.send([asking(targets, connections)], seconds + (isLong ? 3 : 1))
  if (isLong) await delay(2_000)
  const fared = await stage.measure(seconds)
  const [outcome] = await crowd
  return { fared, outcome: outcome! }
}

const middle = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

describe("the groups of what strangers may ask for", () => {
  it("have every operation, and what the router has beside them", () => {
    const targets = [...groups.values()].flat().length
    assert.isAtLeast(targets, operations.length - 1)
    assert.isAbove(groups.size, 50)
    for (
      const [name, least] of [["pages of /sign-in", 3], ["pages of /portal", 14], [
        "licenses of the portal",
        11
      ]] as const
    ) {
      assert.isAtLeast(groups.get(name)?.length ?? 0, least, name)
    }
  })
})

describe("strangers who ask without a credential", () => {
  it.each(someOf("groups of strangers", [...groups.keys()], 14))(
    "for %s, delay no validate beyond those who ask for nothing there is",
    async (group) => {
      const targets = groups.get(group)!
      for (const connections of crowds) {
        const ratios: Array<number> = []
        const lines: Array<string> = []
        for (let turn = 0; turn < turns; turn++) {
          const nothing = isLong ? await beside([["GET", "/nope"]], connections) : undefined
          const { fared, outcome } = await beside(targets, connections)
          assert.strictEqual(fared.failures, "", `${group} with ${connections} connections`)
          assert.isAbove(fared.succeeded, 0)
          assert.isEmpty(
            Object.keys(outcome.latencies).filter((status) => status === "500"),
            "nothing is a failure of its own"
          )
          if (nothing === undefined) continue
          ratios.push(fared.p50 / nothing.fared.p50)
          lines.push(`p50 ${fared.p50.toFixed(1)} ms beside it, ${nothing.fared.p50.toFixed(1)} ms beside /nope`)
        }
        report(`${group} asked by ${connections} connections`, lines)
        if (isLong) assert.isAtMost(middle(ratios), 2, `${group} with ${connections} connections: ${lines.join("; ")}`)
      }
    },
    attackTimeout
  )
})
