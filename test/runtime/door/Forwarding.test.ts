// A proxy that is not named in the settings makes one address of all who come through it: the operator is told, once.
import { assert, describe, it } from "@effect/vitest"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

const forwarded = { "x-forwarded-for": "198.51.100.7" }
const series = (text: string) => /^countersign_http_untrusted_forwarding (\d)$/m.exec(text)?.[1]
const told = (logs: string) => logs.split("\n").filter((line) => line.includes("X-Forwarded-For came from"))

describe("X-Forwarded-For", () => {
  it("from a peer that is no trusted proxy is told once in the log, and in the metrics", async () => {
    const service = await startService()
    assert.strictEqual(series((await service.call("GET", "/metrics")).text), "0")
    assert.deepStrictEqual(told(service.logs()), [])
    for (let count = 0; count < 3; count++) await service.call("GET", "/api/v1/whoami", { headers: forwarded })
    await eventually("it is told", () => told(service.logs()).length > 0)
    assert.strictEqual(series((await service.call("GET", "/metrics")).text), "1")
    const [line, ...more] = told(service.logs())
    assert.deepStrictEqual(more, [])
    assert.include(line, "127.0.0.1, which is not in COUNTERSIGN_TRUSTED_PROXIES")
    assert.notInclude(line, "198.51.100.7")
  })

  it("from a trusted proxy is believed without a word", async () => {
    const service = await startService({ environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" } })
    await service.call("GET", "/api/v1/whoami", { headers: forwarded })
    assert.strictEqual(series((await service.call("GET", "/metrics")).text), "0")
    assert.deepStrictEqual(told(service.logs()), [])
  })
})
