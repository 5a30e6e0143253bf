import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { Insistence } from "../../fixtures/Insistence.ts"
import { Ledger } from "../../fixtures/Ledger.ts"
import { startLoad } from "../../fixtures/Load.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

/** So many that each process has some of them. */
const endpoints = 6
const size = isLong ? { clients: 3, pause: 15 } : { clients: 1, pause: 200 }
const kills = isLong ? 5 : 1

/** A service as the callers of its test environment see it. */
const inTest = (service: Service, databaseUrl: string): Service =>
  Object.assign(Object.create(service), { token: testToken, databaseUrl })

const exports = "/api/v1/reports/exports"

/** A client that consumes and takes floating seats in one environment, through every node. */
const startUse = async (nodes: ReadonlyArray<Service>) => {
  const [node] = nodes as [Service]
  const { key, license, product } = await node.issue({
    policy: { license_type: "consumption", max_activations: 5, max_floating_users: 1 }
  })
  const feature = await node.data("POST", `/api/v1/products/${product.id}/features`, { name: "Render", code: "render" })
  await node.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
  const device = { product_code: product.code, fingerprint: "f-1" }
  await node.license("activate", key, device)
  const insistence = new Insistence(nodes, size.pause)
  const ask = (turn: number, operation: string, body: object) =>
    insistence.insist(turn, (on, headers) => on.license(operation, key, body, headers))
  let uses = 0
  let seats = 0
  const running = (async () => {
    for (let turn = 0; insistence.goesOn; turn++) {
      await ask(turn, "consume", { ...device, feature_code: "render", event_id: randomUUID() })
      uses += 1
      const { lease_token } = await ask(turn, "floating/checkout", device)
      await ask(turn + 1, "floating/heartbeat", { lease_token })
      await ask(turn, "floating/checkin", { lease_token })
      seats += 1
    }
  })()
  running.catch(() => {})
  return {
    giveUp: insistence.giveUp,
    /** Waits until so much more was used. */
    more: (count: number) => {
      const enough = uses + count
      return eventually(`${count} more uses`, () => uses >= enough)
    },
    /** Ends the client; each use and each seat counts once. */
    settle: async () => {
      insistence.goesOn = false
      await running
      insistence.expectPatience()
      const [counted] = await node.data("GET", `/api/v1/licenses/${license.id}/features`)
      assert.strictEqual(counted.total_consumptions, uses)
      const kinds = (await node.feed(`&order=asc`))
        .filter(({ data, event_type }) => event_type.startsWith("lease.") && data.license_id === license.id)
        .map(({ event_type }) => String(event_type))
      const count = (kind: string) => kinds.filter((one) => one === kind).length
      assert.deepStrictEqual([count("lease.checked_out"), count("lease.checked_in")], [seats, seats])
    }
  }
}

describe("two nodes with two environments, one of them of two processes", () => {
  it("one is killed: nothing is lost or done twice in either environment", async (test) => {
    const many = await startService({ as: "program", environment: { COUNTERSIGN_PROCESSES: "2" } })
    await eventually("both processes are ready", () => many.logs().includes("Process 2 is ready"))
    const testDatabase = testDatabaseOf(many)
    const single = await startService({ databaseUrl: many.databaseUrl, as: "program" })
    const nodes = [many, single]
    const worlds = await Promise.all([nodes, nodes.map((node) => inTest(node, testDatabase))].map(async (world) => {
      const ledger = await Ledger.open()
      await ledger.subscribe(world[0]!, endpoints)
      const load = await startLoad(world, size, test)
      const use = await startUse(world)
      test.onTestFinished(use.giveUp)
      return { ledger, load, use, world, made: [] as Array<string> }
    }))

    /** Work in both environments is under way on every node. */
    const underWay = () =>
      Promise.all(worlds.map(async ({ ledger, made, use, world }) => {
        for (const node of world) {
          const { id } = await node.data("POST", exports, {
            report_kind: "usage-summary",
            format: "csv",
            filters: { bucket: "1d" }
          })
          made.push(id)
        }
        await use.more(3)
        await ledger.more(3)
      }))

    for (let kill = 0; kill < kills; kill++) {
      const node = nodes[kill % nodes.length]!
      await underWay()
      await node.kill("SIGKILL")
      const since = Date.now()
      for (const { ledger } of worlds) ledger.fault()
      await Promise.all(worlds.map(({ ledger }) => ledger.reachesAll(since + 500)))
      await node.start()
      await underWay()
    }

    for (const { ledger, load, made, use, world } of worlds) {
      const name = world === nodes ? "live" : "test"
      await use.settle()
      await ledger.settle(`two nodes, the ${name} environment`, world[1]!, load)
      for (const id of made) {
        await eventually(
          "the export is ready",
          async () => (await world[1]!.data("GET", `${exports}/${id}`)).status === "ready"
        )
        const told: ReadonlyArray<Body> = await world[0]!.feed(`&resource_id=${id}`)
        assert.deepStrictEqual(told.map(({ event_type }) => event_type), [
          "report_export.created",
          "report_export.ready"
        ])
      }
    }

    const settings = {
      DATABASE_URL: many.databaseUrl,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    for (const environment of ["live", "test"]) {
      const doctor = await runCommand(["doctor", "--environment", environment], settings)
      assert.strictEqual(doctor.status, 0, doctor.output + doctor.errors)
      assert.include(doctor.output, "0 differences")
    }
  }, faultTimeout)
})
