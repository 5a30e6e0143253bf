import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { movedNodes } from "../../fixtures/MovedClock.ts"
import { refused } from "../../fixtures/Service.ts"
import type { Answer, Issued } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const { clock, other, service } = await movedNodes()

const activate = (key: string, fingerprint: string, more: object = {}, node = service): Promise<Answer> =>
  node.license("activate", key, { fingerprint, ...more })

/** Activates devices; answers their ids. */
const bound = async (key: string, ...fingerprints: ReadonlyArray<string>): Promise<Array<string>> => {
  const ids: Array<string> = []
  for (const fingerprint of fingerprints) {
    const answer = await activate(key, fingerprint, { hostname: `host-${fingerprint}` })
    assert.strictEqual(answer.status, 200, answer.text)
    ids.push(answer.body.data.device_id)
  }
  return ids
}

const withSelfService = (max_activations: number, more: object = {}): Promise<Issued> =>
  service.issue({ policy: { max_activations, self_service: true, ...more } })

const list = (key: string, query = ""): Promise<Answer> =>
  service.call("GET", `/api/v1/license/devices${query}`, { licenseKey: key })

const release = (key: string, id: string, node = service): Promise<Answer> =>
  node.license(`devices/${id}/release`, key, undefined)

const deviceOf = (licenseId: string, id: string): Promise<Body> =>
  service.data("GET", `/api/v1/licenses/${licenseId}/devices/${id}`)

const licenseOf = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)

/** The events of a license's devices of a kind, as the feed tells them. */
const resets = async (licenseId: string): Promise<Array<Body>> =>
  (await service.feed("&event_type=device.reset")).filter(({ data }) => data.license_id === licenseId)

const act = (id: string, action: string) => service.data("POST", `/api/v1/licenses/${id}/${action}`)
const patch = (id: string, body: object) => service.data("PATCH", `/api/v1/licenses/${id}`, body)

describe("the devices of a license, for whoever has its key", () => {
  it("are listed page by page, with names and nothing that identifies them elsewhere", async () => {
    const { key } = await withSelfService(3)
    const [a, b, c] = await bound(key, "a", "b", "c")
    const all = await list(key, `?device_id=${b}`)
    assert.strictEqual(all.status, 200, all.text)
    assert.deepStrictEqual(
      all.body.data.map(({ last_seen_at, ...device }: Body) => {
        assert.isNotNaN(Date.parse(last_seen_at))
        return device
      }),
      [[c, "c", false], [b, "b", true], [a, "a", false]].map(([id, name, is_this]) => ({
        id,
        name: `host-${name}`,
        binding_kind: "hardware",
        status: "active",
        is_this
      }))
    )
    const first = await list(key, "?limit=2&order=asc")
    assert.deepStrictEqual(first.body.data.map(({ id }: Body) => id), [a, b])
    assert.notProperty(first.body.data[0], "is_this")
    const rest = await list(key, `?limit=2&order=asc&cursor=${first.body.page_info.next_cursor}`)
    assert.deepStrictEqual(rest.body.data.map(({ id }: Body) => id), [c])
    assert.isFalse(rest.body.page_info.has_more)
  })

  it("without those that gave their seat back, are blocked, or whose floating seat ran out", async () => {
    const { key, license } = await withSelfService(5, { max_floating_users: 5, floating_timeout_minutes: 1 })
    const [kept, gone, blocked] = await bound(key, "kept", "gone", "blocked")
    await service.license("deactivate", key, { fingerprint: "gone" })
    await service.data("POST", `/api/v1/licenses/${license.id}/devices/${blocked}/blacklist`)
    const floating = await service.license("floating/checkout", key, { fingerprint: "floats" })
    const ids = async () => (await list(key)).body.data.map(({ id }: Body) => id)
    assert.deepStrictEqual(await ids(), [floating.body.data.device_id, kept])
    await clock.set(Date.now() + 2 * 60_000)
    assert.deepStrictEqual(await ids(), [kept])
    await clock.set(Date.now())
    refused(await release(key, blocked!), 403, "DEVICE_BLACKLISTED")
    const again = await release(key, gone!)
    assert.strictEqual(again.body.data.status, "deactivated")
    assert.deepStrictEqual(await resets(license.id), [], "neither took anything")
  })

  it("are shown to nobody where the terms have no self-service, and to nobody without the key", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 2 } })
    const [id] = await bound(key, "a")
    refused(await list(key), 403, "SELF_SERVICE_NOT_ALLOWED")
    refused(await release(key, id!), 403, "SELF_SERVICE_NOT_ALLOWED")
    await patch(license.id, { overrides: { self_service: true } })
    assert.lengthOf((await list(key)).body.data, 1)
    refused(await service.call("GET", "/api/v1/license/devices", { token: null }), 401, "LICENSE_KEY_INVALID")
    const stranger = await withSelfService(1)
    refused(await release(stranger.key, id!), 404, "NOT_FOUND")
    assert.strictEqual((await deviceOf(license.id, id!)).status, "active")
  })

  it("also of a suspended or expired license, and not of a revoked one", async () => {
    for (const [state, allowed] of [["suspended", true], ["expired", true], ["revoked", false]] as const) {
      const { key, license } = await withSelfService(1)
      const [id] = await bound(key, "a")
      if (state === "suspended") await act(license.id, "suspend")
      else if (state === "revoked") await act(license.id, "revoke")
      else await patch(license.id, { expires_at: "2020-01-01T00:00:00Z" })
      if (allowed) {
        assert.lengthOf((await list(key)).body.data, 1, state)
        assert.strictEqual((await release(key, id!)).body.data.status, "reset", state)
      } else {
        assert.strictEqual(refused(await list(key), 403, "LICENSE_INACTIVE").detail, "revoked")
        assert.strictEqual(refused(await release(key, id!), 403, "LICENSE_INACTIVE").detail, "revoked")
      }
    }
  })
})

describe("a seat that is given back", () => {
  it("is free at once, and its event says who gave it back", async () => {
    const { key, license } = await withSelfService(1, { max_floating_users: 1 })
    const [id] = await bound(key, "a")
    await service.license("floating/checkout", key, { fingerprint: "a" })
    refused(await activate(key, "b"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const headers = { "idempotency-key": randomUUID() }
    const path = `/api/v1/license/devices/${id}/release`
    const answer = await service.call("POST", path, { licenseKey: key, headers })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.body.data.status, "reset")
    const again = await service.call("POST", path, { licenseKey: key, headers })
    assert.strictEqual(again.text, answer.text)
    refused(await service.license("validate", key, { fingerprint: "a" }), 404, "DEVICE_NOT_ACTIVATED")
    assert.deepStrictEqual(
      (await service.data("GET", `/api/v1/licenses/${license.id}/leases`)).map(({ status }: Body) => status),
      ["reset"]
    )
    assert.strictEqual((await licenseOf(license.id)).active_device_count, 0)
    const [event, ...more] = await resets(license.id)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([event.actor_type, event.actor_id, event.resource_id], ["license", license.id, id])
    assert.strictEqual(event.metadata.self_service, true)
    assert.strictEqual(event.metadata.license_id, license.id)
    await bound(key, "b")
    // What was stored is not repeated once it would be refused.
    await patch(license.id, { overrides: { self_service: false } })
    refused(await service.call("POST", path, { licenseKey: key, headers }), 403, "SELF_SERVICE_NOT_ALLOWED")
  })

  it("needs an Idempotency-Key", async () => {
    const { key } = await withSelfService(1)
    const [id] = await bound(key, "a")
    const path = `/api/v1/license/devices/${id}/release`
    refused(await service.call("POST", path, { licenseKey: key }), 400, "IDEMPOTENCY_KEY_REQUIRED")
  })

  it("counts in its period of the calendar, and the next one begins at zero", async () => {
    const { key, license } = await withSelfService(4, { max_self_service_resets: 2, self_service_period: "week" })
    await clock.set("2034-01-15T23:59:30Z")
    const [a, b, c] = await bound(key, "a", "b", "c")
    assert.strictEqual((await release(key, a!)).status, 200)
    assert.strictEqual((await release(key, b!)).status, 200)
    const refusal = refused(await release(key, c!), 403, "SELF_SERVICE_LIMIT_EXCEEDED")
    assert.strictEqual(refusal.detail, "2 of 2 used until 2034-01-16T00:00:00.000Z")
    assert.strictEqual((await release(key, a!)).status, 200, "what holds no seat counts nothing")
    await clock.set("2034-01-16T00:00:00Z")
    assert.strictEqual((await release(key, c!)).status, 200)
    await patch(license.id, { overrides: { max_self_service_resets: 1 } })
    const [d] = await bound(key, "d")
    refused(await release(key, d!), 403, "SELF_SERVICE_LIMIT_EXCEEDED")
    await patch(license.id, { overrides: { max_self_service_resets: null } })
    assert.strictEqual((await release(key, d!)).status, 200)
    await clock.set(Date.now())
  })

  it("is given back as often as the terms say, by sixty callers at two nodes at once", async () => {
    const { key, license } = await withSelfService(20, { max_self_service_resets: 7 })
    const ids = await bound(key, ...Array.from({ length: 20 }, (_, index) => `d${index}`))
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => release(key, ids[index % 20]!, index % 2 === 0 ? service : other))
    )
    const held = (await list(key)).body.data.map(({ id }: Body) => id)
    assert.lengthOf(held, 13)
    for (const [index, answer] of answers.entries()) {
      // A device that gave its seat back is answered as it is; one that kept it was refused each time.
      if (held.includes(ids[index % 20])) refused(answer, 403, "SELF_SERVICE_LIMIT_EXCEEDED")
      else assert.strictEqual(answer.status, 200, answer.text)
    }
    assert.lengthOf(await resets(license.id), 7)
    assert.strictEqual((await licenseOf(license.id)).active_device_count, 13)
  })
})

describe("a seat that one device takes of another", () => {
  const explain = (id: string, body: object) => service.data("POST", `/api/v1/licenses/${id}/explain`, body)

  it("changes hands in one transaction, and counts only when it was needed", async () => {
    const { key, license } = await withSelfService(2, { max_self_service_resets: 1 })
    const [a] = await bound(key, "a")
    assert.strictEqual((await activate(key, "b", { take_seat_of: a })).status, 200)
    assert.strictEqual((await deviceOf(license.id, a!)).status, "active", "a seat was free")
    assert.strictEqual((await activate(key, "b", { take_seat_of: a })).status, 200)
    assert.deepStrictEqual(await resets(license.id), [], "a device that has its seat takes none")
    const headers = { "idempotency-key": randomUUID() }
    const body = { fingerprint: "c", take_seat_of: a }
    const taken = await service.license("activate", key, body, headers)
    assert.strictEqual(taken.status, 200, taken.text)
    assert.strictEqual((await service.license("activate", key, body, headers)).text, taken.text)
    assert.strictEqual((await deviceOf(license.id, a!)).status, "reset")
    assert.strictEqual((await licenseOf(license.id)).active_device_count, 2)
    const events = (await service.feed()).filter(({ data }) => data.license_id === license.id || data.id === license.id)
    assert.deepStrictEqual(events.slice(-2).map(({ event_type }) => event_type), ["device.reset", "license.activated"])
    assert.deepStrictEqual([events.at(-2).actor_id, events.at(-2).request_id], [license.id, events.at(-1).request_id])
    assert.strictEqual(events.at(-1).data.active_device_count, 2)
    const refusal = refused(
      await activate(key, "a", { take_seat_of: taken.body.data.device_id }),
      403,
      "SELF_SERVICE_LIMIT_EXCEEDED"
    )
    assert.match(refusal.detail, /^1 of 1 used until \d{4}-\d\d-01T00:00:00\.000Z$/)
    assert.strictEqual((await activate(key, "c", { take_seat_of: a })).status, 200, "it needs none")
  })

  it("is refused as the license, the terms and the named device stand", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 1, max_floating_users: 1 } })
    const [a] = await bound(key, "a")
    refused(await activate(key, "b", { take_seat_of: a }), 403, "SELF_SERVICE_NOT_ALLOWED")
    await patch(license.id, { overrides: { self_service: true } })
    const stranger = await withSelfService(1)
    const [foreign] = await bound(stranger.key, "a")
    const floating = await service.license("floating/checkout", key, { fingerprint: "floats" })
    for (const id of ["dev_none", foreign, floating.body.data.device_id]) {
      const refusal = refused(await activate(key, "b", { take_seat_of: id }), 403, "ACTIVATION_LIMIT_EXCEEDED")
      assert.strictEqual(refusal.detail, "1 of 1 in use; the device of take_seat_of holds none")
    }
    const container = { is_container: true, pod_name: "p", take_seat_of: a }
    await patch(license.id, { overrides: { max_container_instances: 0 } })
    refused(await service.license("activate", key, container), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await act(license.id, "suspend")
    refused(await activate(key, "b", { take_seat_of: a }), 403, "LICENSE_INACTIVE")
    await act(license.id, "reinstate")
    await service.data("POST", `/api/v1/licenses/${license.id}/devices/${floating.body.data.device_id}/blacklist`)
    refused(await activate(key, "floats", { take_seat_of: a }), 403, "DEVICE_BLACKLISTED")
    assert.strictEqual((await deviceOf(license.id, a!)).status, "active")
    assert.strictEqual((await deviceOf(stranger.license.id, foreign!)).status, "active")
  })

  it("is taken before the overage is, and not where the license is over its limit without it", async () => {
    const { key, license } = await withSelfService(2, { activation_overage: "allow" })
    const [a, b] = await bound(key, "a", "b")
    assert.notProperty((await activate(key, "c", { take_seat_of: a })).body.data, "overage")
    assert.strictEqual((await deviceOf(license.id, a!)).status, "reset")
    await patch(license.id, { overrides: { max_activations: 1, activation_overage: "deny" } })
    refused(await activate(key, "d", { take_seat_of: b }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual((await deviceOf(license.id, b!)).status, "active")
  })

  it("is explained, now and at an instant of the past", async () => {
    const { key, license } = await withSelfService(1)
    await patch(license.id, { overrides: { max_self_service_resets: 1, self_service_period: "year" } })
    const [a] = await bound(key, "a")
    const question = { operation: "activate", binding: { fingerprint: "b" }, take_seat_of: a }
    const before = await explain(license.id, question)
    assert.isTrue(before.is_allowed)
    const taken = await activate(key, "b", { take_seat_of: a })
    const back = { operation: "activate", binding: { fingerprint: "a" }, take_seat_of: taken.body.data.device_id }
    const limit = await explain(license.id, back)
    assert.strictEqual(limit.deciding_rule, "self_service_limit")
    assert.deepStrictEqual(limit.findings[0].term, { name: "max_self_service_resets", value: 1, from: "override" })
    assert.match(limit.findings[0].detail, /^1 of 1 used until /)
    await patch(license.id, {
      overrides: { self_service: false, max_self_service_resets: null, self_service_period: null }
    })
    const off = await explain(license.id, back)
    assert.strictEqual(off.deciding_rule, "self_service_not_allowed")
    assert.deepStrictEqual(off.findings[0].term, { name: "self_service", value: false, from: "override" })
    assert.deepStrictEqual(
      [
        (await explain(license.id, { ...question, at: before.at })).is_allowed,
        (await explain(license.id, { ...back, at: limit.at })).deciding_rule
      ],
      [true, "self_service_limit"]
    )
  })

  it("goes to one of sixty that would have it at once, at two nodes, whatever its device does meanwhile", async () => {
    const { key, license } = await withSelfService(1)
    const [id] = await bound(key, "a")
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 10 === 9
          ? activate(key, "a", {}, index % 2 === 0 ? service : other)
          : activate(key, `t${index}`, { take_seat_of: id }, index % 2 === 0 ? service : other))
    )
    const takers = answers.filter((_, index) => index % 10 !== 9)
    assert.lengthOf(takers.filter(({ status }) => status === 200), 1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    }
    assert.lengthOf(await resets(license.id), 1)
    assert.strictEqual((await licenseOf(license.id)).active_device_count, 1)
    assert.strictEqual((await deviceOf(license.id, id!)).status, "reset")
  })

  it("is taken as often as the terms say, when sixty take those of sixty at once", async () => {
    const { key, license } = await withSelfService(60, { max_self_service_resets: 11 })
    const ids = await bound(key, ...Array.from({ length: 60 }, (_, index) => `d${index}`))
    const answers = await Promise.all(
      ids.map((id, index) => activate(key, `t${index}`, { take_seat_of: id }, index % 2 === 0 ? service : other))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 11)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      refused(answer, 403, "SELF_SERVICE_LIMIT_EXCEEDED")
    }
    assert.lengthOf(await resets(license.id), 11)
    assert.strictEqual((await licenseOf(license.id)).active_device_count, 60)
  })
})
