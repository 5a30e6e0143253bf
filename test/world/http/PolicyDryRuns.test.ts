import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { chance } from "../../fixtures/Seeded.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const random = chance("dry runs of policies")

const product = (): Promise<Body> =>
  service.data("POST", "/api/v1/products", { name: "Acme Draft", code: randomUUID() })

const policies = ({ id }: Body) => `/api/v1/products/${id}/policies`

const team = { name: "Team", code: "team", license_type: "subscription" }

const activate = ({ key }: Issued, fingerprint: string) => service.license("activate", key, { fingerprint })

const situations = (preview: ReadonlyArray<Body>) =>
  Object.fromEntries(
    preview.map(({ findings, is_allowed, situation }) => [situation, is_allowed ? "allowed" : findings[0].rule])
  )

describe("a dry run of createPolicy", () => {
  it("answers the policy with what an app would be told, and writes nothing", async () => {
    const made = await product()
    const headers = { "idempotency-key": randomUUID() }
    const body = { ...team, max_activations: 5, duration: "P1Y", grace_period_days: 7, allow_container: false }
    const answer = await service.call("POST", policies(made), { body: { ...body, dry_run: true }, headers })
    assert.strictEqual(answer.status, 201, answer.text)
    const { dry_run, id: _id, created_at: _created, updated_at: _updated, ...policy } = answer.body.data
    assert.deepInclude(policy, { ...body, product_id: made.id, allow_vm: true, max_transfers: 3, metadata: {} })
    assert.deepStrictEqual(dry_run.findings, [])
    assert.deepStrictEqual(dry_run.reach, { licenses: 0, is_complete: true, changes: [] })
    assert.deepStrictEqual(situations(dry_run.preview), {
      first_device: "allowed",
      device_beyond_limit: "activation_limit",
      after_end: "allowed",
      after_grace: "license_expired",
      offline: "allowed",
      virtual_machine: "allowed",
      container: "container_not_allowed"
    })
    assert.deepStrictEqual(await service.data("GET", policies(made)), [])
    // Nor by one who writes the member in another way.
    const escaped = await service.call("POST", policies(made), {
      headers: { ...headers, "content-type": "application/json" },
      raw: JSON.stringify({ ...body, dry_run: true }).replace("dry_run", "dry\\u005frun")
    })
    assert.strictEqual(escaped.status, 201, escaped.text)
    assert.property(escaped.body.data, "dry_run")
    // The key is not spent, whatever is sent under it next.
    const created = await service.call("POST", policies(made), { body, headers })
    assert.strictEqual(created.status, 201, created.text)
    assert.notProperty(created.body.data, "dry_run")
    const events = (await service.feed()).filter(({ data }) => data.product_id === made.id)
    assert.deepStrictEqual(events.map(({ data, event_type }) => [event_type, data.id]), [
      ["policy.created", created.body.data.id]
    ])
  })

  it("finds what contradicts itself at its field, where the write is refused", async () => {
    const made = await product()
    const contradictory = {
      ...team,
      license_type: "perpetual",
      duration: "P1Y",
      floating_overage: "allow",
      lease_unit: "process",
      max_self_service_resets: 3,
      self_service_period: "week",
      follows_subscription: true,
      allow_offline_activation: false,
      offline_file_days: 3
    }
    const { dry_run } = await service.data("POST", policies(made), { ...contradictory, dry_run: true })
    const written = await service.call("POST", policies(made), { body: contradictory })
    assert.strictEqual(written.status, 422, written.text)
    assert.deepStrictEqual(dry_run.findings, written.body.error.fields)
    assert.lengthOf(dry_run.findings, 8)
    assert.deepStrictEqual(dry_run.preview, [])
    // What is no policy at all is refused as ever, and so is a code that is taken.
    invalid(
      await service.call("POST", policies(made), { body: { ...team, max_activations: -1, dry_run: true } }),
      "max_activations",
      "invalid_value"
    )
    await service.data("POST", policies(made), team)
    refused(await service.call("POST", policies(made), { body: { ...team, dry_run: true } }), 409, "CONFLICT")
  })
})

describe("a dry run of updatePolicy", () => {
  it("counts the licenses that the change reaches, with their overrides and what they use", async () => {
    const issued = await service.issue({ policy: { max_activations: 3, max_floating_users: 2 } })
    const { policy } = issued
    const more = async (license: object = {}): Promise<Issued> => {
      const body = { product_id: issued.product.id, policy_id: policy.id, ...license }
      const made = await service.data("POST", "/api/v1/licenses", body)
      return { ...issued, license: made.license, key: made.license_key }
    }
    const own = await more({ overrides: { max_activations: 9 } })
    const revoked = await more()
    const fits = await more()
    for (const fingerprint of ["a", "b"]) {
      await activate(issued, fingerprint)
      await activate(own, fingerprint)
      await service.license("floating/checkout", issued.key, { fingerprint: `${fingerprint}-floating` })
    }
    await activate(fits, "a")
    await service.license("activate", issued.key, { is_container: true, container_id: "c" })
    await service.data("POST", `/api/v1/licenses/${revoked.license.id}/revoke`)
    const path = `/api/v1/policies/${policy.id}`
    const read = await service.call("GET", path)
    const changes = {
      name: "Small",
      max_activations: 1,
      max_container_instances: 0,
      max_floating_users: 1,
      grace_period_days: 3
    }
    const answer = await service.call("PATCH", path, {
      body: { ...changes, dry_run: true },
      headers: { "if-match": String(read.headers["etag"]) }
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepInclude(answer.body.data, changes)
    assert.deepStrictEqual(answer.body.data.dry_run.reach, {
      licenses: 3,
      is_complete: true,
      changes: [
        { name: "max_activations", before: 3, after: 1, overridden: 1, beyond: 1 },
        { name: "grace_period_days", before: 0, after: 3, overridden: 0 },
        { name: "max_floating_users", before: 2, after: 1, overridden: 0, beyond: 1 },
        { name: "max_container_instances", after: 0, overridden: 0, beyond: 1 }
      ]
    })
    // Its tag is that of the policy as it is.
    assert.strictEqual(answer.headers["etag"], read.headers["etag"])
    assert.deepStrictEqual(await service.data("GET", path), policy)
    await service.data("PATCH", path, changes)
    refused(
      await service.call("PATCH", path, {
        body: { max_activations: 2, dry_run: true },
        headers: { "if-match": String(read.headers["etag"]) }
      }),
      412,
      "PRECONDITION_FAILED"
    )
  })

  it("counts as beyond a limit the licenses that a change to such a policy is refused for", async () => {
    const issued = await service.issue({
      policy: { max_activations: 5, max_floating_users: 3, activation_overage: "allow" }
    })
    const { policy, product } = issued
    const licenses: Array<Body> = []
    for (let turn = 0; turn < 12; turn++) {
      const overrides = {
        ...(random.upTo(4) < 1 ? { max_activations: 2 } : {}),
        ...(random.upTo(4) < 1 ? { max_container_instances: 2 } : {}),
        ...(random.upTo(4) < 1 ? { activation_overage: "50%" } : {})
      }
      const { license, license_key } = await service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        overrides
      })
      const seats = (most: number) => Array.from({ length: Math.floor(random.upTo(most + 1)) }, (_, at) => at)
      for (const at of seats(4)) await service.license("activate", license_key, { fingerprint: `device-${at}` })
      for (const at of seats(4)) {
        await service.license("activate", license_key, { is_container: true, container_id: `container-${at}` })
      }
      for (const at of seats(3)) await service.license("floating/checkout", license_key, { fingerprint: `user-${at}` })
      licenses.push({ ...license, overrides })
    }
    const changes: ReadonlyArray<Record<string, unknown>> = [
      { max_activations: 1, activation_overage: "deny" },
      { max_activations: 2, activation_overage: "50%" },
      { max_activations: 0 },
      { activation_overage: "deny" },
      { activation_overage: null, max_activations: 1, max_container_instances: 3 },
      { max_container_instances: 1, activation_overage: "deny", max_activations: 4 },
      { max_floating_users: 1 },
      { max_floating_users: 1, floating_overage: "100%" },
      { max_floating_users: null }
    ]
    for (const change of changes) {
      const { dry_run: { reach } } = await service.data("PATCH", `/api/v1/policies/${policy.id}`, {
        ...change,
        dry_run: true
      })
      const { id: _id, created_at: _c, updated_at: _u, product_id: _p, ...terms } = policy
      const other = await service.data("POST", policies(product), { ...terms, ...change, code: randomUUID() })
      const refusedFor: Array<Body> = []
      for (const license of licenses) {
        const answer = await service.call("POST", `/api/v1/licenses/${license.id}/change-policy`, {
          body: { policy_id: other.id, dry_run: true },
          headers: { "idempotency-key": randomUUID() }
        })
        if (answer.status !== 200) refusedFor.push(license)
      }
      const said = reach.changes.flatMap(({ beyond, name }: Body) => beyond === undefined ? [] : [[name, beyond]])
      // A license whose own value stays is none that the rule changes for; each other one is told of by a rule.
      const told = refusedFor.map(({ overrides }) =>
        said.filter(([name]: [string]) => overrides[name] === undefined).map(([name]: [string]) => name)
      )
      const what = JSON.stringify({ change, said, told })
      assert.isTrue(told.every((names) => names.length > 0), what)
      if (said.length === 1) assert.strictEqual(said[0][1], refusedFor.length, what)
      for (const [name, beyond] of said) {
        assert.isAtMost(beyond, told.filter((names) => names.includes(name)).length, what)
      }
      assert.isAtLeast(
        said.reduce((sum: number, [, beyond]: [string, number]) => sum + beyond, 0),
        refusedFor.length,
        what
      )
    }
    // What explain says after the change: whoever is beyond gets no seat more.
    const change = { max_activations: 1, activation_overage: "deny" }
    const { dry_run: { reach } } = await service.data("PATCH", `/api/v1/policies/${policy.id}`, {
      ...change,
      dry_run: true
    })
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, change)
    const over = await Promise.all(
      licenses.filter(({ overrides }) => overrides.max_activations === undefined).map(
        async ({ id, overrides }) => {
          // Containers with a limit of their own are none that the limit of devices is for.
          const container = overrides.max_container_instances === undefined
            ? [{ is_container: true, container_id: "new" }]
            : []
          const findings = await Promise.all([{ fingerprint: "new" }, ...container].map(
            async (binding) =>
              (await service.data("POST", `/api/v1/licenses/${id}/explain`, { operation: "activate", binding }))
                .findings
          ))
          return findings.flat().some(({ detail, rule }: Body) => {
            const [used = 0, limit = 0] = [...String(detail).matchAll(/\d+/g)].map(Number)
            return rule === "activation_limit" && used > limit
          })
        }
      )
    )
    const beyond = reach.changes.find(({ name }: Body) => name === "max_activations").beyond
    assert.strictEqual(beyond, over.filter(Boolean).length)
  })

  it("finds what contradicts the rules that stay, and what a trial key needs", async () => {
    const { policy, product } = await service.issue({
      policy: { license_type: "trial", duration: "P14D", max_activations: 1 }
    })
    const path = `/api/v1/policies/${policy.id}`
    const dry = async (body: object) => (await service.data("PATCH", path, { ...body, dry_run: true })).dry_run
    assert.deepStrictEqual((await dry({ license_type: "perpetual" })).findings.map(({ path }: Body) => path), [
      "duration"
    ])
    await service.data("POST", `/api/v1/products/${product.id}/publishable-keys`, {
      name: "Trials",
      policy_id: policy.id
    })
    const refusal = await service.call("PATCH", path, { body: { duration: null } })
    assert.strictEqual(refusal.status, 422, refusal.text)
    const { findings } = await dry({ duration: null })
    assert.deepStrictEqual(findings, refusal.body.error.fields)
  })
})

describe("the preview of a policy", () => {
  const among = <A>(...values: ReadonlyArray<A>): A => values[Math.floor(random.upTo(values.length))]!

  /** A random policy that is valid. */
  const anyPolicy = () => {
    const license_type = among("perpetual", "time_limited", "subscription", "trial", "consumption")
    const isPerpetual = license_type === "perpetual"
    const follows = license_type === "subscription" && among(true, false)
    const duration = isPerpetual || follows ? undefined : among("P14D", "P1M", "P1Y", undefined)
    return {
      ...team,
      code: randomUUID(),
      license_type,
      max_activations: among(0, 1, 3),
      grace_period_days: among(0, 7),
      allow_vm: among(true, false),
      allow_container: among(true, false),
      allow_offline_activation: among(true, false),
      offline_grace_days: among(0, 30),
      ...(duration === undefined ? {} : { duration, expiry_basis: among("creation", "first_activation") }),
      ...(isPerpetual ? { maintenance_duration: among("P1Y", "P2Y") } : {}),
      ...(follows ? { follows_subscription: true } : {}),
      ...among({}, { max_container_instances: among(0, 2) }),
      ...among({}, { activation_overage: among("deny", "allow", "10%", "100%") })
    }
  }

  it("is what explain says of a license that is issued under it", async () => {
    const made = await product()
    const month = new Date(Date.now() + 30 * 86_400_000).toISOString()
    for (let turn = 0; turn < 24; turn++) {
      const body = anyPolicy()
      const { dry_run: { findings, preview } } = await service.data("POST", policies(made), { ...body, dry_run: true })
      assert.deepStrictEqual(findings, [], JSON.stringify(body))
      const policy = await service.data("POST", policies(made), body)
      const { license, license_key } = await service.data("POST", "/api/v1/licenses", {
        product_id: made.id,
        policy_id: policy.id,
        ...(body.follows_subscription === true ? { follows_subscription: false, expires_at: month } : {})
      })
      const told = new Map<string, Body>(preview.map((row: Body) => [row.situation, row]))
      const explained = new Set<string>()
      const same = async (situation: string, call: object) => {
        const explanation = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, call)
        const of = ({ findings, is_allowed, operation, status }: Body) => ({
          operation,
          is_allowed,
          status,
          // The instants differ: it was issued a moment later.
          findings: findings.map(({ code, detail, rank, rule, term: { from, name, value } }: Body) => ({
            code,
            detail,
            rank,
            rule,
            term: { from, name, ...(name === "expires_at" ? {} : { value }) }
          }))
        })
        assert.deepStrictEqual(of(told.get(situation)!), of(explanation), `${situation} of ${JSON.stringify(body)}`)
        explained.add(situation)
      }
      const binding = { fingerprint: "new" }
      await same("first_device", { operation: "activate", binding })
      await same("virtual_machine", { operation: "activate", binding: { ...binding, is_vm: true } })
      await same("container", { operation: "activate", binding: { is_container: true, container_id: "c" } })
      const seats = body.max_activations
      for (let device = 0; device < seats; device++) {
        const answer = await service.license("activate", license_key, { fingerprint: `device-${device}` })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      // Without a seat nothing starts the license, and no device can be asked about.
      if (seats === 0) continue
      await same("device_beyond_limit", { operation: "activate", binding })
      const running = { binding: { fingerprint: "device-0" } }
      await same("offline", { operation: "offline", ...running })
      const { expires_at } = await service.data("GET", `/api/v1/licenses/${license.id}`)
      if (expires_at !== undefined) {
        await same("after_end", { ...running, at: expires_at })
        if (body.grace_period_days > 0) {
          const at = new Date(Date.parse(expires_at) + body.grace_period_days * 86_400_000).toISOString()
          await same("after_grace", { ...running, at })
        }
      }
      assert.sameMembers([...explained], [...told.keys()], JSON.stringify(body))
    }
  })
})
