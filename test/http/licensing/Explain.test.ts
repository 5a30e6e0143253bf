import { assert, describe, it } from "@effect/vitest"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()

const explain = async (id: string, body: unknown = {}): Promise<Body> => {
  const answer = await service.call("POST", `/api/v1/licenses/${id}/explain`, { body })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

const rules = ({ findings }: Body): Array<string> => findings.map(({ rule }: Body) => rule)

const act = (id: string, action: string) => service.data("POST", `/api/v1/licenses/${id}/${action}`)

/** An instant on the database's clock with nothing else in its millisecond. */
const instant = async (): Promise<string> => {
  const [{ at }] = await database.query(
    "SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' AS at, pg_sleep(0.003)"
  )
  return at.toISOString()
}

describe("explainLicense", () => {
  it("lists every finding in order of rank, with the rule that decides and the policy", async () => {
    const { key, license, policy } = await service.issue({
      policy: { allow_vm: false, grace_period_days: 0 },
      license: { expires_at: from(-day) }
    })
    const binding = { fingerprint: "one", is_vm: true, product_code: "another" }
    const found = await explain(license.id, { operation: "validate", binding })
    assert.deepStrictEqual(rules(found), [
      "product_mismatch",
      "license_expired",
      "vm_not_allowed",
      "device_not_activated"
    ])
    assert.deepStrictEqual(found.findings.map(({ rank }: Body) => rank), [1, 2, 3, 4])
    assert.deepStrictEqual(found.findings.map(({ code }: Body) => code), [
      "PRODUCT_MISMATCH",
      "LICENSE_EXPIRED",
      "VM_NOT_ALLOWED",
      "DEVICE_NOT_ACTIVATED"
    ])
    assert.deepInclude(found, {
      license_id: license.id,
      operation: "validate",
      source: "current",
      is_allowed: false,
      status: "expired",
      deciding_rule: "product_mismatch",
      judged: ["license", "device"],
      policy,
      license
    })
    assert.notProperty(found, "device")
    refused(await service.license("validate", key, binding), 403, "PRODUCT_MISMATCH")
  })

  it("decides as the runtime does, whatever the state", async () => {
    const states: ReadonlyArray<readonly [string, object, (issued: Issued) => Promise<unknown>]> = [
      ["active", {}, () => Promise.resolve()],
      ["suspended", {}, ({ license }) => act(license.id, "suspend")],
      ["revoked", {}, ({ license }) => act(license.id, "revoke")],
      [
        "not started",
        {},
        ({ license }) => service.data("PATCH", `/api/v1/licenses/${license.id}`, { starts_at: from(day) })
      ],
      [
        "in grace",
        { grace_period_days: 3 },
        ({ license }) => service.data("PATCH", `/api/v1/licenses/${license.id}`, { expires_at: from(-day) })
      ],
      [
        "expired",
        {},
        ({ license }) => service.data("PATCH", `/api/v1/licenses/${license.id}`, { expires_at: from(-day) })
      ]
    ]
    for (const [name, policy, change] of states) {
      const issued = await service.issue({ policy: { max_activations: 2, max_floating_users: 0, ...policy } })
      for (const fingerprint of ["active", "blocked"]) await service.license("activate", issued.key, { fingerprint })
      const [blocked] = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices`)
      await service.data("POST", `/api/v1/licenses/${issued.license.id}/devices/${blocked.id}/blacklist`)
      await service.license("activate", issued.key, { fingerprint: "other" })
      await change(issued)
      for (const fingerprint of ["active", "blocked", "unknown"]) {
        for (const operation of ["activate", "check", "checkout", "offline", "deactivate"]) {
          const binding = { fingerprint }
          const { findings, is_allowed } = await explain(issued.license.id, { operation, binding })
          const path = operation === "checkout" ? "floating/checkout" : operation
          const { body, status } = await service.license(path, issued.key, binding)
          const said = is_allowed ? 200 : findings[0].code
          assert.strictEqual(said, status === 200 ? 200 : body.error.code, `${name}, ${fingerprint}, ${operation}`)
        }
      }
    }
  })

  it("judges what it can without a binding, and changes nothing", async () => {
    const { key, license: { id } } = await service.issue()
    await service.license("activate", key, { fingerprint: "one" })
    const before = await service.data("GET", `/api/v1/licenses/${id}`)
    const open = await explain(id)
    assert.deepInclude(open, { is_allowed: true, findings: [], judged: ["license"], operation: "validate" })
    assert.notProperty(open, "deciding_rule")
    const full = await explain(id, { operation: "activate", binding: { fingerprint: "two" } })
    assert.deepStrictEqual(rules(full), ["activation_limit"])
    assert.include(full.findings[0].detail, "1 of 1")
    const { device } = await explain(id, { binding: { fingerprint: "one" } })
    assert.strictEqual(device.status, "active")
    assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses/${id}`), before)
    assert.lengthOf(await service.feed(`&resource_id=${id}`), 2)
  })

  it("explains consumption with what is left", async () => {
    const { key, license: { id }, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "F", code: "f" })
    await service.license("activate", key, { fingerprint: "one" })
    const ask = (amount: number, at?: string) =>
      explain(id, {
        operation: "consume",
        binding: { fingerprint: "one" },
        feature_code: "f",
        amount,
        ...(at && { at })
      })
    assert.deepStrictEqual(rules(await ask(1)), ["feature_not_entitled"])
    const unassigned = await instant()
    await service.data("POST", `/api/v1/licenses/${id}/features`, { feature_id: feature.id, max_consumptions: 10 })
    const assigned = await instant()
    const use = await service.license("consume", key, {
      fingerprint: "one",
      feature_code: "f",
      amount: 4,
      event_id: "use-1"
    })
    assert.strictEqual(use.status, 200, use.text)
    await eventually("the use is in the log", async () => (await ask(7)).is_allowed === false)
    const used = await instant()
    await service.data("DELETE", `/api/v1/licenses/${id}/features/${feature.id}`)
    assert.deepStrictEqual(rules(await ask(1)), ["feature_not_entitled"])
    assert.deepStrictEqual(rules(await ask(1, unassigned)), ["feature_not_entitled"])
    assert.deepStrictEqual(rules(await ask(10, assigned)), [])
    assert.deepStrictEqual(rules(await ask(11, assigned)), ["feature_quota"])
    assert.deepStrictEqual(rules(await ask(6, used)), [])
    assert.deepStrictEqual(rules(await ask(7, used)), ["feature_quota"])
  })

  it("knows a feature by the code that it had at the instant, whoever grants it", async () => {
    const { key, license: { id }, policy, product } = await service.issue()
    const create = (code: string) =>
      service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code })
    const [own, granted] = [await create("own"), await create("granted")]
    await service.data("POST", `/api/v1/licenses/${id}/features`, { feature_id: own.id, max_consumptions: 3 })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: granted.id
    })
    await service.license("activate", key, { fingerprint: "one" })
    const codes = ["own", "granted", "own-2", "granted-2"]
    /** Which of the codes may be consumed. */
    const allowed = async (at?: string) => {
      const found: Array<string> = []
      for (const feature_code of codes) {
        const body = { operation: "consume", binding: { fingerprint: "one" }, feature_code, ...(at && { at }) }
        if ((await explain(id, body)).is_allowed) found.push(feature_code)
      }
      return found
    }
    const first = await instant()
    for (const { code, id } of [own, granted]) {
      await service.data("PATCH", `/api/v1/features/${id}`, { code: `${code}-2` })
    }
    const renamed = await instant()
    assert.deepStrictEqual(await allowed(), ["own-2", "granted-2"])
    assert.deepStrictEqual(await allowed(renamed), ["own-2", "granted-2"])
    assert.deepStrictEqual(await allowed(first), ["own", "granted"])
    // Another feature may have the code of before by now.
    const later = await create("own")
    await service.data("POST", `/api/v1/licenses/${id}/features`, { feature_id: later.id })
    const reused = await instant()
    assert.deepStrictEqual(await allowed(reused), ["own", "own-2", "granted-2"])
    assert.deepStrictEqual(await allowed(first), ["own", "granted"])
  })

  it("rebuilds the license, its policy and its device as of an instant", async () => {
    const { key, license, policy } = await service.issue({
      policy: { max_activations: 1, name: "First" },
      license: { expires_at: "2090-01-01T00:00:00Z", customer_email: "a@b.example" }
    })
    const { id } = license
    const ask = (fingerprint: string, at: string, operation = "validate") =>
      explain(id, { operation, binding: { fingerprint }, at })
    const times: Record<string, string> = {}
    const mark = async (name: string) => {
      times[name] = await instant()
    }
    await mark("issued")
    const { body } = await service.license("activate", key, { fingerprint: "one", hostname: "studio" })
    await mark("activated")
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { name: "Second", max_activations: 2 })
    await mark("policy")
    await service.data("POST", `/api/v1/licenses/${id}/devices/${body.data.device_id}/blacklist`)
    await mark("blacklisted")
    await service.data("POST", `/api/v1/licenses/${id}/devices/${body.data.device_id}/reset`)
    await mark("reset")
    await act(id, "suspend")
    await mark("suspended")
    await act(id, "reinstate")
    await service.license("activate", key, { fingerprint: "one" })
    await service.data("PATCH", `/api/v1/licenses/${id}`, { expires_at: "2026-01-01T00:00:00Z", customer_email: "" })
    await mark("edited")
    await act(id, "revoke")
    await mark("revoked")

    const issued = await ask("one", times["issued"]!)
    assert.strictEqual(issued.source, "log")
    assert.deepStrictEqual(rules(issued), ["device_not_activated"])
    assert.deepStrictEqual(issued.license, license)
    assert.deepStrictEqual(issued.policy, policy)
    assert.notProperty(issued, "device")

    const activated = await ask("one", times["activated"]!)
    assert.deepStrictEqual(rules(activated), [])
    assert.strictEqual(activated.device.hostname, "studio")
    assert.strictEqual(activated.license.active_device_count, 1)
    assert.deepStrictEqual(rules(await ask("two", times["activated"]!, "activate")), ["activation_limit"])

    const changed = await ask("two", times["policy"]!, "activate")
    assert.deepStrictEqual(rules(changed), [])
    assert.strictEqual(changed.policy.name, "Second")
    assert.strictEqual((await ask("one", times["activated"]!)).policy.name, "First")

    const blocked = await ask("one", times["blacklisted"]!)
    assert.strictEqual(blocked.deciding_rule, "device_blacklisted")
    assert.strictEqual(blocked.device.status, "blacklisted")
    assert.deepStrictEqual(rules(await ask("one", times["reset"]!)), ["device_not_activated"])
    const suspended = await ask("one", times["suspended"]!)
    assert.deepStrictEqual(rules(suspended), ["license_suspended", "device_not_activated"])
    assert.strictEqual(suspended.status, "suspended")
    const edited = await ask("one", times["edited"]!)
    assert.deepStrictEqual(rules(edited), ["license_expired"])
    assert.notProperty(edited.license, "customer_email")
    assert.strictEqual((await ask("one", times["suspended"]!)).license.customer_email, "a@b.example")
    const revoked = await ask("one", times["revoked"]!)
    assert.deepStrictEqual(rules(revoked), ["license_revoked", "device_not_activated"])
    // What it is now is what the log says of now.
    const { at: _at, source: _source, ...now } = await explain(id, { binding: { fingerprint: "one" } })
    assert.deepStrictEqual(rules(now), rules(revoked))
    assert.deepStrictEqual(now.license, revoked.license)
  })

  it("sees who held floating seats then", async () => {
    const { key, license: { id } } = await service.issue({ policy: { max_floating_users: 1 } })
    const before = await instant()
    const out = await service.license("floating/checkout", key, { fingerprint: "one" })
    assert.strictEqual(out.status, 200, out.text)
    const held = await instant()
    await service.license("floating/checkin", key, { lease_token: out.body.data.lease_token })
    const after = await instant()
    const ask = async (at: string, fingerprint: string, operation: string) =>
      rules(await explain(id, { operation, binding: { fingerprint }, at }))
    assert.deepStrictEqual(await ask(before, "two", "checkout"), [])
    assert.deepStrictEqual(await ask(held, "two", "checkout"), ["floating_limit"])
    assert.deepStrictEqual(await ask(held, "one", "heartbeat"), [])
    assert.deepStrictEqual(await ask(held, "one", "validate"), [])
    assert.deepStrictEqual(await ask(after, "two", "checkout"), [])
    assert.deepStrictEqual(await ask(after, "one", "heartbeat"), ["lease_not_found"])
    assert.deepStrictEqual(await ask(after, "one", "validate"), ["device_not_activated"])
  })

  it("lets only the clock move in the future", async () => {
    const { key, license: { id } } = await service.issue({
      policy: { grace_period_days: 5, max_container_instances: 1, validation_interval_minutes: 60 },
      license: { expires_at: from(10 * day) }
    })
    const pod = (name: string) => ({ is_container: true, pod_name: name })
    await service.license("activate", key, pod("a"))
    const ask = (days: number, operation = "validate", binding: object = pod("a")) =>
      explain(id, { operation, binding, at: from(days * day) })
    assert.deepInclude(await ask(9), { status: "active", is_allowed: true, source: "current" })
    assert.deepInclude(await ask(12), { status: "grace_period", is_allowed: true })
    assert.deepInclude(await ask(16), { status: "expired", deciding_rule: "license_expired" })
    // By then the container is idle and its seat is free.
    assert.deepStrictEqual(rules(await ask(0.01, "activate", pod("b"))), ["activation_limit"])
    assert.deepStrictEqual(rules(await ask(1, "activate", pod("b"))), [])
  })

  it("answers at any time between two changes, however far the sequencer has come", async () => {
    const { license: { id } } = await service.issue()
    for (let round = 0; round < 6; round++) {
      await act(id, round % 2 === 0 ? "suspend" : "reinstate")
      const { status } = await explain(id, { at: await instant() })
      assert.strictEqual(status, round % 2 === 0 ? "suspended" : "active")
    }
  })

  it("refuses what it must", async () => {
    const { license: { id } } = await service.issue()
    const call = (path: string, body: unknown, token?: string) =>
      service.call("POST", `/api/v1/licenses/${path}/explain`, { body, ...(token === undefined ? {} : { token }) })
    refused(await call("lic_none", {}), 404, "NOT_FOUND")
    refused(await call("lic_none", { at: "2020-01-01T00:00:00Z" }), 404, "NOT_FOUND")
    const error = refused(await call(id, { at: "2020-01-01T00:00:00Z" }), 422, "VALIDATION_ERROR")
    assert.strictEqual(error.fields[0].code, "before_creation")
    refused(await call(id, { at: "yesterday" }), 422, "VALIDATION_ERROR")
    refused(await call(id, { operation: "revoke" }), 422, "VALIDATION_ERROR")
    refused(await call(id, { binding: { hostname: "x" } }), 422, "VALIDATION_ERROR")
    refused(await call(id, { binding: { fingerprint: "one", color: 1 } }), 400, "UNKNOWN_FIELD")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "w", scopes: ["customer:write"] })
    refused(await call(id, {}, token), 403, "TOKEN_SCOPE_DENIED")
  })
})
