import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyChain } from "../../../src/domain/log/EventChain.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { chance } from "../../fixtures/Seeded.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

const chances = chance("crashes")

describe("kill -9 at any moment", () => {
  it("loses nothing that was answered, and nothing happens twice that is retried with its key", async () => {
    const service = await startService({ as: "program" })
    const { policy, product } = await service.issue({ policy: { max_activations: 3 } })
    const [licenses, activations] = [new Map<string, Body>(), new Map<string, Body>()]
    const load = { goesOn: true, cut: 0 }

    /** Asks until there is an answer, as a client with an Idempotency-Key may. */
    const insist = async (ask: (headers: Record<string, string>) => Promise<Answer>): Promise<Body> => {
      const headers = { "idempotency-key": randomUUID() }
      while (true) {
        const answer = await ask(headers).catch(() => undefined)
        if (answer !== undefined && answer.status < 300) return answer.body.data
        if (answer === undefined) load.cut++
        else assert.include([409, 503], answer.status, answer.text)
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
    }

    const client = async () => {
      while (load.goesOn) {
        const body = { product_id: product.id, policy_id: policy.id }
        const { license, license_key } = await insist((headers) =>
          service.call("POST", "/api/v1/licenses", { body, headers })
        )
        licenses.set(license.id, license)
        const activated = await insist((headers) =>
          service.license("activate", license_key, { fingerprint: license.id }, headers)
        )
        activations.set(activated.device_id, activated)
      }
    }

    const clients = Array.from({ length: 8 }, client)
    for (let kill = 1; kill <= 2; kill++) {
      const enough = licenses.size + 5 + Math.floor(chances.upTo(30))
      await eventually("the load goes on", () => licenses.size >= enough)
      await service.kill("SIGKILL")
      await service.start()
    }
    load.goesOn = false
    await Promise.all(clients)
    assert.isAbove(load.cut, 0, "requests were cut off")

    const found = new Map<string, Body>()
    for (let cursor = "";;) {
      const { body } = await service.call("GET", `/api/v1/licenses?product_id=${product.id}&limit=200${cursor}`)
      for (const license of body.data) found.set(license.id, license)
      if (!body.page_info.has_more) break
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    assert.strictEqual(found.size, licenses.size + 1, "each key made one license; one was there before")
    for (const id of licenses.keys()) {
      assert.deepInclude(found.get(id), { active_device_count: 1, times_activated: 1 })
    }

    const events = await service.feed()
    const verdict = verifyChain(events, { sha256 })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    const of = (type: string) => events.filter(({ event_type }) => event_type === type)
    assert.sameMembers(of("license.created").map(({ resource_id }) => resource_id), [...found.keys()])
    assert.sameMembers(of("license.activated").map(({ data }) => data.device.id), [...activations.keys()])
  }, 600_000)
})
