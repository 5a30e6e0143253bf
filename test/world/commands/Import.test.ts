import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { launch, run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const directory = temporaryDirectory()

/** A line of NDJSON with a row that is right, but for what is added to it. */
const row = (license_key: string, more: object = {}): string =>
  JSON.stringify({ license_key, product: "old", policy: "std", ...more })

describe("countersign import", () => {
  let service: Service
  let product: Body
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    service = await startService()
    const post = (path: string, body: unknown) =>
      service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })
    product = await post("products", { name: "Old Faithful", code: "old" })
    await post(`products/${product.id}/policies`, { name: "Std", code: "std", license_type: "subscription" })
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const imported = (...args: ReadonlyArray<string>) => runCommand(["import", ...args], environment)
  const licenses = async () => (await service.call("GET", "/api/v1/licenses?limit=200")).body.data as Array<Body>

  it("brings a spreadsheet's rows with their keys, and none of them twice", async () => {
    const path = file(
      "old.csv",
      "\uFEFFSerial;product;policy;customer_email;customer_name;expires_at;max_activations;Old id\r\n" +
        "OLD-4711-AAAA-0001;old;std;a@old.example;\"Zoë; \"\"Z\"\"\r\nGmbH\";2099-01-01T00:00:00Z;7;1\r\n" +
        "OLD-4711-AAAA-0002;old;std;b@old.example;東京;;;2\r\n"
    )
    const asked = await imported(path, "--map", "Serial=license_key", "--map", "Old id=metadata.old_id")
    assert.match(asked.errors, /line 4, max_activations: may mean no limit.*"values": {"": "unlimited"}/)
    const limits = file(
      "limits.json",
      "{\"columns\":{\"max_activations\":{\"to\":\"max_activations\",\"values\":{\"\":null}}}}"
    )
    const map = ["--map", "Serial=license_key", "--map", "Old id=metadata.old_id", "--mapping", limits]
    const dry = await imported(path, ...map, "--dry-run")
    assert.strictEqual(dry.status, 0, dry.errors)
    assert.include(dry.output, "of 2 rows 2 are right")
    assert.lengthOf(await licenses(), 0)

    const first = await run(["src/runtime/cli.ts", "import", path, ...map, "--json"], environment)
    assert.strictEqual(first.status, 0, first.errors)
    assert.deepInclude(JSON.parse(first.output), { rows: 2, created: 2, already: 0, invalid: 0, findings: [] })
    const [second, one] = await licenses()
    assert.deepInclude(one, { customer_name: "Zoë; \"Z\"\r\nGmbH", expires_at: "2099-01-01T00:00:00.000Z" })
    assert.deepStrictEqual(one!.overrides, { max_activations: 7 })
    assert.deepStrictEqual([one!.metadata, second!.metadata], [{ old_id: "1" }, { old_id: "2" }])
    const app = await service.license("activate", "OLD-4711-AAAA-0001", { fingerprint: "m" })
    assert.strictEqual(app.status, 200, app.text)

    const again = await imported(path, ...map)
    assert.strictEqual(again.status, 0, again.errors)
    assert.match(again.output, /^0 licenses created, 2 there already, 0 wrong, of 2 rows/)
    const longer = file(
      "longer.ndjson",
      [1, 2, 3].map((n) => JSON.stringify({ license_key: `OLD-4711-AAAA-000${n}`, product: "old", policy: "std" }))
        .join("\n")
    )
    assert.match((await imported(longer)).output, /^1 license created, 2 there already/)
    assert.lengthOf(await licenses(), 3)
  })

  it("keeps what a file says, or says the line: bytes of another encoding, and numbers that would become others", async () => {
    const name = "Zoë François"
    const text = `license_key,product,policy,customer_name\r\nOLD-4713-CCCC-0001,old,std,plain\r\n` +
      `OLD-4713-CCCC-0002,old,std,${name}\r\n`
    const excel = join(directory, "excel.csv")
    writeFileSync(excel, text, "latin1")
    const refused = await imported(excel)
    assert.strictEqual(refused.status, 1)
    assert.match(refused.errors, /Line 3 is not UTF-8: there is a byte 0xEB.*--encoding windows-1252/s)
    assert.match(refused.errors, /No licenses created$/m)
    const utf16 = join(directory, "utf16.csv")
    writeFileSync(utf16, `\ufeff${text.replaceAll("4713", "4714")}`, "utf16le")
    assert.strictEqual((await imported(excel, "--encoding", "windows-1252")).status, 0)
    assert.strictEqual((await imported(utf16)).status, 0, "the mark says what it is")
    for (const [said, meant] of [["ansi", "windows-1252"], ["UTF-8-SIG", "utf-8"], ["windows1252", "windows-1252"]]) {
      const none = await imported(excel, "--encoding", said!)
      assert.strictEqual(none.status, 2)
      assert.include(none.errors, `Did you mean ${meant}?`)
    }
    assert.strictEqual((await imported(excel, "--encoding", "klingon")).status, 2)
    assert.lengthOf((await licenses()).filter(({ customer_name }) => customer_name === name), 2)

    const rows = file(
      "numbers.ndjson",
      `{"license_key":"OLD-4715-DDDD-0001","product":"old","policy":"std","metadata":{"t":"a\u2028b"}}\n` +
        `{"license_key":"OLD-4715-DDDD-0002","product":"old","policy":"std","metadata":{"id":76561198000000001}}\n` +
        `{"license_key":"OLD-4715-DDDD-0003","product":"old","policy":"std","policy":"std"}\n`
    )
    const judged = await imported(rows, "--skip-invalid")
    assert.strictEqual(judged.status, 1)
    assert.match(judged.errors, /line 2, metadata\.id: must not have more digits.*Send it as text/)
    assert.match(judged.errors, /line 3, policy: appears twice/)
    assert.notInclude(judged.errors, "7656119800000000")
    assert.deepStrictEqual((await licenses())[0]!.metadata, { t: "a\u2028b" })
  })

  it("names each cell that is wrong, and creates nothing unless told to skip", async () => {
    const path = file(
      "wrong.csv",
      "Serial,product,policy,customer_email,expires_at\n" +
        "OLD-4712-BBBB-SECRET-0001,old,std,nobody,\n" +
        "OLD-4712-BBBB-SECRET-0002,new,std,,2099-01-01\n" +
        "OLD-4712-BBBB-SECRET-0003,old,std,c@old.example,\n" +
        "OLD-4712-BBBB-SECRET-0003,old,std,c@old.example,\n" +
        ",old,gold,c@old.example,\n"
    )
    const map = ["--map", "Serial=license_key"]
    const before = (await licenses()).length
    const ended = await imported(path, ...map)
    assert.strictEqual(ended.status, 1)
    assert.include(ended.output, "No licenses created: 4 of 5 rows are invalid")
    assert.include(ended.errors, "line 2, customer_email \"nobody\": must be an email address")
    assert.include(ended.errors, "line 3, product \"new\": is no product's code; there are: old")
    assert.match(ended.errors, /line 3, expires_at "2099-01-01": says no time zone/)
    assert.include(ended.errors, "line 5, Serial \"OLD-4712…0003\": is that of line 4 too")
    assert.include(ended.errors, "line 6, Serial: is required")
    assert.include(ended.errors, "line 6, policy \"gold\": is no code of a policy of the product; there are: std")
    assert.notInclude(ended.errors + ended.output, "SECRET")
    assert.lengthOf(await licenses(), before)

    const skipped = await imported(path, ...map, "--skip-invalid")
    assert.strictEqual(skipped.status, 1)
    assert.match(skipped.output, /^1 license created, 0 there already, 4 wrong, of 5 rows/)
    assert.lengthOf(await licenses(), before + 1)
  })

  it.each([
    {
      name: "lines.ndjson",
      lines: [
        row("OLD-4730-JSON-0001"),
        "null",
        "{\"license_key\":\"OLD-4730-SECRET-0002\",",
        "",
        "[\"OLD-4730-SECRET-0003\"]",
        "OLD-4730-SECRET-0004",
        row("OLD-4730-JSON-0005", { "__proto__x": 1 }).replace("__proto__x", "__proto__"),
        row("OLD-4730-JSON-0006", { constructor: 1 }),
        row("OLD-4730-JSON-0007", { Serial: "OLD-4730-SECRET-0007" }),
        row("OLD-4730-JSON-0008", { "metadata.a": 1, metadata: { a: 2 } }),
        row("OLD-4730-JSON-0009", { "metadata.a.b": 1, "metadata.a.c": 2, metadata: { d: 3 } })
      ],
      found: [
        "line 2: must be a JSON object, not null",
        "line 3: is not JSON: it goes wrong at column 39",
        "line 5: must be a JSON object, not an array",
        "line 6: is not JSON: it goes wrong at column 1",
        "line 7, __proto__ \"1\": is not a recognized field",
        "line 8, constructor \"1\": is not a recognized field",
        "line 9, Serial: says what another name of the row says too",
        "line 10, metadata.a: says what another name of the row says too"
      ],
      kept: { "a.b": 1, "a.c": 2, d: 3 }
    },
    {
      name: "lines.csv",
      lines: [
        "license_key;product;policy;metadata.a",
        "OLD-4731-CSV-0001;old;std;",
        "OLD-4731-SECRET-0002;old;std",
        "OLD-4731-SECRET-0003;old;std;x;y",
        "OLD-4731-CSV-0004;old;std;kept"
      ],
      found: ["line 3: has 3 fields, where the heading has 4", "line 4: has 5 fields, where the heading has 4"],
      kept: { a: "kept" }
    }
  ])(
    "counts and reports lines that are no rows like rows that are wrong: $name",
    async ({ found, kept, lines, name }) => {
      const path = file(name, `${lines.join("\n")}\n`)
      const map = ["--map", "Serial=license_key"]
      const before = (await licenses()).length
      const ended = await imported(path, ...map)
      assert.strictEqual(ended.status, 1)
      assert.include(ended.output, `No licenses created: ${found.length} of ${found.length + 2} rows are invalid`)
      for (const line of found) assert.include(ended.errors, line)
      assert.notInclude(ended.errors + ended.output, "SECRET")
      assert.lengthOf(await licenses(), before)

      const skipped = await imported(path, ...map, "--skip-invalid", "--json")
      assert.strictEqual(skipped.status, 1)
      const { findings, ...counts } = JSON.parse(skipped.output)
      assert.deepInclude(counts, { rows: found.length + 2, created: 2, already: 0, invalid: found.length })
      assert.lengthOf(findings, found.length)
      assert.notInclude(skipped.output, "SECRET")
      assert.lengthOf(await licenses(), before + 2)
      assert.deepStrictEqual((await licenses())[0]!.metadata, kept)
    }
  )

  it("ends complete and with nothing twice when it is run again after a kill in the middle", async () => {
    const rows = 3000
    const lines = Array.from(
      { length: rows },
      (_, n) => `OLD-4720-${String(n).padStart(8, "0")},old,std,n${n}@old.example`
    )
    const path = file("killed.csv", `license_key,product,policy,customer_email\n${lines.join("\n")}\n`)
    const sql = await session(service.databaseUrl)
    const count = async () =>
      (await sql.query("SELECT count(*)::int AS n FROM licenses WHERE customer_email LIKE 'n%@old.example'"))[0].n
    const stopped = launch(["src/runtime/cli.ts", "import", path], environment)
    await eventually("some rows are licenses", async () => await count() > 0)
    assert.strictEqual(await stopped.interrupt(), 130, "it was not done")
    const importing = launch(["src/runtime/cli.ts", "import", path], environment)
    const first = await count()
    await eventually("further rows are licenses", async () => await count() > first)
    // A call of it waits in the service, which goes on with it after the kill.
    const held = await hold(service.databaseUrl, "LOCK TABLE licenses IN SHARE MODE")
    await held.blocked(1)
    assert.strictEqual(await importing.kill(), "SIGKILL")
    const before = await count()
    assert.isBelow(before, rows)
    await held.release()
    const again = await imported(path, "--json")
    assert.strictEqual(again.status, 0, again.errors)
    const { already, created, ...rest } = JSON.parse(again.output)
    assert.deepInclude(rest, { rows, invalid: 0, findings: [] })
    assert.strictEqual(created + already, rows)
    assert.isAtLeast(already, before)
    assert.strictEqual(await count(), rows)
    const [last] = await sql.query(
      "SELECT count(*)::int AS keys, count(DISTINCT license_id)::int AS ids FROM license_keys k " +
        "JOIN licenses l ON l.id = license_id WHERE customer_email LIKE 'n%@old.example'"
    )
    assert.deepStrictEqual(last, { keys: rows, ids: rows })
    const app = await service.license("activate", lines.at(-1)!.split(",")[0]!, { fingerprint: "m" })
    assert.strictEqual(app.status, 200, app.text)
    await expectHealthy(service.databaseUrl, [])
    await sql.close()
  })

  it("knows a product by a code that it had before, as a file that is made every night names it", async () => {
    await service.data("PATCH", `/api/v1/products/${product.id}`, { code: "old-2" })
    const text = ["old", "old-2"].map((code) => `OLD-4719-AAAA-${code},${code},std\n`).join("")
    const { errors, output, status } = await imported(file("renamed.csv", `license_key,product,policy\n${text}`))
    assert.strictEqual(status, 0, errors)
    assert.match(output, /^2 licenses created/)
  })

  it("says what keeps a file from being read, and a service from being asked", async () => {
    const unknown = await imported(file("unknown.csv", "license_key,Company\nOLD-4713-0001,x\n"))
    assert.strictEqual(unknown.status, 1)
    assert.include(unknown.errors, "--map \"Company=metadata.company\"")
    const unclosed = await imported(file("unclosed.csv", "license_key,product\n\"OLD-4713-0001,old\n"))
    assert.strictEqual(unclosed.status, 1)
    assert.match(unclosed.errors, /Line \d is no CSV \(RFC 4180\)/)
    assert.strictEqual((await imported(join(directory, "none.csv"))).status, 2)
    const away = await runCommand(["import", join(directory, "none.csv")], {
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_TOKEN: "csk_nobody"
    })
    assert.strictEqual(away.status, 1, away.errors)
  })
})
