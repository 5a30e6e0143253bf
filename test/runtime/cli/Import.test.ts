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

const directory = temporaryDirectory()

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
    const map = ["--map", "Serial=license_key", "--map", "Old id=metadata.old_id"]
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
    assert.include(ended.output, "Nothing was created: 4 of 5 rows are wrong")
    assert.include(ended.errors, "line 2, customer_email \"nobody\": must be an e-mail address")
    assert.include(ended.errors, "line 3, product \"new\": is no product's code; there are: old")
    assert.match(ended.errors, /line 3, expires_at "2099-01-01": must be an RFC 3339 date-time/)
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

  it("says what keeps a file from being read, and a service from being asked", async () => {
    const unknown = await imported(file("unknown.csv", "license_key,Company\nOLD-4713-0001,x\n"))
    assert.strictEqual(unknown.status, 1)
    assert.include(unknown.errors, "--map \"Company=metadata.company\"")
    const ragged = await imported(file("ragged.csv", "license_key,product\nOLD-4713-0001\n"))
    assert.strictEqual(ragged.status, 1)
    assert.include(ragged.errors, "Line 2 is no CSV (RFC 4180)")
    assert.include((await imported(file("bad.ndjson", "{\n"))).errors, "Line 1 is not JSON")
    assert.strictEqual((await imported(join(directory, "none.csv"))).status, 2)
    const away = await runCommand(["import", join(directory, "none.csv")], {
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_TOKEN: "csk_nobody"
    })
    assert.strictEqual(away.status, 1, away.errors)
  })
})
