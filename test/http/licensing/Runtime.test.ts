import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createPublicKey, randomUUID, verify, webcrypto } from "node:crypto"
import { parse } from "yaml"
import { resolved } from "../../../src/api/composition/docs/Schemas.ts"
import { EnvelopeError, verifyEnvelope } from "../../../src/client/verify/index.ts"
import type { ExpectedEnvelope } from "../../../src/client/verify/index.ts"
import { conforms } from "../../fixtures/contract.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
/** A license with an activated device, for who only asks. */
let plain: Issued

beforeAll(async () => {
  service = await startService()
  plain = await activated()
})

const publicKeys = (): Promise<Array<Body>> =>
  service.data("GET", "/api/v1/system/public-keys", undefined, { token: null })

/** Verifies as callers that share no code with us do: over their own serialisation of what they parsed. */
const verifiesPlainly = (answer: Answer, keys: ReadonlyArray<Body>): boolean => {
  const { data, signature } = JSON.parse(answer.text)
  const key = keys.find(({ kid }) => kid === signature.kid)
  if (key === undefined) return false
  assert.deepInclude(signature, { alg: "Ed25519", algorithm: "Ed25519" })
  assert.strictEqual(key.algorithm, "Ed25519")
  const raw = Buffer.from(key.public_key, "base64")
  assert.lengthOf(raw, 32)
  assert.strictEqual(raw.toString("base64"), key.public_key)
  const x = raw.toString("base64url")
  return verify(
    null,
    Buffer.from(JSON.stringify(data)),
    createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }),
    Buffer.from(signature.value, "base64")
  )
}

const verifiesForClient = async (answer: Answer, expected = {}): Promise<void> => {
  for (const bytes of ["canonical", "raw"] as const) {
    const { data } = await verifyEnvelope({ body: answer.text, publicKeys: await publicKeys(), bytes, expected })
    assert.deepStrictEqual(data, answer.body.data)
  }
}

const activated = async (policy: object = {}, license: object = {}): Promise<Issued> => {
  const given = await service.issue({ policy, license })
  assert.strictEqual((await service.license("activate", given.key, { fingerprint: "f" })).status, 200)
  return given
}

describe("every signed answer", () => {
  const operations = ["activate", "validate", "check", "consume", "deactivate"] as const

  it("verifies for our client and for anyone, and has the members of the contract", async () => {
    const given = await activated({}, { expires_at: "2999-01-01T00:00:00Z" })
    const feature = await service.data("POST", `/api/v1/products/${given.product.id}/features`, {
      name: "f",
      code: "f"
    })
    await service.data("POST", `/api/v1/licenses/${given.license.id}/features`, {
      feature_id: feature.id,
      max_consumptions: Number.MAX_SAFE_INTEGER
    })
    const keys = await publicKeys()
    for (const operation of operations) {
      const nonce = randomUUID()
      const more = operation === "consume" ? { feature_code: "f", event_id: "e" } : {}
      const body = { fingerprint: "f", app_version: "1.2.3-beta+7", nonce, ...more }
      const answer = await service.license(operation, given.key, body)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.sameMembers(Object.keys(answer.body), ["data", "signature", "meta"])
      conforms("Signature", answer.body.signature, ["algorithm"])
      conforms(
        operation === "deactivate" ? "DeactivationResponseData" : "RuntimeEntitlementResponseData",
        answer.body.data,
        ["product_id", "product_code", "policy_code", "fingerprint_hash", "valid_until", "nonce"]
      )
      assert.isTrue(verifiesPlainly(answer, keys))
      await verifiesForClient(answer, { nonce, productCode: given.product.code })
      assert.deepInclude(answer.body.data, {
        license_id: given.license.id,
        license_type: "subscription",
        product_id: given.product.id,
        product_code: given.product.code,
        policy_code: "annual",
        status: "active",
        nonce,
        expires_at: "2999-01-01T00:00:00.000Z",
        fingerprint_hash: Buffer.from(
          await webcrypto.subtle.digest("SHA-256", Buffer.from("f"))
        ).toString("hex")
      })
    }
  })

  it("is void once a byte is changed, or another answer's signature is put under it", async () => {
    const ask = () => service.license("validate", plain.key, { fingerprint: "f", nonce: randomUUID() })
    const [one, two] = [await ask(), await ask()]
    const keys = await publicKeys()
    const refusedAs = async (body: string, code: string, expected = {}) => {
      const error = await verifyEnvelope({ body, publicKeys: keys, expected }).then(() => undefined, (error) => error)
      assert.instanceOf(error, EnvelopeError)
      assert.strictEqual((error as EnvelopeError).code, code)
    }
    await refusedAs(one.text.replace(`"status":"active"`, `"status":"expired"`), "signature_mismatch")
    await refusedAs(JSON.stringify({ ...one.body, signature: two.body.signature }), "signature_mismatch")
    await refusedAs(one.text, "nonce_mismatch", { nonce: two.body.data.nonce })
    await refusedAs(one.text, "product_mismatch", { productCode: "another" })
    // Trap 18: an answer that was captured is of no use later.
    await refusedAs(one.text, "expired", { now: Date.parse(one.body.data.valid_until) + 61_000 })
  })

  it("of every operation echoes the nonce, ends, and is told from a replay", async () => {
    const issued = await service.issue({ policy: { max_floating_users: 2, validation_interval_minutes: 30 } })
    const features = `/api/v1/products/${issued.product.id}/features`
    const feature = await service.data("POST", features, { name: "X", code: "x" })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
      feature_id: feature.id,
      max_consumptions: Number.MAX_SAFE_INTEGER
    })
    const keys = await publicKeys()
    const judge = async ({ text: body }: Answer, expected: ExpectedEnvelope): Promise<string> => {
      try {
        for (const bytes of ["canonical", "raw"] as const) {
          await verifyEnvelope({ body, publicKeys: keys, expected, bytes })
        }
        return "accepted"
      } catch (error) {
        if (error instanceof EnvelopeError) return error.code
        throw error
      }
    }
    let lease = ""
    const calls: ReadonlyArray<readonly [string, () => object]> = [
      ["activate", () => ({ fingerprint: "a" })],
      ["validate", () => ({ fingerprint: "a", app_version: "1.0 (build 7)" })],
      ["check", () => ({ fingerprint: "a" })],
      ["consume", () => ({ fingerprint: "a", feature_code: "x", event_id: randomUUID() })],
      ["floating/checkout", () => ({ fingerprint: "b" })],
      ["floating/heartbeat", () => ({ lease_token: lease })],
      ["floating/checkin", () => ({ lease_token: lease })],
      ["deactivate", () => ({ fingerprint: "a" })]
    ]
    for (const [operation, body] of calls) {
      const captured = await service.license(operation, issued.key, { ...body(), nonce: "nonce-of-the-first" })
      assert.strictEqual(captured.status, 200, captured.text)
      const { data } = captured.body
      lease = data.lease_token ?? lease
      const nonce = "nonce-of-the-first"
      assert.strictEqual(await judge(captured, { nonce, productCode: issued.product.code }), "accepted", operation)
      // The same bytes given to a question that was asked later.
      assert.strictEqual(await judge(captured, { nonce: "nonce-of-the-second" }), "nonce_mismatch", operation)
      assert.strictEqual(await judge(captured, { productCode: "another" }), "product_mismatch", operation)
      const until = Date.parse(data.valid_until)
      assert.isAtMost(until - Date.parse(data.issued_at), 60 * 60_000, operation)
      assert.strictEqual(await judge(captured, { nonce, now: until + 61_000 }), "expired", operation)
    }
  })

  it("takes a nonce of 8 to 128 characters, in body and header, and says so", async () => {
    const given = await service.issue()
    await service.license("activate", given.key, { fingerprint: "f" })
    for (const [length, status] of [[7, 0], [8, 200], [128, 200], [129, 0]] as const) {
      const nonce = "n".repeat(length)
      const inBody = await service.license("validate", given.key, { fingerprint: "f", nonce })
      const inHeader = await service.license("validate", given.key, { fingerprint: "f" }, { "x-nonce": nonce })
      assert.deepStrictEqual([inBody.status, inHeader.status], status === 0 ? [422, 400] : [200, 200], `${length}`)
      if (status === 0) refused(inHeader, 400, "INVALID_HEADER")
    }
    const document = parse((await service.call("GET", "/openapi.yaml", { token: null })).text)
    let found = 0
    const hold = (schema: Body, what: string) => {
      const { maxLength, minLength } = Object.assign({}, schema, ...(schema.allOf ?? []))
      assert.deepStrictEqual({ maxLength, minLength }, { maxLength: 128, minLength: 8 }, what)
      found++
    }
    for (const [path, operations] of Object.entries<Body>(document.paths)) {
      for (const { parameters = [] } of Object.values<Body>(operations)) {
        for (const given of parameters) {
          const { name, schema } = resolved(document, given)
          if (name === "x-nonce") hold(schema, path)
        }
      }
    }
    for (
      const name of ["RuntimeBindingRequest", "ConsumeLicenseRequest", "RefundOwnUsageRequest", "FloatingLeaseRequest"]
    ) {
      hold(document.components.schemas[name].properties.nonce, name)
    }
    assert.strictEqual(found, 15 + 4)
  })

  it("carries the nonce of the body before that of the header, and none when none was sent", async () => {
    const nonce = async (body: object, headers: Record<string, string>) =>
      (await service.license("check", plain.key, { fingerprint: "f", ...body }, headers)).body.data.nonce
    assert.strictEqual(await nonce({}, { "x-nonce": "from-header" }), "from-header")
    assert.strictEqual(await nonce({ nonce: "from-body" }, { "x-nonce": "from-header" }), "from-body")
    assert.isUndefined(await nonce({}, {}))
  })

  it("says when to ask again, spread over a tenth of the interval", async () => {
    const given = await activated({ validation_interval_minutes: 1000 })
    const waits: Array<number> = []
    for (let index = 0; index < 20; index++) {
      const { data } = (await service.license("check", given.key, { fingerprint: "f" })).body
      waits.push((Date.parse(data.next_check_at) - Date.parse(data.issued_at)) / 60_000)
      assert.isAbove(Date.parse(data.valid_until), Date.parse(data.next_check_at))
    }
    assert.isAtLeast(Math.min(...waits), 900)
    assert.isAtMost(Math.max(...waits), 1000)
    assert.isAbove(Math.max(...waits) - Math.min(...waits), 20)
    assert.isAbove(new Set(waits).size, 15)
  })

  it("lists features by code, with what is left of those that have a quota", async () => {
    const given = await activated()
    const path = `/api/v1/licenses/${given.license.id}/features`
    const assign = async (code: string, assignment: object) => {
      const { id } = await service.data("POST", `/api/v1/products/${given.product.id}/features`, { name: code, code })
      return service.data("POST", path, { feature_id: id, ...assignment })
    }
    await assign("metered", { max_consumptions: 5 })
    await assign("expired", { expires_at: "2020-01-01T00:00:00Z" })
    await assign("off", { enabled: false })
    await assign("zero", { max_consumptions: 0 })
    await service.license("consume", given.key, { fingerprint: "f", feature_code: "metered", event_id: "e", amount: 2 })
    const answer = await service.license("check", given.key, { fingerprint: "f" })
    assert.deepStrictEqual(answer.body.data.features, [
      { code: "expired", enabled: false },
      { code: "metered", enabled: true, quota: 5, consumed: 2, remaining: 3 },
      { code: "off", enabled: false },
      { code: "zero", enabled: true, quota: 0, consumed: 0, remaining: 0 }
    ])
  })

  it("counts every change of what the license grants", async () => {
    const version = async () =>
      (await service.license("check", plain.key, { fingerprint: "f" })).body.data.entitlement_version
    const before = await version()
    assert.strictEqual(await version(), before)
    await service.data("POST", `/api/v1/licenses/${plain.license.id}/suspend`)
    await service.data("POST", `/api/v1/licenses/${plain.license.id}/reinstate`)
    assert.strictEqual(await version(), before + 2)
  })

  it("tells a version's eligibility only to who names one", async () => {
    const eligibility = async (body: object) =>
      (await service.license("check", plain.key, { fingerprint: "f", ...body })).body.data.version_eligibility
    assert.isUndefined(await eligibility({}))
    assert.deepStrictEqual(await eligibility({ app_version: "2.0" }), {
      app_version: "2.0",
      enforced: false,
      is_entitled: true
    })
  })
})

describe("containers", () => {
  it("are bound by what names them", async () => {
    const given = await service.issue({ policy: { max_container_instances: 1, max_activations: 0 } })
    const pod = { is_container: true, cluster_id: "eu-1", namespace: "prod", pod_name: "api-0", hostname: "node-3" }
    const first = await service.license("activate", given.key, pod)
    assert.isTrue(verifiesPlainly(first, await publicKeys()))
    const turned = Object.fromEntries(Object.entries(pod).toReversed())
    assert.strictEqual(
      (await service.license("validate", given.key, turned)).body.data.device_id,
      first.body.data.device_id
    )
    refused(
      await service.license("activate", given.key, { ...pod, pod_name: "api-1" }),
      403,
      "ACTIVATION_LIMIT_EXCEEDED"
    )
    const [device] = await service.data("GET", `/api/v1/licenses/${given.license.id}/devices`)
    conforms("Device", device)
    assert.deepInclude(device, {
      binding_kind: "container",
      binding_key: "cluster_id=eu-1/namespace=prod/pod_name=api-0",
      hostname: "node-3",
      is_container: true,
      is_vm: false,
      status: "active",
      ip_address: "127.0.0.1"
    })
    assert.notProperty(device, "fingerprint")
  })
})

describe("signing keys", () => {
  it("rotate: old answers still verify, until their key is revoked", async () => {
    const ask = () => service.license("check", plain.key, { fingerprint: "f" })
    const old = await ask()
    const key = await service.data("POST", "/api/v1/signing-keys/rotate")
    assert.deepInclude(key, { algorithm: "Ed25519", status: "active" })
    const current = await ask()
    assert.strictEqual(current.body.signature.kid, key.kid)
    const keys = await publicKeys()
    for (const published of keys) conforms("PublicKey", published)
    assert.deepStrictEqual(keys.map(({ status }) => status), ["active", ...keys.slice(1).map(() => "retired")])
    assert.isTrue(verifiesPlainly(old, keys))
    assert.isTrue(verifiesPlainly(current, keys))
    await verifiesForClient(old)

    const retired = old.body.signature.kid
    for (let repeat = 0; repeat < 2; repeat++) {
      const revoked = await service.data("POST", `/api/v1/signing-keys/${retired}/revoke`)
      assert.deepInclude(revoked, { kid: retired, status: "revoked" })
    }
    const left = await publicKeys()
    assert.notInclude(left.map(({ kid }) => kid), retired)
    assert.isFalse(verifiesPlainly(old, left))
    assert.isTrue(verifiesPlainly(current, left))
    const { revoked } = (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body
    assert.deepStrictEqual(revoked.map(({ kid }: Body) => kid), [retired])
    const all = await service.data("GET", "/api/v1/signing-keys")
    assert.deepInclude(all.find(({ kid }: Body) => kid === retired), { status: "revoked" })
    assert.notMatch(JSON.stringify(all), /private/)
    const events = (await service.feed("&resource_type=signing_key")).slice(-3)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "signing_key.retired",
      "signing_key.created",
      "signing_key.revoked"
    ])
  })

  it("verify through the JSON Web Key Set and WebCrypto", async () => {
    const answer = await service.license("check", plain.key, { fingerprint: "f" })
    const { body, headers } = await service.call("GET", "/.well-known/jwks.json", { token: null })
    assert.strictEqual(headers["content-type"], "application/jwk-set+json")
    const jwk = body.keys.find(({ kid }: Body) => kid === answer.body.signature.kid)
    assert.deepInclude(jwk, { kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" })
    // WebCrypto wants its own name of the algorithm or none.
    const { alg: _alg, ...members } = jwk
    const key = await webcrypto.subtle.importKey("jwk", members, "Ed25519", true, ["verify"])
    const signature = Buffer.from(answer.body.signature.value, "base64")
    const data = Buffer.from(JSON.stringify(answer.body.data))
    assert.isTrue(await webcrypto.subtle.verify("Ed25519", key, signature, data))
  })

  it("many rotations at once leave one active key, and answers always verify", async () => {
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 24 }, () => service.license("check", plain.key, { fingerprint: "f" }))),
      Promise.all(Array.from({ length: 8 }, () => service.call("POST", "/api/v1/signing-keys/rotate")))
    ])
    const keys = await publicKeys()
    assert.lengthOf(keys.filter(({ status }) => status === "active"), 1)
    for (const answer of answers) assert.isTrue(verifiesPlainly(answer, keys))
  })
})
