import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
/** A second node, which shares what there is to do. */
let other: Service
let database: Session

beforeAll(async () => {
  service = await startService({ altered: ["lease expires_at"] })
  other = await startService({ databaseUrl: service.databaseUrl })
  database = await session(service.databaseUrl)
})

const issue = (seats: number, policy: object = { lease_unit: "process" }, license: object = {}) =>
  service.issue({ policy: { max_floating_users: seats, ...policy }, license })

const checkout = (
  { key }: Issued,
  process_id: string | undefined,
  { fingerprint = "desk", node = service }: { readonly fingerprint?: string; readonly node?: Service } = {}
) => node.license("floating/checkout", key, { fingerprint, ...(process_id === undefined ? {} : { process_id }) })

/** The lease token of a checkout that must succeed. */
const taken = async (...given: Parameters<typeof checkout>): Promise<string> => {
  const answer = await checkout(...given)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data.lease_token
}

const heartbeat = ({ key }: Issued, lease_token: string) => service.license("floating/heartbeat", key, { lease_token })
const checkin = ({ key }: Issued, lease_token: string) => service.license("floating/checkin", key, { lease_token })
const check = ({ key }: Issued) => service.license("check", key, { fingerprint: "desk" })

const live = async ({ license }: Issued): Promise<Array<Body>> =>
  (await service.call("GET", `/api/v1/licenses/${license.id}/leases?is_live=true&limit=200`)).body.data

const namesOf = async (issued: Issued) => (await live(issued)).map(({ process_id = "" }) => process_id).toSorted()

const codes = (answers: ReadonlyArray<Answer>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { body, status } of answers) {
    const name = status === 200 ? "200" : body.error.code
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const deviceOf = async ({ license }: Issued): Promise<Body> =>
  (await service.data("GET", `/api/v1/licenses/${license.id}/devices`))[0]

const explained = async ({ license }: Issued, more: object = {}, operation = "checkout") => {
  const said = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
    operation,
    binding: { fingerprint: "desk" },
    ...more
  })
  return said.is_allowed === true ? "200" : said.findings[0].code
}

describe("lease_unit: process", () => {
  it("admits exactly k processes of one device at once, on two nodes, each with a lease of its own", async () => {
    const issued = await issue(4)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => checkout(issued, `p-${n}`, { node: n % 2 === 0 ? service : other }))
    )
    assert.deepStrictEqual(codes(answers), { "200": 4, "FLOATING_LIMIT_EXCEEDED": 8 })
    const tokens = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.lease_token)
    for (let round = 0; round < 2; round++) {
      const beats = await Promise.all(tokens.map((token) => heartbeat(issued, token)))
      assert.deepStrictEqual(codes(beats), { "200": 4 })
      tokens.splice(0, 4, ...beats.map(({ body }) => body.data.lease_token))
    }
    assert.strictEqual((await namesOf(issued)).length, 4)
  })

  it("gives a process one lease, however often it asks, on two nodes, and no name is a name too", async () => {
    const issued = await issue(2)
    for (const name of ["p-1", undefined]) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => checkout(issued, name, { node: n % 2 === 0 ? service : other }))
      )
      assert.deepStrictEqual(codes(answers), { "200": 10 })
    }
    assert.deepStrictEqual(await namesOf(issued), ["", "p-1"])
    refused(await checkout(issued, "p-2"), 403, "FLOATING_LIMIT_EXCEEDED")
    // The same name on another device is another process.
    refused(await checkout(issued, "p-1", { fingerprint: "laptop" }), 403, "FLOATING_LIMIT_EXCEEDED")
    const kept = await taken(issued, "p-1")
    assert.strictEqual((await heartbeat(issued, kept)).status, 200)
  })

  it("is said in signed answers, in the list and in the event, and only there", async () => {
    const issued = await issue(2)
    const answer = await checkout(issued, "p-1")
    assert.strictEqual(answer.body.data.lease_unit, "process")
    assert.strictEqual((await heartbeat(issued, answer.body.data.lease_token)).body.data.lease_unit, "process")
    const [lease] = await live(issued)
    assert.strictEqual(lease!["process_id"], "p-1")
    const event = (await service.feed("&event_type=lease.checked_out"))
      .find(({ metadata }) => metadata.license_id === issued.license.id)
    assert.strictEqual(event.data.process_id, "p-1")
    const plain = await issue(2, {})
    const usual = await checkout(plain, "p-1")
    assert.notProperty(usual.body.data, "lease_unit")
    assert.notProperty((await live(plain))[0]!, "process_id")
  })

  it("a device is bound until its last lease ends", async () => {
    const issued = await issue(2)
    const [one, two] = [await taken(issued, "p-1"), await taken(issued, "p-2")]
    assert.strictEqual((await check(issued)).status, 200)
    assert.strictEqual((await checkin(issued, one)).status, 200)
    assert.strictEqual((await check(issued)).status, 200)
    assert.strictEqual((await deviceOf(issued)).status, "active")
    assert.strictEqual((await heartbeat(issued, two)).status, 200)
    const [left] = await live(issued)
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/leases/${left!["id"]}/release`)
    refused(await check(issued), 404, "DEVICE_NOT_ACTIVATED")
    assert.strictEqual((await deviceOf(issued)).status, "deactivated")
  })

  it("lets one process run out and not the others", async () => {
    const issued = await issue(2)
    const [one, two] = [await taken(issued, "p-1"), await taken(issued, "p-2")]
    await database.query(
      "UPDATE leases SET expires_at = now() - interval '1 s' WHERE license_id = $1 AND process_id = $2",
      [
        issued.license.id,
        "p-1"
      ]
    )
    refused(await heartbeat(issued, one), 409, "LEASE_EXPIRED")
    assert.strictEqual((await heartbeat(issued, two)).status, 200)
    assert.strictEqual((await check(issued)).status, 200)
    await taken(issued, "p-3")
    assert.deepStrictEqual(await namesOf(issued), ["p-2", "p-3"])
    assert.strictEqual((await deviceOf(issued)).status, "active")
  })

  it("tells the process whose lease a person released, and no other", async () => {
    const issued = await issue(2)
    const [one, two] = [await taken(issued, "p-1"), await taken(issued, "p-2")]
    const lease = (await live(issued)).find(({ process_id }) => process_id === "p-1")
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/leases/${lease!["id"]}/release`)
    assert.strictEqual(refused(await heartbeat(issued, one), 404, "LEASE_NOT_FOUND").detail, "released")
    assert.strictEqual((await heartbeat(issued, two)).status, 200)
    assert.strictEqual((await heartbeat(issued, await taken(issued, "p-1"))).status, 200)
  })

  it.each(["reset", "blacklist"])("ends every lease of a device by its %s", async (action) => {
    const issued = await issue(3)
    const tokens = [await taken(issued, "p-1"), await taken(issued, "p-2")]
    const { id } = await deviceOf(issued)
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/devices/${id}/${action}`)
    assert.deepStrictEqual(await namesOf(issued), [])
    for (const token of tokens) assert.isAbove((await heartbeat(issued, token)).status, 399)
  })

  it("ends every lease of a device that deactivates, or whose seat another one takes", async () => {
    const terms = { lease_unit: "process", max_activations: 1, self_service: true }
    const issued = await issue(3, terms)
    const activate = (fingerprint: string, more: object = {}) =>
      service.license("activate", issued.key, { fingerprint, ...more })
    assert.strictEqual((await activate("desk")).status, 200)
    await taken(issued, "p-1")
    await taken(issued, "p-2")
    const { id } = await deviceOf(issued)
    assert.strictEqual((await activate("laptop", { take_seat_of: id })).status, 200)
    assert.deepStrictEqual(await namesOf(issued), [])
    await taken(issued, "p-1", { fingerprint: "laptop" })
    await taken(issued, "p-2", { fingerprint: "laptop" })
    assert.strictEqual((await service.license("deactivate", issued.key, { fingerprint: "laptop" })).status, 200)
    assert.deepStrictEqual(await namesOf(issued), [])
  })

  it("is explained as it is answered, now and of the past", async () => {
    const issued = await issue(1)
    await taken(issued, "p-1")
    assert.strictEqual(await explained(issued, { process_id: "p-1" }), "200")
    assert.strictEqual(await explained(issued, { process_id: "p-2" }), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(await explained(issued), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(await explained(issued, {}, "heartbeat"), "200")
    assert.strictEqual(await explained(issued, { process_id: "p-2" }, "heartbeat"), "LEASE_NOT_FOUND")
    assert.strictEqual(await explained(issued, {}, "check"), "200")
    const [lease] = await live(issued)
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/leases/${lease!["id"]}/release`)
    const at = lease!["checked_out_at"]
    assert.strictEqual(await explained(issued, { process_id: "p-1", at }), "200")
    assert.strictEqual(await explained(issued, { process_id: "p-2", at }), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(await explained(issued, { process_id: "p-2" }), "200")
  })
})

describe("the unit of a lease", () => {
  it("is of the policy or of the license, and needs floating seats", async () => {
    const issued = await issue(2, {}, { overrides: { lease_unit: "process" } })
    await taken(issued, "p-1")
    await taken(issued, "p-2")
    assert.deepStrictEqual(await namesOf(issued), ["p-1", "p-2"])
    const { terms } = await service.data("POST", `/api/v1/licenses/${issued.license.id}/explain`, {})
    assert.deepStrictEqual(terms.lease_unit, { value: "process", from: "override" })
    const answer = await service.call("POST", `/api/v1/products/${issued.product.id}/policies`, {
      body: { name: "Wrong", code: "wrong", license_type: "subscription", lease_unit: "process" }
    })
    assert.strictEqual(refused(answer, 422, "VALIDATION_ERROR").fields[0].path, "lease_unit")
    for (const process_id of ["", "x".repeat(129)]) {
      refused(await checkout(issued, process_id), 422, "VALIDATION_ERROR")
    }
    assert.strictEqual((await checkout(issued, "x".repeat(128))).body.error.code, "FLOATING_LIMIT_EXCEEDED")
  })

  it("of devices takes no notice of a name", async () => {
    const issued = await issue(1, { lease_unit: "device" })
    const one = await taken(issued, "p-1")
    const two = await taken(issued, "p-2")
    assert.strictEqual((await live(issued)).length, 1)
    assert.strictEqual((await heartbeat(issued, two)).status, 200)
    assert.isAbove((await heartbeat(issued, one)).status, 399, "the token before the last two")
  })

  it("that becomes the device takes no seat away: leases go on, and a checkout keeps one of them", async () => {
    const issued = await issue(3)
    const tokens = [await taken(issued, "p-1"), await taken(issued, "p-2"), await taken(issued, "p-3")]
    await service.data("PATCH", `/api/v1/policies/${issued.policy.id}`, { lease_unit: "device" })
    for (const [index, token] of tokens.entries()) {
      const beat = await heartbeat(issued, token)
      assert.strictEqual(beat.status, 200, beat.text)
      assert.notProperty(beat.body.data, "lease_unit")
      tokens[index] = beat.body.data.lease_token
    }
    // The process that had a lease keeps that one; any other, the newest.
    for (const name of ["p-2", "p-4", undefined]) {
      assert.strictEqual(await explained(issued, name === undefined ? {} : { process_id: name }), "200")
      await taken(issued, name)
      assert.deepStrictEqual(await namesOf(issued), ["p-1", "p-2", "p-3"])
    }
    assert.strictEqual((await heartbeat(issued, tokens[0]!)).status, 200)
    refused(await checkout(issued, undefined, { fingerprint: "laptop" }), 403, "FLOATING_LIMIT_EXCEEDED")
    for (const { id } of await live(issued)) {
      await service.data("POST", `/api/v1/licenses/${issued.license.id}/leases/${id}/release`)
    }
    await taken(issued, "p-1")
    await taken(issued, "p-2")
    assert.deepStrictEqual(await namesOf(issued), [""])
  })

  it("that becomes the process leaves the device's lease to whoever holds its token", async () => {
    const issued = await issue(2, {})
    const token = await taken(issued, "p-1")
    await service.data("PATCH", `/api/v1/policies/${issued.policy.id}`, { lease_unit: "process" })
    await taken(issued, "p-1")
    assert.deepStrictEqual(await namesOf(issued), ["", "p-1"])
    const beat = await heartbeat(issued, token)
    assert.strictEqual(beat.body.data.lease_unit, "process")
    assert.strictEqual((await checkin(issued, beat.body.data.lease_token)).status, 200)
    assert.deepStrictEqual(await namesOf(issued), ["p-1"])
  })

  it("of another policy asks what becomes of the seats beyond it", async () => {
    const issued = await issue(3)
    const tokens = [await taken(issued, "p-1"), await taken(issued, "p-2"), await taken(issued, "p-3")]
    const policy = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "By device",
      code: "by-device",
      license_type: issued.policy.license_type,
      max_floating_users: 1
    })
    const change = (more: object = {}) =>
      service.call("POST", `/api/v1/licenses/${issued.license.id}/change-policy`, {
        body: { policy_id: policy.id, ...more },
        headers: { "idempotency-key": crypto.randomUUID() }
      })
    refused(await change(), 409, "STATE_CONFLICT")
    const moved = await change({ devices: "reset_newest" })
    assert.strictEqual(moved.status, 200, moved.text)
    assert.deepStrictEqual(await namesOf(issued), ["p-1"])
    assert.strictEqual((await heartbeat(issued, tokens[0]!)).status, 200)
    assert.strictEqual((await deviceOf(issued)).status, "active")
    await taken(issued, "p-9")
    assert.strictEqual((await live(issued)).length, 1)
  })

  it("holds on two nodes while processes come, go and are released at once", async () => {
    const issued = await issue(3)
    const turn = async (n: number) => {
      const node = n % 2 === 0 ? service : other
      for (let round = 0; round < 4; round++) {
        const answer = await checkout(issued, `p-${n}`, { node, fingerprint: n % 3 === 0 ? "laptop" : "desk" })
        if (answer.status !== 200) continue
        const beat = await node.license("floating/heartbeat", issued.key, { lease_token: answer.body.data.lease_token })
        if (beat.status === 200 && round % 2 === 0) {
          await node.license("floating/checkin", issued.key, { lease_token: beat.body.data.lease_token })
        }
        const held = await live(issued)
        assert.isAtMost(held.length, 3)
        const [first] = held
        if (round === 3 && first !== undefined) {
          await node.call("POST", `/api/v1/licenses/${issued.license.id}/leases/${first["id"]}/release`)
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, n) => turn(n)))
    for (const { device_id } of await live(issued)) {
      const devices: ReadonlyArray<Body> = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices`)
      assert.strictEqual(devices.find(({ id }) => id === device_id)?.["status"], "active")
    }
  })
})
