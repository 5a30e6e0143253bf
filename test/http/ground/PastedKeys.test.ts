// Whatever people paste where a license key is asked for is read alike at every door: the table is test/vectors/keys.json.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Countersign } from "../../../src/client/api/index.ts"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { Countersign as Effects, withLicenseKey } from "../../../src/client/effect/index.ts"
import { environmentOf } from "../../../src/domain/ground/environments/Environment.ts"
import { licenseKeyFaults } from "../../../src/domain/keys/security/Credential.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { adminToken, refused, startService } from "../../fixtures/Service.ts"
import { keyCases } from "../../vectors/makeKeys.ts"

const service = await startService()
const { policy, product } = await service.issue({ policy: { max_activations: 5 } })
/** The id of the license that has a key. */
const owners = new Map<string, string>()
// A key of the test environment leads there, whatever is in this one.
const good = keyCases.filter(({ key }) => key !== undefined && environmentOf(key) !== "test")
const bad = keyCases.filter(({ fault }) => fault !== undefined)

beforeAll(async () => {
  const under = { product_id: product.id, policy_id: policy.id }
  for (const license_key of new Set(good.map(({ key }) => key!))) {
    const { license } = await service.data("POST", "/api/v1/licenses", { ...under, license_key })
    owners.set(license_key, license.id)
    const answer = await service.license("activate", license_key, { fingerprint: "one" })
    assert.strictEqual(answer.status, 200, answer.text)
  }
})

/** A text as a client sends it that writes the bytes of its UTF-8 into a header. */
const asBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** Asks with a key in a header, byte by byte as it is given. */
const check = async (key: string): Promise<Answer> => {
  const answer = await fetch(`${service.url}/api/v1/license/check`, {
    method: "POST",
    headers: { authorization: `License ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ fingerprint: "one" })
  })
  const text = await answer.text()
  return { status: answer.status, headers: {}, text, body: JSON.parse(text) }
}

/** Whether a header can carry a text. */
const fits = ({ pasted }: { readonly pasted: string }): boolean =>
  Array.from(pasted).every((character) => character >= " " || character === "\t")

describe("a pasted license key", () => {
  it("is looked up as what was meant", async () => {
    for (const { key, name, pasted } of good) {
      const { body, text } = await service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: pasted } })
      assert.strictEqual(body.data?.id, owners.get(key!), `${name}: ${text}`)
    }
  })

  it("is refused at the lookup as what it is", async () => {
    for (const { fault, name, pasted } of bad.filter(({ fault }) => fault !== "too_long")) {
      const answer = await service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: pasted } })
      const { fields } = refused(answer, 422, "VALIDATION_ERROR")
      if (pasted === "") continue
      assert.strictEqual(fields[0].message, licenseKeyFaults[fault as keyof typeof licenseKeyFaults], name)
    }
  })

  it("is taken in a header, whose bytes are UTF-8", async () => {
    for (const { key, name, pasted } of good.filter(fits)) {
      const { body, status, text } = await check(asBytes(pasted))
      assert.strictEqual(status, 200, `${name}: ${text}`)
      assert.strictEqual(body.data.license_id, owners.get(key!), name)
    }
    // A client that writes one byte a character, as fetch does.
    const latin = keyCases.find(({ name }) => name === "with U+00A0 around it and in it")!
    assert.strictEqual((await check(latin.pasted)).status, 200)
  })

  it("is refused in a header in words, as what it is", async () => {
    for (const name of ["a sentence", "another alphabet", "two keys of another system", "a wrong check character"]) {
      const { fault, pasted } = bad.find((one) => one.name === name)!
      const { message } = refused(
        await check(asBytes(pasted.replaceAll("\n", " "))),
        401,
        "LICENSE_KEY_INVALID"
      )
      assert.include(message, licenseKeyFaults[fault as keyof typeof licenseKeyFaults])
    }
  })
})

describe("the clients", () => {
  const counted = () => {
    let sent = 0
    const counting: typeof fetch = (input, init) => {
      sent++
      return fetch(input, init)
    }
    return { counting, sent: () => sent }
  }

  it("send what was meant, and nothing for what cannot be a key: the API's", async () => {
    const { counting, sent } = counted()
    const client = new Countersign({ baseUrl: service.url, fetch: counting })
    for (const { key, name, pasted } of good) {
      const { license_id } = await client.runtime.check({ fingerprint: "one" }, { licenseKey: pasted })
      assert.strictEqual(license_id, owners.get(key!), name)
    }
    const before = sent()
    for (const { name, pasted } of bad.filter(({ pasted }) => pasted !== "")) {
      const result = await client.runtime.check({ fingerprint: "one" }, { licenseKey: pasted }).result()
      assert.strictEqual(result.ok ? "sent" : result.error.code, "LICENSE_KEY_MALFORMED", name)
    }
    assert.strictEqual(sent(), before)
  })

  it("call no other mistake of the caller an outage either", async () => {
    const { counting, sent } = counted()
    const client = new Countersign({ baseUrl: service.url, fetch: counting, token: "\ufeffcsk_\u{1f511}" })
    const codeOf = async (call: { result: () => Promise<{ ok: boolean; error?: { code: string } }> }) =>
      (await call.result()).error?.code
    assert.strictEqual(await codeOf(client.products.list()), "CREDENTIAL_MALFORMED")
    const key = good[0]!.key!
    const call = { licenseKey: key, idempotencyKey: "caf\u00e9 \u{1f511}" }
    assert.strictEqual(await codeOf(client.runtime.activate({ fingerprint: "one" }, call)), "HEADER_MALFORMED")
    assert.strictEqual(sent(), 0)
    const pasted = new Countersign({ baseUrl: service.url, token: `\ufeff${adminToken}\u200b \n` })
    assert.isArray(await pasted.products.list())
  })

  it("send what was meant, and nothing for what cannot be a key: the app's", async () => {
    const { data: publicKeys } = (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body
    for (const name of ["broken by a quoted mail", "with U+2011 for dashes", "in full-width letters"]) {
      const { key, pasted } = good.find((one) => one.name === name)!
      const app = await openLicense({
        baseUrl: service.url,
        productCode: product.code,
        publicKeys,
        store: memoryStore(),
        fingerprint: "one"
      })
      const { data } = await app.activate(pasted)
      assert.strictEqual(data?.["license_id"], owners.get(key!))
      assert.isTrue((await app.check()).mayRun)
    }
    const { counting, sent } = counted()
    const configured = await openLicense({
      baseUrl: service.url,
      productCode: product.code,
      publicKeys,
      store: memoryStore(),
      fingerprint: "one",
      licenseKey: "my \u{1f511}",
      transport: { fetch: counting }
    })
    assert.strictEqual((await configured.check()).error?.code, "LICENSE_KEY_MALFORMED")
    assert.strictEqual(sent(), 0)
  })

  it("send what was meant, and nothing for what cannot be a key: that of Effect", async () => {
    const check = (key: string) =>
      Effect.flatMap(Effects, ({ runtime }) => runtime.checkLicense({ payload: { fingerprint: "one" }, headers: {} }))
        .pipe(
          withLicenseKey(key),
          Effect.provide(Effects.layer({ baseUrl: service.url }))
        )
    const { key, pasted } = good.find(({ name }) => name === "in a quoted mail")!
    const { data } = await Effect.runPromise(check(pasted))
    assert.strictEqual(data.license_id, owners.get(key!))
    const error = await Effect.runPromise(Effect.flip(check("my \u{1f511}")))
    assert.strictEqual(error._tag, "HttpClientError")
    assert.strictEqual("reason" in error ? error.reason._tag : undefined, "EncodeError")
  })
})
