import { assert, describe, it } from "@effect/vitest"
import { chance } from "../../fixtures/Seeded.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const database = await session(service.databaseUrl)
const random = chance("rehearsals")
const day = 86_400_000

const rehearse = async (policyId: string, body: object): Promise<Body> => {
  const answer = await service.call("POST", `/api/v1/policies/${policyId}/rehearse`, { body })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

/** The rehearsal once all calls are recorded, which is a second after they were made. */
const rehearsed = (policyId: string, change: object, calls: number): Promise<Body> =>
  eventually("the calls are recorded", async () => {
    const found = await rehearse(policyId, { change })
    return found.calls.all >= calls ? found : undefined
  })

const codeOf = ({ body, status }: { readonly body: Body; readonly status: number }): string =>
  status === 200 ? "granted" : body.error.code

const bindings = [
  { fingerprint: "desk" },
  { fingerprint: "laptop" },
  { fingerprint: "lab", is_vm: true },
  { fingerprint: "cloud", is_vm: true },
  { is_container: true, namespace: "prod", pod_name: "a" },
  { is_container: true, namespace: "prod", pod_name: "b" }
]

interface Step {
  readonly operation: string
  readonly device: number
}

const operations = [
  "activate",
  "activate",
  "activate",
  "validate",
  "validate",
  "check",
  "deactivate",
  "reset",
  "blacklist",
  "expire"
]

const history = (length: number): ReadonlyArray<Step> =>
  Array.from({ length }, () => ({
    operation: operations[Math.floor(random.upTo(operations.length))]!,
    device: Math.floor(random.upTo(bindings.length))
  }))

/**
 * Plays a history on a license; answers the code of each call that is recorded, in its order. An act of an operator on a device that
 * there is not is left out of `acts`, and in a twin what is not in them: nobody acts on a device that there is not.
 */
const play = async (
  { key, license }: Issued,
  steps: ReadonlyArray<Step>,
  acts: Set<Step>,
  isTwin = false
): Promise<ReadonlyArray<string>> => {
  const codes: Array<string> = []
  const ids = new Map<number, string>()
  for (const step of steps) {
    const { device, operation } = step
    if (operation === "expire") {
      await service.data("PATCH", `/api/v1/licenses/${license.id}`, {
        expires_at: new Date(Date.now() + (device % 2 === 0 ? -day : day)).toISOString()
      })
    } else if (operation === "reset" || operation === "blacklist") {
      const id = ids.get(device)
      if (id === undefined || (isTwin && !acts.has(step))) continue
      acts.add(step)
      await service.call("POST", `/api/v1/licenses/${license.id}/devices/${id}/${operation}`)
    } else {
      const answer = await service.license(operation, key, bindings[device]!)
      if (operation === "activate" && answer.status === 200) ids.set(device, answer.body.data.device_id)
      codes.push(codeOf(answer))
    }
  }
  return codes
}

/** How often each code was given in the place of another. */
const differing = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const found = { all: before.length, refused: 0, granted: 0, same: 0 }
  for (const [index, code] of before.entries()) {
    const [was, is] = [code === "granted", after[index] === "granted"]
    found[was === is ? "same" : is ? "granted" : "refused"] += 1
  }
  return found
}

describe("rehearsePolicy", () => {
  it("answers what a twin answered that was under the changed terms from the start", async () => {
    const terms = { max_activations: 3, max_container_instances: 1, grace_period_days: 3 }
    const changes = [
      { max_activations: 1 },
      { allow_vm: false },
      { allow_container: false, max_activations: 2 },
      { grace_period_days: 0 }
    ]
    await Promise.all(changes.map(async (change) => {
      const steps = history(18)
      const [own, twin] = [
        await service.issue({ policy: terms }),
        await service.issue({ policy: { ...terms, ...change } })
      ]
      const acts = new Set<Step>()
      const [before, after] = [await play(own, steps, acts), await play(twin, steps, acts, true)]
      const expected = differing(before, after)
      const { affected, calls, granted, refused, rules, unknown } = await rehearsed(own.policy.id, change, expected.all)
      const shown = JSON.stringify({ change, steps, before, after, calls, refused, granted, unknown })
      assert.isTrue(rules.every(({ is_rehearsed }: Body) => is_rehearsed), shown)
      assert.strictEqual(calls.all, expected.all, shown)
      for (const kind of ["refused", "granted", "same"] as const) {
        assert.isAtMost(calls[kind], expected[kind], shown)
        assert.isAtLeast(calls[kind] + calls.unknown, expected[kind], shown)
      }
      assert.lengthOf(affected, calls.refused + calls.granted > 0 ? 1 : 0, shown)
    }))
  })

  it("says which licenses, devices and calls would be refused or granted, by error code", async () => {
    const policy = { max_activations: 1, allow_vm: true, max_floating_users: 5 }
    const { key, license, policy: { id } } = await service.issue({ policy })
    const vm = { fingerprint: "vm", is_vm: true, app_version: "1.0" }
    for (const operation of ["activate", "validate", "check"]) {
      assert.strictEqual((await service.license(operation, key, vm)).status, 200)
    }
    refused(await service.license("activate", key, { fingerprint: "two" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    refused(await service.license("validate", key, { fingerprint: "two" }), 404, "DEVICE_NOT_ACTIVATED")
    const found = await rehearsed(id, { allow_vm: false, max_floating_users: 1, name: "Renamed" }, 5)
    assert.deepInclude(found, {
      licenses: 1,
      calls: { all: 5, same: 0, refused: 3, granted: 2, unknown: 0 },
      refused: [{ code: "VM_NOT_ALLOWED", licenses: 1, devices: 1, calls: 3 }],
      granted: [
        { code: "ACTIVATION_LIMIT_EXCEEDED", licenses: 1, devices: 1, calls: 1 },
        { code: "DEVICE_NOT_ACTIVATED", licenses: 1, devices: 1, calls: 1 }
      ],
      unknown: [],
      rules: [
        { name: "allow_vm", before: true, after: false, is_rehearsed: true },
        { name: "max_floating_users", before: 5, after: 1, is_rehearsed: true }
      ],
      affected: [{
        license_id: license.id,
        devices: 2,
        refused: 3,
        granted: 2,
        unknown: 0,
        codes: ["ACTIVATION_LIMIT_EXCEEDED", "DEVICE_NOT_ACTIVATED", "VM_NOT_ALLOWED"]
      }]
    })
    assert.notProperty(found, "next_after")
    assert.strictEqual((await service.data("GET", `/api/v1/policies/${id}`)).allow_vm, true, "nothing is written")
    const { calls } = await rehearse(id, { change: { allow_vm: false }, to: new Date(Date.now() - day).toISOString() })
    assert.strictEqual(calls.all, 0, "calls outside of the window")
  })

  it("knows who held floating seats, by checkouts, heartbeats, checkins and releases", async () => {
    const { key, license, policy: { id } } = await service.issue({ policy: { max_floating_users: 2 } })
    const codes: Array<string> = []
    const tokens = new Map<string, string>()
    const call = async (operation: string, machine: string): Promise<Body> => {
      const body = operation === "checkout" || operation === "validate"
        ? { fingerprint: machine, is_vm: machine === "vm" }
        : { lease_token: tokens.get(machine) }
      const answer = await service.license(operation === "validate" ? operation : `floating/${operation}`, key, body)
      codes.push(`${machine} ${operation} ${codeOf(answer)}`)
      const token = answer.body.data?.lease_token
      if (token !== undefined) tokens.set(machine, token)
      return answer.body.data
    }
    const { lease_token: first } = await call("checkout", "a")
    await call("heartbeat", "a")
    await call("checkout", "vm")
    await call("validate", "vm")
    await call("checkout", "c")
    await call("checkout", "a")
    await call("checkin", "a")
    await call("checkout", "c")
    const [held] = await service.data("GET", `/api/v1/licenses/${license.id}/leases?is_live=true`)
    await service.data("POST", `/api/v1/licenses/${license.id}/leases/${held.id}/release`)
    await call("heartbeat", "c")
    await call("heartbeat", "vm")
    refused(await service.license("floating/heartbeat", key, { lease_token: `${first}x` }), 404, "LEASE_NOT_FOUND")
    assert.deepStrictEqual(codes, [
      "a checkout granted",
      "a heartbeat granted",
      "vm checkout granted",
      "vm validate granted",
      "c checkout FLOATING_LIMIT_EXCEEDED",
      "a checkout granted",
      "a checkin granted",
      "c checkout granted",
      "c heartbeat LEASE_NOT_FOUND",
      "vm heartbeat granted"
    ])
    const fewer = await rehearsed(id, { max_floating_users: 1 }, 11)
    assert.deepStrictEqual(fewer.calls, { all: 11, same: 8, refused: 3, granted: 0, unknown: 0 }, JSON.stringify(fewer))
    assert.deepStrictEqual(fewer.refused.map(({ calls, code }: Body) => [code, calls]), [
      ["DEVICE_NOT_ACTIVATED", 1],
      ["FLOATING_LIMIT_EXCEEDED", 1],
      ["LEASE_NOT_FOUND", 1]
    ])
    const { calls: more } = await rehearse(id, { change: { max_floating_users: 2, floating_overage: "allow" } })
    assert.deepStrictEqual(more, { all: 11, same: 10, refused: 0, granted: 1, unknown: 0 })
    const { calls: none } = await rehearse(id, { change: { floating_timeout_minutes: 1 } })
    assert.deepStrictEqual(none, { all: 11, same: 11, refused: 0, granted: 0, unknown: 0 })

    // A lease of before the recording: who took it is not known, and so nobody knows who would have had the other seats.
    await database.query("DELETE FROM decided_calls WHERE license_id = $1", [license.id])
    const { unknown } = await rehearse(id, { change: { max_floating_users: 1 } })
    assert.deepStrictEqual(unknown, [])
    await call("checkout", "d")
    const later = await rehearsed(id, { max_floating_users: 1 }, 1)
    assert.deepInclude(later, { unknown: [{ reason: "not_recorded", licenses: 1, devices: 1, calls: 1 }] })
  })

  it("knows what quotas would have left, unless they may decide either way", async () => {
    const { key, license, policy: { id }, product } = await service.issue({ policy: { max_activations: 1 } })
    for (const [code, max_consumptions] of [["free", undefined], ["pages", 5], ["other", 5]] as const) {
      const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code })
      const assigned = max_consumptions === undefined ? {} : { max_consumptions }
      await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, ...assigned })
    }
    const consume = (fingerprint: string, feature_code: string, amount: number) =>
      service.license("consume", key, { fingerprint, feature_code, amount, event_id: `${feature_code}-${amount}` })
    const laptop = { fingerprint: "laptop", is_vm: true }
    assert.strictEqual((await service.license("activate", key, laptop)).status, 200)
    refused(await service.license("activate", key, { fingerprint: "two" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    refused(await consume("two", "free", 3), 404, "DEVICE_NOT_ACTIVATED")
    const more = { change: { max_activations: 2 } }
    const granting = await rehearsed(id, more.change, 3)
    assert.deepInclude(granting.calls, { all: 3, granted: 2, unknown: 0 }, "no quota limits it")
    assert.strictEqual(
      (await service.license("consume", key, { ...laptop, feature_code: "pages", amount: 4, event_id: "p" })).status,
      200
    )
    refused(
      await service.license("consume", key, { ...laptop, feature_code: "pages", amount: 9, event_id: "q" }),
      403,
      "FEATURE_QUOTA_EXCEEDED"
    )
    refused(
      await service.license("consume", key, { ...laptop, feature_code: "other", amount: 6, event_id: "r" }),
      403,
      "FEATURE_QUOTA_EXCEEDED"
    )
    const all = await rehearsed(id, { allow_vm: false }, 6)
    const { calls, refused: codes } = all
    assert.deepStrictEqual(calls, { all: 6, same: 2, refused: 2, granted: 2, unknown: 0 }, JSON.stringify(all))
    assert.deepStrictEqual(codes, [{ code: "VM_NOT_ALLOWED", licenses: 1, devices: 1, calls: 2 }])
  })

  it("knows what another quota of a feature of the policy would have left", async () => {
    const { key, license, policy: { id }, product } = await service.issue({ policy: { max_activations: 9 } })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Pages",
      code: "pages"
    })
    const other = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Other",
      code: "other"
    })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${id}/features`, {
      feature_id: feature.id,
      max_consumptions: 6,
      period: "month"
    })
    const own = await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: id })
    await service.data("POST", `/api/v1/licenses/${own.license?.id ?? own.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 1
    })
    const codes: Array<string> = []
    const consume = async (fingerprint: string, amount: number) => {
      const body = { fingerprint, feature_code: "pages", amount, event_id: `e${codes.length}` }
      codes.push(codeOf(await service.license("consume", key, body)))
    }
    for (const fingerprint of ["one", "two"]) await service.license("activate", key, { fingerprint })
    for (const [fingerprint, amount] of [["one", 2], ["two", 2], ["one", 1], ["two", 4], ["one", 1]] as const) {
      await consume(fingerprint, amount)
    }
    assert.deepStrictEqual(codes, ["granted", "granted", "granted", "FEATURE_QUOTA_EXCEEDED", "granted"])
    const quota = (max_consumptions: number | null) => ({ features: [{ feature_id: feature.id, max_consumptions }] })
    const fewer = await rehearsed(id, quota(3), 7)
    // 2 of 3 are used; 2 do not fit, 1 does, and then nothing does.
    assert.deepInclude(fewer, {
      calls: { all: 7, same: 5, refused: 2, granted: 0, unknown: 0 },
      refused: [{ code: "FEATURE_QUOTA_EXCEEDED", licenses: 1, devices: 2, calls: 2 }],
      rules: [{ name: "max_consumptions", feature_code: "pages", before: 6, after: 3, is_rehearsed: true }]
    })
    // The 4 fit now: 9 of 9 are used before the last one.
    assert.deepInclude((await rehearse(id, { change: quota(9) })).calls, {
      same: 5,
      refused: 1,
      granted: 1,
      unknown: 0
    })
    assert.deepInclude((await rehearse(id, { change: quota(null) })).calls, { same: 6, granted: 1, unknown: 0 })
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}/features`))[0].max_consumptions, 6)
    const asked = (features: ReadonlyArray<object>) =>
      service.call("POST", `/api/v1/policies/${id}/rehearse`, { body: { change: { features } } })
    invalid(await asked([{ feature_id: other.id }]), "change.features[0].feature_id", "not_granted")
    invalid(
      await asked([{ feature_id: feature.id, max_consumptions: null, overage: "10%" }]),
      "change.features[0].overage",
      "contradiction"
    )
    // What grants serve is not in the record of a call.
    await service.data("POST", `/api/v1/licenses/${license.id}/grants`, { feature_id: feature.id, amount: 5 })
    const granted = await rehearse(id, { change: quota(3) })
    assert.deepInclude(granted.calls, { same: 2, unknown: 5 })
    assert.deepStrictEqual(granted.unknown, [{ reason: "usage", licenses: 1, devices: 2, calls: 5 }])
  })

  it("is exported as a signed file, with every device and the reason", async () => {
    const policy = { max_activations: 1, allow_vm: true }
    const { key, license, policy: { id } } = await service.issue({ policy })
    const vm = { fingerprint: "vm", is_vm: true }
    for (const operation of ["activate", "validate"]) await service.license(operation, key, vm)
    refused(await service.license("activate", key, { fingerprint: "two" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const live = await rehearsed(id, { allow_vm: false }, 3)
    const change = { allow_vm: false, max_container_instances: null }
    const exported = async (format: string, filters: object = { policy_id: id, change }) => {
      const made = await service.data("POST", "/api/v1/reports/exports", { report_kind: "rehearsal", format, filters })
      return eventually("the export has ended", async () => {
        const found = await service.data("GET", `/api/v1/reports/exports/${made.id}`)
        return found.status === "ready" || found.status === "failed" ? found : undefined
      })
    }
    const [json, csv, pdf] = await Promise.all(["json", "csv", "pdf"].map((format) => exported(format)))
    const file = async ({ id }: Body) => (await service.call("GET", `/api/v1/reports/exports/${id}/download`)).text
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    const report = JSON.parse(await file(json!))
    const { calls, from, granted, recorded_from, rules, to, unknown } = live
    assert.deepInclude(report.filters, { policy_id: id, change, from, to })
    assert.deepStrictEqual(report.summary, {
      licenses: 1,
      affected_licenses: 1,
      recorded_from,
      calls,
      rules,
      refused: live.refused,
      granted,
      unknown
    })
    const of = { license_id: license.id, device: device.id }
    assert.deepInclude(report.table.rows, { ...of, outcome: "refused", code: "VM_NOT_ALLOWED", calls: 2 })
    assert.lengthOf(report.table.rows, 2)
    const [head, ...lines] = (await file(csv!)).trim().split("\r\n")
    assert.match(head!, /license_id,device,outcome,code,calls$/)
    assert.include(lines, `${license.id},${device.id},refused,VM_NOT_ALLOWED,2`)
    assert.match(await file(pdf!), /^%PDF-/)

    const asked = (filters: object, token?: string) =>
      service.call("POST", "/api/v1/reports/exports", {
        body: { report_kind: "rehearsal", filters },
        headers: { "idempotency-key": JSON.stringify(filters).slice(0, 200) },
        ...(token === undefined ? {} : { token })
      })
    const wrong = { policy_id: id, change: { floating_overage: "10%" } }
    invalid(await asked(wrong), "filters.change.floating_overage", "contradiction")
    refused(await asked({ policy_id: id, change: { max_activation: 1 } }), 400, "UNKNOWN_FIELD")
    invalid(await asked({ policy_id: id }), "filters.change", "required")
    invalid(
      await asked({ policy_id: id, change, from: "2026-01-01T00:00:00Z", to: "2026-06-01T00:00:00Z" }),
      "filters.from",
      "window_too_long"
    )
    const { failure } = await exported("json", { policy_id: "pol_none", change })
    assert.strictEqual(failure.code, "NOT_FOUND")
    const scopes = ["report:read", "report:export", "product:read"]
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "no licenses", scopes })
    assert.deepInclude(refused(await asked({ policy_id: id, change: {} }, token), 403, "TOKEN_SCOPE_DENIED"), {
      detail: "license:read"
    })
  })

  it("says of calls before the recording that it does not know them, but knows the activations of the log", async () => {
    const { key, license, policy: { id } } = await service.issue({ policy: { max_activations: 2 } })
    await service.license("activate", key, { fingerprint: "one" })
    await service.license("activate", key, { fingerprint: "two" })
    await rehearsed(id, {}, 2)
    await database.query("DELETE FROM decided_calls WHERE license_id = $1", [license.id])
    const [{ until }] = await database.query("SELECT until FROM pruned_tables WHERE name = 'decided_calls'")
    await database.query("UPDATE pruned_tables SET until = now() WHERE name = 'decided_calls'")
    const found = await rehearse(id, { change: { max_activations: 1 } })
    await database.query("UPDATE pruned_tables SET until = $1 WHERE name = 'decided_calls'", [until])
    assert.deepInclude(found, {
      calls: { all: 2, same: 1, refused: 1, granted: 0, unknown: 0 },
      unknown: [{ reason: "not_recorded", licenses: 1 }]
    })
  })

  it("refuses what PATCH refuses, and windows that are empty or too long", async () => {
    const { policy: { id } } = await service.issue()
    const asked = (body: object) => service.call("POST", `/api/v1/policies/${id}/rehearse`, { body })
    invalid(await asked({ change: { floating_overage: "10%" } }), "change.floating_overage", "contradiction")
    invalid(await asked({ change: {}, from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }), "to", "window_empty")
    invalid(
      await asked({ change: {}, from: "2026-01-01T00:00:00Z", to: "2026-06-01T00:00:00Z" }),
      "from",
      "window_too_long"
    )
    refused(await asked({ change: { max_activation: 1 } }), 400, "UNKNOWN_FIELD")
    refused(
      await service.call("POST", "/api/v1/policies/pol_none/rehearse", { body: { change: {} } }),
      404,
      "NOT_FOUND"
    )
  })
})
