import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"

let service: Service
/** A second node, which shares what there is to do. */
let other: Service
let database: Session

beforeAll(async () => {
  service = await startService({ altered: ["license expires_at"] })
  other = await startService({ databaseUrl: service.databaseUrl })
  database = await session(service.databaseUrl)
})

const issue = (seats: number | undefined, policy: object = {}, license: object = {}) =>
  service.issue({ policy: { ...(seats === undefined ? {} : { max_floating_users: seats }), ...policy }, license })

const checkout = (key: string, fingerprint: string, more: object = {}) =>
  service.license("floating/checkout", key, { fingerprint, ...more })

/** The lease token of a checkout that must succeed. */
const taken = async (key: string, fingerprint: string): Promise<string> => {
  const answer = await checkout(key, fingerprint)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data.lease_token
}

const heartbeat = (key: string, lease_token: string) => service.license("floating/heartbeat", key, { lease_token })
const checkin = (key: string, lease_token: string, headers = {}) =>
  service.license("floating/checkin", key, { lease_token }, headers)

/** Lets the time of a license's open leases run out, all of it or a part. */
const pass = ({ license }: Issued, interval = "1 day") =>
  database.query(
    `UPDATE leases SET expires_at = expires_at - $2::text::interval, rotated_at = rotated_at - $2::text::interval
     WHERE license_id = $1 AND ended_at IS NULL`,
    [license.id, interval]
  )

const live = async ({ license }: Issued): Promise<Array<Body>> =>
  (await service.call("GET", `/api/v1/licenses/${license.id}/leases?is_live=true&limit=200`)).body.data

const codes = (answers: ReadonlyArray<Answer>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { body, status } of answers) {
    const name = status === 200 ? "200" : `${status} ${body.error.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const subject = [
  "license_id",
  "status",
  "license_type",
  "entitlement_version",
  "product_id",
  "product_code",
  "policy_code",
  "device_id",
  "fingerprint_hash",
  "issued_at",
  "valid_until",
  "lease_expires_at"
]

describe("floating checkout", () => {
  it("answers a signed lease for the policy's time, bound to what was asked", async () => {
    const issued = await issue(2, { floating_timeout_minutes: 45 })
    const answer = await checkout(issued.key, "a", { nonce: "nonce-0001", app_version: "1.0" })
    assert.strictEqual(answer.status, 200, answer.text)
    const { data } = answer.body
    assert.sameMembers(Object.keys(data), [...subject, "lease_token", "features", "nonce", "version_eligibility"])
    assert.match(data.lease_token, /^csl_[0-9A-Za-z]{43}$/)
    assert.strictEqual(data.valid_until, data.lease_expires_at)
    const lasts = Date.parse(data.lease_expires_at) - Date.parse(data.issued_at)
    assert.isTrue(lasts >= 45 * 60_000 && lasts < 45 * 60_000 + 10_000, `${lasts} ms`)
    const keys = await service.call("GET", "/api/v1/system/public-keys")
    const { data: verified } = await verifyEnvelope({
      body: answer.text,
      publicKeys: keys.body.data,
      expected: { nonce: "nonce-0001", productCode: issued.product.code, now: Date.parse(data.issued_at) }
    })
    assert.deepStrictEqual(verified, data)
    const beat = await heartbeat(issued.key, data.lease_token)
    assert.sameMembers(Object.keys(beat.body.data), [...subject, "lease_token", "features"])
    const back = await checkin(issued.key, beat.body.data.lease_token)
    assert.sameMembers(Object.keys(back.body.data), subject)
  })

  it("admits exactly k of any number at once, on two nodes", async () => {
    const issued = await issue(7)
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) =>
          (index % 2 === 0 ? service : other).license("floating/checkout", issued.key, {
            fingerprint: `machine-${index}`
          })
      )
    )
    assert.deepStrictEqual(codes(answers), { "200": 7, "403 FLOATING_LIMIT_EXCEEDED": 13 })
    assert.strictEqual((await live(issued)).length, 7)
  })

  it("admits nobody where the policy has no number, and nobody where it is 0", async () => {
    for (const seats of [undefined, 0]) {
      const error = refused(await checkout((await issue(seats)).key, "a"), 403, "FLOATING_LIMIT_EXCEEDED")
      assert.strictEqual(error.detail, "not sold: the policy has no floating users")
      assert.strictEqual(error.message, "Floating seats are not sold with this license.")
    }
  })

  it("gives a device one lease, however often it asks", async () => {
    const issued = await issue(1)
    const answers = await Promise.all(Array.from({ length: 12 }, () => checkout(issued.key, "a")))
    assert.deepStrictEqual(codes(answers), { "200": 12 })
    assert.strictEqual((await live(issued)).length, 1)
    const again = await taken(issued.key, "a")
    refused(await checkout(issued.key, "b"), 403, "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual((await heartbeat(issued.key, again)).status, 200)
    const events = (await service.feed("&event_type=lease.checked_out"))
      .filter(({ metadata }) => metadata.license_id === issued.license.id)
    assert.strictEqual(events.length, 1)
    assert.strictEqual(events[0].actor_type, "license")
  })

  it("keeps the lease that a heartbeat of its device moves on at the same moment", async () => {
    const issued = await issue(1)
    await taken(issued.key, "a")
    const heart = await hold(
      service.databaseUrl,
      "UPDATE leases SET generation = generation + 1 WHERE license_id = $1",
      [issued.license.id]
    )
    const answer = checkout(issued.key, "a")
    await heart.blocked(1)
    await heart.release()
    assert.deepStrictEqual(codes([await answer]), { "200": 1 })
    assert.strictEqual((await live(issued)).length, 1)
  })

  it("repeats its answer for its Idempotency-Key, and needs one", async () => {
    const { key } = await issue(5)
    const headers = { "idempotency-key": randomUUID() }
    const first = await service.license("floating/checkout", key, { fingerprint: "a" }, headers)
    const second = await service.license("floating/checkout", key, { fingerprint: "a" }, headers)
    assert.strictEqual(second.text, first.text)
    refused(await service.license("floating/checkout", key, { fingerprint: "b" }, headers), 409, "IDEMPOTENCY_CONFLICT")
    const bare = await service.call("POST", "/api/v1/license/floating/checkout", {
      licenseKey: key,
      body: { fingerprint: "a" }
    })
    refused(bare, 400, "IDEMPOTENCY_KEY_REQUIRED")
  })

  it("binds the device for the lease alone, and takes no activation seat", async () => {
    const issued = await issue(3, { max_activations: 1 })
    const { key, license } = issued
    const tokens = [await taken(key, "a"), await taken(key, "b"), await taken(key, "c")]
    assert.strictEqual((await service.license("validate", key, { fingerprint: "a" })).status, 200)
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).active_device_count, 0)
    await checkin(key, tokens[0]!)
    refused(await service.license("validate", key, { fingerprint: "a" }), 404, "DEVICE_NOT_ACTIVATED")
    await pass(issued)
    refused(await service.license("validate", key, { fingerprint: "b" }), 404, "DEVICE_NOT_ACTIVATED")
    // A device with a seat of its own keeps it whatever becomes of the lease; b takes the only one.
    assert.strictEqual((await service.license("activate", key, { fingerprint: "b" })).status, 200)
    await checkin(key, await taken(key, "b"))
    assert.strictEqual((await service.license("validate", key, { fingerprint: "b" })).status, 200)
    await taken(key, "c")
    refused(await service.license("activate", key, { fingerprint: "c" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).active_device_count, 1)
    // Giving the device back gives the floating seat back.
    assert.strictEqual((await service.license("deactivate", key, { fingerprint: "c" })).status, 200)
    assert.deepStrictEqual(await live(issued), [])
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).active_device_count, 1)
  })
})

describe("floating heartbeat", () => {
  it("answers a fresh token; the old one works for a moment, for the same fresh one, and is then unknown", async () => {
    const issued = await issue(1)
    const first = await taken(issued.key, "a")
    await pass(issued, "5 minutes")
    const beat = await heartbeat(issued.key, first)
    const second = beat.body.data.lease_token
    assert.notStrictEqual(second, first)
    assert.isAbove(Date.parse(beat.body.data.lease_expires_at) - Date.parse(beat.body.data.issued_at), 9.9 * 60_000)
    const retry = await heartbeat(issued.key, first)
    assert.strictEqual(retry.body.data.lease_token, second)
    await pass(issued, "29 seconds")
    assert.strictEqual((await heartbeat(issued.key, first)).status, 200)
    await pass(issued, "2 seconds")
    refused(await heartbeat(issued.key, first), 404, "LEASE_NOT_FOUND")
    refused(await checkin(issued.key, first), 404, "LEASE_NOT_FOUND")
    const third = (await heartbeat(issued.key, second)).body.data.lease_token
    assert.notStrictEqual(third, second)
    refused(await heartbeat(issued.key, first), 404, "LEASE_NOT_FOUND")
    assert.strictEqual((await live(issued)).length, 1)
    assert.isString((await live(issued))[0].last_heartbeat_at)
  })

  it("of many at once extend each lease as if it came alone, and wait for nobody else's", async () => {
    const beat = (key: string, lease_token: string) =>
      service.call("POST", "/api/v1/license/floating/heartbeat", { licenseKey: key, body: { lease_token } })
    const [many, held, over] = await Promise.all([issue(20), issue(1), issue(1)])
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => taken(many.key, `machine-${index}`)))
    const [waiting, late] = await Promise.all([taken(held.key, "a"), taken(over.key, "a")])
    await pass(over)
    const lock = await hold(service.databaseUrl, "SELECT 1 FROM leases WHERE license_id = $1 FOR UPDATE", [
      held.license.id
    ])
    const stuck = beat(held.key, waiting)
    await lock.blocked(1)
    // Each token twice: a retry that comes together with the first attempt gets the same new token.
    const answers = await Promise.all([...tokens, ...tokens].map((token) => beat(many.key, token)))
    const refusals = await Promise.all([beat(over.key, late), beat(many.key, waiting), beat(many.key, late)])
    assert.deepStrictEqual(codes(answers), { "200": 40 })
    const next = answers.map(({ body }) => body.data.lease_token)
    assert.deepStrictEqual(next.slice(20), next.slice(0, 20))
    assert.strictEqual(new Set([...next, ...tokens]).size, 40)
    assert.deepStrictEqual(codes(refusals), { "409 LEASE_EXPIRED": 1, "404 LEASE_NOT_FOUND": 2 })
    await lock.release()
    // On a machine with much else to do it may have waited too long by then.
    assert.include(["200", "503 UNAVAILABLE"], Object.keys(codes([await stuck]))[0])
    assert.deepStrictEqual(codes(await Promise.all(next.slice(0, 20).map((token) => beat(many.key, token)))), {
      "200": 20
    })
  })

  it("never revives a lease that ran out, and the seat is free at once", async () => {
    const issued = await issue(1)
    const crashed = await taken(issued.key, "a")
    await pass(issued)
    refused(await heartbeat(issued.key, crashed), 409, "LEASE_EXPIRED")
    assert.deepStrictEqual(await live(issued), [])
    assert.strictEqual((await checkout(issued.key, "b")).status, 200)
    refused(await heartbeat(issued.key, crashed), 409, "LEASE_EXPIRED")
    refused(await checkin(issued.key, crashed), 409, "LEASE_EXPIRED")
    refused(await checkout(issued.key, "a"), 403, "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual((await live(issued)).length, 1)
  })

  it("finds no lease for tokens that are unknown, misshapen or another license's", async () => {
    const issued = await issue(1)
    const foreign = await taken((await issue(1)).key, "a")
    for (const token of [foreign, `csl_${"0".repeat(43)}`, "csl_", "x"]) {
      refused(await heartbeat(issued.key, token), 404, "LEASE_NOT_FOUND")
      refused(await checkin(issued.key, token), 404, "LEASE_NOT_FOUND")
    }
    refused(await service.license("floating/heartbeat", issued.key, {}), 422, "VALIDATION_ERROR")
    refused(
      await service.license("floating/heartbeat", issued.key, { lease_token: foreign, x: 1 }),
      400,
      "UNKNOWN_FIELD"
    )
    refused(await heartbeat("CS-00000-00000-00000-00000-00000", foreign), 401, "LICENSE_KEY_INVALID")
  })

  it("is refused where the license does not serve; giving back never is", async () => {
    const issued = await issue(1)
    const path = `/api/v1/licenses/${issued.license.id}`
    const token = await taken(issued.key, "a")
    await service.data("POST", `${path}/suspend`)
    refused(await heartbeat(issued.key, token), 403, "LICENSE_INACTIVE")
    refused(await checkout(issued.key, "a"), 403, "LICENSE_INACTIVE")
    assert.strictEqual((await checkin(issued.key, token)).status, 200)
    await service.data("POST", `${path}/reinstate`)
    const second = await taken(issued.key, "a")
    await database.query("UPDATE licenses SET expires_at = now() - interval '1 second' WHERE id = $1", [
      issued.license.id
    ])
    refused(await heartbeat(issued.key, second), 403, "LICENSE_EXPIRED")
    assert.strictEqual((await checkin(issued.key, second)).status, 200)
    await database.query("UPDATE licenses SET expires_at = NULL WHERE id = $1", [issued.license.id])
    const third = await taken(issued.key, "a")
    await service.data("POST", `${path}/revoke`)
    refused(await heartbeat(issued.key, third), 403, "LICENSE_INACTIVE")
    // Revoking freed the seat.
    refused(await checkin(issued.key, third), 404, "LEASE_NOT_FOUND")
    const leases = (await service.call("GET", `${path}/leases`)).body.data
    assert.deepStrictEqual(leases.map(({ status }: Body) => status), ["revoked", "checked_in", "checked_in"])
  })
})

describe("floating checkin", () => {
  it("gives the seat back once; a repeat is replayed under its key and unknown under another", async () => {
    const issued = await issue(1)
    const token = await taken(issued.key, "a")
    const headers = { "idempotency-key": randomUUID() }
    const back = await checkin(issued.key, token, headers)
    assert.strictEqual(back.status, 200, back.text)
    assert.strictEqual((await checkin(issued.key, token, headers)).text, back.text)
    refused(await checkin(issued.key, token), 404, "LEASE_NOT_FOUND")
    refused(await heartbeat(issued.key, token), 404, "LEASE_NOT_FOUND")
    assert.strictEqual((await checkout(issued.key, "b")).status, 200)
  })
})

describe("leases of a license", () => {
  it("are listed page by page, and freed by management, repeatably", async () => {
    const issued = await issue(3)
    const path = `/api/v1/licenses/${issued.license.id}/leases`
    const token = await taken(issued.key, "a")
    await taken(issued.key, "b")
    await taken(issued.key, "c")
    const first = await service.call("GET", `${path}?limit=2`)
    const second = await service.call("GET", `${path}?limit=2&cursor=${first.body.page_info.next_cursor}`)
    const all = [...first.body.data, ...second.body.data]
    assert.strictEqual(new Set(all.map(({ id }) => id)).size, 3)
    assert.strictEqual(second.body.page_info.next_cursor, null)
    const lease = all.at(-1)
    assert.sameMembers(Object.keys(lease), ["id", "license_id", "device_id", "status", "checked_out_at", "expires_at"])
    assert.strictEqual(lease.status, "active")
    const released = await service.data("POST", `${path}/${lease.id}/release`)
    assert.strictEqual(released.status, "released")
    assert.deepStrictEqual(await service.data("POST", `${path}/${lease.id}/release`), released)
    for (const ask of [heartbeat, checkin]) {
      const told = refused(await ask(issued.key, token), 404, "LEASE_NOT_FOUND")
      assert.strictEqual(told.detail, "released", "its app stays out")
    }
    refused(await heartbeat(issued.key, token), 404, "LEASE_NOT_FOUND")
    assert.strictEqual((await live(issued)).length, 2)
    const ended = await service.call("GET", `${path}?is_live=false`)
    assert.deepStrictEqual(ended.body.data, [released])
    const elsewhere = await issue(1)
    refused(
      await service.call("POST", `/api/v1/licenses/${elsewhere.license.id}/leases/${lease.id}/release`),
      404,
      "NOT_FOUND"
    )
    refused(await service.call("GET", "/api/v1/licenses/lic_x/leases"), 404, "NOT_FOUND")
    const event = (await service.feed("&event_type=lease.checked_in")).find(({ resource_id }) =>
      resource_id === lease.id
    )
    assert.deepStrictEqual(event.data, released)
    assert.strictEqual(event.metadata.reason, "released")
    assert.strictEqual(event.actor_type, "api_key")
  })

  it("announce once that they ran out, on two nodes, and close the binding", async () => {
    const issued = await issue(12)
    for (let index = 0; index < 12; index++) await taken(issued.key, `machine-${index}`)
    await pass(issued)
    // A holder that comes back ends its old lease before the sweep may have seen it.
    await Promise.all(["machine-0", "machine-1"].map((fingerprint) => checkout(issued.key, fingerprint)))
    await eventually("the sweep", async () =>
      (await database.query(
        "SELECT 1 FROM leases WHERE license_id = $1 AND ended_at IS NULL AND expires_at < now()",
        [issued.license.id]
      )).length === 0)
    const events = (await service.feed("&event_type=lease.expired"))
      .filter(({ metadata }) => metadata.license_id === issued.license.id)
    assert.strictEqual(events.length, 12)
    assert.strictEqual(new Set(events.map(({ resource_id }) => resource_id)).size, 12)
    assert.isTrue(events.every(({ data }) => data.status === "expired"))
    const devices = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices?limit=200`)
    assert.deepStrictEqual(
      devices.map(({ status }: Body) => status).toSorted(),
      [...Array.from({ length: 2 }, () => "active"), ...Array.from({ length: 10 }, () => "expired")]
    )
  })
})
