import { assert, describe, it } from "@effect/vitest"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)

const steer = (licenseId: string, deviceId: string, action: "reset" | "blacklist") =>
  service.call("POST", `/api/v1/licenses/${licenseId}/devices/${deviceId}/${action}`)

const license = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)

const activate = async (key: string, binding: object): Promise<string> => {
  const { body, status, text } = await service.license("activate", key, binding)
  assert.strictEqual(status, 200, text)
  return body.data.device_id
}

const pod = (name: string) => ({ is_container: true, namespace: "prod", pod_name: name })

/** Lets a device have been seen last that many minutes ago; the sweeper looks at it at once. */
const idleFor = (deviceId: string, minutes: number) =>
  database.query(
    `UPDATE devices SET last_seen_at = now() - $2::int * interval '1 minute', idle_check_at = NULL WHERE id = $1`,
    [deviceId, minutes]
  )

describe("listLicenseDevices", () => {
  it("finds by a part of the hostname, the pod or the fingerprint, page by page", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_activations: 9, max_container_instances: 9 } })
    for (const at of [1, 2, 3]) {
      await activate(key, { fingerprint: `print-${at}`, hostname: `Ada's MacBook ${at} 100%_` })
    }
    await activate(key, { fingerprint: "other", hostname: "studio" })
    await activate(key, pod("render-1"))
    const path = `/api/v1/licenses/${id}/devices`
    const names = async (q: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `${path}?q=${encodeURIComponent(q)}`)).map(({ hostname, pod_name }: Body) =>
        hostname ?? pod_name
      )
    assert.lengthOf(await names("macbook"), 3)
    assert.deepStrictEqual(await names("MACBOOK 2"), ["Ada's MacBook 2 100%_"])
    assert.deepStrictEqual(await names("RENDER"), ["render-1"])
    assert.deepStrictEqual(await names("print-3"), ["Ada's MacBook 3 100%_"])
    assert.lengthOf(await names("100%_"), 3, "signs mean themselves")
    assert.deepStrictEqual(await names("%"), await names("100%"))
    assert.deepStrictEqual(await names("nowhere"), [])
    const [studio] = await service.data("GET", `${path}?q=studio`)
    await steer(id, studio.id, "reset")
    const active = await service.data("GET", `${path}?status=active`)
    assert.lengthOf(active, 4)
    assert.deepStrictEqual((await service.data("GET", `${path}?status=reset`)).map(({ id }: Body) => id), [studio.id])
    const first = await service.call("GET", `${path}?q=macbook&limit=2`)
    assert.lengthOf(first.body.data, 2)
    const cursor = first.body.meta?.page_info?.next_cursor ?? first.body.page_info.next_cursor
    const second = await service.data("GET", `${path}?q=macbook&limit=2&cursor=${cursor}`)
    assert.lengthOf(second, 1)
    refused(await service.call("GET", `${path}?q=studio&cursor=${cursor}`), 400, "INVALID_CURSOR")
  })
})

describe("what a device runs", () => {
  it("is what it named last in activate, validate or consume, and filters the list", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_activations: 9 } })
    const path = `/api/v1/licenses/${id}/devices`
    await activate(key, { fingerprint: "old", app_version: " 1.9.2 ", os: "Windows 10" })
    await activate(key, { fingerprint: "older", app_version: "1", os: "Linux 6.1" })
    await activate(key, { fingerprint: "ten", app_version: "10.1" })
    await activate(key, { fingerprint: "silent" })
    const prints = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `${path}?${query}`)).map(({ fingerprint }: Body) => fingerprint).toSorted()
    assert.deepStrictEqual(await prints("app_version=1.x"), ["old", "older"])
    assert.deepStrictEqual(await prints("app_version=1.9.2"), ["old"])
    assert.deepStrictEqual(await prints("app_version=1.9"), [])
    assert.deepStrictEqual(await prints("os=windows"), ["old"])
    const [before] = await service.data("GET", `${path}?q=old&os=windows`)
    assert.strictEqual(before.app_version, "1.9.2")
    assert.strictEqual(before.app_version_since, before.first_seen_at)

    const newer = { fingerprint: "old", app_version: "2.0", os: "Windows 11" }
    assert.strictEqual((await service.license("validate", key, newer)).status, 200)
    await eventually("the sighting is written", async () => (await prints("app_version=2.x")).length === 1)
    const [after] = await service.data("GET", `${path}?app_version=2.0`)
    assert.strictEqual(after.os, "Windows 11")
    assert.isAbove(Date.parse(after.app_version_since), Date.parse(before.app_version_since))
    const report = await service.data("GET", "/api/v1/reports/adoption?app_version=1.x&group_by=license_id")
    assert.deepInclude(report, { summary: { devices: 1, licenses: 1, customers: 0 }, total_rows: 1, truncated: false })
    assert.deepInclude(report.rows[0], { app_version: "1", os: "Linux", license_id: id, devices: 1, licenses: 1 })

    const other = await service.issue({ policy: { max_activations: 9 } })
    await activate(other.key, { fingerprint: "mac", app_version: "1.9.2", os: "macOS 15" })
    await activate(other.key, { fingerprint: "pc", app_version: "2.0", os: "Windows 11" })
    const licenses = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `/api/v1/licenses?${query}`)).map((each: Body) => each.id)
    const reported = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `/api/v1/reports/licenses?${query}`)).rows.map((each: Body) => each.id)
    for (const found of [licenses, reported]) {
      assert.deepStrictEqual(await found("app_version=1.x"), [other.license.id, id])
      assert.deepStrictEqual(await found("app_version=1.9.2"), [other.license.id])
      assert.deepStrictEqual(await found(`app_version=1.x&product_id=${other.product.id}`), [other.license.id])
      assert.deepStrictEqual(await found("app_version=1.x&os=WINDOWS"), [], "of one and the same device")
      assert.deepStrictEqual(await found("os=windows&order=asc"), [id, other.license.id])
    }
    assert.deepStrictEqual(await licenses(`app_version=1.x&q=${id}`), [id])
    const job = { action: "tag", tags: ["old"], selection: { filter: { app_version: "1.9.x" } } }
    const { preview } = await service.data("POST", "/api/v1/licenses/jobs", { ...job, dry_run: true }, {
      headers: { "idempotency-key": id }
    })
    assert.deepInclude(preview, { done: 1, failed: 0 })
    const [mac] = await service.data("GET", `/api/v1/licenses/${other.license.id}/devices?q=mac`)
    await service.data("POST", `/api/v1/licenses/${other.license.id}/devices/${mac.id}/reset`)
    assert.deepStrictEqual(await licenses("app_version=1.x"), [id], "a device that gave its seat back runs nothing")

    await activate(key, { fingerprint: "old" })
    const [kept] = await service.data("GET", `${path}?app_version=2.0`)
    assert.strictEqual(kept.app_version_since, after.app_version_since, "a call that names no version keeps it")
  })
})

describe("the customers of what devices run", () => {
  const customers = async (query: string, token?: string): Promise<ReadonlyArray<string>> =>
    (await service.data("GET", `/api/v1/customers?${query}`, undefined, token === undefined ? {} : { token }))
      .map(({ id }: Body) => id)

  it("are listed by version, system and product, of one and the same device", async () => {
    const owner = async (code: string): Promise<string> =>
      (await service.data("POST", "/api/v1/customers", { name: `Owner ${code}`, code })).id
    const [ada, bob] = [await owner("runs-ada"), await owner("runs-bob")]
    const one = await service.issue({ license: { customer_id: ada } })
    const other = await service.issue({ license: { customer_id: bob } })
    await activate(one.key, { fingerprint: "one", app_version: "7.1", os: "Windows 10" })
    await activate(other.key, { fingerprint: "two", app_version: "7.2", os: "Linux 6.1" })
    assert.deepStrictEqual(await customers("app_version=7.x"), [bob, ada])
    assert.deepStrictEqual(await customers("app_version=7.x&order=name_asc"), [ada, bob])
    assert.deepStrictEqual(await customers("app_version=7.x&os=linux"), [bob])
    assert.deepStrictEqual(await customers(`app_version=7.x&product_id=${one.product.id}`), [ada])
    assert.deepStrictEqual(await customers(`product_id=${other.product.id}`), [bob])
    assert.deepStrictEqual(await customers("app_version=7.x&q=runs-ada"), [ada])
    const first = await service.call("GET", "/api/v1/customers?app_version=7.x&limit=1&include_total=true")
    assert.strictEqual(first.body.page_info.total.count, 2)
    const rest = `limit=1&cursor=${first.body.page_info.next_cursor}`
    assert.deepStrictEqual(await customers(`app_version=7.x&${rest}`), [ada])
    refused(await service.call("GET", `/api/v1/customers?app_version=7.1&${rest}`), 400, "INVALID_CURSOR")

    const keyOf = async (scopes: ReadonlyArray<string>, more: object = {}): Promise<string> =>
      (await service.data("POST", "/api/v1/api-keys", { name: "reader", scopes, ...more })).token
    const limited = await keyOf(["customer:read", "license:read"], { product_ids: [one.product.id] })
    assert.deepStrictEqual(await customers("app_version=7.x", limited), [ada])
    const token = await keyOf(["customer:read"])
    assert.include(await customers("limit=100", token), ada)
    for (const query of ["app_version=7.x", "os=linux", `product_id=${one.product.id}`]) {
      const answer = await service.call("GET", `/api/v1/customers?${query}`, { token })
      assert.strictEqual(refused(answer, 403, "TOKEN_SCOPE_DENIED").detail, "license:read")
    }
  })
})

describe("resetLicenseDevice", () => {
  it("frees the seat, and the device may come back and is counted again", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_activations: 1 } })
    const one = await activate(key, { fingerprint: "one", hostname: "studio" })
    const answer = await steer(id, one, "reset")
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.body.data.status, "reset")
    assert.strictEqual((await license(id)).active_device_count, 0)
    refused(await service.license("validate", key, { fingerprint: "one" }), 404, "DEVICE_NOT_ACTIVATED")
    await activate(key, { fingerprint: "two" })
    refused(await service.license("activate", key, { fingerprint: "one" }), 403, "ACTIVATION_LIMIT_EXCEEDED")

    const [event] = await service.feed(`&resource_id=${one}`)
    assert.strictEqual(event.event_type, "device.reset")
    assert.strictEqual(event.resource_type, "device")
    assert.deepStrictEqual(event.data, answer.body.data)
    assert.deepStrictEqual(event.metadata, { license_id: id })
    assert.sameMembers(Object.keys(event.commitments), ["/data/hostname", "/data/ip_address", "/ip_address"])
  })

  it("is repeatable without another event, and takes a form's empty body", async () => {
    const { key, license: { id } } = await service.issue()
    const one = await activate(key, { fingerprint: "one" })
    const first = await steer(id, one, "reset")
    const again = await service.call("POST", `/api/v1/licenses/${id}/devices/${one}/reset`, {
      headers: { "content-type": "application/x-www-form-urlencoded", "content-length": "0" }
    })
    assert.deepStrictEqual(again.body.data, first.body.data)
    assert.lengthOf(await service.feed(`&resource_id=${one}`), 1)
  })

  it("ends the device's floating lease", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_floating_users: 1 } })
    const out = await service.license("floating/checkout", key, { fingerprint: "one" })
    assert.strictEqual(out.status, 200, out.text)
    assert.strictEqual((await steer(id, out.body.data.device_id, "reset")).status, 200)
    const next = await service.license("floating/checkout", key, { fingerprint: "two" })
    assert.strictEqual(next.status, 200, next.text)
    const late = await service.license("floating/heartbeat", key, { lease_token: out.body.data.lease_token })
    assert.oneOf(late.body.error.code, ["LEASE_NOT_FOUND", "LEASE_EXPIRED", "DEVICE_NOT_ACTIVATED"])
  })
})

describe("blacklistLicenseDevice", () => {
  it("frees the seat and blocks the device until it is reset", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_activations: 1 } })
    const one = await activate(key, { fingerprint: "one" })
    const answer = await steer(id, one, "blacklist")
    assert.strictEqual(answer.body.data.status, "blacklisted")
    assert.strictEqual((await license(id)).active_device_count, 0)
    for (const operation of ["activate", "validate", "check", "deactivate"]) {
      refused(await service.license(operation, key, { fingerprint: "one" }), 403, "DEVICE_BLACKLISTED")
    }
    assert.deepStrictEqual((await steer(id, one, "blacklist")).body.data, answer.body.data)
    await activate(key, { fingerprint: "two" })
    assert.strictEqual((await steer(id, one, "reset")).body.data.status, "reset")
    refused(await service.license("activate", key, { fingerprint: "one" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const kinds = (await service.feed(`&resource_id=${one}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["device.blacklisted", "device.reset"])
  })

  it("counts a seat down once, however often and from whichever state", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_activations: 3 } })
    const [one, two] = [await activate(key, { fingerprint: "one" }), await activate(key, { fingerprint: "two" })]
    await service.license("deactivate", key, { fingerprint: "one" })
    for (const action of ["blacklist", "reset", "reset", "blacklist"] as const) {
      assert.strictEqual((await steer(id, one, action)).status, 200)
      assert.strictEqual((await license(id)).active_device_count, 1)
    }
    await Promise.all(Array.from({ length: 6 }, (_, index) => steer(id, two, index % 2 === 0 ? "reset" : "blacklist")))
    assert.strictEqual((await license(id)).active_device_count, 0)
  })

  it("refuses what it must", async () => {
    const { key, license: { id } } = await service.issue()
    const other = await service.issue()
    const one = await activate(key, { fingerprint: "one" })
    for (const action of ["reset", "blacklist"] as const) {
      refused(await steer(id, "dev_none", action), 404, "NOT_FOUND")
      refused(await steer("lic_none", one, action), 404, "NOT_FOUND")
      refused(await steer(other.license.id, one, action), 404, "NOT_FOUND")
      const { token } = await service.data("POST", "/api/v1/api-keys", { name: "w", scopes: ["license:write"] })
      const path = `/api/v1/licenses/${id}/devices/${one}/${action}`
      assert.strictEqual(
        refused(await service.call("POST", path, { token }), 403, "TOKEN_SCOPE_DENIED").detail,
        "device:write"
      )
    }
    await service.data("POST", `/api/v1/licenses/${id}/revoke`)
    refused(await steer(id, one, "reset"), 409, "STATE_CONFLICT")
    refused(await steer(id, one, "blacklist"), 409, "STATE_CONFLICT")
  })
})

/** The sweeper leaves a device alone from here on: it has looked at it, which it does with each new one, and is done. */
const unwatched = async (id: string): Promise<void> => {
  await eventually("the sweeper has looked at the device", async () => {
    const [row] = await database.query("SELECT idle_check_at IS NOT NULL AS looked FROM devices WHERE id = $1", [id])
    return row!["looked"] === true
  })
  await database.query("UPDATE devices SET idle_check_at = now() + interval '1 day' WHERE id = $1", [id])
}

describe("idle containers", () => {
  const policy = { max_activations: 5, max_container_instances: 1, validation_interval_minutes: 60 }

  it("give their seat up when another container asks, after two validation intervals", async () => {
    const { key, license: { id } } = await service.issue({ policy })
    const a = await activate(key, pod("a"))
    await unwatched(a)
    await database.query("UPDATE devices SET last_seen_at = now() - interval '119 minutes' WHERE id = $1", [a])
    refused(await service.license("activate", key, pod("b")), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await database.query("UPDATE devices SET last_seen_at = now() - interval '121 minutes' WHERE id = $1", [a])
    const b = await activate(key, pod("b"))
    assert.strictEqual((await license(id)).active_device_count, 1)
    const [event] = await service.feed(`&resource_id=${a}`)
    assert.strictEqual(event.event_type, "device.expired")
    assert.strictEqual(event.data.status, "expired")
    assert.strictEqual(event.actor_type, "system")

    // Trap 7: who comes back competes for a seat like anyone else.
    refused(await service.license("validate", key, pod("a")), 404, "DEVICE_NOT_ACTIVATED")
    refused(await service.license("activate", key, pod("a")), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await steer(id, b, "reset")
    assert.strictEqual(await activate(key, pod("a")), a)
    assert.strictEqual((await license(id)).active_device_count, 1)
  })

  it("keep their seat when it is they who ask", async () => {
    const { key, license: { id } } = await service.issue({ policy })
    const a = await activate(key, pod("a"))
    await unwatched(a)
    await database.query("UPDATE devices SET last_seen_at = now() - interval '1 day' WHERE id = $1", [a])
    assert.strictEqual(await activate(key, pod("a")), a)
    assert.strictEqual((await license(id)).times_activated, 1)
    refused(await service.license("activate", key, pod("b")), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })

  it("are found by the sweeper, which looks again when it can matter and leaves machines alone", async () => {
    const { key, license: { id } } = await service.issue({ policy: { ...policy, max_container_instances: 3 } })
    const [idle, fresh, machine] = [
      await activate(key, pod("idle")),
      await activate(key, pod("fresh")),
      await activate(key, { fingerprint: "machine" })
    ]
    await idleFor(machine, 10_000)
    await idleFor(fresh, 60)
    await idleFor(idle, 121)
    await eventually("the idle container lapses", async () => (await license(id)).active_device_count === 2)
    const devices = await service.data("GET", `/api/v1/licenses/${id}/devices`)
    assert.deepStrictEqual(
      Object.fromEntries(devices.map(({ id, status }: Body) => [id, status])),
      { [idle]: "expired", [fresh]: "active", [machine]: "active" }
    )
    const [event] = await service.feed(`&resource_id=${idle}`)
    assert.strictEqual(event.event_type, "device.expired")
    assert.strictEqual(event.actor_type, "system")
    const [row] = await eventually("the fresh one has its time", async () => {
      const rows = await database.query(
        "SELECT extract(epoch FROM idle_check_at - last_seen_at)::int AS after FROM devices WHERE id = $1 AND idle_check_at IS NOT NULL",
        [fresh]
      )
      return rows.length > 0 && rows
    })
    assert.strictEqual(row.after, 7200)
  })

  it("are kept by metered use, by a live lease and by an offline envelope", async () => {
    const { key, license: { id }, product } = await service.issue({
      policy: { ...policy, max_container_instances: 3, max_floating_users: 3, offline_grace_days: 30 }
    })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "F", code: "f" })
    await service.data("POST", `/api/v1/licenses/${id}/features`, { feature_id: feature.id })
    const devices = [
      await activate(key, pod("uses")),
      await activate(key, pod("leases")),
      await activate(key, pod("offline"))
    ]
    await service.license("floating/checkout", key, pod("leases"))
    assert.strictEqual((await service.license("offline", key, pod("offline"))).status, 200)
    // A sweep that has found them before and judges them after would take them for idle.
    const looked = async () =>
      (await database.query("SELECT 1 FROM devices WHERE license_id = $1 AND idle_check_at IS NULL", [id])).length === 0
    await eventually("the sweeper has seen them", looked)
    await database.query(
      `UPDATE devices SET last_seen_at = now() - interval '1 day', idle_check_at = now() + interval '1 day'
       WHERE license_id = $1`,
      [id]
    )
    const use = { ...pod("uses"), feature_code: "f", event_id: "use-1" }
    assert.strictEqual((await service.license("consume", key, use)).status, 200)
    await eventually("the use is a sighting", async () => {
      const [row] = await database.query(
        "SELECT last_seen_at > now() - interval '1 hour' AS seen, last_validated_at FROM devices WHERE id = $1",
        [devices[0]]
      )
      assert.isNull(row.last_validated_at)
      return row.seen
    })
    refused(await service.license("activate", key, pod("newcomer")), 403, "ACTIVATION_LIMIT_EXCEEDED")
    await database.query("UPDATE devices SET idle_check_at = NULL WHERE license_id = $1", [id])
    await eventually("the sweeper has looked", looked)
    assert.strictEqual((await license(id)).active_device_count, 3)
    await database.query("UPDATE devices SET last_seen_at = now() - interval '31 days' WHERE id = $1", [devices[2]])
    assert.strictEqual((await service.license("activate", key, pod("newcomer"))).status, 200)
  })

  it("admit exactly as many newcomers as there are seats", async () => {
    const { key, license: { id } } = await service.issue({ policy: { ...policy, max_container_instances: 4 } })
    for (const name of ["a", "b", "c", "d"]) await activate(key, pod(name))
    await database.query(
      `UPDATE devices SET last_seen_at = now() - interval '1 day', idle_check_at = now() + interval '1 day'
       WHERE license_id = $1`,
      [id]
    )
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.license("activate", key, pod(`new-${index}`)))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 4)
    assert.strictEqual((await license(id)).active_device_count, 4)
  })
})
