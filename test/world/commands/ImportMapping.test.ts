import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const directory = temporaryDirectory()

describe("countersign import with a mapping", () => {
  let service: Service
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    service = await startService()
    const post = (path: string, body: unknown) =>
      service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })
    const product = await post("products", { name: "Acme", code: "acme" })
    await post(`products/${product.id}/policies`, { name: "Std", code: "std", license_type: "subscription" })
    await post(`products/${product.id}/policies`, {
      name: "Yearly",
      code: "yearly",
      license_type: "subscription",
      duration: "P1Y"
    })
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  const file = (name: string, text: string | object) => {
    const path = join(directory, name)
    writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text))
    return path
  }
  const toAcme = ["--set", "product=acme", "--set", "policy=std"]
  const imported = (...args: ReadonlyArray<string>) => runCommand(["import", ...args], environment)
  const licenses = async () => (await service.call("GET", "/api/v1/licenses?limit=200")).body.data as Array<Body>
  const statusOf = async (key: string) =>
    (await service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: key } })).body.data?.status

  it.each([
    "Status",
    "state",
    "License Key Enabled?",
    "Refunded?",
    "Partial Refund ($)",
    "is_active",
    "isDisabled",
    "chargebacked",
    "Disputed",
    "access_revoked",
    "suspendedAt",
    "subscription_cancelled_at",
    "Expired",
    "expiry_date",
    "valid until",
    "Blocked"
  ])("asks what %s is before a row goes in, and no hint of its own loses it", async (column) => {
    const before = (await licenses()).length
    const csv = file("asked.csv", `license_key,${column}\nOLD-ASKED-0001,no\nOLD-ASKED-0002,\n`)
    const json = file("asked.ndjson", `${JSON.stringify({ license_key: "OLD-ASKED-0001", [column]: null })}\n`)
    const nested = file("nested.ndjson", `${JSON.stringify({ license_key: "OLD-ASKED-0001", a: { [column]: 1 } })}\n`)
    for (const path of [csv, json, nested]) {
      for (const more of [[], ["--skip-invalid"], ["--map", `${column}=metadata.x`]]) {
        const ended = await imported(path, ...toAcme, ...more)
        if (path === nested && more[0] === "--map") continue
        assert.strictEqual(ended.status, 1, `${path} ${ended.output}`)
        assert.include(
          ended.errors,
          `${JSON.stringify(path === nested ? `a.${column}` : column)} may say that a license`
        )
      }
    }
    assert.lengthOf(await licenses(), before)
  })

  it("leaves out what it is told to leave out", async () => {
    const csv = file("ignored.csv", "license_key,Status,Company\nOLD-IGNORED-0001,anything,x\n")
    const ended = await imported(csv, ...toAcme, "--ignore", "Status", "--ignore", "Company")
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.strictEqual(await statusOf("OLD-IGNORED-0001"), "active")
  })

  it("takes the strictest of several statuses, and says each that it does not know with its line", async () => {
    const mapping = file("states.json", {
      constants: { product: "acme", policy: "std" },
      columns: {
        key: "license_key",
        status: { to: "status", also: "metadata.was", values: { ok: "active", off: "suspended", over: "expired" } },
        refunded: { to: "status", values: { yes: "revoked", no: "active" } },
        disputed: { to: "status", values: { yes: "suspended", no: "active" } },
        won: { to: "status", values: { yes: { overrules: "disputed" }, no: null } },
        end: "expires_at"
      },
      time_zone: "Europe/Berlin"
    })
    const rows = [
      "OLD-STATES-0001,ok,no,no,no,",
      "OLD-STATES-0002,OFF,no,no,no,",
      "OLD-STATES-0003,off,yes,no,no,",
      "OLD-STATES-0004,ok,no,yes,no,",
      "OLD-STATES-0005,ok,no,yes,yes,",
      "OLD-STATES-0006,over,no,no,no,2020-01-31",
      "OLD-STATES-0007,over,no,no,no,",
      "OLD-STATES-0008,held,no,no,no,",
      "OLD-STATES-0009,,no,no,no,"
    ]
    const csv = file("states.csv", `key,status,refunded,disputed,won,end\n${rows.join("\n")}\n`)
    const all = await imported(csv, "--mapping", mapping)
    assert.strictEqual(all.status, 1)
    assert.include(all.output, "No licenses created: 3 of 9 rows are invalid")
    assert.match(all.errors, /line 8, end: would bring a license to life that is expired over there/)
    assert.match(all.errors, /line 9, status "held": is no status that the mapping knows: it knows "ok", "off", "over"/)
    assert.match(all.errors, /line 10, status: is no status that the mapping knows/)
    const skipping = await imported(csv, "--mapping", mapping, "--skip-invalid")
    assert.match(skipping.output, /^6 licenses created/)
    const shown = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => statusOf(`OLD-STATES-000${n}`)))
    assert.deepStrictEqual(shown, ["active", "suspended", "revoked", "suspended", "active", "expired", undefined])
    const [over] = await licenses()
    assert.deepInclude(over!, { expires_at: "2020-01-31T22:59:59.000Z", metadata: { was: "over" } })

    const without = file("without.csv", "key,status,refunded,won,end\nOLD-STATES-0010,ok,no,no,\n")
    const missing = await imported(without, "--mapping", mapping, "--skip-invalid")
    assert.match(missing.errors, /The mapping reads "disputed", and the file has no such column/)
    const lines = file("without.ndjson", `{"key":"OLD-STATES-0011","status":"ok"}\n`)
    const notThere = await imported(lines, "--mapping", mapping, "--skip-invalid")
    assert.match(notThere.errors, /line 1, refunded: is not there, and the mapping reads it/)
    assert.isUndefined(await statusOf("OLD-STATES-0011"))
  })

  it.each(["0", "-1", "", "unlimited", "∞", "none", "0.0"])(
    "asks what %j as a limit means, and stores what it is told",
    async (limit) => {
      const key = `OLD-LIMIT-${Buffer.from(limit).toString("hex")}`
      const csv = file("limits.csv", `license_key;max_activations\n${key}-1;${limit}\n${key}-2;3\n`)
      const asked = await imported(csv, ...toAcme)
      assert.strictEqual(asked.status, 1)
      assert.match(asked.errors, /line 2, max_activations.*(may mean no limit|must be a whole number)/)
      const of = (meaning: unknown) =>
        file("limits.json", { columns: { max_activations: { to: "max_activations", values: { [limit]: meaning } } } })
      const told = await imported(csv, ...toAcme, "--mapping", of("unlimited"))
      assert.strictEqual(told.status, 0, told.errors)
      const [second, first] = await licenses()
      assert.deepStrictEqual([first!.overrides, second!.overrides], [{ max_activations: 2147483647 }, {
        max_activations: 3
      }])
      const another = file("limits2.csv", `license_key;max_activations\n${key}-3;${limit}\n`)
      assert.strictEqual((await imported(another, ...toAcme, "--mapping", of(null))).status, 0)
      assert.isUndefined((await licenses())[0]!.overrides)
    }
  )

  it("reads instants as other systems write them, where it is said in which time zone", async () => {
    const instants: ReadonlyArray<readonly [string, string]> = [
      ["2031-07-01T10:00:00+02:00", "2031-07-01T08:00:00.000Z"],
      ["2031-07-01 10:00:00 UTC", "2031-07-01T10:00:00.000Z"],
      ["2031-07-01 10:00:00 +0200", "2031-07-01T08:00:00.000Z"],
      ["2031-07-01 10:00:00", "2031-07-01T08:00:00.000Z"],
      ["2031-07-01 10:00:00.123456", "2031-07-01T08:00:00.000Z"],
      ["2031-07-01T10:00", "2031-07-01T08:00:00.000Z"],
      ["2031-07-01", "2031-07-01T21:59:59.000Z"],
      ["2031-01-01", "2031-01-01T22:59:59.000Z"],
      ["1940839200", "2031-07-03T10:00:00.000Z"],
      ["1940839200000", "2031-07-03T10:00:00.000Z"]
    ]
    const csv = file(
      "instants.csv",
      `license_key,expires_at\n${instants.map(([text], n) => `OLD-INSTANT-00${n + 10},${text}`).join("\n")}\n`
    )
    const asked = await imported(csv, ...toAcme, "--dry-run")
    assert.include(asked.output, "of 10 rows 5 are right and 5 wrong")
    assert.match(asked.errors, /line 5, expires_at "2031-07-01 10:00:00": says no time zone.*--time-zone/)
    const told = await imported(csv, ...toAcme, "--time-zone", "Europe/Berlin")
    assert.strictEqual(told.status, 0, told.errors)
    const found = (await licenses()).slice(0, instants.length).map(({ expires_at }) => expires_at).toReversed()
    assert.deepStrictEqual(found, instants.map(([, instant]) => instant))
    const wrong = file("wrong.csv", "license_key,expires_at\nOLD-INSTANT-0020,2031-02-30\nOLD-INSTANT-0021,soon\n")
    const refused = await imported(wrong, ...toAcme, "--time-zone", "UTC")
    assert.match(refused.errors, /line 2, expires_at "2031-02-30": is no day/)
    assert.match(refused.errors, /line 3, expires_at "soon": must be a time/)
    assert.strictEqual((await imported(wrong, ...toAcme, "--time-zone", "Mars/Olympus")).status, 2)
  })

  it("gives a license for life no end, and says where a policy would", async () => {
    const mapping = file("life.json", { columns: { end: { to: "expires_at", values: { lifetime: null } } } })
    const csv = file("life.csv", "license_key,end\nOLD-LIFE-0001,lifetime\n")
    const yearly = ["--set", "product=acme", "--set", "policy=yearly", "--mapping", mapping]
    const refused = await imported(csv, ...yearly)
    assert.match(
      refused.errors,
      /line 2, end: is without an end over there, and licenses of the policy yearly end/
    )
    assert.strictEqual((await imported(csv, ...toAcme, "--mapping", mapping)).status, 0)
    assert.isUndefined((await licenses())[0]!.expires_at)
  })

  it.each(["1.23457E+15", "1,23457E+15", "########", "#NAME?"])("takes %s for no key", async (key) => {
    const csv = file("mangled.csv", `license_key\n"${key}"\n`)
    const ended = await imported(csv, ...toAcme)
    assert.strictEqual(ended.status, 1)
    assert.match(ended.errors, /line 2, license_key.*is what a spreadsheet shows in the place of a key/)
  })

  it("takes keys as long as signed ones", async () => {
    const key = `key/${"eyJhY2NvdW50Ijp7".repeat(60)}.${"x".repeat(30)}==`
    const ended = await imported(file("signed.csv", `license_key\n${key}\n`), ...toAcme)
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.strictEqual((await service.license("activate", key, { fingerprint: "m" })).status, 200)
  })

  it("is refused where a mapping is none, with what is likely meant", async () => {
    const csv = file("any.csv", "license_key\nOLD-ANY-0001\n")
    const refusedFor = async (mapping: string | object) => {
      const given = typeof mapping === "string" ? mapping : file("refused.json", mapping)
      const ended = await imported(csv, ...toAcme, "--mapping", given)
      assert.strictEqual(ended.status, 2, ended.output)
      return ended.errors
    }
    assert.match(await refusedFor("gumraod"), /neither a file nor a ready mapping. Did you mean gumroad\?/)
    assert.match(await refusedFor({ colums: {} }), /colums: .*Did you mean columns\?/)
    assert.match(
      await refusedFor({ columns: { a: "licence_key" } }),
      /mapped to "licence_key".*Did you mean license_key\?/
    )
    assert.match(await refusedFor({ extends: "ed" }), /extends: .*Did you mean edd\?/)
    assert.match(await refusedFor({ columns: { a: { to: "status", value: {} } } }), /Did you mean values\?/)
    assert.match(
      await refusedFor({ columns: { a: { to: "status", values: { ok: "activ" } } } }),
      /"ok" of "a" is mapped to "activ", which is no status: there are active, expired, suspended, revoked/
    )
    const overrules = { to: "status", values: { ok: { overrules: "b" } } }
    assert.match(await refusedFor({ columns: { a: overrules } }), /overrules a column that the mapping reads no status/)
    assert.match(await refusedFor({ columns: { a: { ...overrules, to: "policy" } } }), /only a status can overrule/)
    assert.match(
      await refusedFor({ columns: { a: { to: "max_activations", values: { "0": "many" } } } }),
      /"0" of "a" is mapped to "many", which is no limit: "unlimited", a whole number/
    )
    assert.match(
      await refusedFor({ constants: { max_activations: -1 } }),
      /The constant max_activations is mapped to -1/
    )
    assert.match(
      await refusedFor({ columns: { a: { to: "expires_at", values: { never: "soon" } } } }),
      /"never" of "a" is mapped to "soon", which must be a time/
    )
    assert.match(await refusedFor({ time_zone: "Berlin" }), /time_zone/)
    assert.match(await refusedFor(file("none.json", "{")), /is not JSON/)
    assert.match(await refusedFor(file("large.json", " ".repeat(1_100_000))), /larger than a mapping may be/)
    const listed = await runCommand(["import", "--mappings"], {})
    assert.strictEqual(listed.status, 0, listed.errors)
    assert.match(listed.output, /gumroad +Gumroad/)
    const shown = await runCommand(["import", "--mappings", "--mapping", "keygen"], {})
    assert.strictEqual(JSON.parse(shown.output).rows, "data")
  })

  it("skips each row that is wrong, whatever is wrong with it, and names its line", async () => {
    const deep = `${"[".repeat(70)}${"]".repeat(70)}`
    const rows = [
      JSON.stringify({ license_key: "OLD-WRONG-0001" }),
      `{"license_key":"OLD-WRONG-0002","metadata":{"deep":${deep}}}`,
      JSON.stringify({ license_key: "OLD-WRONG-0003", metadata: { long: "x".repeat(300_000) } }),
      JSON.stringify({ license_key: "OLD-WRONG-0004", customer_name: "\ud800" }),
      JSON.stringify({ license_key: "OLD-WRONG-0005", customer_name: "a\u0000b" }),
      JSON.stringify({ license_key: 5 }),
      JSON.stringify({ license_key: "OLD-WRONG-0007" })
    ]
    const path = file("wrong.ndjson", `${rows.join("\n")}\n`)
    const ended = await imported(path, ...toAcme, "--skip-invalid")
    assert.strictEqual(ended.status, 1)
    assert.match(ended.output, /^2 licenses created, 0 there already, 5 wrong/, ended.errors)
    for (const line of [2, 3, 4, 5, 6]) assert.match(ended.errors, new RegExp(`line ${line}[,:]`))
    const quotes = [
      "license_key,product,policy",
      "OLD-QUOTE-0001,acme,std",
      "\"OLD\"-QUOTE-0002,acme,std",
      "OLD-QUOTE-0003,acme,std",
      "OLD-QUOTE-\"0004,acme,std",
      "\"OLD-QUOTE",
      "0005,acme,std",
      "\"OLD-QUOTE-0006\",acme,std",
      "OLD-QUOTE-0007 , \"acme\" ,std",
      ""
    ].join("\n")
    const csv = await imported(file("quotes.csv", quotes), "--skip-invalid")
    assert.match(csv.output, /^3 licenses created, 0 there already, 3 wrong/, csv.errors)
    assert.match(csv.errors, /lines 3, 5: is not a CSV row.*\nline 6: is not a CSV row.*, on line 8/)
    const unclosed = await imported(file("open.csv", `${quotes}"OLD-QUOTE-0008,acme,std\n`), "--skip-invalid")
    assert.match(unclosed.errors, /Line 10 is no CSV \(RFC 4180\): a quote opens there/)
  })

  it("judges a row anew once its cause is mended, also that of yesterday's import", async () => {
    const csv = file(
      "mended.csv",
      "license_key,product,policy,customer_id\nOLD-MENDED-0001,acme,std,\nOLD-MENDED-0002,acme,later,\n"
    )
    assert.strictEqual((await imported(csv, "--skip-invalid")).status, 1)
    const [{ product_id }] = await licenses() as [Body]
    await service.data("POST", `/api/v1/products/${product_id}/policies`, {
      name: "Later",
      code: "later",
      license_type: "trial"
    })
    const customer = { license_key: "OLD-MENDED-0003", product: "acme", policy: "std", order_id: "ord_none" }
    const dangling = file("dangling.ndjson", `${JSON.stringify(customer)}\n`)
    assert.match((await imported(dangling, "--skip-invalid")).errors, /order_id "ord_none": names no order/)
    assert.match((await imported(csv)).output, /^1 license created, 1 there already/)
  })

  it("reads a value at a path of any depth, and says where two paths are one member", async () => {
    const mapping = file("paths.json", {
      columns: { "a.b.c.key": "license_key", "a.b.c.d.mail": "customer_email", "a.b.old.id": "metadata.id" },
      ignore: ["a.x"],
      constants: { product: "acme", policy: "std" }
    })
    const row = {
      a: { x: { y: 1 }, b: { c: { key: "OLD-PATHS-0001", d: { mail: "p@old.example" } }, old: { id: 7 } } }
    }
    const right = await imported(file("paths.ndjson", `${JSON.stringify(row)}\n`), "--mapping", mapping)
    assert.strictEqual(right.status, 0, right.errors)
    assert.deepInclude((await licenses())[0]!, { customer_email: "p@old.example", metadata: { id: 7 } })
    const twice = {
      ...row,
      "a.b.old.id": 8,
      a: { ...row.a, b: { ...row.a.b, c: { ...row.a.b.c, key: "OLD-PATHS-0002" } } }
    }
    const wrong = await imported(file("twice.ndjson", `${JSON.stringify(twice)}\n`), "--mapping", mapping)
    assert.match(wrong.errors, /line 1, a\.b\.old\.id: says what another name of the row says too/)
  })
})
