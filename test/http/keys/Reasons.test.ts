// Why a person did something: in the event, in the activity, and gone with the customer.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../src/api/composition/Api.ts"
import { declarationOf, takesMember } from "../../../src/api/ground/Operation.ts"
import { kinds, resourceTypeOf } from "../../../src/domain/log/EventKind.ts"
import { holders, namingKinds } from "../../../src/services/portal/privacy/OwnedSpanSql.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session, tablesWith } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const keyed = () => ({ "idempotency-key": crypto.randomUUID() })

const act = async (path: string, body: object, method = "POST"): Promise<Body> => {
  const answer = await service.call(method, `/api/v1/${path}`, { body, headers: keyed() })
  assert.isBelow(answer.status, 300, answer.text)
  return answer.body?.data
}

const newest = async (kind: string, id: string): Promise<Body> =>
  (await service.feed(`&event_type=${kind}&resource_id=${id}`)).at(-1)

const activityOf = async (event: Body): Promise<Body> => {
  const { body } = await service.call("GET", `/api/v1/activities?request_id=${event.request_id}`)
  return body.data.find(({ audit_event_id }: Body) => audit_event_id === event.id)
}

describe("a reason", () => {
  it("stands in the event and the activity of every action on a license", async () => {
    const { license, product } = await service.issue()
    const device = (await service.license(
      "activate",
      (await act(`licenses/${license.id}/rotate-key`, {
        reason: "key posted in a forum"
      })).license_key,
      { fingerprint: "a" }
    )).body.data
    const policy = await act(`products/${product.id}/policies`, {
      name: "Two",
      code: crypto.randomUUID(),
      license_type: "time_limited",
      duration: "P1Y"
    })
    const of = `licenses/${license.id}`
    const rows: ReadonlyArray<readonly [kind: string, path: string, body?: object, resource?: string]> = [
      ["license.suspended", `${of}/suspend`],
      ["license.reinstated", `${of}/reinstate`],
      ["device.blacklisted", `${of}/devices/${device.device_id}/blacklist`, {}, device.device_id],
      ["device.reset", `${of}/devices/${device.device_id}/reset`, {}, device.device_id],
      ["license.transferred", `${of}/transfer`, { reset_devices: true }],
      ["license.policy_changed", `${of}/change-policy`, { policy_id: policy.id, expiry: "policy" }],
      ["license.renewed", `${of}/renew`, { extend_by_days: 3 }],
      ["license.key_rotated", `${of}/rotate-key`, { overlap_minutes: 0 }],
      ["license.revoked", `${of}/revoke`]
    ]
    for (const [kind, path, body = {}, resource = license.id] of rows) {
      const reason = `because of ${kind}`
      await act(path, { ...body, reason })
      const event = await newest(kind, resource)
      assert.strictEqual(event.metadata.reason_given, reason)
      assert.property(event.commitments, "/metadata/reason_given", kind)
      assert.strictEqual((await activityOf(event)).reason, reason)
    }
    // A repetition changes nothing, and so says nothing.
    await act(`${of}/revoke`, {})
    assert.strictEqual(
      (await newest("license.revoked", license.id)).metadata.reason_given,
      "because of license.revoked"
    )
  })

  it("stands in the events of keys and endpoints", async () => {
    const { api_key } = await act("api-keys", { name: "shop", scopes: ["license:read"] })
    await act(`api-keys/${api_key.id}`, { reason: "the shop was closed" }, "DELETE")
    assert.strictEqual((await newest("api_key.revoked", api_key.id)).metadata.reason_given, "the shop was closed")
    const { webhook } = await act("webhooks", { name: "crm", url: "https://hooks.example.com/a", event_types: [] })
    await act(`webhooks/${webhook.id}`, { is_active: false, reason: "the receiver moves" }, "PATCH")
    assert.strictEqual((await newest("webhook.updated", webhook.id)).metadata.reason_given, "the receiver moves")
    await act(`webhooks/${webhook.id}`, { rotate_secret: true, reason: "leaked in a log" }, "PATCH")
    assert.strictEqual((await newest("webhook.secret_rotated", webhook.id)).metadata.reason_given, "leaked in a log")
    await act(`webhooks/${webhook.id}`, { reason: "not needed" }, "DELETE")
    assert.strictEqual((await newest("webhook.deleted", webhook.id)).metadata.reason_given, "not needed")
  })

  it("is one line that somebody can read", async () => {
    const { license } = await service.issue()
    const suspend = (reason: unknown) =>
      service.call("POST", `/api/v1/licenses/${license.id}/suspend`, { body: { reason } })
    for (const reason of ["", " ", "\u200b", "a\nb", "a\u0000b", "a\u001b[31mb", "x".repeat(501), 7, null]) {
      refused(await suspend(reason), 422, "VALIDATION_ERROR")
    }
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "active")
    assert.strictEqual((await suspend(`Mahnstufe 3, äöü 漢字 ${"x".repeat(470)}`)).status, 200)
  })

  it("is erased with the customer whom it is about, in events and activities, but for that of the erasure", async () => {
    const customer = await act("customers", { name: "Erika Beispiel", code: crypto.randomUUID() })
    const { license } = await service.issue({ license: { customer_id: customer.id } })
    await act(`licenses/${license.id}/suspend`, { reason: "Erika Beispiel pays nothing" })
    const suspended = await newest("license.suspended", license.id)
    const erase = (body: object) => act(`customers/${customer.id}/erase`, body)
    const would = await erase({ dry_run: true, reason: "what would go" })
    assert.strictEqual(
      (await newest("license.suspended", license.id)).metadata.reason_given,
      "Erika Beispiel pays nothing"
    )
    assert.strictEqual((await service.data("GET", `/api/v1/customers/${customer.id}`)).name, "Erika Beispiel")
    const erased = await erase({ reason: "request 17 of 2026-11-25" })
    assert.deepStrictEqual(
      { ...would, customer: would.customer.name },
      { ...erased, customer: erased.customer.name }
    )
    const after = await newest("license.suspended", license.id)
    assert.notProperty(after.metadata, "reason_given")
    assert.strictEqual(after.hash, suspended.hash)
    assert.notProperty(await activityOf(suspended), "reason")
    const event = await newest("customer.erased", customer.id)
    assert.strictEqual(event.metadata.reason_given, "request 17 of 2026-11-25")
    // What stays is no reason to erase anything again.
    assert.strictEqual((await erase({})).events, 0)
    assert.strictEqual((await activityOf(event)).reason, "request 17 of 2026-11-25")
  })
})

describe("a reason for what ends seats", () => {
  it("stands beside what ended each, in events and activities, and goes with the customer", async () => {
    const customer = await act("customers", { name: "Seat Holder", code: crypto.randomUUID() })
    const { key, license } = await service.issue({
      policy: { max_floating_users: 3 },
      license: { customer_id: customer.id }
    })
    for (const fingerprint of ["a", "b"]) await service.license("floating/checkout", key, { fingerprint })
    const [lease, other] = await service.data("GET", `/api/v1/licenses/${license.id}/leases`)
    const ends = async () => {
      const events = [await newest("lease.checked_in", lease.id), await newest("lease.checked_in", other.id)]
      return Promise.all(events.map(async (event) => [
        event.metadata.reason,
        event.metadata.reason_given,
        (await activityOf(event)).reason
      ]))
    }
    const why = "Seat Holder left the company"
    await act(`licenses/${license.id}/leases/${lease.id}/release`, { reason: why })
    await act(`licenses/${license.id}/revoke`, { reason: "Seat Holder pays nothing" })
    assert.deepStrictEqual(await ends(), [
      ["released", why, why],
      ["revoked", "Seat Holder pays nothing", "Seat Holder pays nothing"]
    ])
    await act(`customers/${customer.id}/erase`, {})
    assert.deepStrictEqual(await ends(), [["released", undefined, undefined], ["revoked", undefined, undefined]])
    assert.notInclude(JSON.stringify(await service.feed()), "Seat Holder")
  })
})

describe("whatever a reason is given for", () => {
  it("is erased with the customer: devices, seats and files of licenses, orders and subscriptions that are gone", async () => {
    const word = "Paula Nachname"
    const customer = await act("customers", { name: word, code: crypto.randomUUID() })
    const { key, license, product } = await service.issue({
      policy: { max_activations: 5, max_floating_users: 2, allow_offline_activation: true },
      license: { customer_id: customer.id, customer_name: word }
    })
    const reason = `${word} asked on the phone`
    const of = `licenses/${license.id}`
    const { file } = await act(`${of}/offline-files`, { fingerprint: "a", license_key: key })
    await act(`${of}/offline-files/${file.id}/revoke`, { reason })
    const { body } = await service.license("activate", key, { fingerprint: "b" })
    await act(`${of}/devices/${body.data.device_id}/blacklist`, { reason })
    await service.license("floating/checkout", key, { fingerprint: "c" })
    const [seat] = await service.data("GET", `/api/v1/${of}/leases`)
    await act(`${of}/leases/${seat.id}/release`, { reason })
    const period = { current_period_start: "2026-11-01T00:00:00Z", current_period_end: "2026-12-01T00:00:00Z" }
    const bought = { external_system: "shop", external_id: "1", customer_id: customer.id }
    const order = await act(`products/${product.id}/orders`, { ...bought, status: "paid" })
    await act(`orders/${order.id}`, { reason }, "DELETE")
    const subscription = await act(`products/${product.id}/subscriptions`, { ...bought, ...period, status: "active" })
    await act(`subscriptions/${subscription.id}`, { reason }, "DELETE")
    const holder = await session(service.databaseUrl)
    const stands = () => tablesWith(holder, word)
    await service.feed()
    assert.includeMembers(await stands(), ["event_records", "activities"])
    const would = await act(`customers/${customer.id}/erase`, { dry_run: true })
    const { events } = await act(`customers/${customer.id}/erase`, {})
    assert.strictEqual(would.events, events)
    assert.deepStrictEqual(await stands(), [])
    assert.notInclude(JSON.stringify(await service.feed()), word)
  })

  it("has a holder: what is about an order or a subscription tells a reason only in kinds that an erasure looks into", () => {
    const reasoned: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (takesMember(endpoint, "reason")) reasoned.push(String(declarationOf(endpoint).action))
      }
    })
    assert.isAbove(reasoned.length, 25)
    // Nothing happens in a test of an endpoint, nor when a purchase is asked to be looked at again: these leave no event,
    // and their reasons stand in no log. Whose a license of a purchase is, the events of the license tell.
    const withoutEvent = new Set(["webhook.tested", "purchase.retried", "purchase.owner_decided"])
    for (const action of reasoned.filter((action) => !withoutEvent.has(action))) {
      const kind = kinds.find((kind) => kind === action)
      assert.isDefined(kind, `${action} is no event`)
      if (holders[resourceTypeOf(kind!)] === "named in data") assert.include(namingKinds, kind)
    }
  })
})

describe("a reason from before a license had an owner", () => {
  it("is erased with its first owner, and takes the exports of audits that show it along", async () => {
    const customer = await act("customers", { name: "Later Owner", code: crypto.randomUUID() })
    const { license } = await service.issue()
    await act(`licenses/${license.id}/suspend`, { reason: "Later Owner asked for it" })
    const suspended = await newest("license.suspended", license.id)
    await act(`licenses/${license.id}/transfer`, { customer_id: customer.id })
    const filters = { license_id: license.id }
    const { id } = await act("reports/exports", { report_kind: "license-audit", format: "json", filters })
    const statusOf = async () => (await service.data("GET", `/api/v1/reports/exports/${id}`)).status
    await eventually("the export is ready", async () => await statusOf() === "ready")
    const would = await act(`customers/${customer.id}/erase`, { dry_run: true })
    const { events, exports } = await act(`customers/${customer.id}/erase`, {})
    assert.deepStrictEqual([would.events, would.exports], [events, exports])
    assert.strictEqual(exports, 1)
    assert.strictEqual(await statusOf(), "expired")
    assert.notProperty((await newest("license.suspended", license.id)).metadata, "reason_given")
    assert.notProperty(await activityOf(suspended), "reason")
  })
})

describe("a reason of a transfer to another", () => {
  it("is the next owner's: what the former one gives back does not tell it", async () => {
    const owner = () => act("customers", { name: "Somebody", code: crypto.randomUUID() })
    const [former, next] = [await owner(), await owner()]
    const { key, license } = await service.issue({ policy: { max_transfers: 1 }, license: { customer_id: former.id } })
    const { body } = await service.license("activate", key, { fingerprint: "a" })
    const members = { customer_id: next.id, reset_devices: true, reason: "sold to Erika Beispiel" }
    await act(`licenses/${license.id}/transfer`, members)
    assert.strictEqual((await newest("license.transferred", license.id)).metadata.reason_given, members.reason)
    assert.notProperty((await newest("device.reset", body.data.device_id)).metadata, "reason_given")
    await act(`customers/${next.id}/erase`, {})
    assert.notInclude(JSON.stringify(await service.feed()), "Erika Beispiel")
  })
})

describe("a license key's rotation", () => {
  it("is only asked about with dry_run: no key is made, and the key in use goes on", async () => {
    const { key, license } = await service.issue()
    const rotate = (body: object, headers: Record<string, string> = {}) =>
      service.call("POST", `/api/v1/licenses/${license.id}/rotate-key`, { body, headers })
    const once = { "idempotency-key": "rotate-once" }
    const asked = await rotate({ overlap_minutes: 60, dry_run: true }, once)
    assert.strictEqual(asked.status, 200, asked.text)
    assert.strictEqual(asked.body.data.license_key, "")
    assert.approximately(Date.parse(asked.body.data.previous_key_expires_at), Date.now() + 3_600_000, 60_000)
    assert.strictEqual((await service.license("activate", key, { fingerprint: "a" })).status, 200)
    assert.strictEqual((await rotate({ overlap_minutes: 0 }, once)).status, 200)
    refused(await service.license("validate", key, { fingerprint: "a" }), 401, "LICENSE_KEY_INVALID")
  })
})
