// Operations of the contract as commands, on a service.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../../fixtures/Program.ts"
import { adminToken, startService } from "../../../../fixtures/Service.ts"
import { eventually } from "../../../../fixtures/Session.ts"

const service = await startService()
const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }

const api = (...args: ReadonlyArray<string>) => runCommand(["api", ...args], environment)

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { errors, output, status } = await api(...args)
  assert.strictEqual(status, 0, `${args.join(" ")}: ${errors}`)
  return output
}

const json = async (...args: ReadonlyArray<string>) => JSON.parse(await done(...args, "--json"))

describe("a change", () => {
  it("takes the fields of its body as flags: texts, numbers, switches, lists, null and JSON", async () => {
    const { data: product } = await json("createProduct", "--name", "Desk", "--code", randomUUID())
    const terms =
      "--license-type subscription --max-activations 3 --max-floating-users 2 --require-heartbeat --no-allow-vm"
    const named = ["--name", "Floating seats", "--code", randomUUID(), "--metadata", "{\"tier\": 1}"]
    const { data: policy } = await json("createPolicy", product.id, ...named, ...terms.split(" "))
    assert.deepInclude(policy, {
      name: "Floating seats",
      max_activations: 3,
      max_floating_users: 2,
      require_heartbeat: true,
      allow_vm: false,
      metadata: { tier: 1 }
    })
    const { data: changed } = await json("updatePolicy", policy.id, "--grace-period-days", "0", "--duration", "null")
    assert.notProperty(changed, "duration")
    const { data: key } = await json(
      "createAPIKey",
      "--name",
      "Shop",
      "--scopes",
      "license:read",
      "--scopes",
      "event:read"
    )
    assert.deepStrictEqual(key.api_key.scopes, ["license:read", "event:read"])
    const { data: endpoint } = await json(
      "createWebhookEndpoint",
      "--name",
      "CRM",
      "--body-url",
      "http://127.0.0.1:9/hooks"
    )
    assert.strictEqual(endpoint.webhook.url, "http://127.0.0.1:9/hooks")
    await done("deleteWebhookEndpoint", endpoint.webhook.id, "--yes")
  })

  it("takes a whole body from a file, whose fields flags change; no flag holds a secret", async () => {
    const { key, license } = await service.issue()
    const file = join(temporaryDirectory(), "body.json")
    writeFileSync(file, JSON.stringify({ license_key: key }))
    assert.strictEqual((await json("lookupLicense", "--body", `@${file}`)).data.id, license.id)
    const flag = await api("lookupLicense", "--license-key", key)
    assert.strictEqual(flag.status, 2)
    writeFileSync(file, JSON.stringify({ customer_name: "Ada", customer_email: "ada@example.com" }))
    const { data } = await json("updateLicense", license.id, "--body", `@${file}`, "--customer-name", "Grace")
    assert.deepInclude(data, { customer_name: "Grace", customer_email: "ada@example.com" })
    const bodies = { "{": "--body is not JSON", "[1]": "must be a JSON object", "@/no": "cannot be read" }
    for (const [body, problem] of Object.entries(bodies)) {
      const wrong = await api("updateLicense", license.id, "--body", body)
      assert.strictEqual(wrong.status, 2)
      assert.include(wrong.errors, problem)
    }
  })

  it("is refused in the words of the service before anything is sent, each finding by its flag", async () => {
    const { license } = await service.issue()
    const before = service.logs()
    const wrong = await api("renewLicense", license.id, "--extend-by-days", "soon", "--renew-from", "now", "--yes")
    assert.strictEqual(wrong.status, 2)
    assert.include(wrong.errors, "--extend-by-days must be")
    const both = await api("createPolicy", "prod_none", "--code", "c", "--max-activations", "-1")
    assert.strictEqual(both.status, 2)
    assert.match(both.errors, /^ {2}--name is required$/m)
    assert.match(both.errors, /^ {2}--max-activations must be/m)
    assert.notInclude(service.logs().slice(before.length), "/renew")
    const refused = await api("renewLicense", license.id, "--extend-by-days", "2000000000", "--yes")
    assert.strictEqual(refused.status, 1)
    assert.match(refused.errors, / {2}--extend-by-days: /)
  })

  it("says its consequence and asks, unless it has none or is only asked about", async () => {
    const { license } = await service.issue()
    const asked = await api("suspendLicense", license.id)
    assert.strictEqual(asked.status, 2)
    assert.include(asked.errors, "stops working at the next check")
    assert.include(asked.errors, `To undo this: countersign api reinstateLicense ${license.id}`)
    assert.include(asked.errors, "--yes")
    const final = await api("revokeLicense", license.id)
    assert.strictEqual(final.status, 2)
    assert.include(final.errors, "This cannot be undone.")
    await done("rotateLicenseKey", license.id, "--dry-run")
    await done("updateLicense", license.id, "--customer-name", "Ada")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "active")
    await done("suspendLicense", license.id, "--yes", "--reason", "chargeback")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "suspended")
  })

  it("is refused where somebody else was faster, by the ETag that a read shows", async () => {
    const { license } = await service.issue()
    const { meta: { etag } } = await json("getLicense", license.id)
    const change = ["updateLicense", license.id, "--if-match", etag, "--customer-name"]
    await done(...change, "Ada")
    const late = await api(...change, "Grace")
    assert.strictEqual(late.status, 1)
    assert.include(late.errors, "PRECONDITION_FAILED")
  })
})

describe("a read", () => {
  it("shows a list as columns that fit or are chosen, page by page or whole", async () => {
    const { policy, product } = await service.issue()
    for (let count = 0; count < 4; count++) {
      await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id })
    }
    const some = await api("listLicenses", "--product-id", product.id, "--limit", "2")
    assert.match(some.output, /^ID +/)
    assert.lengthOf(some.output.trim().split("\n"), 3)
    assert.include(some.errors, "Showing the first 2. Raise --limit, or use --all.")
    const all = await api("listLicenses", "--product-id", product.id, "--limit", "2", "--all", "--columns", "status,id")
    assert.strictEqual(all.errors, "")
    assert.match(all.output, /^STATUS +ID\n(active +lic_\w+\n){5}$/)
    const { data, page_info } = await json("listLicenses", "--product-id", product.id, "--limit", "2", "--all")
    assert.lengthOf(data, 5)
    assert.isFalse(page_info.has_more)
    assert.strictEqual(await done("listLicenses", "--product-id", product.id, "--status", "revoked"), "None\n")
  })

  it("shows a resource as one value a line, and as curl what would be asked", async () => {
    const { license } = await service.issue()
    const shown = await done("getLicense", license.id)
    assert.match(shown, new RegExp(`^id +${license.id}$`, "m"))
    const curl = await done("getLicense", license.id, "--include-terms", "--curl")
    assert.include(curl, `${service.url}/api/v1/licenses/${license.id}?include_terms=true`)
    assert.include(curl, "$COUNTERSIGN_TOKEN")
    assert.include(await done("readyz", "--json"), "ready")
    assert.include(await done("getMetrics"), "countersign_build_info")
  })

  it("saves a download as a new file", async () => {
    const { data } = await json(
      "createReportExport",
      "--body",
      JSON.stringify({ report_kind: "usage-summary", format: "csv" })
    )
    await eventually(
      "the export is ready",
      async () => (await service.data("GET", `/api/v1/reports/exports/${data.id}`)).status === "ready"
    )
    const file = join(temporaryDirectory(), "report.csv")
    assert.strictEqual(await done("downloadReportExport", data.id, "--out", file), `${file}\n`)
    assert.isTrue(existsSync(file) && readFileSync(file).length > 0)
    assert.strictEqual((await api("downloadReportExport", data.id, "--out", file)).status, 2)
    const directory = temporaryDirectory()
    const named = join(directory, data.file_name)
    assert.strictEqual(await done("downloadReportExport", data.id, "--out", directory), `${named}\n`)
    assert.strictEqual(readFileSync(named, "utf8"), readFileSync(file, "utf8"))
  })
})

describe("an operation of apps", () => {
  it("is called with the license key of the environment, and with nothing else", async () => {
    const { key } = await service.issue()
    const asking = ["api", "activateLicense", "--fingerprint", "a-laptop", "--json"]
    const missing = await runCommand(asking, environment)
    assert.strictEqual(missing.status, 2)
    assert.include(missing.errors, "COUNTERSIGN_LICENSE_KEY")
    const { errors, output, status } = await runCommand(asking, { ...environment, COUNTERSIGN_LICENSE_KEY: key })
    assert.strictEqual(status, 0, errors)
    assert.property(JSON.parse(output), "signature")
    assert.notInclude(output, key)
  })
})
