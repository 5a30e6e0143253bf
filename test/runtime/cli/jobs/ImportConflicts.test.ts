import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const directory = temporaryDirectory()

describe("countersign import of keys that another license has", () => {
  let service: Service
  let environment: Readonly<Record<string, string>>
  const products: Record<string, Body> = {}
  const imported = (text: string, ...args: ReadonlyArray<string>) => {
    const path = join(directory, `${randomUUID()}.csv`)
    writeFileSync(path, text)
    return runCommand(["import", path, ...args], environment)
  }
  const to = (product: string) => ["--set", `product=${product}`, "--set", "policy=std"]
  const found = async (license_key: string): Promise<Body> =>
    service.data("POST", "/api/v1/licenses/lookup", { license_key })
  const put = async (text: string, ...args: ReadonlyArray<string>) => {
    const ended = await imported(text, ...args)
    assert.strictEqual(ended.status, 0, ended.errors)
  }

  beforeAll(async () => {
    service = await startService()
    const post = (path: string, body: unknown): Promise<Body> =>
      service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })
    for (const code of ["acme", "other"]) {
      products[code] = await post("products", { name: code, code })
      const under = `products/${products[code].id}/policies`
      await post(under, { name: "Std", code: "std", license_type: "subscription" })
      await post(under, { name: "Year", code: "year", license_type: "subscription", duration: "P1Y" })
    }
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  it("names a license of another product, and changes nothing of it", async () => {
    await put("license_key,status\nSERIAL-0001,active\n", ...to("acme"))
    const { id } = await found("SERIAL-0001")
    for (const status of ["revoked", "suspended", "active"]) {
      const told = await imported(`license_key,status\nSERIAL-0001,${status}\n`, ...to("other"), "--update-status")
      assert.strictEqual(told.status, 1, told.output)
      assert.include(
        told.errors,
        `line 2: product other in the file, product acme here (${id}); it is left as it is`
      )
      assert.include(told.errors, "1 license that stands otherwise in the file is left for you to decide")
      assert.notInclude(told.output, "brought to")
      assert.strictEqual((await found("SERIAL-0001")).status, "active")
    }
  })

  it("names a license of another owner, and changes nothing of it", async () => {
    const heading = "license_key,status,customer_email\n"
    await put(`${heading}OWNED-0001,active,ada@example.com\nOWNED-0002,active,\n`, ...to("acme"))
    const rows = "OWNED-0001,revoked,bob@example.com\nOWNED-0002,suspended,bob@example.com\n"
    const told = await imported(`${heading}${rows}`, ...to("acme"), "--update-status")
    assert.strictEqual(told.status, 1, told.output)
    assert.match(
      told.errors,
      /^line 2: owner bob@example.com in the file, owner ada@example.com here \(lic_\w+\); it is/m
    )
    assert.match(told.errors, /^line 2: revoked in the file, active here \(lic_\w+\); it is left as it is$/m)
    assert.match(told.errors, /^line 3: owner bob@example.com in the file, no owner here/m)
    assert.strictEqual((await found("OWNED-0001")).status, "active")
    assert.strictEqual((await found("OWNED-0002")).status, "active")

    const same = await imported(`${heading}OWNED-0001,suspended,Ada@Example.COM\n`, ...to("acme"), "--update-status")
    assert.strictEqual(same.status, 0, same.errors)
    assert.strictEqual((await found("OWNED-0001")).status, "suspended")
  })

  it("takes a license of another customer for another license", async () => {
    const [first, second] = await Promise.all(
      ["FIRST", "SECOND"].map((code) =>
        service.data("POST", "/api/v1/customers", { name: code, code, email: `${code}@example.com` })
      )
    )
    const heading = "license_key,status,customer_id\n"
    await put(`${heading}BOUGHT-0001,active,${first.id}\n`, ...to("acme"))
    const told = await imported(`${heading}BOUGHT-0001,revoked,${second.id}\n`, ...to("acme"), "--update-status")
    assert.strictEqual(told.status, 1, told.output)
    assert.include(told.errors, `line 2: customer ${second.id} in the file, customer ${first.id} here`)
    assert.strictEqual((await found("BOUGHT-0001")).status, "active")
  })

  it("names an end that the file has no more, and removes it where the file says so in words", async () => {
    const heading = "license_key,expires_at\n"
    const mapping = join(directory, "lifetime.json")
    writeFileSync(
      mapping,
      JSON.stringify({ columns: { expires_at: { to: "expires_at", values: { lifetime: null } } } })
    )
    const mapped = [...to("acme"), "--mapping", mapping]
    const rows = ["ENDLESS-0001", "ENDLESS-0002"]
    await put(`${heading}${rows.map((key) => `${key},2090-01-01T00:00:00Z\n`).join("")}`, ...mapped)
    const later = `${heading}ENDLESS-0001,lifetime\nENDLESS-0002,\n`
    const told = await imported(later, ...mapped)
    assert.strictEqual(told.status, 1, told.output)
    assert.match(told.errors, /^line 2: without an end in the file, until 2090-\S+ here \(lic_\w+\)$/m)
    assert.match(told.errors, /^line 3: without an end in the file, until 2090-\S+ here .*; it is left as it is$/m)
    const updated = await imported(later, ...mapped, "--update-status")
    assert.strictEqual(updated.status, 1, "one is left")
    assert.match(updated.errors, /^line 2: .*; now as in the file$/m)
    assert.isUndefined((await found("ENDLESS-0001")).expires_at)
    assert.isDefined((await found("ENDLESS-0002")).expires_at)
  })

  it("takes an empty cell for no end where the policy gives one", async () => {
    const text = "license_key,expires_at\nYEARLY-0001,\n"
    const under = ["--set", "product=acme", "--set", "policy=year"]
    await put(text, ...under)
    assert.isDefined((await found("YEARLY-0001")).expires_at)
    await put(text, ...under)
  })

  it("names an end that is earlier in the file, and shortens nothing", async () => {
    await put("license_key,expires_at\nSHORT-0001,2090-01-01T00:00:00Z\n", ...to("acme"))
    const told = await imported(
      "license_key,expires_at\nSHORT-0001,2089-01-01T00:00:00Z\n",
      ...to("acme"),
      "--update-status"
    )
    assert.strictEqual(told.status, 1, told.output)
    assert.match(told.errors, /^line 2: until 2089-\S+ in the file, until 2090-\S+ here .*; it is left as it is$/m)
    assert.include((await found("SHORT-0001")).expires_at, "2090")
  })

  it("compares status and end at once", async () => {
    const heading = "license_key,status,expires_at\n"
    const rows = ["BOTH-0001,active,2090-01-01T00:00:00Z", "BOTH-0002,suspended,2090-01-01T00:00:00Z"]
    await put(`${heading}${rows.join("\n")}\n`, ...to("acme"))
    const again = ["BOTH-0001,suspended,2091-01-01T00:00:00Z", "BOTH-0002,active,2091-01-01T00:00:00Z"]
    const ended = await imported(`${heading}${again.join("\n")}\n`, ...to("acme"), "--update-status", "--json")
    assert.strictEqual(ended.status, 1, "one is not reinstated")
    const { differing, updated } = JSON.parse(ended.output)
    assert.deepStrictEqual([differing.length, updated], [4, 2])
    for (const key of ["BOTH-0001", "BOTH-0002"]) {
      const { expires_at, status } = await found(key)
      assert.deepStrictEqual([status, expires_at], ["suspended", "2091-01-01T00:00:00.000Z"])
    }
  })

  it.each(["revoked", "active"])(
    "names a key of a license that the token does not read, %s in the file",
    async (status) => {
      const key = `HIDDEN-${status}`
      await put(`license_key\n${key}\n`, ...to("acme"))
      const { token } = await service.data("POST", "/api/v1/api-keys", {
        name: "Other",
        scopes: ["license:write", "product:read"],
        product_ids: [products["other"]!.id]
      })
      const path = join(directory, `${key}.csv`)
      writeFileSync(path, `license_key,status\n${key},${status}\n`)
      const told = await runCommand(["import", path, ...to("other"), "--update-status"], {
        COUNTERSIGN_URL: service.url,
        COUNTERSIGN_TOKEN: token
      })
      assert.strictEqual(told.status, 1, told.output)
      assert.include(told.errors, `line 2: ${status} in the file, no license that this token can read here; it is left`)
      assert.strictEqual((await found(key)).status, "active")
    }
  )
})
