// The test environment begins anew, and the live one sees nothing of it. Its whole story: test/world/http/Environments.
import { assert, it } from "@effect/vitest"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const live = await startService()
const test = inTestOf(live, testDatabaseOf(live))

it("is emptied with its clock and its keys, by its own token alone, and live stays as it was", async () => {
  await live.issue()
  const before = await live.feed()
  await test.issue()
  await test.data("PUT", "/api/v1/environment/clock", { advance: "P1Y" })
  const keysOf = async () => (await live.call("GET", "/test/api/v1/system/public-keys", { token: null })).body.data
  const [{ kid }] = await keysOf()

  refused(await live.call("POST", "/api/v1/environment/reset"), 409, "STATE_CONFLICT")
  assert.lengthOf(await test.data("GET", "/api/v1/products"), 1)
  const { clock_moved, name } = await test.data("POST", "/api/v1/environment/reset")

  assert.deepStrictEqual({ clock_moved, name }, { clock_moved: false, name: "test" })
  assert.deepStrictEqual(await test.data("GET", "/api/v1/products"), [])
  assert.notInclude((await keysOf()).map((key: Body) => key.kid), kid)
  assert.deepStrictEqual(await live.feed(), before)
})
