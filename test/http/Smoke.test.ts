import { it, assert } from "@effect/vitest"
import { startService } from "../fixtures/Service.ts"
it("smoke", async () => {
  const t0 = performance.now()
  const s = await startService()
  console.log("start", performance.now() - t0)
  const { key } = await s.issue()
  const a = await s.license("activate", key, { fingerprint: "f" })
  console.log(a.status, a.text)
  console.log((await s.feed()).length)
  const t1 = performance.now()
  console.log(await s.kill("SIGTERM"), performance.now() - t1)
  console.log(s.logs())
})
