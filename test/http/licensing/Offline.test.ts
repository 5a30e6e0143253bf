import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { get } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { gunzipSync } from "node:zlib"
import { verifyEnvelope, verifyOffline } from "../../../src/client/verify/index.ts"
import type { ExpectedOffline, PublicKey, VerifiedOffline } from "../../../src/client/verify/index.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let database: Session

beforeAll(async () => {
  service = await startService({ altered: ["license state", "license expires_at"] })
  database = await session(service.databaseUrl)
})

type Activated = Issued & { readonly deviceId: string }

const activated = async (policy: object = {}, license: object = {}): Promise<Activated> => {
  const issued = await service.issue({ policy, license })
  const answer = await service.license("activate", issued.key, { fingerprint: "a" })
  assert.strictEqual(answer.status, 200, answer.text)
  return { ...issued, deviceId: answer.body.data.device_id }
}

const publicKeys = async (): Promise<ReadonlyArray<PublicKey>> =>
  (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body.data

/** Without an Idempotency-Key, as old clients ask. */
const ask = (key: string, body: object = { fingerprint: "a" }, headers: Record<string, string> = {}) =>
  service.call("POST", "/api/v1/license/offline", { licenseKey: key, body, headers })

const envelope = async (key: string, body?: object): Promise<Body> => {
  const answer = await ask(key, body)
  assert.strictEqual(answer.status, 200, answer.text)
  assert.sameMembers(Object.keys(answer.body), ["data", "meta"])
  assert.sameMembers(Object.keys(answer.body.data), ["kid", "salt", "nonce", "ciphertext"])
  return answer.body.data
}

const open = async (
  { deviceId, key }: Activated,
  envelope: Body,
  expected: ExpectedOffline = {}
): Promise<VerifiedOffline> =>
  verifyOffline({ envelope, licenseKey: key.toLowerCase(), deviceId, publicKeys: await publicKeys(), expected })

const codeOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt
    return "accepted"
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

const day = 86_400_000

describe("offline envelopes", () => {
  it("are opened with the customer's own key and the public keys, and say until when", async () => {
    const issued = await activated({ offline_grace_days: 9 })
    const made = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "X", code: "x" })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: made.id })
    const sealed = await envelope(issued.key, { fingerprint: "a", nonce: "nonce-0001", app_version: "1.2" })
    const { data, offlineCounter } = await open(issued, sealed, { productCode: issued.product.code })
    assert.strictEqual(offlineCounter, 1)
    assert.strictEqual(data["license_id"], issued.license.id)
    assert.strictEqual(data["nonce"], "nonce-0001")
    assert.deepStrictEqual(data["features"], [{ code: "x", enabled: true }])
    assert.strictEqual(Date.parse(String(data["valid_until"])) - Date.parse(String(data["issued_at"])), 9 * day)
    assert.strictEqual(data["next_check_at"], data["valid_until"])
    const [event] = await service.feed(`&event_type=offline.issued&resource_id=${issued.license.id}`)
    assert.deepStrictEqual(event.data, {
      license_id: issued.license.id,
      device_id: issued.deviceId,
      kid: sealed.kid,
      offline_counter: 1,
      issued_at: data["issued_at"],
      valid_until: data["valid_until"]
    })
  })

  it("count up for each device, so that an older one can be told", async () => {
    const issued = await activated({ max_activations: 2 })
    const other = await service.license("activate", issued.key, { fingerprint: "b" })
    const sealed = await Promise.all(Array.from({ length: 10 }, () => envelope(issued.key)))
    const counters = await Promise.all(sealed.map(async (one) => (await open(issued, one)).offlineCounter))
    assert.deepStrictEqual(counters.toSorted((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const elsewhere = await envelope(issued.key, { fingerprint: "b" })
    assert.strictEqual(await codeOf(open(issued, elsewhere)), "cannot_decrypt")
    const there = await open({ ...issued, deviceId: other.body.data.device_id }, elsewhere)
    assert.strictEqual(there.offlineCounter, 1)
    assert.strictEqual(await codeOf(open(issued, sealed[0], { lastCounter: 11 })), "rolled_back")
    assert.strictEqual(new Set(sealed.flatMap(({ nonce, salt }) => [nonce, salt])).size, 20)
  })

  it("never outlive the license and its grace period", async () => {
    const expires_at = new Date(Date.now() + 3 * day).toISOString()
    const issued = await activated({ grace_period_days: 2 }, { expires_at })
    const { data } = await open(issued, await envelope(issued.key))
    assert.strictEqual(data["valid_until"], new Date(Date.parse(expires_at) + 2 * day).toISOString())
  })

  it("repeat for an Idempotency-Key, which is not required", async () => {
    const issued = await activated()
    const headers = { "idempotency-key": "offline-once" }
    const first = await ask(issued.key, { fingerprint: "a" }, headers)
    assert.strictEqual((await ask(issued.key, { fingerprint: "a" }, headers)).text, first.text)
  })

  it("are for activated devices under a policy that allows them", async () => {
    const denied = await activated({ allow_offline_activation: false })
    assert.strictEqual(
      refused(await ask(denied.key), 403, "OFFLINE_NOT_ALLOWED").detail,
      "the policy does not allow it"
    )
    refused(await ask((await activated({ offline_grace_days: 0 })).key), 403, "OFFLINE_NOT_ALLOWED")
    const issued = await activated({ max_floating_users: 1 })
    refused(await ask(issued.key, { fingerprint: "b" }), 404, "DEVICE_NOT_ACTIVATED")
    await service.license("floating/checkout", issued.key, { fingerprint: "b" })
    const floating = refused(await ask(issued.key, { fingerprint: "b" }), 403, "OFFLINE_NOT_ALLOWED")
    assert.strictEqual(floating.detail, "the device holds a floating seat")
    refused(await ask(issued.key, { fingerprint: "a", product_code: "other" }), 403, "PRODUCT_MISMATCH")
    refused(await ask(issued.key, {}), 422, "VALIDATION_ERROR")
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/suspend`)
    refused(await ask(issued.key), 403, "LICENSE_INACTIVE")
    await database.query("UPDATE licenses SET state = 'active', expires_at = now() WHERE id = $1", [issued.license.id])
    refused(await ask(issued.key), 403, "LICENSE_EXPIRED")
  })
})

describe("the revocation list", () => {
  const list = async (): Promise<Body> => {
    const answer = await service.call("GET", "/api/v1/license/revocations", { token: null })
    assert.strictEqual(answer.status, 200, answer.text)
    return (await verifyEnvelope({ body: answer.text, publicKeys: await publicKeys(), bytes: "raw" })).data
  }

  it("is signed, open, numbered, and takes from an envelope what was revoked after it", async () => {
    const issued = await activated()
    const sealed = await envelope(issued.key)
    const before = await list()
    assert.sameMembers(Object.keys(before), [
      "number",
      "issued_at",
      "next_update",
      "valid_until",
      "revoked_license_ids",
      "revoked_kids"
    ])
    assert.strictEqual(Date.parse(before["next_update"]) - Date.parse(before["issued_at"]), day)
    await open(issued, sealed, { revocations: before })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/revoke`)
    const after = await list()
    assert.strictEqual(after["number"], before["number"] + 1)
    assert.include(after["revoked_license_ids"], issued.license.id)
    assert.strictEqual(await codeOf(open(issued, sealed, { revocations: after })), "revoked")
  })

  it("is counted as it changes: a call reads no license, and is 304 to who has the list", async () => {
    const first = await service.call("GET", "/api/v1/license/revocations", { token: null })
    const etag = String(first.headers.etag)
    const tables = await session(service.databaseUrl)
    await tables.query("BEGIN")
    await tables.query("LOCK TABLE licenses IN ACCESS EXCLUSIVE MODE")
    const again = await service.call("GET", "/api/v1/license/revocations", { token: null })
    assert.deepStrictEqual(again.body.data, first.body.data)
    assert.strictEqual(again.headers.etag, etag)
    const known = await service.call("GET", "/api/v1/license/revocations", {
      token: null,
      headers: { "if-none-match": etag }
    })
    assert.strictEqual(known.status, 304)
    assert.strictEqual(known.text, "")
    await tables.query("ROLLBACK")
    await tables.close()

    const { license } = await service.issue()
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    const changed = await service.call("GET", "/api/v1/license/revocations", {
      token: null,
      headers: { "if-none-match": etag }
    })
    assert.strictEqual(changed.status, 200)
    assert.include(changed.body.data.revoked_license_ids, license.id)
    assert.strictEqual(
      changed.body.data.number,
      changed.body.data.revoked_license_ids.length + changed.body.data.revoked_kids.length
    )
  })

  it("is written once for all who ask at one time", async () => {
    const { license } = await service.issue()
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => service.call("GET", "/api/v1/license/revocations", { token: null }))
    )
    assert.strictEqual(new Set(answers.map(({ body }) => body.data.issued_at)).size, 1)
    assert.strictEqual(new Set(answers.map(({ body }) => body.signature.value)).size, 1)
    assert.strictEqual(new Set(answers.map(({ headers }) => headers.etag)).size, 1)
    assert.strictEqual(new Set(answers.map(({ body }) => body.meta.request_id)).size, answers.length)
    for (const { body } of answers) assert.include(body.data.revoked_license_ids, license.id)
  })

  it("is compressed for those who take that, and is the same list", async () => {
    const issued = await service.issue()
    // Long enough to be worth it.
    const bulk = await service.data("POST", "/api/v1/licenses/bulk", {
      licenses: Array.from({ length: 80 }, () => ({ product_id: issued.product.id, policy_id: issued.policy.id }))
    }, { headers: { "idempotency-key": randomUUID() } })
    for (const { license } of bulk.results) await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    const raw = (headers: Record<string, string>) =>
      new Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }>((resolve, reject) => {
        get(`${service.url}/api/v1/license/revocations`, { headers }, (incoming) => {
          const chunks: Array<Buffer> = []
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
          incoming.once("end", () => resolve({ headers: incoming.headers, bytes: Buffer.concat(chunks) }))
        }).once("error", reject)
      })
    const plain = await raw({})
    assert.isUndefined(plain.headers["content-encoding"])
    const refusing = await raw({ "accept-encoding": "gzip;q=0, br" })
    assert.isUndefined(refusing.headers["content-encoding"])
    const packed = await raw({ "accept-encoding": "br, gzip;q=0.8" })
    assert.strictEqual(packed.headers["content-encoding"], "gzip")
    assert.strictEqual(packed.headers.vary, "accept-encoding")
    assert.isBelow(packed.bytes.length, plain.bytes.length)
    const text = gunzipSync(packed.bytes).toString()
    const { data } = await verifyEnvelope({ body: text, publicKeys: await publicKeys(), bytes: "raw" })
    assert.deepStrictEqual(data, JSON.parse(plain.bytes.toString()).data)
    assert.strictEqual(JSON.parse(text).meta.request_id, packed.headers["x-request-id"])
    // As clients do that unpack by themselves.
    const fetched = await fetch(`${service.url}/api/v1/license/revocations`)
    assert.deepStrictEqual(((await fetched.json()) as Body).data, data)
  })

  it("names signing keys that were withdrawn, also to those who still have them", async () => {
    const issued = await activated()
    const sealed = await envelope(issued.key)
    const keys = await publicKeys()
    const old = keys[0]!.kid
    await service.data("POST", "/api/v1/signing-keys/rotate")
    await open(issued, sealed)
    await service.data("POST", `/api/v1/signing-keys/${old}/revoke`)
    const revocations = await list()
    assert.deepStrictEqual(revocations["revoked_kids"], [old])
    assert.strictEqual(await codeOf(open(issued, sealed)), "unknown_key")
    const { deviceId, key } = issued
    const stale = verifyOffline({
      envelope: sealed,
      licenseKey: key,
      deviceId,
      publicKeys: keys,
      expected: { revocations }
    })
    assert.strictEqual(await codeOf(stale), "revoked")
  })
})
