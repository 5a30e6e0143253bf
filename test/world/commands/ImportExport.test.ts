import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const directory = temporaryDirectory()
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()

const at = (service: Service) => {
  const ask = (method: string, path: string, body?: unknown) =>
    service.data(method, `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })
  return {
    post: (path: string, body?: unknown) => ask("POST", path, body),
    patch: (path: string, body: unknown) => ask("PATCH", path, body),
    put: (path: string, body: unknown) => ask("PUT", path, body),
    environment: { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  }
}

/** A vendor with a license of each type and each status, and of everything that a license can have. */
const makeVendor = async (service: Service) => {
  const { patch, post, put } = at(service)
  const keys: Array<string> = []
  const product = await post("products", { name: "Acme", code: "acme", metadata: { line: 1 } })
  await patch(`products/${product.id}`, { code: "acme-2" })
  const second = await post("products", { name: "Plug-in", code: "plugin" })
  await post(`products/${product.id}/versions`, {
    version: "1.0.0",
    released_at: inDays(-100),
    links: [{ label: "Linux", url: "https://downloads.example.com/1.0.0", sha256: "0".repeat(64) }]
  })
  const feature = async (code: string) => post(`products/${product.id}/features`, { code, name: code })
  const [render, cloud, old] = [await feature("render"), await feature("cloud"), await feature("old")]
  const policy = (code: string, license_type: string, more: object = {}) =>
    post(`products/${product.id}/policies`, { name: code, code, license_type, max_activations: 3, ...more })
  const policies = {
    perpetual: await policy("perpetual", "perpetual", { maintenance_duration: "P1Y" }),
    yearly: await policy("yearly", "time_limited", { duration: "P1Y", grace_period_days: 7 }),
    started: await policy("started", "time_limited", { duration: "P30D", expiry_basis: "first_activation" }),
    following: await policy("following", "subscription", { follows_subscription: true }),
    trial: await policy("trial", "trial", { duration: "P14D" }),
    metered: await policy("metered", "consumption", { max_floating_users: 2, allow_container: true })
  }
  await post(`products/${product.id}/policies/${policies.metered.id}/features`, {
    feature_id: render.id,
    max_consumptions: 50
  })
  await post(`products/${product.id}/policies/${policies.yearly.id}/features`, { feature_id: cloud.id })
  const fields = `products/${product.id}/custom-fields`
  const po = await post(fields, { resource_type: "license", code: "po", name: "PO", value_type: "string" })
  const size = await post(fields, { resource_type: "customer", code: "size", name: "Size", value_type: "integer" })
  const customer = await post("customers", { name: "Köln GmbH", code: "koeln", email: "it@koeln.example" })
  await put(`customers/${customer.id}/custom-fields/${size.id}`, { integer_value: 7 })
  const of = { external_system: "shop", customer_id: customer.id }
  const subscription = (external_id: string, status: string) =>
    post(`products/${product.id}/subscriptions`, {
      ...of,
      external_id,
      status,
      current_period_start: inDays(-1),
      current_period_end: inDays(29)
    })
  const [running, paused] = [await subscription("s-1", "active"), await subscription("s-2", "paused")]
  const order = await post(`products/${product.id}/orders`, {
    ...of,
    external_id: "o-1",
    status: "paid",
    subscription_id: running.id
  })
  const issue = async (under: Body, more: object = {}): Promise<readonly [key: string, id: string]> => {
    const { license, license_key } = await post("licenses", { product_id: product.id, policy_id: under.id, ...more })
    keys.push(license_key)
    return [license_key, license.id]
  }
  const runtime = async (operation: string, key: string, body: unknown) => {
    const answer = await service.license(operation, key, body)
    assert.isBelow(answer.status, 300, answer.text)
    return answer.body.data
  }
  const [, perpetual] = await issue(policies.perpetual, {
    customer_id: customer.id,
    customer_name: "Ada, \"A\"",
    customer_email: "ada@koeln.example",
    product_ids: [second.id],
    license_key: `key/${"signed".repeat(60)}`,
    metadata: { seat: "a", nested: { list: [1, null, "ü"] } }
  })
  await put(`licenses/${perpetual}/custom-fields/${po.id}`, { string_value: "PO-1" })
  const [yearly, yearlyId] = await issue(policies.yearly, { overrides: { max_activations: 5, grace_period_days: 2 } })
  for (const fingerprint of ["a", "b", "c"]) {
    await runtime("activate", yearly, { fingerprint, hostname: `h-${fingerprint}` })
  }
  const devices = await service.data("GET", `/api/v1/licenses/${yearlyId}/devices`) as Array<Body>
  await post(`licenses/${yearlyId}/devices/${devices.find(({ fingerprint }) => fingerprint === "b").id}/blacklist`)
  await runtime("deactivate", yearly, { fingerprint: "c" })
  await post(`licenses/${yearlyId}/features`, { feature_id: old.id, expires_at: inDays(5), metadata: { why: "gift" } })
  await issue(policies.started, { activate_before: inDays(50) })
  const [begun] = await issue(policies.started)
  await runtime("activate", begun, { fingerprint: "begun" })
  await issue(policies.following, { subscription_id: running.id, customer_id: customer.id })
  await issue(policies.following, { subscription_id: paused.id })
  await issue(policies.perpetual, { order_id: order.id })
  await issue(policies.trial)
  const [metered, meteredId] = await issue(policies.metered)
  await runtime("activate", metered, { fingerprint: "m" })
  await runtime("activate", metered, { is_container: true, cluster_id: "k", namespace: "n", pod_name: "p" })
  await runtime("consume", metered, { fingerprint: "m", feature_code: "render", event_id: "e", amount: 12 })
  await post(`licenses/${meteredId}/usage/reset`, { feature_id: render.id, add_credits: 10 })
  await runtime("floating/checkout", metered, { fingerprint: "f" })
  await post(`licenses/${meteredId}/features`, { feature_id: cloud.id, max_consumptions: 9 })
  const [suspended, suspendedId] = await issue(policies.yearly)
  await runtime("activate", suspended, { fingerprint: "s" })
  await post(`licenses/${suspendedId}/suspend`)
  const [, revoked] = await issue(policies.perpetual)
  await post(`licenses/${revoked}/revoke`)
  await issue(policies.yearly, { starts_at: inDays(-400), expires_at: inDays(-30) })
  await issue(policies.yearly, { starts_at: inDays(-400), expires_at: inDays(-1) })
  const [renewed, renewedId] = await issue(policies.trial)
  await patch(`licenses/${renewedId}`, { expires_at: null })
  const { license_key } = await post(`licenses/${renewedId}/rotate-key`, { overlap_minutes: 0 })
  keys.splice(keys.indexOf(renewed), 1, license_key)
  await patch(`features/${old.id}`, { is_archived: true })
  return { keys, yearly, suspended, metered, product, cloud, policy: policies.metered }
}

/** What both services must show alike, by what names it and without what each has of its own. */
const shownBy = (target: string, file: string, without: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const nameless = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(nameless)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(
        Object.entries(value).filter(([name]) => !without.includes(name)).map((
          [name, member]
        ) => [name, nameless(member)])
      )
      : typeof value === "string"
      ? value.replace(/^([a-z]+)_[0-9a-z]{26}$/, "$1")
      : value
  return readFileSync(join(target, `${file}.ndjson`), "utf8").split("\n").filter((line) => line !== "")
    .map((line) => nameless(JSON.parse(line))).map((entry) => JSON.stringify(entry)).toSorted()
}

const own = ["id", "created_at", "updated_at"]
const alike: Readonly<Record<string, ReadonlyArray<string>>> = {
  products: [...own, "former_code_uses"],
  versions: own,
  features: [...own, "archived_at"],
  policies: own,
  policy_features: own,
  custom_fields: own,
  customers: own,
  customer_custom_fields: own,
  subscriptions: own,
  orders: own,
  licenses: [...own, "entitlement_version", "times_activated", "total_consumptions", "term_anchor"],
  license_features: ["credits_start"],
  license_custom_fields: own
}

describe("countersign import of an export", () => {
  let old: Service
  let made: Awaited<ReturnType<typeof makeVendor>>
  const exported = join(directory, "exported")
  const keys = join(directory, "keys.csv")

  beforeAll(async () => {
    old = await startService()
    made = await makeVendor(old)
    const ended = await runCommand(["export", exported], at(old).environment)
    assert.strictEqual(ended.status, 0, ended.errors)
    // As the shop exports it, with what says of the license itself whether it works.
    const sales = made.keys.map((key, n) => `${n},${key},refunded,0`).join("\n")
    writeFileSync(keys, `shop order,License Key,status,Refunded?\n${sales}\nTotals,,,0\n`)
  })

  it("brings all of a vendor to an empty service: the two are alike, and keys go on", async () => {
    const fresh = await startService()
    const { environment } = at(fresh)
    const before = (await fresh.feed()).length
    const dry = await runCommand(["import", exported, "--keys", keys, "--dry-run"], environment)
    assert.strictEqual(dry.status, 0, dry.errors)
    assert.lengthOf(await fresh.feed(), before)

    const first = await run(["src/runtime/cli.ts", "import", exported, "--keys", keys, "--json"], environment)
    assert.deepStrictEqual(JSON.parse(first.output).findings, [], first.errors)
    assert.strictEqual(first.status, 0, first.errors)
    const again = await runCommand(["import", exported, "--keys", keys], environment)
    assert.strictEqual(again.status, 0, again.errors)
    assert.match(
      again.output,
      /^Created 0, \d+ there already, 0 with new keys; what the export holds and what is here are alike/
    )
    assert.include(again.output, "which machines had a trial")

    const back = join(directory, "back")
    assert.strictEqual((await runCommand(["export", back], environment)).status, 0)
    for (const [file, without] of Object.entries(alike)) {
      assert.deepStrictEqual(shownBy(back, file, without), shownBy(exported, file, without), file)
    }
    const seats = ["binding_kind", "fingerprint", "hostname", "status", "cluster_id", "namespace", "pod_name"]
    const seatsOf = (target: string) =>
      readFileSync(join(target, "devices.ndjson"), "utf8").split("\n").filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Body)
        // The floating seat stays behind with its lease.
        .filter(({ fingerprint, status }) => ["active", "blacklisted"].includes(status) && fingerprint !== "f")
        .map((device) => JSON.stringify(seats.map((name) => device[name]))).toSorted()
    assert.deepStrictEqual(seatsOf(back), seatsOf(exported))
    for (const { databaseUrl } of [old, fresh]) await expectHealthy(databaseUrl, [])

    const validate = async (key: string, fingerprint: string) =>
      (await fresh.license("validate", key, { fingerprint })).body
    assert.strictEqual((await validate(made.yearly, "a")).data.status, "active")
    assert.isDefined((await validate(made.yearly, "b")).error, "it is blacklisted")
    assert.strictEqual((await validate(made.suspended, "s")).error.code, "LICENSE_INACTIVE")
    const use = { fingerprint: "m", feature_code: "render", event_id: "later", amount: 1 }
    const { body } = await fresh.license("consume", made.metered, use)
    assert.isDefined(body.data, JSON.stringify(body))
  })

  it("brings grants once: what is left of them, their references, and a quota that a correction lessens once", async () => {
    const { post } = at(old)
    const { cloud, policy, product } = made
    const { license, license_key: key } = await post("licenses", { product_id: product.id, policy_id: policy.id })
    await post(`licenses/${license.id}/features`, { feature_id: cloud.id, max_consumptions: 100 })
    const expires_at = inDays(30)
    const pack = { feature_code: "cloud", amount: 500, reference: "order-1", expires_at }
    const refunded = { feature_code: "cloud", amount: 40, reference: "order-2" }
    await post(`licenses/${license.id}/grants`, pack)
    const { id } = await post(`licenses/${license.id}/grants`, refunded)
    await post(`licenses/${license.id}/grants/${id}/revoke`)
    await post(`licenses/${license.id}/grants`, { feature_code: "cloud", amount: 5, source: "gift" })
    const correction = { amount: -30, source: "correction", reason: "counted twice", expires_at }
    await post(`licenses/${license.id}/grants`, { feature_code: "cloud", ...correction })
    const customer = await post("customers", { name: "Sharers", code: "sharers" })
    const group = await post("customers", { name: "Group", code: "group" })
    await at(old).patch(`customers/${customer.id}`, { parent_id: group.id })
    const shared = { feature_id: cloud.id, amount: 70, max_per_license: 60, reference: "order-3" }
    await post(`customers/${customer.id}/pools`, shared)
    await post(`customers/${customer.id}/pools`, { feature_id: cloud.id, amount: 9, expires_at })
    const sharing = await post("licenses", {
      product_id: product.id,
      policy_id: policy.id,
      customer_id: customer.id
    })
    await post(`licenses/${sharing.license.id}/features`, { feature_id: cloud.id, max_consumptions: 3 })
    await old.license("activate", sharing.license_key, { fingerprint: "s" })
    const part = { fingerprint: "s", feature_code: "cloud", event_id: "s", amount: 13 }
    assert.strictEqual((await old.license("consume", sharing.license_key, part)).status, 200)
    await old.license("activate", key, { fingerprint: "g" })
    const use = { fingerprint: "g", feature_code: "cloud", event_id: "g", amount: 120 }
    const { body } = await old.license("consume", key, use)
    const left = 455
    assert.strictEqual(body.data.features.find(({ code }: Body) => code === "cloud").remaining, left)

    const target = join(directory, "granted")
    assert.strictEqual((await runCommand(["export", target], at(old).environment)).status, 0)
    const all = join(directory, "all.csv")
    writeFileSync(all, `license_key\n${[...made.keys, key, sharing.license_key].join("\n")}\n`)
    const fresh = await startService()
    for (const time of ["first", "again"]) {
      const { errors, status } = await runCommand(["import", target, "--keys", all], at(fresh).environment)
      assert.strictEqual(status, 0, `${time}: ${errors}`)
    }
    const there = await fresh.data("POST", "/api/v1/licenses/lookup", { license_key: key })
    const shown = async (): Promise<Body> =>
      (await fresh.data("GET", `/api/v1/licenses/${there.id}/features`))
        .find(({ feature_code }: Body) => feature_code === "cloud")
    assert.deepInclude(await shown(), { remaining: left, granted_remaining: 385, max_consumptions: left })
    const [sharers] = await fresh.data("GET", "/api/v1/customers?code=sharers")
    const [{ id: owner }] = await fresh.data("GET", "/api/v1/customers?code=group")
    assert.strictEqual(sharers.parent_id, owner)
    const pools = await fresh.data("GET", `/api/v1/customers/${sharers.id}/pools`)
    assert.sameDeepMembers(
      pools.map(({ amount, reference, remaining }: Body) => [amount, reference === "order-3", remaining]),
      [
        [70, true, 0],
        [69, false, 69]
      ]
    )
    // The shop repeats its orders.
    for (const order of [pack, refunded]) {
      assert.strictEqual((await at(fresh).post(`licenses/${there.id}/grants`, order)).remaining, 0)
    }
    assert.deepInclude(await shown(), { remaining: left })
    await expectHealthy(fresh.databaseUrl, [])
  })

  it("asks for keys that it does not know, or makes new ones, which it finds again", async () => {
    const fresh = await startService()
    const { environment } = at(fresh)
    const few = join(directory, "few.csv")
    writeFileSync(few, `license_key\n${made.keys.slice(1).join("\n")}\n`)
    const asked = await runCommand(["import", exported, "--keys", few, "--dry-run"], environment)
    assert.strictEqual(asked.status, 1)
    assert.match(asked.errors, /^licenses lic_\w+: its key key\/sign…gned is not among those of --keys/)
    const made2 = join(directory, "new.csv")
    const first = await runCommand(["import", exported, "--keys", few, "--new-keys", made2], environment)
    assert.strictEqual(first.status, 0, first.errors)
    assert.match(first.output, /1 with new keys/)
    const [, line] = readFileSync(made2, "utf8").split("\n")
    const [, key] = line!.split(",")
    assert.strictEqual((await fresh.license("activate", key!, { fingerprint: "new" })).status, 200)
    const again = await runCommand(["import", exported, "--keys", few, "--new-keys", made2], environment)
    assert.match(again.output, /^Created 0, .* 0 with new keys/, again.errors)
  })

  it("says what is otherwise than in the export, and takes no export that is not whole", async () => {
    const fresh = await startService()
    const { environment, patch, post } = at(fresh)
    const product = await post("products", { name: "Another", code: "acme-2" })
    const ended = await runCommand(["import", exported, "--keys", keys], environment)
    assert.strictEqual(ended.status, 1)
    assert.match(ended.errors, /products prod_\w+: name is "Another" and was "Acme"/)
    await patch(`products/${product.id}`, { name: "Acme", metadata: { line: 1 } })
    const again = await runCommand(["import", exported, "--keys", keys, "--json"], environment)
    const { already, created, findings } = JSON.parse(again.output)
    assert.deepStrictEqual(findings.map(({ message }: Body) => message), [
      "former_codes is not there and was [\"acme\"]"
    ])
    assert.strictEqual(created, 0)
    assert.isAbove(already, 20)

    const broken = join(directory, "broken")
    cpSync(exported, broken, { recursive: true })
    appendFileSync(join(broken, "devices.ndjson"), "{}\n")
    const refused = await runCommand(["import", broken, "--keys", keys], environment)
    assert.strictEqual(refused.status, 1)
    assert.match(refused.errors, /devices\.ndjson is not as the manifest says/)
    assert.match((await runCommand(["import", directory], environment)).errors, /has no manifest\.json/)
  })
})
