import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { orderBody } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { learnSecret } from "../../fixtures/Secrets.ts"
import { adminToken, Service, startService } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"

const service = await startService()
const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }

const command = (...args: ReadonlyArray<string>) => runCommand(args, environment)

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { errors, output, status } = await command(...args)
  assert.strictEqual(status, 0, `${args.join(" ")}: ${errors}`)
  return output
}

const customer = await service.data("POST", "/api/v1/customers", {
  name: "Beispiel GmbH",
  code: "BEISPIEL",
  email: "it@beispiel.example"
})
const { key, license } = await service.issue({
  policy: { max_activations: 2 },
  license: { customer_id: customer.id, customer_email: "ada@example.com", customer_name: "Ada Lovelace" }
})
const read = (id = license.id) => service.data("GET", `/api/v1/licenses/${id}`)

describe("countersign licenses find", () => {
  it.each([
    ["the beginning of an e-mail address", "ada@"],
    ["a name", "Ada Lovelace"],
    ["a company", "Beispiel"],
    ["the last four characters of the key", key.slice(-4)],
    ["the whole key, which goes into no address", key],
    ["its own id", license.id],
    ["its customer's id", customer.id]
  ])("finds by %s", async (_, text) => {
    assert.include(await done("licenses", "find", text), license.id)
    const [found] = JSON.parse(await done("licenses", "find", text, "--json"))
    assert.strictEqual(found.id, license.id)
    assert.notInclude(service.logs(), key)
  })

  it("finds by the id of a request that was refused", async () => {
    const refusal = await service.call("POST", "/api/v1/license/validate", {
      body: { fingerprint: "ffff00001111" },
      licenseKey: key
    })
    assert.strictEqual(refusal.status, 404, refusal.text)
    await eventually(
      "the refusal shows",
      async () => (await command("licenses", "find", refusal.body.meta.request_id)).output.includes(license.id)
    )
  })

  it("exits 1 when there is none, with an empty list for programs", async () => {
    const { errors, output, status } = await command("licenses", "find", "nobody@example.org", "--json")
    assert.deepStrictEqual([status, JSON.parse(output)], [1, []])
    assert.include(errors, "nobody@example.org")
  })
})

describe("countersign licenses show", () => {
  it("says whether it may run and why, its devices and its story", async () => {
    await service.data("POST", "/api/v1/license/activate", { fingerprint: "9f2c1a7be04d", hostname: "adas-laptop" }, {
      licenseKey: key,
      token: null,
      headers: { "idempotency-key": "activate-1" }
    })
    const allowed = await done("licenses", "show", license.id)
    assert.include(allowed, "Allowed:")
    assert.match(allowed, /Devices +1 of 2/)
    assert.include(allowed, "adas-laptop")
    assert.include(allowed, "License issued")
    await done("licenses", "suspend", license.id, "--yes")
    const refused = await done("licenses", "show", license.id)
    assert.include(refused, "Refused:")
    assert.include(refused, "LICENSE_INACTIVE")
    const whole = JSON.parse(await done("licenses", "show", license.id, "--json"))
    assert.isFalse(whole.explanation.is_allowed)
    assert.lengthOf(whole.devices, 1)
    await done("licenses", "reinstate", license.id, "--yes")
  })
})

describe("what strangers have written", () => {
  const esc = "\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://evil.example\u001b\\\u009b2J"
  const evil = `Eve\r${esc}\u202etxt\u2066\u200b\nFAKE is active`
  // oxlint-disable-next-line no-control-regex
  const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/

  it("is shown by every command, obeyed by no terminal, and exact for programs", async () => {
    const company = await service.data("POST", "/api/v1/customers", { name: evil, code: "EVIL" })
    const owned = await service.issue({ license: { customer_id: company.id, customer_name: evil } })
    await service.data("POST", "/api/v1/license/activate", { fingerprint: "9f2c1a7be0ff", hostname: evil }, {
      licenseKey: owned.key,
      token: null,
      headers: { "idempotency-key": "activate-evil" }
    })
    const commands = [
      ["licenses", "show", owned.license.id],
      ["licenses", "find", owned.license.id],
      ["api", "listCustomers", "--q", "EVIL"],
      ["api", "getCustomer", company.id],
      ["events", "tail", "--last", "5", "--no-follow"],
      ["licenses", "transfer", owned.license.id, "--name", evil, "--yes"]
    ]
    for (const args of commands) {
      const { errors, output, status } = await command(...args)
      assert.strictEqual(status, 0, `${args.join(" ")}: ${errors}`)
      assert.notMatch(output + errors, obeyed, args.join(" "))
      assert.notMatch(output + errors, /^FAKE/m, args.join(" "))
    }
    const shown = await done("licenses", "show", owned.license.id)
    assert.include(shown, "Eve[U+000D][U+001B]]52;c;")
    const json = await done("licenses", "show", owned.license.id, "--json")
    assert.notMatch(json, obeyed)
    assert.strictEqual(JSON.parse(json).devices[0].hostname, evil)
  })

  it("is shown in refusals", async () => {
    const { errors, status } = await command("api", "getCustomer", `cus_${evil}`)
    assert.notStrictEqual(status, 0)
    assert.notMatch(errors, obeyed)
  })
})

describe("what was bought", () => {
  it("is listed by product and shown by its ID, and its licenses are found by it", async () => {
    const { policy, product } = await service.issue()
    const list = ["api", "listProductOrders", product.id]
    assert.strictEqual(await done(...list), "None\n")
    const first = await service.data("POST", `/api/v1/products/${product.id}/orders`, orderBody({ external_id: "A-1" }))
    const second = await service.data(
      "POST",
      `/api/v1/products/${product.id}/orders`,
      orderBody({
        external_id: "A-2",
        customer_id: customer.id,
        period_start: "2026-01-01T00:00:00Z",
        period_end: "2027-01-01T00:00:00Z"
      })
    )
    const { license: ordered } = await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      order_id: second.id
    })
    const columns = "id,status,external_system,external_id,customer_id,period_end"
    const lines = (await done(...list, "--columns", columns)).trim().split("\n")
    assert.match(lines[1]!, new RegExp(`^${second.id} +paid +stripe +A-2 +${customer.id} +2027-01-01T`))
    assert.match(lines[2]!, new RegExp(`^${first.id} +paid +stripe +A-1`))
    assert.deepStrictEqual(JSON.parse(await done(...list, "--json")).data, [second, first])
    const one = await command(...list, "--limit", "1")
    assert.lengthOf(one.output.trim().split("\n"), 2)
    assert.include(one.errors, "Showing the first 1")

    assert.match(await done("api", "getOrder", second.id), /^external_id +A-2$/m)
    const [found, ...others] = JSON.parse(await done("licenses", "find", second.id, "--json"))
    assert.deepStrictEqual([found.id, others], [ordered.id, []])
    assert.match(await done("licenses", "show", ordered.id), new RegExp(`Order +${second.id}\n`))
    assert.strictEqual((await command("licenses", "find", first.id)).status, 1)
  })

  it("exits 1 where there is no such product or order", async () => {
    for (
      const args of [["listProductOrders", "prod_00000000000000000000000000"], [
        "getOrder",
        "ord_00000000000000000000000000"
      ]]
    ) {
      const { errors, output, status } = await command("api", ...args)
      assert.deepStrictEqual([status, output], [1, ""])
      assert.include(errors, "NOT_FOUND")
    }
  })
})

describe("a change", () => {
  it("is not made where nobody can be asked, nor by --curl, which shows what would be sent", async () => {
    const before = await read()
    const idle = await command("licenses", "suspend", license.id)
    assert.strictEqual(idle.status, 2)
    assert.include(idle.errors, "--yes")
    const curl = await done("licenses", "extend", license.id, "--days", "14", "--curl", "--idempotency-key", "it's")
    assert.include(curl, `curl -X POST ${service.url}/api/v1/licenses/${license.id}/renew`)
    assert.include(curl, "-d '{\"extend_by_days\":14}'")
    assert.include(curl, "-H 'Idempotency-Key: it'\\''s'")
    assert.notInclude(curl, adminToken)
    assert.deepStrictEqual(await read(), before)
  })

  it("takes effect once under one Idempotency-Key, and tells programs the curl command", async () => {
    const fixed = await service.issue({ license: { expires_at: "2030-01-01T00:00:00.000Z" } })
    const extend = [
      "licenses",
      "extend",
      fixed.license.id,
      "--days",
      "1",
      "--yes",
      "--json",
      "--idempotency-key",
      "k-1"
    ]
    const first = JSON.parse(await done(...extend))
    assert.deepStrictEqual(JSON.parse(await done(...extend)).data, first.data)
    assert.strictEqual(first.data.expires_at, "2030-01-02T00:00:00.000Z")
    assert.strictEqual(first.meta.idempotency_key, "k-1")
    assert.include(first.meta.curl, "extend_by_days")
    await done("licenses", "renew", fixed.license.id, "--until", "2031-01-01T00:00:00Z", "--yes")
    assert.strictEqual((await read(fixed.license.id)).expires_at, "2031-01-01T00:00:00.000Z")
  })

  it("extends from the expiry or from now, and says which end either leads to", async () => {
    const day = 86_400_000
    const ends = (days: number) => new Date(Date.now() + days * day).toISOString()
    const grace = await service.issue({ policy: { grace_period_days: 30 }, license: { expires_at: ends(-10) } })
    const { id } = grace.license
    const paidLate = new Date(Date.parse(grace.license.expires_at) + 30 * day).toISOString()
    const late = await command("licenses", "extend", id, "--days", "30", "--from", "expiry", "--yes")
    assert.strictEqual(late.status, 0, late.errors)
    assert.include(late.errors, `Current expiration: ${grace.license.expires_at}; new expiration: ${paidLate}.`)
    assert.match(late.errors, /With --from now it would be \d{4}-/)
    assert.strictEqual((await read(id)).expires_at, paidLate)

    const sooner = await command("licenses", "extend", id, "--days", "7", "--from", "now", "--yes")
    assert.match(sooner.errors, /the remaining time is lost/)
    const { expires_at } = await read(id)
    assert.isBelow(Math.abs(Date.parse(expires_at) - Date.parse(ends(7))), 60_000, expires_at)

    const over = await service.issue({ policy: { duration: "P1Y" }, license: { expires_at: ends(-20) } })
    const refusal = await command("licenses", "extend", over.license.id, "--days", "3", "--from", "expiry", "--yes")
    assert.strictEqual(refusal.status, 1)
    assert.include(refusal.errors, "in the past (not allowed)")
    await done("licenses", "renew", over.license.id, "--from", "expiry", "--yes")
    const before = new Date(over.license.expires_at)
    before.setUTCFullYear(before.getUTCFullYear() + 1)
    assert.strictEqual((await read(over.license.id)).expires_at, before.toISOString())
    const both = await command("licenses", "renew", id, "--until", ends(300), "--from", "now", "--yes")
    assert.strictEqual(both.status, 2)
    assert.include(await done("licenses", "renew", id, "--from", "now", "--curl"), "-d '{\"renew_from\":\"now\"}'")
  })

  it("reaches everything that support changes", async () => {
    const other = await service.issue({ license: { customer_email: "old@example.com" } })
    const { id } = other.license
    const rotated = await done("licenses", "rotate-key", id, "--overlap", "0", "--yes")
    assert.match(rotated, /^CS(-[0-9A-Z]{5}){5}\n$/)
    await done("licenses", "transfer", id, "--customer", customer.id, "--yes")
    assert.strictEqual((await read(id)).customer_id, customer.id)
    const [device] = JSON.parse(await done("licenses", "show", license.id, "--json")).devices
    assert.include(await done("devices", "block", license.id, device.id, "--yes"), "blacklisted")
    assert.include(await done("devices", "reset", license.id, device.id, "--yes"), "reset")
    assert.include(await done("licenses", "revoke", id, "--yes"), "revoked")
    assert.include(await done("api", "listCustomers", "--q", "Beisp"), customer.id)
    assert.include(await done("licenses", "find", customer.id), id)
  })

  it("finds an owner who is named on licenses alone, as after an import", async () => {
    const imported = await service.issue({ license: { customer_email: "zoe@imported.example", customer_name: "Zoë" } })
    for (const text of ["zoe@imported.example", "ZOE@imported", "Zoë"]) {
      assert.include(await done("licenses", "find", text), imported.license.id)
    }
    assert.strictEqual((await command("licenses", "find", "nobody@imported.example")).status, 1)
  })

  it("pauses and resumes an endpoint, and says how deliveries are", async () => {
    const { webhook } = await service.data("POST", "/api/v1/webhooks", { name: "CRM", url: "http://127.0.0.1:9/hooks" })
    assert.include(await done("webhooks", "pause", webhook.id, "--yes"), "paused")
    assert.match(await done("webhooks", "list"), /paused +CRM/)
    assert.match(
      await done("webhooks", "resume", webhook.id, "--from-now", "--yes"),
      /is active\. \d+ events were skipped\./
    )
    await done("webhooks", "pause", webhook.id, "--yes")
    assert.include(await done("webhooks", "resume", webhook.id, "--yes"), "active")
    const columns = (listed: string) => listed.split("\n").find((line) => line.includes("CRM"))
    await service.data("POST", "/api/v1/products", { name: "P", code: randomUUID() })
    await eventually(
      "the list tells how the last attempt ended",
      async () => /connect +\d{4}-\d\d-\d\dT/.test(columns(await done("webhooks", "list")) ?? "")
    )
    const { output, status } = await command("webhooks", "health", "--json")
    assert.strictEqual(status, JSON.parse(output).status === "ok" ? 0 : 1)
    await service.data("DELETE", `/api/v1/webhooks/${webhook.id}`)
  })
})

describe("what an endpoint is asked for by commands", () => {
  it("is a header, whose value is nowhere shown, order, and a test", async () => {
    const target = await startReceiver()
    target.own.add("x-api-key")
    const { webhook: { id } } = await service.data("POST", "/api/v1/webhooks", {
      name: "Gateway",
      url: target.url,
      event_types: ["order.created"]
    })
    const value = `key-${randomUUID()}`
    learnSecret("the value of a header", value)
    const place = mkdtempSync(join(tmpdir(), "countersign-"))
    atEnd(() => rm(place, { recursive: true, force: true }))
    const file = join(place, "gateway.json")
    writeFileSync(file, JSON.stringify({ headers: { "X-Api-Key": value } }))
    const update = ["api", "updateWebhookEndpoint", id, "--body"]
    const set = [...update, `@${file}`]
    for (const way of [["--curl"], ["--yes", "--json"]]) {
      const said = await done(...set, ...way)
      assert.notInclude(said, value)
      assert.include(said, "X-Api-Key")
    }
    assert.match(await done("webhooks", "order", id, "--yes"), / is ordered/)
    assert.match(await done("webhooks", "test", id), /^delivered 200 in \d+ ms, dlv_/)
    assert.strictEqual(target.received[0]!.headers["x-api-key"], value)
    const cleared = JSON.parse(await done(...update, `{"headers":{"x-api-key":null}}`, "--yes", "--json"))
    assert.notProperty(cleared.data, "header_names")
    assert.match(await done("webhooks", "order", id, "--off", "--yes"), / is not ordered/)
    target.respond = (response) => response.writeHead(503).end()
    const { output, status } = await command("webhooks", "test", id)
    assert.strictEqual(status, 1)
    assert.match(output, /^server_error 503/)
    const missing = await command(...update, "@/nowhere/headers.json", "--yes")
    assert.strictEqual(missing.status, 2)
    await service.data("DELETE", `/api/v1/webhooks/${id}`)
  })
})

describe("the service that commands ask", () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))

  it("refuses with its code, the cure and the request's id, and the exit code is 1", async () => {
    const { errors, output, status } = await command("licenses", "show", "lic_00000000000000000000000000")
    assert.deepStrictEqual([status, output], [1, ""])
    assert.match(errors, /NOT_FOUND · request req_\w+ · http\S+\/docs\/errors\/NOT_FOUND/)
    const wrong = await runCommand(["whoami"], { ...environment, COUNTERSIGN_TOKEN: "csk_wrong" })
    assert.strictEqual(wrong.status, 1)
    assert.include(wrong.errors, "UNAUTHENTICATED")
    assert.include(wrong.errors, "COUNTERSIGN_TOKEN")
    assert.notInclude(wrong.errors, "csk_wrong")
  })

  it("is away with exit code 3, and what cannot be an address or an id is wrong usage", async () => {
    const away = await runCommand(["whoami", "--url", "http://127.0.0.1:2"], environment)
    assert.strictEqual(away.status, 3)
    assert.include(away.errors, "http://127.0.0.1:2 cannot be reached")
    const unnamed = await runCommand(["whoami"], { PORT: "2", COUNTERSIGN_ADMIN_TOKEN: adminToken })
    assert.include(unnamed.errors, "started with another PORT or COUNTERSIGN_DATA_DIR, set the same here")
    assert.strictEqual((await runCommand(["whoami", "--url", "licenses"], environment)).status, 2)
    assert.strictEqual((await command("licenses", "show", "..")).status, 2)
  })

  it("gets the token of a file or of this machine, which gives its own to no other", async () => {
    const file = join(directory, "token")
    writeFileSync(file, `${adminToken}\n`)
    const { port } = new URL(service.url)
    const ways = [
      { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN_FILE: file },
      { PORT: port, COUNTERSIGN_ADMIN_TOKEN: adminToken, COUNTERSIGN_DATA_DIR: directory }
    ]
    for (const way of ways) {
      const { errors, output, status } = await runCommand(["whoami"], way)
      assert.strictEqual(status, 0, errors)
      assert.include(output, "the admin token")
      assert.notInclude(output, adminToken)
    }
    const elsewhere = await runCommand(["whoami", "--url", "https://licenses.example.com"], ways[1]!)
    assert.strictEqual(elsewhere.status, 2)
    assert.include(elsewhere.errors, "There is no token for https://licenses.example.com")
    const none = await runCommand(["whoami"], { PORT: port, COUNTERSIGN_DATA_DIR: directory })
    assert.strictEqual(none.status, 2)
    assert.include(none.errors, directory)
  })

  it("is found by its data directory, at whatever port it listens", async () => {
    const kept = mkdtempSync(join(tmpdir(), "countersign-"))
    atEnd(() => rm(kept, { recursive: true, force: true }))
    const other = new Service(service.databaseUrl, { COUNTERSIGN_DATA_DIR: kept })
    await other.start()
    const beside = { COUNTERSIGN_DATA_DIR: kept, COUNTERSIGN_ADMIN_TOKEN: adminToken }
    for (const way of [beside, { ...beside, PORT: "0" }]) {
      const { errors, output, status } = await runCommand(["whoami"], way)
      assert.strictEqual(status, 0, errors)
      assert.include(output, other.url)
    }
    assert.strictEqual(await other.kill("SIGTERM"), 0)
    assert.deepStrictEqual(readdirSync(kept), [], "it goes with the service")
    assert.include(
      (await runCommand(["whoami"], { ...beside, PORT: "0" })).errors,
      "no running service has written it to the data directory"
    )
  })

  it("says what a scope reads besides", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "Shop",
      scopes: ["license:write", "product:read"]
    })
    const { output } = await runCommand(["whoami"], { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: token })
    assert.match(output, /^Scopes +license:write, product:read$/m)
    assert.match(output, /^Reads too +license:read$/m)
  })
})
