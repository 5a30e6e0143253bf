import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { LicenseOptions, PublicKey } from "../../../src/client/app/index.ts"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { EnvelopeError, verifyEnvelope } from "../../../src/client/verify/index.ts"
import { codeOf, short } from "../../fixtures/AppPlace.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService()
testDatabaseOf(service)
const inTest = (method: string, path: string, body?: unknown): Promise<Body> =>
  service.data(method, path, body, { token: testToken })

let listed: { readonly data: ReadonlyArray<PublicKey>; readonly endorsement: Body }
let key: string
let issue: () => Promise<string>
let options: LicenseOptions

beforeAll(async () => {
  const product = await inTest("POST", "/api/v1/products", { name: "Acme Studio", code: "acme-tested" })
  const policy = await inTest("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    duration: "P1Y",
    offline_grace_days: 30
  })
  issue = async () =>
    (await inTest("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id })).license_key
  key = await issue()
  listed = (await service.call("GET", "/test/api/v1/system/public-keys", { token: null })).body
  options = {
    baseUrl: `${service.url}/test`,
    productCode: "acme-tested",
    publicKeys: listed.data,
    store: memoryStore(),
    fingerprint: "machine-1",
    transport: { maxRetries: 0 }
  }
})

describe("the test environment", () => {
  it("is refused by an app for customers, even one that ships its keys", async () => {
    const license = await openLicense({ ...options, store: memoryStore() })
    assert.strictEqual(await codeOf(license.activate(key)), "environment_mismatch")
    assert.strictEqual(short(license.standing), "unlicensed other_environment stops")
  })

  it("licenses an app for tests, which goes through its year as its clock is moved, online and offline", async () => {
    const open = () => openLicense({ ...options, allowTest: true })
    const license = await open()
    assert.strictEqual(short(await license.activate(key)), "active confirmed runs")
    assert.strictEqual(license.standing.data?.["environment"], "test")
    await inTest("PUT", "/api/v1/environment/clock", { advance: "P10M" })
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.isFalse(license.standing.isClockSetBack)
    assert.strictEqual(short(await license.goOffline()), "active confirmed runs")
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
    assert.strictEqual(short((await openLicense(options)).standing), "unlicensed other_environment stops")
    await inTest("PUT", "/api/v1/environment/clock", { advance: "P3M" })
    assert.strictEqual(short(await license.check()), "expired license_expired stops")
  })

  it("names itself in its list of keys and of revocations, which are verified by who allows it", async () => {
    assert.strictEqual(listed.endorsement.data.environment, "test")
    const live = await service.call("GET", "/api/v1/system/public-keys", { token: null })
    assert.notProperty(live.body.endorsement.data, "environment")
    const { text } = await service.call("GET", "/test/api/v1/license/revocations", { token: null })
    const publicKeys = listed.data
    const expected = { clockSkewSeconds: 60 }
    const { data } = await verifyEnvelope({ body: text, publicKeys, expected, allowTest: true })
    assert.strictEqual(data["environment"], "test")
    const error = await verifyEnvelope({ body: text, publicKeys, expected }).catch((reason: unknown) => reason)
    assert.instanceOf(error, EnvelopeError)
    assert.strictEqual(error.code, "environment_mismatch")
  })

  it("has an app follow its keys, as that of the live environment does", async () => {
    await inTest("POST", "/api/v1/signing-keys/rotate")
    const license = await openLicense({ ...options, allowTest: true, store: memoryStore(), fingerprint: "machine-2" })
    assert.strictEqual(short(await license.activate(await issue())), "active confirmed runs")
  })
})
