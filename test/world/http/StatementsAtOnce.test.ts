// Fifty statements that are asked for in one moment, in each environment of a service, and what is proven by their files.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { exchange } from "../../fixtures/Exchange.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takesAll } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf, testPrefix } from "../../fixtures/TestEnvironment.ts"
import { verifierOver } from "../../fixtures/Verifier.ts"

const path = "/api/v1/reports/exports"
const formats = ["json", "pdf", "csv"] as const

let live: Service
let test: Service

beforeAll(async () => {
  live = await startService()
  test = inTestOf(live, testDatabaseOf(live))
})

/** Freezes so many statements at once; answers the files of a few of them. */
const frozen = async (service: Service, count: number, filters: object) => {
  const asked = await Promise.all(
    Array.from(
      { length: count },
      (_, index) =>
        service.call("POST", path, { body: { report_kind: "statement", format: formats[index % 3], filters } })
    )
  )
  assert.deepStrictEqual([...new Set(asked.map(({ status }) => status))], [201])
  const ids = asked.map(({ body }) => body.data.id as string)
  await eventually("all are frozen", async () => {
    const exports = await Promise.all(ids.map((id) => service.data("GET", `${path}/${id}`)))
    assert.deepStrictEqual(exports.filter(({ status }) => status === "failed"), [])
    return exports.every(({ status }) => status === "ready")
  })
  return ids
}

describe("many statements at once", () => {
  // What has room for fifty is one for both environments.
  it.each([["live", takesAll ? 50 : 20], ["test", takesAll ? 12 : 6]] as const)(
    "are frozen in %s, and proven: %i",
    async (environment, count) => {
      const service = environment === "live" ? live : test
      const sold = await soldUnder(service, [{ max_consumptions: 9 }])
      await sold.consume(2)
      await service.feed()
      const ids = await frozen(service, count, {
        license_id: sold.license.id,
        from: "2026-01-01T00:00:00Z",
        to: new Date(Date.now() + 1).toISOString()
      })
      const served = async (of: string) => {
        const { bytes } = await exchange(live.url, `${environment === "test" ? testPrefix : ""}${of}`, {
          method: "GET",
          headers: { authorization: `Bearer ${service.token}` }
        })
        return new Uint8Array(bytes)
      }
      const files = new Map([["keys.json", await served("/api/v1/system/public-keys")]])
      const run = verifierOver(files)
      files.set("statement.json", await served(`${path}/${ids[0]}/download`))
      const { err, out, status } = await run(["statement.json", "--keys", "keys.json"])
      assert.strictEqual(status, 3, out + err)
      assert.strictEqual(out.includes("test environment"), environment === "test", out)
      assert.include(out, "proven: All figures of 1 row follow from these events.")
    }
  )
})
