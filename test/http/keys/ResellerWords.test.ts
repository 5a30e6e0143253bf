// Two authors of one license: the vendor, and a reseller by its key. A reseller undoes what it did itself, and nobody else's word.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { makeTeam } from "../../fixtures/Teams.ts"

const service = await startService()
const team = await makeTeam(service, "north")
const { product } = team.ids
const yearly = await service.data("POST", `/api/v1/products/${product}/policies`, {
  name: "By resellers",
  code: "by-resellers",
  license_type: "time_limited",
  duration: "P1Y",
  max_activations: 2
})

/** Asks as a reseller, or as the vendor with no token. */
const ask = (token: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/api/v1${path}`, {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    headers: { "idempotency-key": randomUUID() }
  })

const keyOf = async (license_tag: string): Promise<string> => {
  const scopes = ["license:write", "device:write"]
  const made = await service.data("POST", "/api/v1/api-keys", {
    name: license_tag,
    scopes,
    product_ids: [product],
    license_tag
  })
  return made.token
}

const acme = await keyOf("acme")
const acmeToo = await keyOf("acme")
const bolt = await keyOf("bolt")
const vendor = undefined

const issue = async (more: object = {}): Promise<Body> => {
  const made = await ask(acme, "POST", "/licenses", { product_id: product, policy_id: yearly.id })
  assert.strictEqual(made.status, 201, made.text)
  const { license, license_key } = made.body.data
  if (Object.keys(more).length > 0) await service.data("PATCH", `/api/v1/licenses/${license.id}`, more)
  return { path: `/licenses/${license.id}`, license_key, id: license.id }
}

const statusOf = async (path: string): Promise<string> => (await service.data("GET", `/api/v1${path}`)).status

const done = (answer: Answer): Answer => {
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
}

/** A reseller is refused, told who holds it, and nothing has changed. */
const held = async (path: string, token: string, by: string): Promise<void> => {
  const answer = await ask(token, "POST", `${path}/reinstate`, {})
  assert.strictEqual(refused(answer, 409, "STATE_CONFLICT").detail, `suspended by ${by}`)
  assert.strictEqual(await statusOf(path), "suspended")
}

describe("a suspension", () => {
  it("of the vendor is not lifted by the reseller, however often the reseller says suspended, too", async () => {
    const { path } = await issue()
    done(await ask(vendor, "POST", `${path}/suspend`, {}))
    await held(path, acme, "vendor")
    const before = (await service.feed(`&resource_id=${path.slice(10)}`)).length
    done(await ask(acme, "POST", `${path}/suspend`, {}))
    assert.strictEqual((await service.feed(`&resource_id=${path.slice(10)}`)).length, before)
    await held(path, acme, "vendor")
    done(await ask(acme, "POST", `${path}/renew`, {}))
    assert.strictEqual(await statusOf(path), "suspended")
    done(await ask(vendor, "POST", `${path}/reinstate`, {}))
    assert.strictEqual(await statusOf(path), "active")
  })

  it("of the reseller is lifted by any of the reseller's keys, and by the vendor", async () => {
    const { path } = await issue()
    done(await ask(acme, "POST", `${path}/suspend`, {}))
    done(await ask(acmeToo, "POST", `${path}/reinstate`, {}))
    assert.strictEqual(await statusOf(path), "active")
    done(await ask(acmeToo, "POST", `${path}/suspend`, {}))
    done(await ask(vendor, "POST", `${path}/reinstate`, {}))
    assert.strictEqual(await statusOf(path), "active")
  })

  it("of the reseller becomes the vendor's by the vendor's word, alone or by a job", async () => {
    const license = await issue()
    done(await ask(acme, "POST", `${license.path}/suspend`, {}))
    done(await ask(vendor, "POST", `${license.path}/suspend`, {}))
    await held(license.path, acme, "vendor")

    const other = await issue()
    done(await ask(acme, "POST", `${other.path}/suspend`, {}))
    const job = { action: "suspend", selection: { ids: [other.id] } }
    const { id } = (await ask(vendor, "POST", "/licenses/jobs", job)).body.data.job
    await eventually("the job is done", async () => (await service.data("GET", `/api/v1/jobs/${id}`)).state === "done")
    await held(other.path, acme, "vendor")
  })

  it("of another reseller with a tag of the same license is that one's", async () => {
    const { path } = await issue({ tags: ["acme", "bolt"] })
    done(await ask(bolt, "POST", `${path}/suspend`, {}))
    await held(path, acme, "another reseller")
    done(await ask(bolt, "POST", `${path}/reinstate`, {}))
  })

  it("of a subscription is neither lifted nor taken over, also where the reseller suspended the license first", async () => {
    const policy = await service.data("POST", `/api/v1/products/${product}/policies`, {
      name: "Subscribed",
      code: "subscribed",
      license_type: "subscription",
      follows_subscription: true,
      max_activations: 1
    })
    for (const isFirst of [false, true]) {
      const subscription = await service.data("POST", `/api/v1/products/${product}/subscriptions`, {
        external_system: "billing",
        external_id: randomUUID(),
        status: "active",
        current_period_start: "2026-01-01T00:00:00Z",
        current_period_end: "2090-01-01T00:00:00Z"
      })
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: product,
        policy_id: policy.id,
        subscription_id: subscription.id,
        tags: ["acme"]
      })
      const path = `/licenses/${license.id}`
      if (isFirst) done(await ask(acme, "POST", `${path}/suspend`, {}))
      await service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, { status: "paused" })
      await held(path, acme, "subscription")
      done(await ask(acme, "POST", `${path}/suspend`, {}))
      await held(path, acme, "subscription")
      await service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, { status: "active" })
      // What the reseller said before is the reseller's to lift, once nothing else stands against it.
      assert.strictEqual(await statusOf(path), isFirst ? "suspended" : "active")
      done(await ask(acme, "POST", `${path}/reinstate`, {}))
    }
  })

  it("of a purchase is not lifted by the reseller", async () => {
    const { id, path } = await issue()
    done(await ask(acme, "POST", `${path}/suspend`, {}))
    const sql = await session(service.databaseUrl)
    // What a purchase notes of a license that it stops, without the purchase.
    await sql.query("SET session_replication_role = replica")
    await sql.query(
      "INSERT INTO purchase_licenses (purchase_id, item, index, license_id, stopped) VALUES ('none', '', 0, $1, 'refunded')",
      [id]
    )
    await held(path, acme, "purchase")
    await sql.query("DELETE FROM purchase_licenses WHERE purchase_id = 'none'")
    done(await ask(acme, "POST", `${path}/reinstate`, {}))
  })

  it("that is a revocation is undone by nobody", async () => {
    const { path } = await issue()
    done(await ask(vendor, "POST", `${path}/revoke`, {}))
    for (const [action, body] of [["reinstate", {}], ["renew", {}], ["suspend", {}]] as const) {
      refused(await ask(acme, "POST", `${path}/${action}`, body), 409, "STATE_CONFLICT")
    }
    assert.strictEqual(await statusOf(path), "revoked")
  })
})

describe("a device", () => {
  const activated = async () => {
    const license = await issue()
    done(await service.license("activate", license.license_key, { fingerprint: "machine" }))
    const [device] = await service.data("GET", `/api/v1${license.path}/devices`)
    return { ...license, device: `${license.path}/devices/${device.id}` }
  }
  const frees = [["reset", {}], ["free-seat", { reason: "The machine is gone." }]] as const

  it("that the vendor blocked is not let in again by the reseller, in either way", async () => {
    const { device, license_key } = await activated()
    done(await ask(vendor, "POST", `${device}/blacklist`, {}))
    done(await ask(acme, "POST", `${device}/blacklist`, {}))
    for (const [action, body] of frees) {
      const answer = await ask(acme, "POST", `${device}/${action}`, body)
      assert.strictEqual(refused(answer, 409, "STATE_CONFLICT").detail, "blacklisted by vendor", action)
    }
    const again = await service.license("activate", license_key, { fingerprint: "machine" })
    refused(again, 403, "DEVICE_BLACKLISTED")
  })

  it("that the reseller blocked is the reseller's to let in, until the vendor blocks it", async () => {
    const { device } = await activated()
    for (const [action, body] of frees) {
      done(await ask(acme, "POST", `${device}/blacklist`, {}))
      done(await ask(acmeToo, "POST", `${device}/${action}`, body))
    }
    done(await ask(acme, "POST", `${device}/blacklist`, {}))
    done(await ask(vendor, "POST", `${device}/blacklist`, {}))
    const answer = await ask(acme, "POST", `${device}/reset`, {})
    assert.strictEqual(refused(answer, 409, "STATE_CONFLICT").detail, "blacklisted by vendor")
    done(await ask(vendor, "POST", `${device}/reset`, {}))
  })
})
