import { assert, beforeAll, describe, it } from "@effect/vitest"
import { verifyEnvelope } from "../../../../src/client/verify/verifyEnvelope.ts"
import { verifyOffline } from "../../../../src/client/verify/verifyOffline.ts"
import type { ExpectedOffline, VerifiedOffline } from "../../../../src/client/verify/verifyOffline.ts"
import { movedClock } from "../../../fixtures/MovedClock.ts"
import type { MovedClock } from "../../../fixtures/MovedClock.ts"
import type { Answer, Issued, Service } from "../../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

let clock: MovedClock
let service: Service

beforeAll(async () => {
  clock = await movedClock()
  service = await startService({ databaseUrl: clock.databaseUrl })
})

const day = 86_400_000
const pathOf = ({ license }: Pick<Issued, "license">) => `/api/v1/licenses/${license.id}/offline-files`

const ask = (issued: Issued, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call("POST", `/api/v1/licenses/${issued.license.id}/offline-files`, {
    body: { fingerprint: "air-gapped", license_key: issued.key, ...body },
    headers
  })

const filed = async (issued: Issued, body: object = {}): Promise<Body> => {
  const answer = await ask(issued, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data
}

const publicKeys = async () => (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body.data

/** What a machine makes of a file that knows nothing but its own fingerprint and the key that was typed in. */
const open = async (
  { key }: Issued,
  lic: Body,
  expected: ExpectedOffline = {},
  fingerprint = "air-gapped"
): Promise<VerifiedOffline> =>
  verifyOffline({
    envelope: JSON.stringify(lic),
    licenseKey: key.toLowerCase(),
    fingerprint,
    publicKeys: await publicKeys(),
    expected
  })

const codeOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt
    return "accepted"
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

const revocations = async (): Promise<Readonly<Record<string, unknown>>> => {
  const { text } = await service.call("GET", "/api/v1/license/revocations", { token: null })
  return (await verifyEnvelope({ body: text, publicKeys: await publicKeys() })).data
}

const revoke = (issued: Issued, { file }: Body): Promise<Answer> =>
  service.call("POST", `/api/v1/licenses/${issued.license.id}/offline-files/${file.id}/revoke`)

const licenseOf = ({ license }: Issued): Promise<Body> => service.data("GET", `/api/v1/licenses/${license.id}`)

describe("a revocation list", () => {
  it("says nothing of files while none was revoked", async () => {
    assert.notProperty(await revocations(), "revoked_offline_files")
  })
})

describe("an offline file", () => {
  it("binds the device, is opened by its fingerprint alone, and says until when", async () => {
    const issued = await service.issue({ policy: { offline_grace_days: 9 } })
    const { file, file_name, lic } = await filed(issued, { hostname: "lab-01", os: "linux", app_version: "1.2" })
    assert.sameMembers(Object.keys(lic), ["device_id", "kid", "salt", "nonce", "ciphertext"])
    assert.strictEqual(file_name, `${issued.product.code}-${file.id}.lic`)
    const { data, offlineCounter } = await open(issued, lic, { productCode: issued.product.code })
    assert.deepInclude(data, {
      license_id: issued.license.id,
      device_id: file.device_id,
      fingerprint_hash: file.fingerprint_hash,
      offline_file_id: file.id,
      issued_at: file.issued_at,
      valid_until: file.valid_until
    })
    assert.deepInclude(file, { offline_counter: 1, status: "active", license_id: issued.license.id })
    assert.strictEqual(offlineCounter, 1)
    assert.strictEqual(Date.parse(file.valid_until) - Date.parse(file.issued_at), 9 * day)
    assert.strictEqual(await codeOf(open(issued, lic, {}, "another")), "device_mismatch")
    const other = await service.issue()
    assert.strictEqual(await codeOf(open({ ...issued, key: other.key }, lic)), "cannot_decrypt")

    assert.deepInclude(await licenseOf(issued), { active_device_count: 1, times_activated: 1 })
    const device = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices/${file.device_id}`)
    assert.deepInclude(device, { hostname: "lab-01", os: "linux", fingerprint: "air-gapped", status: "active" })
    // Management called, and not the device.
    assert.notProperty(device, "ip_address")
    const [activated] = await service.feed(`&event_type=license.activated&resource_id=${issued.license.id}`)
    assert.deepInclude(activated, { actor_type: "api_key", actor_id: "bootstrap" })
    const [event] = await service.feed(`&resource_id=${file.id}`)
    assert.deepInclude(event, { event_type: "offline_file.issued", resource_type: "offline_file" })
    assert.deepStrictEqual(event.data, file)
    assert.notInclude(JSON.stringify(event), issued.key)
  })

  it("is good for offline_file_days, of the policy or of the license, and never past the end", async () => {
    const days = ({ file }: Body) => (Date.parse(file.valid_until) - Date.parse(file.issued_at)) / day
    const policy = { offline_file_days: 400, offline_grace_days: 0 }
    assert.strictEqual(days(await filed(await service.issue({ policy }))), 400)
    const own = await service.issue({ policy, license: { overrides: { offline_file_days: 30 } } })
    assert.strictEqual(days(await filed(own)), 30)
    const expires_at = new Date(Date.now() + 5 * day).toISOString()
    const ending = await filed(
      await service.issue({ policy: { ...policy, grace_period_days: 0 }, license: { expires_at } })
    )
    assert.strictEqual(ending.file.valid_until, expires_at)
  })

  it("is issued anew for the same device without another seat, with a higher counter", async () => {
    const issued = await service.issue({ policy: { max_activations: 1 } })
    const first = await filed(issued)
    const second = await filed(issued, { fingerprint: " air-gapped " })
    assert.strictEqual(second.file.device_id, first.file.device_id)
    assert.deepStrictEqual([first.file.offline_counter, second.file.offline_counter], [1, 2])
    assert.strictEqual(await codeOf(open(issued, first.lic, { lastCounter: 2 })), "rolled_back")
    const online = await service.license("offline", issued.key, { fingerprint: "air-gapped" })
    assert.strictEqual(online.status, 200, online.text)
    assert.strictEqual((await filed(issued)).file.offline_counter, 4)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 1, times_activated: 1 })
    const listed = (await service.call("GET", `/api/v1/licenses/${issued.license.id}/offline-files`)).body.data
    assert.deepStrictEqual(listed.map((file: Body) => file.offline_counter), [4, 2, 1])
    const page = await service.call("GET", `${pathOf(issued)}?limit=2`)
    const rest = await service.call("GET", `${pathOf(issued)}?limit=2&cursor=${page.body.page_info.next_cursor}`)
    assert.deepStrictEqual([...page.body.data, ...rest.body.data], listed)
    const later = await service.call("GET", `${pathOf(issued)}?created_from=${listed[1].issued_at}`)
    assert.deepStrictEqual(later.body.data, listed.slice(0, 2))
    assert.notInclude(JSON.stringify(listed), "ciphertext")
  })

  it("warns who resets its device, or issues another one, of machines that run on without a seat", async () => {
    const issued = await service.issue({ policy: { max_activations: 1, offline_file_days: 400 } })
    const codes = ({ body }: Answer): ReadonlyArray<string> => (body.meta.warnings ?? []).map(({ code }: Body) => code)
    const first = await ask(issued)
    assert.deepStrictEqual(codes(first), [])
    const { file } = first.body.data
    const reset = await service.call("POST", `/api/v1/licenses/${issued.license.id}/devices/${file.device_id}/reset`)
    assert.deepStrictEqual(codes(reset), ["OFFLINE_FILES_OUTSTANDING"])
    assert.include(reset.body.meta.warnings[0].message, file.valid_until)
    assert.deepStrictEqual(codes(await ask(issued, { fingerprint: "second" })), ["OFFLINE_FILES_OUTSTANDING"])
    await service.data("POST", `${pathOf(issued)}/${file.id}/revoke`)
    assert.deepStrictEqual(codes(await ask(issued, { fingerprint: "second" })), [])
  })

  it("takes seats as activate does: k seats for sixty callers at once", async () => {
    const issued = await service.issue({ policy: { max_activations: 4 } })
    assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "online" })).status, 200)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(issued, { fingerprint: `machine-${index % 30}` }))
    )
    const given = answers.filter(({ status }) => status === 201)
    for (const answer of answers) if (answer.status !== 201) refused(answer, 403, "ACTIVATION_LIMIT_EXCEEDED")
    const devices = new Set(given.map(({ body }) => body.data.file.device_id))
    assert.strictEqual(devices.size, 3)
    assert.lengthOf(given, 6)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 4, times_activated: 4 })
    const counters = given.map(({ body }) => `${body.data.file.device_id} ${body.data.file.offline_counter}`)
    assert.strictEqual(new Set(counters).size, 6)
    refused(await service.license("activate", issued.key, { fingerprint: "late" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })

  it("is for any product of a bundle, and for no other", async () => {
    const further = await service.data("POST", "/api/v1/products", { name: "Render", code: crypto.randomUUID() })
    const issued = await service.issue({ policy: { max_activations: 1 }, license: { product_ids: [further.id] } })
    const { lic } = await filed(issued, { product_code: further.code })
    assert.strictEqual((await open(issued, lic, { productCode: further.code })).data["product_id"], further.id)
    const first = await filed(issued)
    assert.strictEqual(await codeOf(open(issued, first.lic, { productCode: further.code })), "product_mismatch")
    refused(await ask(issued, { product_code: "other" }), 403, "PRODUCT_MISMATCH")
  })

  it("starts a license that waits for its first activation", async () => {
    const issued = await service.issue({ policy: { duration: "P1Y", expiry_basis: "first_activation" } })
    const { lic } = await filed(issued)
    const license = await licenseOf(issued)
    assert.notProperty(license, "awaits_activation")
    assert.strictEqual((await open(issued, lic)).data["expires_at"], license.expires_at)
  })

  it("is repeated byte for byte under its Idempotency-Key, its key as guarded as any", async () => {
    const issued = await service.issue()
    const headers = { "idempotency-key": crypto.randomUUID() }
    const first = await ask(issued, {}, headers)
    const again = await ask(issued, {}, headers)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    refused(await ask(issued, { fingerprint: "other" }, headers), 409, "IDEMPOTENCY_CONFLICT")
    assert.lengthOf((await service.call("GET", pathOf(issued))).body.data, 1)
  })
})

describe("an offline file that may not be had", () => {
  it("needs a key of this license", async () => {
    const issued = await service.issue()
    const other = await service.issue()
    for (
      const license_key of [other.key, "CS-00000-00000-00000-00000-00000", issued.key.slice(0, -1), "12345678", "?"]
    ) {
      const answer = await ask(issued, { license_key })
      invalid(answer, "license_key", "other_license")
      if (license_key.length > 20) assert.notInclude(answer.text, license_key.slice(3, 20))
    }
    invalid(
      await service.call("POST", pathOf(issued), { body: { fingerprint: "a" } }),
      "license_key",
      "required"
    )
    invalid(await ask(issued, { fingerprint: " " }), "fingerprint", "invalid_value")
    refused(await ask({ ...issued, license: { id: "lic_none" } }), 404, "NOT_FOUND")
    assert.isEmpty(await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices`))
    assert.strictEqual((await filed(issued, { license_key: issued.key.toLowerCase() })).file.offline_counter, 1)
  })

  it("is refused as the terms and the license say, and leaves no seat taken", async () => {
    const denied = await service.issue({ policy: { allow_offline_activation: false } })
    refused(await ask(denied), 403, "OFFLINE_NOT_ALLOWED")
    refused(await ask(await service.issue({ policy: { offline_grace_days: 0 } })), 403, "OFFLINE_NOT_ALLOWED")
    refused(await ask(await service.issue({ policy: { offline_file_days: 0 } })), 403, "OFFLINE_NOT_ALLOWED")
    assert.deepInclude(await licenseOf(denied), { active_device_count: 0, times_activated: 0 })
    const past = { starts_at: "2020-01-01T00:00:00Z", expires_at: "2020-02-01T00:00:00Z" }
    refused(await ask(await service.issue({ license: past })), 403, "LICENSE_EXPIRED")
    const issued = await service.issue({ policy: { max_activations: 1 } })
    const steer = (what: string) => service.data("POST", `/api/v1/licenses/${issued.license.id}/${what}`, {})
    await steer("suspend")
    refused(await ask(issued), 403, "LICENSE_INACTIVE")
    await steer("reinstate")
    const { file } = await filed(issued)
    refused(await ask(issued, { fingerprint: "second" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await steer(`devices/${file.device_id}/blacklist`)
    refused(await ask(issued), 403, "DEVICE_BLACKLISTED")
    await steer("revoke")
    refused(await ask(issued), 403, "LICENSE_INACTIVE")
  })

  it("is for callers with the scope", async () => {
    const issued = await service.issue()
    const { file } = await filed(issued)
    const reader = await service.data("POST", "/api/v1/api-keys", { name: "r", scopes: ["license:read"] })
    const as = { token: reader.token }
    const body = { fingerprint: "a", license_key: issued.key }
    refused(await service.call("POST", pathOf(issued), { ...as, body }), 403, "TOKEN_SCOPE_DENIED")
    refused(await service.call("POST", `${pathOf(issued)}/${file.id}/revoke`, as), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual((await service.call("GET", pathOf(issued), as)).status, 200)
  })
})

describe("a revoked offline file", () => {
  it("stands in the list, which its machine is shown, and gives its seat back", async () => {
    const issued = await service.issue({ policy: { max_activations: 1 } })
    const made = await filed(issued)
    const before = await revocations()
    await open(issued, made.lic, { revocations: before })
    const answer = await revoke(issued, made)
    assert.deepInclude(answer.body.data, { id: made.file.id, status: "revoked" })
    const after = await revocations()
    assert.strictEqual(after["number"], Number(before["number"]) + 1)
    assert.include(after["revoked_offline_files"], made.file.id)
    assert.strictEqual(await codeOf(open(issued, made.lic, { revocations: after })), "revoked")
    assert.deepInclude(await licenseOf(issued), { active_device_count: 0 })
    const kinds = (await service.feed(`&resource_id=${made.file.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["offline_file.issued", "offline_file.revoked"])
    assert.deepStrictEqual((await revoke(issued, made)).body.data, answer.body.data)
    assert.strictEqual((await revocations())["number"], after["number"])
    const next = await filed(issued, { fingerprint: "second" })
    assert.strictEqual(await codeOf(open(issued, next.lic, { revocations: after }, "second")), "accepted")
    refused(await revoke(issued, { file: { id: "ofl_none" } }), 404, "NOT_FOUND")
    refused(await revoke(await service.issue(), made), 404, "NOT_FOUND")
  })

  it("keeps the seat of a device that has another one which is good", async () => {
    const issued = await service.issue({ policy: { offline_grace_days: 9 } })
    const [first, second] = [await filed(issued), await filed(issued)]
    await revoke(issued, first)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 1 })
    await revoke(issued, second)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 0 })
    const third = await filed(issued)
    const fourth = await filed(issued, { app_version: "2" })
    try {
      await clock.set(Date.parse(third.file.valid_until) + 1000)
      const statuses = (await service.call("GET", pathOf(issued))).body.data.map((file: Body) => file.status)
      assert.includeMembers(statuses, ["revoked", "expired"])
      // The other one is over as well, so nothing holds the seat.
      await clock.set(Date.parse(fourth.file.valid_until) + 1000)
      await revoke(issued, third)
      assert.deepInclude(await licenseOf(issued), { active_device_count: 0 })
    } finally {
      await clock.set(Date.now())
    }
  })

  it("lifts no block of its device, and is possible on a revoked license", async () => {
    const issued = await service.issue()
    const made = await filed(issued)
    const devices = `/api/v1/licenses/${issued.license.id}/devices/${made.file.device_id}`
    await service.data("POST", `${devices}/blacklist`, {})
    assert.strictEqual((await revoke(issued, made)).status, 200)
    assert.strictEqual((await service.data("GET", devices)).status, "blacklisted")
    const other = await service.issue()
    const file = await filed(other)
    await service.data("POST", `/api/v1/licenses/${other.license.id}/revoke`, {})
    assert.strictEqual((await revoke(other, file)).body.data.status, "revoked")
  })

  it("is revoked once by sixty callers at once", async () => {
    const issued = await service.issue()
    const made = await filed(issued)
    const number = Number((await revocations())["number"])
    const answers = await Promise.all(Array.from({ length: 60 }, () => revoke(issued, made)))
    for (const { status, text } of answers) assert.strictEqual(status, 200, text)
    assert.strictEqual((await revocations())["number"], number + 1)
    assert.lengthOf(await service.feed(`&event_type=offline_file.revoked&resource_id=${made.file.id}`), 1)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 0 })
  })
})

/** A machine that can run offline: its device, and until when. */
interface OfflineMachine {
  readonly device: string
  readonly until: string
}

/** The ways to get something for offline use. */
const supplies: Readonly<Record<string, (issued: Issued, fingerprint: string) => Promise<OfflineMachine>>> = {
  file: async (issued, fingerprint) => {
    const { file } = await filed(issued, { fingerprint })
    return { device: file.device_id, until: file.valid_until }
  },
  envelope: async (issued, fingerprint) => {
    const activated = await service.license("activate", issued.key, { fingerprint })
    assert.strictEqual(activated.status, 200, activated.text)
    assert.strictEqual((await service.license("offline", issued.key, { fingerprint })).status, 200)
    const [event] = (await service.feed(`&event_type=offline.issued&resource_id=${issued.license.id}`)).slice(-1)
    return { device: activated.body.data.device_id, until: event!.data.valid_until }
  }
}

const onLicense = (issued: Issued, what: string, body: object = {}): Promise<Body> =>
  service.data("POST", `/api/v1/licenses/${issued.license.id}/${what}`, body)

/** The ways by which a machine gives its seat back, or loses it. */
const ways: Readonly<
  Record<string, (issued: Issued, machine: OfflineMachine, fingerprint: string) => Promise<unknown>>
> = {
  "a reset": (issued, { device }) => onLicense(issued, `devices/${device}/reset`),
  "a block": (issued, { device }) => onLicense(issued, `devices/${device}/blacklist`),
  "its app": (issued, _, fingerprint) => service.license("deactivate", issued.key, { fingerprint }),
  "the holder of the key": ({ key }, { device }) => service.license(`devices/${device}/release`, key, undefined),
  "a transfer": (issued, _, fingerprint) =>
    service.data("POST", `/api/v1/licenses/${issued.license.id}/transfer`, {
      customer_email: `${fingerprint}@example.com`,
      reset_devices: true
    }, { headers: { "idempotency-key": crypto.randomUUID() } })
}

const holding = {
  max_activations: 1,
  max_transfers: 9,
  self_service: true,
  offline_grace_days: 20,
  hold_offline_seats: true
}

const activate = (issued: Issued, fingerprint: string, more: object = {}): Promise<Answer> =>
  service.license("activate", issued.key, { fingerprint, ...more })

const explained = (issued: Issued, fingerprint: string, more: object = {}): Promise<Body> =>
  service.data("POST", `/api/v1/licenses/${issued.license.id}/explain`, {
    operation: "activate",
    binding: { fingerprint },
    ...more
  })

/** Until when a machine was refused a seat, as the refusal, and explain of now, say. */
const refusedUntil = async (issued: Issued, fingerprint: string): Promise<string> => {
  const { detail } = refused(await activate(issued, fingerprint), 403, "ACTIVATION_LIMIT_EXCEEDED")
  const [finding] = (await explained(issued, fingerprint)).findings
  assert.deepStrictEqual([finding.rule, finding.detail], ["activation_limit", detail])
  return detail.replace("1 of 1 in use; 1 held for offline use; a seat is free at ", "")
}

describe("five machines on one seat", () => {
  const cases = Object.keys(supplies).flatMap((supply) => Object.keys(ways).map((way) => [supply, way] as const))

  it.each(cases)("run one after the other: with an %s, the seat lost by %s", async (supply, way) => {
    const issued = await service.issue({ policy: holding, license: { customer_email: "a@example.com" } })
    try {
      for (const index of way === "a reset" ? [1, 2, 3, 4, 5] : [1, 2]) {
        const [fingerprint, next] = [`m${index}`, `m${index + 1}`]
        const machine = await supplies[supply]!(issued, fingerprint)
        await ways[way]!(issued, machine, fingerprint)
        assert.strictEqual(await refusedUntil(issued, next), machine.until)
        assert.isTrue((await explained(issued, next, { at: machine.until })).is_allowed, "from that instant on")
        const shown = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices/${machine.device}`)
        assert.strictEqual(shown.seat_held_until, machine.until)
        const own = await service.call("GET", "/api/v1/license/devices", { licenseKey: issued.key })
        assert.deepInclude(own.body.data[0], { id: machine.device, seat_held_until: machine.until })
        await clock.set(Date.parse(machine.until) + 1000)
      }
    } finally {
      await clock.set(Date.now())
    }
  })

  it("is what a device takes again that gave it back", async () => {
    const issued = await service.issue({ policy: holding })
    await supplies["envelope"]!(issued, "m1")
    await service.license("deactivate", issued.key, { fingerprint: "m1" })
    await refusedUntil(issued, "m2")
    assert.strictEqual((await activate(issued, "m1")).status, 200)
    assert.deepInclude(await licenseOf(issued), { active_device_count: 1, times_activated: 2 })
    assert.strictEqual(refused(await activate(issued, "m2"), 403, "ACTIVATION_LIMIT_EXCEEDED").detail, "1 of 1 in use")
  })

  it("is given to nobody by take_seat_of, or with a file in the portal's way, and the device keeps it", async () => {
    const issued = await service.issue({ policy: holding })
    const { device, until } = await supplies["file"]!(issued, "m1")
    const taking = { take_seat_of: device }
    assert.strictEqual(
      refused(await activate(issued, "m2", taking), 403, "ACTIVATION_LIMIT_EXCEEDED").detail,
      `1 of 1 in use; the seat of the device of take_seat_of stays taken until ${until}`
    )
    assert.isFalse((await explained(issued, "m2", taking)).is_allowed)
    assert.isTrue((await explained(issued, "m2", { ...taking, at: until })).is_allowed)
    assert.strictEqual((await licenseOf(issued)).active_device_count, 1)
    const free = await service.issue({ policy: holding })
    const { data } = (await activate(free, "m1")).body
    assert.strictEqual((await activate(free, "m2", { take_seat_of: data.device_id })).status, 200)
  })

  it.each(Object.keys(supplies))(
    "is free at once when somebody frees it with a reason, by a machine with an %s",
    async (supply) => {
      const issued = await service.issue({ policy: holding })
      const { device } = await supplies[supply]!(issued, "m1")
      const path = `devices/${device}`
      const reset = await service.call("POST", `/api/v1/licenses/${issued.license.id}/${path}/reset`)
      assert.includeMembers(reset.body.meta.warnings.map(({ code }: Body) => code), ["SEAT_HELD"])
      await refusedUntil(issued, "m2")
      const held = new Date().toISOString()
      invalid(
        await service.call("POST", `/api/v1/licenses/${issued.license.id}/${path}/free-seat`, { body: {} }),
        "reason",
        "required"
      )
      const freed = await service.data("POST", `/api/v1/licenses/${issued.license.id}/devices/${device}/free-seat`, {
        reason: "it was destroyed"
      })
      assert.strictEqual(freed.status, "reset")
      assert.notProperty(freed, "seat_held_until")
      const [event] = (await service.feed(`&event_type=device.reset&resource_id=${device}`)).slice(-1)
      assert.deepInclude(event!.metadata, { frees_seat: true, reason_given: "it was destroyed" })
      assert.isTrue((await service.data("GET", pathOf(issued))).every(({ status }: Body) => status === "revoked"))
      const since = (await explained(issued, "m3")).at
      assert.strictEqual((await activate(issued, "m2")).status, 200)
      // What was answered before it was freed is explained so, and what was answered afterwards.
      const findings = async (fingerprint: string, at: string) =>
        (await explained(issued, fingerprint, { at })).findings.map(({ code }: Body) => code)
      assert.deepStrictEqual(await findings("m3", held), ["ACTIVATION_LIMIT_EXCEEDED"])
      assert.deepStrictEqual(await findings("m3", since), [])
      await onLicense(issued, `${path}/free-seat`, { reason: "again" })
      assert.lengthOf(await service.feed(`&event_type=device.reset&resource_id=${device}`), 2)
    }
  )

  it("are as many as there were without the terms that hold seats", async () => {
    const issued = await service.issue({ policy: { ...holding, hold_offline_seats: false } })
    for (const fingerprint of ["m1", "m2", "m3", "m4", "m5"]) {
      const machine = await supplies["envelope"]!(issued, fingerprint)
      await onLicense(issued, `devices/${machine.device}/reset`)
    }
    // Terms that hold seats from now on count what runs by then.
    await service.data("PATCH", `/api/v1/licenses/${issued.license.id}`, { overrides: { hold_offline_seats: true } })
    const { detail } = refused(await activate(issued, "m6"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.include(detail, "5 of 1 in use; 5 held for offline use; a seat is free at ")
  })
})
