// A job whose node or whose database is killed in the middle: each license is changed once, and each has its outcome.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { postgresServer } from "../../fixtures/PostgresServer.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

const chances = chance("jobs")
const many = isLong ? 1000 : 300

let server: Awaited<ReturnType<typeof postgresServer>>
let service: Service
let defaults: Body

beforeAll(async () => {
  server = await postgresServer()
  service = await startService({ databaseUrl: server.url, as: "program" })
  const { policy, product } = await service.issue()
  defaults = { product_id: product.id, policy_id: policy.id, expires_at: "2090-01-01T00:00:00Z" }
}, faultTimeout)

const kills: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
  ["node", async () => {
    await service.kill("SIGKILL")
    await service.start()
  }],
  ["database", async () => {
    await server.stopImmediately()
    await server.start()
  }]
]

describe.each(kills)("a job whose %s is killed", (_what, kill) => {
  it("renews each of its licenses once", async () => {
    const tag = randomUUID()
    const licenses = Array.from({ length: many }, () => ({}))
    await service.data("POST", "/api/v1/licenses/bulk", { defaults: { ...defaults, tags: [tag] }, licenses })
    const { job } = await service.data(
      "POST",
      "/api/v1/licenses/jobs",
      { action: "renew", selection: { filter: { tag } }, renew: { extend_by_days: 1 } },
      { headers: { "idempotency-key": randomUUID() } }
    )
    const read = async (): Promise<Body | undefined> =>
      (await service.call("GET", `/api/v1/jobs/${job.id}`).catch(() => undefined))?.body?.data
    for (let round = 0; round < 2; round++) {
      const enough = chances.upTo(many / 4) + round * many / 2
      const before = await eventually("the job is under way", async () => {
        const seen = await read()
        return seen !== undefined && seen.done >= enough ? seen : undefined
      })
      if (before.state === "running") await kill()
    }
    const ended = await eventually("the job is done", async () => {
      const seen = await read()
      return seen?.state === "done" ? seen : undefined
    })
    assert.deepInclude(ended, { total: many, done: many, skipped: 0, failed: 0 })
    const ends = new Set<string>()
    for (let cursor = "";;) {
      const { body } = await service.call("GET", `/api/v1/licenses?tag=${tag}&limit=200${cursor}`)
      for (const { expires_at } of body.data) ends.add(expires_at)
      if (!body.page_info.has_more) break
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    assert.deepStrictEqual([...ends], ["2090-01-02T00:00:00.000Z"], "one day, and not two")
    const renewed = (await service.feed("&event_type=license.renewed")).filter(({ metadata }) =>
      metadata.job_id === job.id
    )
    assert.lengthOf(renewed, many)
    assert.strictEqual(new Set(renewed.map(({ resource_id }) => resource_id)).size, many)
  }, faultTimeout)
})

describe("the database of these jobs", () => {
  it("has nothing that the doctor finds", async () => {
    await expectHealthy(server.url, [])
    await service.kill("SIGKILL")
  }, faultTimeout)
})
