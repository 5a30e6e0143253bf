import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Issued, Service } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { holdLicense, session } from "../../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService({
    altered: ["device status", "license active_device_count", "license expires_at"]
  })
})

const issue = (policy: object): Promise<Issued> => service.issue({ policy })
const read = (given: Issued): Promise<Body> => service.data("GET", `/api/v1/licenses/${given.license.id}`)
const devices = (given: Issued): Promise<Array<Body>> =>
  service.data("GET", `/api/v1/licenses/${given.license.id}/devices?limit=200`)
const fingerprint = () => ({ fingerprint: randomUUID() })

const split = (answers: ReadonlyArray<Answer>) => ({
  taken: answers.filter(({ status }) => status === 200),
  refusals: answers.filter(({ status }) => status !== 200)
})

describe("trap 1: a cap that is read and then inserted under", () => {
  it("5 seats admit exactly 5 of 32 devices at once", async () => {
    const given = await issue({ max_activations: 5 })
    // All 32 are under way before the first can go on.
    const lock = await holdLicense(service.databaseUrl, given.license.id)
    const racing = Array.from({ length: 32 }, () => service.license("activate", given.key, fingerprint()))
    await lock.blocked(1)
    await lock.release()
    const { refusals, taken } = split(await Promise.all(racing))
    assert.lengthOf(taken, 5)
    for (const answer of refusals) refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(new Set(taken.map(({ body }) => body.data.device_id)).size, 5)
    assert.deepInclude(await read(given), { active_device_count: 5, times_activated: 5 })
    assert.lengthOf(await devices(given), 5)
    const activated = await service.feed(`&resource_id=${given.license.id}&event_type=license.activated`)
    assert.lengthOf(activated, 5)
  })

  it("the same of containers, beside the seats of machines", async () => {
    const given = await issue({ max_activations: 2, max_container_instances: 3 })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) =>
      service.license(
        "activate",
        given.key,
        index % 2 === 0 ? fingerprint() : { is_container: true, pod_name: randomUUID() }
      )))
    const { taken } = split(answers)
    assert.lengthOf(taken, 5)
    const kinds = (await devices(given)).map(({ binding_kind }) => binding_kind).toSorted()
    assert.deepStrictEqual(kinds, ["container", "container", "container", "hardware", "hardware"])
  })

  it("one device that activates 20 times at once has one seat", async () => {
    const given = await issue({ max_activations: 3 })
    const binding = fingerprint()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.license("activate", given.key, binding))
    )
    assert.lengthOf(split(answers).taken, 20)
    assert.strictEqual(new Set(answers.map(({ body }) => body.data.device_id)).size, 1)
    assert.deepInclude(await read(given), { active_device_count: 1, times_activated: 1 })
  })

  it("a lowered cap takes no seat away, and gives none until it is met", async () => {
    const given = await issue({ max_activations: 3 })
    const bindings = [fingerprint(), fingerprint(), fingerprint()] as const
    for (const binding of bindings) await service.license("activate", given.key, binding)
    await service.data("PATCH", `/api/v1/policies/${given.policy.id}`, { max_activations: 1 })
    for (const binding of bindings) {
      assert.strictEqual((await service.license("validate", given.key, binding)).status, 200)
      assert.strictEqual((await service.license("activate", given.key, binding)).status, 200)
    }
    await service.license("deactivate", given.key, bindings[0])
    refused(await service.license("activate", given.key, bindings[0]), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })

  it("activations and deactivations in any order keep the count equal to the seats taken", async () => {
    const given = await issue({ max_activations: 4 })
    const bindings = Array.from({ length: 8 }, fingerprint)
    await Promise.all(
      bindings.flatMap((binding, index) =>
        Array.from(
          { length: 6 },
          (_, turn) => service.license((index + turn) % 3 === 0 ? "deactivate" : "activate", given.key, binding)
        )
      )
    )
    const active = (await devices(given)).filter(({ status }) => status === "active").length
    assert.isAtMost(active, 4)
    assert.strictEqual((await read(given)).active_device_count, active)
    const events = (await service.feed(`&resource_id=${given.license.id}`)).map(({ event_type }) => event_type)
    const count = (type: string) => events.filter((other) => other === type).length
    assert.strictEqual(count("license.activated") - count("license.deactivated"), active)
  })
})

describe("trap 7: a device that comes back skips the cap", () => {
  it("is refused while another has its seat, and admitted as itself afterwards", async () => {
    const given = await issue({ max_activations: 1 })
    const [a, b] = [fingerprint(), fingerprint()]
    const first = await service.license("activate", given.key, a)
    await service.license("deactivate", given.key, a)
    assert.strictEqual((await service.license("activate", given.key, b)).status, 200)
    refused(await service.license("activate", given.key, a), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await service.license("deactivate", given.key, b)
    const back = await service.license("activate", given.key, a)
    assert.strictEqual(back.body.data.device_id, first.body.data.device_id)
    assert.deepInclude(await read(given), { active_device_count: 1, times_activated: 3 })
  })

  it.each(["reset", "expired"])("the same of a device that is %s", async (status) => {
    const given = await issue({ max_activations: 1 })
    const [a, b] = [fingerprint(), fingerprint()]
    await service.license("activate", given.key, a)
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE devices SET status = $1 WHERE license_id = $2", [status, given.license.id])
    await sql.query("UPDATE licenses SET active_device_count = 0 WHERE id = $1", [given.license.id])
    assert.strictEqual((await service.license("activate", given.key, b)).status, 200)
    refused(await service.license("activate", given.key, a), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })
})

describe("bindings", () => {
  it("are told apart by license, kind and every member", async () => {
    const given = await issue({ max_activations: 20, max_container_instances: 20 })
    const bodies = [
      { fingerprint: "x" },
      { is_container: true, container_id: "x" },
      { is_container: true, pod_name: "x" },
      { is_container: true, namespace: "x" },
      { is_container: true, cluster_id: "x", pod_name: "x" },
      { is_container: true, cluster_id: "x/pod_name=x" }
    ]
    const ids = new Set<string>()
    for (const body of bodies) ids.add((await service.license("activate", given.key, body)).body.data.device_id)
    const other = await issue({})
    ids.add((await service.license("activate", other.key, { fingerprint: "x" })).body.data.device_id)
    assert.strictEqual(ids.size, bodies.length + 1)
  })

  it("forgive spaces around a fingerprint and its Unicode form", async () => {
    const given = await issue({ max_activations: 1 })
    const first = await service.license("activate", given.key, { fingerprint: "Gr\u00fcn-1" })
    const second = await service.license("validate", given.key, { fingerprint: "  Gru\u0308n-1 " })
    assert.strictEqual(second.body.data.device_id, first.body.data.device_id)
    assert.strictEqual(second.body.data.fingerprint_hash, first.body.data.fingerprint_hash)
  })

  it("freed by a revocation are gone for good", async () => {
    const given = await issue({ max_activations: 2 })
    await service.license("activate", given.key, { fingerprint: "a" })
    await service.license("activate", given.key, { fingerprint: "b" })
    const revoked = await service.data("POST", `/api/v1/licenses/${given.license.id}/revoke`)
    assert.deepInclude(revoked, { status: "revoked", active_device_count: 0 })
    assert.sameMembers((await devices(given)).map(({ status }) => status), ["deactivated", "deactivated"])
    refused(await service.license("deactivate", given.key, { fingerprint: "a" }), 403, "LICENSE_INACTIVE")
  })

  it("can be given back on a suspended and on an expired license", async () => {
    const given = await issue({ max_activations: 2 })
    await service.license("activate", given.key, { fingerprint: "a" })
    await service.license("activate", given.key, { fingerprint: "b" })
    await service.data("POST", `/api/v1/licenses/${given.license.id}/suspend`)
    assert.strictEqual((await service.license("deactivate", given.key, { fingerprint: "a" })).status, 200)
    await service.data("POST", `/api/v1/licenses/${given.license.id}/reinstate`)
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE licenses SET expires_at = now() WHERE id = $1", [given.license.id])
    const expired = await service.license("deactivate", given.key, { fingerprint: "b" })
    assert.strictEqual(expired.body.data.status, "expired")
    assert.strictEqual((await read(given)).active_device_count, 0)
  })
})
