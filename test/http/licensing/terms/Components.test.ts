import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash, randomUUID } from "node:crypto"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Answer, Issued, Service } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

let service: Service
let other: Service

beforeAll(async () => {
  service = await startService()
  other = await startService({ databaseUrl: service.databaseUrl })
})

/** Components by a short text: `b1 d2 n3` is board 1, disk 2 and network 3. */
const parts: Readonly<Record<string, string>> = { b: "board", d: "disk", n: "network", m: "memory" }
const machine = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(" ").map((part) => [parts[part[0]!]!, `hash-of-${part}`]))

const activate = (key: string, fingerprint: string, components?: string, node = service): Promise<Answer> =>
  node.license("activate", key, {
    fingerprint,
    ...(components === undefined ? {} : { components: machine(components) })
  })

const idOf = (answer: Answer): string => {
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data.device_id
}

const matching = (component_match: string | undefined, policy: object = {}): Promise<Issued> =>
  service.issue({
    policy: { max_activations: 1, ...(component_match === undefined ? {} : { component_match }), ...policy }
  })

const devicesOf = (licenseId: string): Promise<Array<Body>> =>
  service.data("GET", `/api/v1/licenses/${licenseId}/devices`)

const changesOf = async (licenseId: string): Promise<Array<Body>> =>
  (await service.feed("&event_type=device.components_changed")).filter(({ data }) =>
    data.device.license_id === licenseId
  )

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("a machine whose hardware changes", () => {
  it("stays the same device, with its seat and the new fingerprint, and what changed is told", async () => {
    const { key, license } = await matching("most")
    const id = idOf(await activate(key, "f1", "b1 d1 n1"))
    assert.strictEqual(idOf(await activate(key, "f2", "b1 d2 n1")), id)
    const [device, ...more] = await devicesOf(license.id)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([device.id, device.status, device.binding_key, device.fingerprint], [
      id,
      "active",
      "f2",
      "f2"
    ])
    assert.deepStrictEqual(device.components, ["board", "disk", "network"])
    const [named, changed, ...rest] = await changesOf(license.id)
    assert.deepStrictEqual(rest, [])
    assert.deepStrictEqual([named.data.changed, named.data.components], [
      ["board", "disk", "network"],
      machine("b1 d1 n1")
    ])
    assert.notProperty(named.data, "previous_fingerprint_hash")
    assert.deepStrictEqual([changed.data.changed, changed.data.components], [["disk"], machine("b1 d2 n1")])
    assert.strictEqual(changed.data.previous_fingerprint_hash, sha256("f1"))
    assert.strictEqual(changed.data.device.components_changed_at, device.components_changed_at)
    assert.deepStrictEqual([changed.resource_id, changed.actor_type, changed.actor_id], [id, "license", license.id])
    // One activation took the one seat.
    const { active_device_count, times_activated } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.deepStrictEqual([active_device_count, times_activated], [1, 1])
    // The answer names the new fingerprint, and the old one is nobody's.
    assert.strictEqual((await service.license("validate", key, { fingerprint: "f2" })).body.data.device_id, id)
    refused(await service.license("validate", key, { fingerprint: "f1" }), 404, "DEVICE_NOT_ACTIVATED")
    // Asking writes nothing: after a change the app activates.
    const unknown = { fingerprint: "f3", components: machine("b1 d2 n1") }
    refused(await service.license("validate", key, unknown), 404, "DEVICE_NOT_ACTIVATED")
    refused(await service.license("check", key, unknown), 404, "DEVICE_NOT_ACTIVATED")
    assert.strictEqual(idOf(await activate(key, "f2", "b1 d2 n1")), id)
    assert.lengthOf(await changesOf(license.id), 2, "nothing changed")
  })

  it.each([
    // rule, stored, named by the new fingerprint, the same?
    ["any", "b1 d1 n1", "b2 d2 n1", true],
    ["any", "b1 d1 n1", "b2 d2 n2", false],
    ["any", "b1 d1", "n1 m1", false],
    ["most", "b1 d1", "b1 d2", false],
    ["most", "b1 d1 n1", "b1 d1", true],
    ["most", "b1 d1 n1", "b1", false],
    ["all", "b1 d1", "b1 d1 n1", true],
    ["all", "b1 d1 n1", "b1 d1", false],
    ["2", "b1 d1 n1 m1", "b1 d1 n2 m2", true],
    ["3", "b1 d1 n1 m1", "b1 d1 n2 m2", false],
    [undefined, "b1 d1 n1", "b1 d1 n1", false]
  ])("by %s: %s and then %s", async (rule, stored, named, same) => {
    const { key, license } = await matching(rule)
    const id = idOf(await activate(key, "f1", stored))
    const answer = await activate(key, "f2", named)
    if (same) assert.strictEqual(idOf(answer), id)
    else refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    const [device] = await devicesOf(license.id)
    assert.strictEqual(device.binding_key, same ? "f2" : "f1")
    assert.strictEqual("components" in device, rule !== undefined, "stored only where they count")
  })

  it("counts by the rule of the license, as it is at the time", async () => {
    const { key, license } = await matching(undefined)
    const patch = (overrides: object) => service.data("PATCH", `/api/v1/licenses/${license.id}`, { overrides })
    const id = idOf(await activate(key, "f1", "b1 d1"))
    await patch({ component_match: "any" })
    refused(await activate(key, "f2", "b1 d1"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(idOf(await activate(key, "f1", "b1 d1")), id)
    assert.strictEqual(idOf(await activate(key, "f1")), id, "it need not name them each time")
    assert.strictEqual(idOf(await activate(key, "f2", "b1 d2")), id)
    await patch({ component_match: null })
    refused(await activate(key, "f1", "b1 d2"), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })

  it("comes back as the device that gave its seat back, and stays blocked when it was blocked", async () => {
    const { key, license } = await matching("most")
    const id = idOf(await activate(key, "f1", "b1 d1 n1"))
    const path = `/api/v1/licenses/${license.id}/devices/${id}`
    await service.data("POST", `${path}/reset`)
    const headers = { "idempotency-key": randomUUID() }
    const body = { fingerprint: "f2", components: machine("b1 d1 n2") }
    const first = await service.license("activate", key, body, headers)
    assert.strictEqual(idOf(first), id)
    assert.strictEqual(idOf(await activate(key, "f3", "b1 d1 n2")), id)
    assert.strictEqual((await service.license("activate", key, body, headers)).text, first.text)
    await service.data("POST", `${path}/blacklist`)
    refused(await activate(key, "f4", "b1 d1 n4"), 403, "DEVICE_BLACKLISTED")
    refused(await service.license("activate", key, body, headers), 403, "DEVICE_BLACKLISTED")
    refused(
      await service.license("floating/checkout", key, { fingerprint: "f4", components: machine("b1 d1 n1") }),
      403,
      "DEVICE_BLACKLISTED"
    )
    const [device, ...more] = await devicesOf(license.id)
    assert.deepStrictEqual([device.binding_key, device.status, more], ["f3", "blacklisted", []])
    assert.notStrictEqual(idOf(await activate(key, "f5", "b5 d5 n5")), id)
  })

  it("is the device with the most matches, then the one that was seen last; a known fingerprint goes before", async () => {
    const { key } = await matching("any", { max_activations: 3 })
    const a = idOf(await activate(key, "fa", "b1 d1 n1"))
    const b = idOf(await activate(key, "fb", "b2 d2 n2"))
    assert.strictEqual(idOf(await activate(key, "fb", "b1 d1 n1")), b, "its fingerprint is known")
    assert.strictEqual(idOf(await activate(key, "fb", "b2 d2 n2")), b)
    assert.strictEqual(idOf(await activate(key, "fx", "b1 d2 n2")), b)
    assert.strictEqual(idOf(await activate(key, "fy", "b1 d1 m1")), a)
    // Both have one match; the other was seen last.
    assert.strictEqual(idOf(await activate(key, "fx", "b1 d2 n2")), b)
    assert.strictEqual(idOf(await activate(key, "fz", "b1 n7")), b)
  })

  it("keeps its floating seat", async () => {
    const { key, license } = await matching("most", { max_floating_users: 1 })
    const checkout = (fingerprint: string, components: string) =>
      service.license("floating/checkout", key, { fingerprint, components: machine(components) })
    const first = await checkout("f1", "b1 d1 n1")
    const id = idOf(first)
    const second = await checkout("f2", "b1 d1 n2")
    assert.strictEqual(idOf(second), id)
    refused(await checkout("f3", "b3 d3 n3"), 403, "FLOATING_LIMIT_EXCEEDED")
    assert.lengthOf(await service.data("GET", `/api/v1/licenses/${license.id}/leases`), 1)
    const checkin = await service.license("floating/checkin", key, { lease_token: second.body.data.lease_token })
    assert.strictEqual(checkin.status, 200, checkin.text)
    assert.strictEqual(idOf(await checkout("f4", "b1 d1 n4")), id)
    const [, rebound] = await changesOf(license.id)
    assert.strictEqual(rebound.data.previous_fingerprint_hash, sha256("f1"))
  })

  it("is explained as it would be decided", async () => {
    const { key, license } = await matching("most")
    const id = idOf(await activate(key, "f1", "b1 d1 n1"))
    const explain = (operation: string, components: string, more: object = {}) =>
      service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
        operation,
        binding: { fingerprint: "f2", components: machine(components) },
        ...more
      })
    const same = await explain("activate", "b1 d1 n2")
    assert.deepStrictEqual([same.is_allowed, same.device.id], [true, id])
    assert.strictEqual((await explain("activate", "b1 d2 n2")).deciding_rule, "activation_limit")
    assert.strictEqual((await explain("validate", "b1 d1 n2")).deciding_rule, "device_not_activated")
    idOf(await activate(key, "f2", "b1 d1 n2"))
    const past = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
      binding: { fingerprint: "f1" },
      at: same.at
    })
    assert.deepStrictEqual([past.is_allowed, past.device.id], [true, id], "it had this fingerprint then")
    const then = await explain("activate", "b1 d1 n2", { at: same.at })
    assert.deepStrictEqual([then.source, then.is_allowed, then.device.id], ["log", true, id])
    assert.strictEqual((await explain("activate", "b1 d2 n2", { at: same.at })).deciding_rule, "activation_limit")
  })

  it("is one device with one seat, however many of its activations come at once, at two nodes", async () => {
    const { key, license } = await matching("most", { max_activations: 2 })
    const id = idOf(await activate(key, "f0", "b1 d1 n1"))
    const answers = await Promise.all(
      Array.from(
        { length: 60 },
        (_, index) => activate(key, `f${1 + index % 5}`, "b1 d1 n2", index % 2 === 0 ? service : other)
      )
    )
    for (const answer of answers) assert.strictEqual(idOf(answer), id)
    assert.deepStrictEqual((await devicesOf(license.id)).map(({ status }) => status), ["active"])
    const { active_device_count, times_activated } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.deepStrictEqual([active_device_count, times_activated], [1, 1])
    // And a machine that is new: the first of its activations makes it, the others find it.
    const fresh = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => activate(key, `g${index}`, "b9 d9 n9", index % 2 === 0 ? service : other)
      )
    )
    assert.strictEqual(new Set(fresh.map(idOf)).size, 1)
    assert.lengthOf(await devicesOf(license.id), 2)
  })
})

describe("components in a request", () => {
  it("are at most 8 hashes of visible ASCII by short names", async () => {
    const { key } = await matching("any")
    const ask = (components: object) => service.license("activate", key, { fingerprint: "f", components })
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`c${index}`, "12345678"]))
    const { c8: _, ...eight } = nine
    for (
      const wrong of [
        nine,
        { "": "12345678" },
        { Board: "12345678" },
        { ["n".repeat(33)]: "12345678" },
        {
          board: "1234567"
        },
        { board: "x".repeat(129) },
        { board: "1234 5678" },
        { board: "ä2345678" },
        { board: 12_345_678 }
      ]
    ) {
      refused(await ask(wrong), 422, "VALIDATION_ERROR")
    }
    for (const right of [{}, eight, { ["n".repeat(32)]: "!".repeat(128) }, { "a_0-": "12345678" }]) {
      idOf(await ask(right))
    }
  })
})
