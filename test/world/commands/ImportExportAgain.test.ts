// An import that was stopped is completed; what was whole, and what people have changed since, stays as it is.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()

const at = (service: Service) => (method: string, path: string, body?: unknown) =>
  service.data(method, `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })

/** What is answered once a token has expired. */
const expired = JSON.stringify({
  error: { code: "TOKEN_EXPIRED", message: "The token has expired." },
  meta: { request_id: "req_none" }
})

/** A way to a service on which the token expires before a request is forwarded, so that an import stops there. */
const startWay = async (service: Service) => {
  let stopsAt: string | undefined
  let isStopped = false
  const server = createServer((from, to) => {
    isStopped ||= stopsAt !== undefined && `${from.method} ${from.url}`.match(stopsAt) !== null
    if (isStopped) return void to.writeHead(401, { "content-type": "application/json" }).end(expired)
    const { headers, method } = from
    const onward = request(`${service.url}${from.url}`, { method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    from.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    environment: { COUNTERSIGN_URL: `http://127.0.0.1:${port}`, COUNTERSIGN_TOKEN: adminToken },
    stopAt: (what: string | undefined) => {
      stopsAt = what
      isStopped = false
    }
  }
}

const makeVendor = async (service: Service) => {
  const ask = at(service)
  const product = await ask("POST", "products", { name: "Acme", code: "acme" })
  const feature = (code: string) => ask("POST", `products/${product.id}/features`, { code, name: code })
  const [render, old] = [await feature("render"), await feature("old")]
  const under = await ask("POST", `products/${product.id}/policies`, {
    name: "Standard",
    code: "standard",
    license_type: "time_limited",
    duration: "P1Y",
    max_activations: 3
  })
  await ask("POST", `products/${product.id}/policies/${under.id}/features`, {
    feature_id: render.id,
    max_consumptions: 50
  })
  const field = (resource_type: string) =>
    ask("POST", `products/${product.id}/custom-fields`, {
      resource_type,
      code: "note",
      name: "Note",
      value_type: "string"
    })
  const [ofLicense, ofCustomer] = [await field("license"), await field("customer")]
  const customer = await ask("POST", "customers", { name: "Köln GmbH", code: "koeln" })
  await ask("PUT", `customers/${customer.id}/custom-fields/${ofCustomer.id}`, { string_value: "old" })
  const { license, license_key } = await ask("POST", "licenses", {
    product_id: product.id,
    policy_id: under.id,
    customer_id: customer.id
  })
  await ask("POST", `licenses/${license.id}/features`, { feature_id: old.id, metadata: { why: "gift" } })
  await ask("PUT", `licenses/${license.id}/custom-fields/${ofLicense.id}`, { string_value: "PO-1" })
  for (const fingerprint of ["good", "bad"]) {
    assert.strictEqual((await service.license("activate", license_key, { fingerprint })).status, 200)
  }
  await service.license("consume", license_key, {
    fingerprint: "good",
    feature_code: "render",
    event_id: "e",
    amount: 12
  })
  await ask("POST", `licenses/${license.id}/usage/reset`, { feature_id: render.id, add_credits: 10 })
  const devices = await ask("GET", `licenses/${license.id}/devices`) as ReadonlyArray<Body>
  const bad = devices.find(({ fingerprint }) => fingerprint === "bad")
  await ask("POST", `licenses/${license.id}/devices/${bad!.id}/blacklist`)
  await ask("POST", `licenses/${license.id}/suspend`)
  await ask("PATCH", `features/${old.id}`, { is_archived: true })
  return license_key
}

describe("countersign import of an export, run again", () => {
  let exported: string
  let licenseKey: string
  const keys = join(directory, "keys.csv")
  const copy = (): string => {
    const path = join(directory, randomUUID())
    cpSync(exported, path, { recursive: true })
    return path
  }

  beforeAll(async () => {
    const service = await startService()
    licenseKey = await makeVendor(service)
    exported = join(directory, "exported")
    const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
    const ended = await runCommand(["export", exported], environment)
    assert.strictEqual(ended.status, 0, ended.errors)
    writeFileSync(keys, `license_key\n${licenseKey}\n`)
  })

  it("completes what was begun, wherever it was stopped, and does nothing twice", async () => {
    const service = await startService()
    const ask = at(service)
    const way = await startWay(service)
    const target = copy()
    for (
      const stop of [
        "POST /api/v1/products/[^/]+/policies/[^/]+/features$",
        "PUT /api/v1/customers/",
        "POST /api/v1/licenses/bulk$",
        "POST /api/v1/licenses/[^/]+/features$",
        "POST /api/v1/licenses/[^/]+/usage/reset$",
        "PUT /api/v1/licenses/",
        "POST /api/v1/license/activate",
        "POST /api/v1/licenses/[^/]+/devices/[^/]+/blacklist$",
        "POST /api/v1/licenses/[^/]+/suspend$",
        "PATCH /api/v1/features/"
      ]
    ) {
      way.stopAt(stop)
      const stopped = await runCommand(["import", target, "--keys", keys], way.environment)
      assert.strictEqual(stopped.status, 1, `${stop}: ${stopped.output}`)
      assert.include(stopped.errors, "TOKEN_EXPIRED", stop)
    }
    way.stopAt(undefined)
    const again = await runCommand(["import", target, "--keys", keys, "--json"], way.environment)
    const { completed, created, findings } = JSON.parse(again.output)
    assert.deepStrictEqual({ completed, created, findings }, { completed: 1, created: 0, findings: [] }, again.errors)
    assert.strictEqual(again.status, 0)
    const { id, status } = await ask("POST", "licenses/lookup", { license_key: licenseKey })
    assert.strictEqual(status, "suspended")
    const features = await ask("GET", `licenses/${id}/features`) as ReadonlyArray<Body>
    const render = features.find(({ feature_code }) => feature_code === "render")
    assert.deepInclude(render, { total_consumptions: 12, credits: 10 })
  })

  it("changes nothing that was whole, or was there before, and says what is otherwise", async () => {
    const service = await startService()
    const ask = at(service)
    const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
    const first = await runCommand(["import", exported, "--keys", keys], environment)
    assert.strictEqual(first.status, 0, first.errors)
    const { id } = await ask("POST", "licenses/lookup", { license_key: licenseKey })
    const [product] = await ask("GET", "products") as ReadonlyArray<Body>
    const [policy] = await ask("GET", `products/${product!.id}/policies`) as ReadonlyArray<Body>
    const [customer] = await ask("GET", "customers") as ReadonlyArray<Body>
    const features = await ask("GET", `products/${product!.id}/features`) as ReadonlyArray<Body>
    const fields = await ask("GET", `products/${product!.id}/custom-fields`) as ReadonlyArray<Body>
    const named = (all: ReadonlyArray<Body>, name: string, value: string) =>
      all.find((entry) => entry[name] === value)!.id
    await ask("POST", `licenses/${id}/reinstate`)
    await ask("PATCH", `licenses/${id}`, { expires_at: "2999-01-01T00:00:00Z" })
    await ask("POST", `products/${product!.id}/policies/${policy!.id}/features`, {
      feature_id: named(features, "code", "render"),
      max_consumptions: 77
    })
    await ask("PATCH", `features/${named(features, "code", "old")}`, { is_archived: false })
    const note = named(fields, "resource_type", "customer")
    await ask("PUT", `customers/${customer!.id}/custom-fields/${note}`, { string_value: "new" })
    const before = (await service.feed()).length
    // Neither the directory that was imported nor a copy that knows of no import writes anything.
    const clean = copy()
    writeFileSync(join(clean, "imported.ndjson"), "")
    for (const target of [exported, clean]) {
      const again = await runCommand(["import", target, "--keys", keys], environment)
      assert.strictEqual(again.status, 1, again.output)
      for (
        const message of [
          "status is \"active\" and was \"suspended\"",
          "expires_at is \"2999-01-01",
          "max_consumptions is 77 and was 50",
          "it is not archived and was",
          "string_value is \"new\" and was \"old\""
        ]
      ) assert.include(again.errors, message)
      assert.match(again.output, /^Created 0, \d+ there already, 0 with new keys; \d+ differences/)
      assert.lengthOf(await service.feed(), before)
    }
    assert.notInclude(readFileSync(join(exported, "imported.ndjson"), "utf8"), licenseKey)
  })

  it("gives no license the key of another that is shown alike", async () => {
    const old = await startService()
    const ask = at(old)
    const environment = { COUNTERSIGN_URL: old.url, COUNTERSIGN_TOKEN: adminToken }
    const product = await ask("POST", "products", { name: "Short", code: "short" })
    const policy = await ask("POST", `products/${product.id}/policies`, {
      name: "Standard",
      code: "standard",
      license_type: "perpetual"
    })
    const issue = async (license_key: string): Promise<string> =>
      (await ask("POST", "licenses", { product_id: product.id, policy_id: policy.id, license_key })).license.id
    const short = await issue("AAAA-BBBB-7777")
    const twins = [await issue("ACME-PRO-000000001-7777"), await issue("ACME-PRO-000000002-7777")]
    const target = join(directory, "short")
    assert.strictEqual((await runCommand(["export", target], environment)).status, 0)
    const few = join(directory, "few.csv")
    const dry = async (text: string) => {
      writeFileSync(few, text)
      return runCommand(["import", target, "--keys", few, "--dry-run"], environment)
    }
    const unclear = await dry("license_key\nAAXX-YYYY-7777\nACME-PRO-000000001-7777\n")
    assert.strictEqual(unclear.status, 1)
    assert.include(
      unclear.errors,
      `licenses ${short}: its key is too short to be matched by the part that is shown, AA…7777`
    )
    for (const twin of twins) {
      assert.include(unclear.errors, `licenses ${twin}: the keys of several licenses are shown as ACME-PRO…7777`)
    }
    assert.include(unclear.errors, "add a column license_id")
    const rows = [[short, "AAAA-BBBB-7777"], [twins[0], "ACME-PRO-000000001-7777"]]
    const table = `license_id,license_key\n${rows.map((row) => row.join(",")).join("\n")}\n`
    const named = await dry(`${table},ACME-PRO-000000002-7777\n`)
    assert.strictEqual(named.status, 0, named.errors)
    const twice = await dry(`${table}${twins[1]},ACME-PRO-000000001-7777\n`)
    assert.include(twice.errors, `gives ${twins[1]} the key that is ${twins[0]}'s already`)
  })
})
