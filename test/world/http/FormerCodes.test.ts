import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEnvelope, verifyOffline } from "../../../src/client/verify/index.ts"
import type { PublicKey } from "../../../src/client/verify/index.ts"
import { document, schemaOf } from "../../fixtures/histories/DeclaredWrites.ts"
import type { Answer, Issued } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const service = await startService()
let publicKeys: ReadonlyArray<PublicKey>

beforeAll(async () => {
  publicKeys = await service.data("GET", "/api/v1/system/public-keys")
})

const policy = { max_activations: 5, max_floating_users: 5, allow_offline_activation: true, refund_window_minutes: 5 }

/** A license whose product an app was built with, the key for its trials, and a feature to use. */
const sold = async () => {
  const issued = await service.issue({ policy })
  const { license, product } = issued
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Render",
    code: "render"
  })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
    feature_id: feature.id,
    max_consumptions: 99
  })
  const trial = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Trial",
    code: "trial",
    license_type: "trial",
    duration: "P14D"
  })
  const publishable = await service.data("POST", `/api/v1/products/${product.id}/publishable-keys`, {
    name: "app",
    policy_id: trial.id
  })
  return { ...issued, publishable: String(publishable.key) }
}

type Sold = Awaited<ReturnType<typeof sold>>

const rename = (product: Body, code: string = randomUUID()): Promise<Answer> =>
  service.call("PATCH", `/api/v1/products/${product.id}`, { body: { code } })
const retire = (product: Body, staying: ReadonlyArray<string> = []): Promise<Answer> =>
  service.call("PATCH", `/api/v1/products/${product.id}`, { body: { former_codes: staying } })
const told = ({ body }: Answer): Array<string> => (body.meta.warnings ?? []).map(({ code }: Body) => code)

/** The code that a signed answer names, as an app verifies it that was built with one. */
const signedCode = async ({ status, text }: Answer, productCode: string): Promise<string> => {
  assert.include([200, 201], status, text)
  return String((await verifyEnvelope({ body: text, publicKeys, expected: { productCode } })).data["product_code"])
}

/** The same of what is sealed for a machine without a network. */
const sealedCode = async (
  { key }: Issued,
  envelope: Body,
  device: { readonly deviceId: string } | { readonly fingerprint: string },
  productCode: string
) => {
  const { data } = await verifyOffline({ envelope, licenseKey: key, ...device, publicKeys, expected: { productCode } })
  return String(data["product_code"])
}

/** What an installed app asks, and the vendor for it: each operation that is told a product by its code. */
const asking: Readonly<Record<string, (of: Sold, code: string) => Promise<Answer>>> = {
  activateLicense: ({ key }, product_code) => service.license("activate", key, { fingerprint: "a", product_code }),
  validateLicense: ({ key }, product_code) => service.license("validate", key, { fingerprint: "a", product_code }),
  checkLicense: ({ key }, product_code) =>
    service.license("check", key, { fingerprint: "a", product_code, app_version: "2.0" }),
  consumeLicense: ({ key }, product_code) =>
    service.license("consume", key, {
      fingerprint: "a",
      product_code,
      feature_code: "render",
      event_id: randomUUID()
    }),
  refundOwnUsage: async ({ key }, product_code) => {
    const use = { fingerprint: "a", product_code, feature_code: "render", event_id: randomUUID() }
    await service.license("consume", key, use)
    return service.license("usage/refund", key, use)
  },
  issueOfflineLicense: ({ key }, product_code) => service.license("offline", key, { fingerprint: "a", product_code }),
  issueOfflineFile: ({ key, license }, product_code) =>
    service.call("POST", `/api/v1/licenses/${license.id}/offline-files`, {
      body: { fingerprint: "air-gapped", license_key: key, product_code }
    }),
  checkoutFloatingLicense: ({ key }, product_code) =>
    service.license("floating/checkout", key, { fingerprint: "b", product_code }),
  openTrial: ({ publishable }, product_code) =>
    service.call("POST", "/api/v1/license/trials", {
      token: publishable,
      body: { fingerprint: randomUUID(), product_code }
    }),
  deactivateLicense: ({ key }, product_code) => service.license("deactivate", key, { fingerprint: "a", product_code })
}

/** By which code each of them is answered. */
const answeredBy = async (of: Sold, code: string): Promise<Readonly<Record<string, string>>> => {
  const codes: Record<string, string> = {}
  let deviceId = ""
  for (const [operation, ask] of Object.entries(asking)) {
    const answer = await ask(of, code)
    const { data } = answer.body
    if (operation === "activateLicense") deviceId = data.device_id
    codes[operation] = operation === "issueOfflineLicense"
      ? await sealedCode(of, data, { deviceId }, code)
      : operation === "issueOfflineFile"
      ? await sealedCode(of, data.lic, { fingerprint: "air-gapped" }, code)
      : await signedCode(answer, code)
  }
  return codes
}

describe("a product that was renamed", () => {
  it("is known by its former code to every operation that is told a code", () => {
    const declared = Object.values<Body>(document.paths).flatMap((path) =>
      Object.values<Body>(path).flatMap(({ operationId, requestBody }) => {
        const schema = requestBody?.content?.["application/json"]?.schema
        return schema !== undefined && "product_code" in (schemaOf(schema).properties ?? {}) ? [operationId] : []
      })
    )
    assert.sameMembers(declared, Object.keys(asking))
  })

  it("is answered for by the code that an installed app asks by, until that is retired", async () => {
    const of = await sold()
    const { product } = of
    const renamed = await rename(product)
    assert.deepStrictEqual(told(renamed), ["FORMER_CODE_KEPT"])
    assert.deepStrictEqual(renamed.body.data.former_codes, [product.code])
    const everywhere = (code: string) => Object.fromEntries(Object.keys(asking).map((name) => [name, code]))
    assert.deepStrictEqual(await answeredBy(of, product.code), everywhere(product.code))
    assert.deepStrictEqual(await answeredBy(of, renamed.body.data.code), everywhere(renamed.body.data.code))
    assert.deepStrictEqual(told(await retire(product)), ["FORMER_CODE_IN_USE"])
    for (const ask of Object.values(asking)) refused(await ask(of, product.code), 403, "PRODUCT_MISMATCH")
    assert.deepStrictEqual(await answeredBy(of, renamed.body.data.code), everywhere(renamed.body.data.code))
  })

  it("keeps the code by which a floating seat was taken through its heartbeats", async () => {
    const { key, product } = await sold()
    const by = (product_code: string) => service.license("floating/checkout", key, { fingerprint: "a", product_code })
    let { lease_token } = (await by(product.code)).body.data
    const { code } = (await rename(product)).body.data
    const beat = async (built: string) => {
      const answer = await service.license("floating/heartbeat", key, { lease_token })
      lease_token = answer.body.data.lease_token
      return signedCode(answer, built)
    }
    assert.strictEqual(await beat(product.code), product.code)
    // An update of the app takes the seat that the device has.
    lease_token = (await by(code)).body.data.lease_token
    assert.strictEqual(await beat(code), code)
    await by(product.code)
    await retire(product)
    lease_token = (await by(code)).body.data.lease_token
    assert.strictEqual(
      await signedCode(await service.license("floating/checkin", key, { lease_token }), code),
      code
    )
  })

  it("is known by it where it is a further product of the license, with its versions and features", async () => {
    const { key, license } = await sold()
    const viewer = await service.data("POST", "/api/v1/products", { name: "Viewer", code: randomUUID() })
    await service.data("POST", `/api/v1/products/${viewer.id}/versions`, { version: "2.0" })
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { product_ids: [viewer.id] })
    const ask = (operation: string) =>
      service.license(operation, key, { fingerprint: "a", product_code: viewer.code, app_version: "2.0" })
    await ask("activate")
    await rename(viewer)
    const answer = await ask("validate")
    assert.strictEqual(await signedCode(answer, viewer.code), viewer.code)
    assert.strictEqual(answer.body.data.product_id, viewer.id)
    assert.property(answer.body.data.version_eligibility, "released_at")
    const taken = await ask("floating/checkout")
    const kept = await service.license("floating/heartbeat", key, { lease_token: taken.body.data.lease_token })
    assert.strictEqual(await signedCode(kept, viewer.code), viewer.code)
    await retire(viewer)
    refused(await ask("validate"), 403, "PRODUCT_MISMATCH")
  })

  it("is explained as its calls are answered, now and at an earlier instant", async () => {
    const { key, license, product } = await sold()
    await service.license("activate", key, { fingerprint: "a" })
    const explain = (product_code: string, at?: string): Promise<Body> =>
      service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
        operation: "validate",
        binding: { fingerprint: "a", product_code },
        ...(at === undefined ? {} : { at })
      })
    const { code } = (await rename(product)).body.data
    const [old, current] = [await explain(product.code), await explain(code)]
    assert.deepStrictEqual([old.is_allowed, current.is_allowed], [true, true])
    await retire(product)
    const [retired, left] = [await explain(product.code), await explain(code)]
    assert.deepStrictEqual([retired.deciding_rule, left.is_allowed], ["product_mismatch", true])
    for (const now of [old, current, retired, left]) {
      const past = await explain(now === old || now === retired ? product.code : code, now.at)
      assert.deepInclude(past, { source: "log", is_allowed: now.is_allowed })
    }
  })

  it("is named by its code of today in a file that names none, with a warning", async () => {
    const of = await sold()
    const { key, license, product } = of
    const issue = (more: object = {}) =>
      service.call("POST", `/api/v1/licenses/${license.id}/offline-files`, {
        body: { fingerprint: "air-gapped", license_key: key, ...more }
      })
    assert.deepStrictEqual(told(await issue()), [])
    const { code } = (await rename(product)).body.data
    const unnamed = await issue()
    assert.deepStrictEqual(told(unnamed), ["FORMER_CODES_UNNAMED"])
    assert.strictEqual(await sealedCode(of, unnamed.body.data.lic, { fingerprint: "air-gapped" }, code), code)
    assert.deepStrictEqual(told(await issue({ product_code: product.code })), [])
  })

  it("is refused its stored answers once its code is retired", async () => {
    const { key, product } = await sold()
    const again = { "idempotency-key": randomUUID() }
    const activate = () => service.license("activate", key, { fingerprint: "a", product_code: product.code }, again)
    const first = await activate()
    await rename(product)
    assert.strictEqual((await activate()).text, first.text)
    await retire(product)
    refused(await activate(), 403, "PRODUCT_MISMATCH")
  })

  it("starts a license that waits for its first activation, and answers by the code that asked", async () => {
    const { key, product } = await service.issue({
      policy: { license_type: "time_limited", duration: "P30D", expiry_basis: "first_activation" }
    })
    await rename(product)
    const answer = await service.license("activate", key, { fingerprint: "a", product_code: product.code })
    assert.strictEqual(await signedCode(answer, product.code), product.code)
    assert.property(answer.body.data, "expires_at")
  })
})

describe("the codes of products", () => {
  it("are given to no other product while apps ask by them", async () => {
    const one = await service.data("POST", "/api/v1/products", { name: "One", code: randomUUID() })
    const other = await service.data("POST", "/api/v1/products", { name: "Other", code: randomUUID() })
    const { code } = (await rename(one)).body.data
    const create = () => service.call("POST", "/api/v1/products", { body: { name: "Third", code: one.code } })
    for (const answer of [await create(), await rename(other, one.code)]) {
      refused(answer, 409, "CONFLICT")
      assert.strictEqual(answer.body.error.detail, one.id)
    }
    refused(await rename(other, code), 409, "CONFLICT")
    // A product may have its own code back, and what it leaves is a former one then.
    const back = await rename(one, one.code)
    assert.deepInclude(back.body.data, { code: one.code, former_codes: [code] })
    await retire(one)
    assert.strictEqual((await rename(other, code)).status, 200)
    refused(await rename(one, code), 409, "CONFLICT")
    assert.strictEqual((await service.call("DELETE", `/api/v1/products/${other.id}`)).status, 204)
    assert.strictEqual((await rename(one, other.code)).status, 200)
  })

  it("are given to one of two products, when one is renamed while the other is made", async () => {
    for (let time = 0; time < 5; time++) {
      const one = await service.data("POST", "/api/v1/products", { name: "One", code: randomUUID() })
      const [renamed, made] = await Promise.all([
        rename(one),
        service.call("POST", "/api/v1/products", { body: { name: "Other", code: one.code } })
      ])
      assert.strictEqual(renamed!.status, 200)
      refused(made!, 409, "CONFLICT")
    }
  })

  it("can be taken out of former_codes, and nothing else be put in", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "One", code: randomUUID() })
    const second = (await rename(product)).body.data
    const third = (await rename(product)).body.data
    assert.deepStrictEqual(third.former_codes, [second.code, product.code])
    for (const wrong of [["other"], [third.code]]) {
      invalid(await retire(product, wrong), "former_codes", "not_a_former_code")
    }
    const both = { code: randomUUID(), former_codes: [product.code] }
    invalid(
      await service.call("PATCH", `/api/v1/products/${product.id}`, { body: both }),
      "former_codes",
      "contradiction"
    )
    // In whichever order they are named, the newest is the first.
    const same = await retire(product, [product.code, second.code])
    assert.deepStrictEqual(same.body.data.former_codes, third.former_codes)
    assert.deepStrictEqual(told(same), [])
    assert.deepStrictEqual((await retire(product, [product.code])).body.data.former_codes, [product.code])
    const none = (await retire(product)).body.data
    assert.notProperty(none, "former_codes")
    assert.notProperty(none, "former_code_uses")
    assert.strictEqual(none.code, third.code)
  })

  it("are at most twenty, and the next new code is refused", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "One", code: randomUUID() })
    for (let time = 0; time < 20; time++) assert.strictEqual((await rename(product)).status, 200)
    invalid(await rename(product), "code", "too_many")
    // Its own codes of before can be had back.
    assert.strictEqual((await rename(product, product.code)).status, 200)
  })

  it("stay as they are when a product is given the code that it has, or another name", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "One", code: randomUUID() })
    const same = await rename(product, product.code)
    assert.notProperty(same.body.data, "former_codes")
    assert.deepStrictEqual(told(same), [])
    await rename(product)
    const named = await service.data("PATCH", `/api/v1/products/${product.id}`, { name: "Two" })
    assert.deepStrictEqual(named.former_codes, [product.code])
  })
})

describe("the use of former codes", () => {
  it("is shown with the product, and told to who retires one that apps still ask by", async () => {
    const { key, product } = await sold()
    await service.license("activate", key, { fingerprint: "a", product_code: product.code })
    await rename(product)
    const unused = (await service.data("GET", `/api/v1/products/${product.id}`)).former_code_uses
    assert.sameMembers(Object.keys(unused[0]), ["code", "since"])
    const asked = await service.license("check", key, { fingerprint: "a", product_code: product.code })
    const shown = () => service.data("GET", `/api/v1/products/${product.id}`)
    await eventually("the use is written", async () => (await shown()).former_code_uses[0].last_asked_at !== undefined)
    const [use] = (await shown()).former_code_uses
    assert.deepStrictEqual(use, { ...unused[0], last_asked_at: asked.body.data.issued_at })
    const listed = (await service.data("GET", "/api/v1/products")).find(({ id }: Body) => id === product.id)
    assert.deepStrictEqual(listed.former_code_uses, [use])
    const retired = await retire(product)
    assert.deepStrictEqual(told(retired), ["FORMER_CODE_IN_USE"])
    assert.include(retired.body.meta.warnings[0].message, use.last_asked_at)
    // Events tell of the codes alone: who asked changes no product.
    const events = await service.feed(`&resource_id=${product.id}`)
    assert.isTrue(events.every(({ data }) => !("former_code_uses" in data)))
  })

  it("is written once a minute, however often apps ask", async () => {
    const [{ key, product }, other] = [await sold(), await sold()]
    const asks = ({ key, product }: typeof other) =>
      service.license("check", key, { fingerprint: "a", product_code: product.code })
    const lastOf = async ({ id }: Body) =>
      (await service.data("GET", `/api/v1/products/${id}`)).former_code_uses[0].last_asked_at
    await service.license("activate", key, { fingerprint: "a", product_code: product.code })
    await service.license("activate", other.key, { fingerprint: "a", product_code: other.product.code })
    await rename(product)
    await rename(other.product)
    await asks({ ...other, key, product })
    await eventually("the use is written", async () => await lastOf(product) !== undefined)
    const first = await lastOf(product)
    await asks({ ...other, key, product })
    // What is asked after it is written after it.
    await asks(other)
    await eventually("the other use is written", async () => await lastOf(other.product) !== undefined)
    assert.strictEqual(await lastOf(product), first)
  })

  it("warns nobody who retires a code that no app has asked by for a month", async () => {
    const { key, product } = await sold()
    await rename(product)
    const database = await session(service.databaseUrl)
    const age = (column: string) =>
      database.query(`
        UPDATE product_former_codes SET ${column} = now() - interval '31 days' WHERE product_id = '${product.id}'`)
    await age("since")
    await age("last_asked_at")
    await service.license("check", key, { fingerprint: "a" })
    await database.close()
    assert.deepStrictEqual(told(await retire(product)), [])
  })
})

describe("a policy that got another code", () => {
  it("stays what it was to apps, which ask for none by its code", async () => {
    const of = await sold()
    const { key, policy, product } = of
    for (const { id } of await service.data("GET", `/api/v1/products/${product.id}/policies`)) {
      const { body } = await service.call("PATCH", `/api/v1/policies/${id}`, { body: { code: `${id}-2` } })
      assert.notProperty(body.meta, "warnings")
    }
    const codes = await answeredBy(of, product.code)
    assert.deepStrictEqual(new Set(Object.values(codes)), new Set([product.code]))
    const { body } = await service.license("activate", key, { fingerprint: "a" })
    assert.strictEqual(body.data.policy_code, `${policy.id}-2`)
  })
})

describe("a feature that got another code", () => {
  it("is told to its vendor, because apps look for it by the code of before", async () => {
    const { key, product } = await sold()
    const [feature] = await service.data("GET", `/api/v1/products/${product.id}/features`)
    const change = (body: object) => service.call("PATCH", `/api/v1/features/${feature.id}`, { body })
    assert.deepStrictEqual(told(await change({ name: "Renders", code: "render" })), [])
    assert.deepStrictEqual(told(await change({ code: "renders" })), ["FEATURE_CODE_REPLACED"])
    await service.license("activate", key, { fingerprint: "a" })
    const consume = (feature_code: string) =>
      service.license("consume", key, { fingerprint: "a", feature_code, event_id: "use" })
    refused(await consume("render"), 403, "FEATURE_NOT_ENTITLED")
    assert.strictEqual((await consume("renders")).status, 200)
    await change({ code: "render" })
    // The feature is the same: what was counted once is counted once.
    assert.strictEqual((await consume("render")).body.data.features[0].consumed, 1)
  })
})
