import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()

/** A file of the same licenses again, as the other system exports it after some time. */
const fileOf = (name: string, rows: ReadonlyArray<string>): string => {
  const path = join(directory, name)
  writeFileSync(path, `license_key,status,expires_at\n${rows.map((row) => `OLD-STANDING-${row}\n`).join("")}`)
  return path
}

const first = [
  "0001,active,",
  "0002,active,",
  "0003,active,",
  "0004,active,2090-01-01T00:00:00Z",
  "0005,active,2090-01-01T00:00:00Z",
  "0006,suspended,",
  "0007,active,"
]

describe("countersign import of licenses that are there already", () => {
  let service: Service
  let environment: Readonly<Record<string, string>>
  const to = ["--set", "product=acme", "--set", "policy=std"]
  const imported = (...args: ReadonlyArray<string>) => runCommand(["import", ...args, ...to], environment)
  const standing = async (number: string) => {
    const body = { license_key: `OLD-STANDING-${number}` }
    const { expires_at, id, status } = await service.data("POST", "/api/v1/licenses/lookup", body)
    return { id, text: `${status} ${expires_at ?? "never"}` }
  }
  const standings = async () =>
    (await Promise.all(first.map((row) => standing(row.slice(0, 4))))).map(({ text }) => text)

  beforeAll(async () => {
    service = await startService()
    const post = (path: string, body: unknown): Promise<Body> =>
      service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })
    const product = await post("products", { name: "Acme", code: "acme" })
    await post(`products/${product.id}/policies`, { name: "Std", code: "std", license_type: "subscription" })
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  it("tells each that was refunded, disabled or renewed since, and changes it only when told to", async () => {
    const path = fileOf("first.csv", first)
    assert.strictEqual((await imported(path)).status, 0)
    const before = await standings()
    const same = await imported(path)
    assert.deepStrictEqual([same.status, same.errors], [0, ""])

    const second = fileOf("second.csv", [
      "0001,revoked,",
      "0002,suspended,",
      "0003,active,2031-01-01T00:00:00Z",
      "0004,active,2091-01-01T00:00:00Z",
      "0005,expired,2020-01-01T00:00:00Z",
      "0006,active,",
      "0007,revoked,"
    ])
    for (const flags of [["--dry-run"], []]) {
      const told = await imported(second, ...flags)
      assert.strictEqual(told.status, 1, told.errors)
      assert.match(told.errors, /^lines 2, 8: revoked in the file, active here \(lic_\w+, lic_\w+\)$/m)
      assert.match(told.errors, /^line 3: suspended in the file, active here \(lic_\w+\)$/m)
      assert.match(told.errors, /^line 4: until 2031-01-01T00:00:00Z in the file, without an end here/m)
      assert.match(told.errors, /^line 5: until 2091-\S+ in the file, until 2090-\S+ here/m)
      assert.match(told.errors, /^line 6: until 2020-\S+ in the file, until 2090-\S+ here .*it is left as it is$/m)
      assert.match(told.errors, /^line 7: active in the file, suspended here .*it is left as it is$/m)
      assert.match(told.errors, /5 licenses that are there already stand otherwise in the file.*--update-status/)
      assert.match(told.errors, /^2 licenses that stand otherwise in the file are left for you to decide/m)
      assert.deepStrictEqual(await standings(), before)
    }
    const shown = await imported(second, "--update-status", "--dry-run")
    assert.strictEqual(shown.status, 1, shown.errors)
    assert.include(shown.errors, "5 licenses would be brought to the status of the file")
    assert.deepStrictEqual(await standings(), before)

    const updated = await imported(second, "--update-status", "--json")
    assert.strictEqual(updated.status, 1, "two are left")
    const { already, differing, updated: changed } = JSON.parse(updated.output)
    assert.deepStrictEqual([already, differing.length, changed], [7, 7, 5])
    assert.deepStrictEqual(await standings(), [
      "revoked never",
      "suspended never",
      "active 2031-01-01T00:00:00.000Z",
      "active 2091-01-01T00:00:00.000Z",
      "active 2090-01-01T00:00:00.000Z",
      "suspended never",
      "revoked never"
    ])
    const again = await imported(second, "--update-status")
    assert.deepStrictEqual([again.status, again.errors.match(/^line/gm)?.length], [1, 2], again.errors)
    assert.notInclude(again.output, "brought to")

    const right = fileOf("right.csv", ["0001,revoked,", "0008,active,", "0009,active,2091-01-01T00:00:00Z"])
    assert.strictEqual((await imported(right)).status, 0)
    const later = fileOf("later.csv", ["0008,suspended,", "0009,active,2092-01-01T00:00:00Z"])
    assert.strictEqual((await imported(later, "--update-status", "--dry-run")).status, 0)
    assert.strictEqual((await imported(later, "--update-status")).status, 0)
    assert.strictEqual((await imported(later)).status, 0)
  })

  it("says what the service refuses of it, and carries out the others", async () => {
    assert.strictEqual(
      (await imported(fileOf("more.csv", ["0001,revoked,", "0011,active,", "0010,active,"]))).status,
      0
    )
    const { id } = await service.data("POST", "/api/v1/licenses/lookup", { license_key: "OLD-STANDING-0011" })
    await service.data("PATCH", `/api/v1/licenses/${id}`, { starts_at: "2040-01-01T00:00:00Z" })
    const again = fileOf("refused.csv", ["0011,active,2031-01-01T00:00:00Z", "0010,suspended,"])
    const told = await imported(again, "--update-status")
    assert.strictEqual(told.status, 1, told.output)
    assert.match(told.errors, /^line 2: until 2031-\S+ in the file, without an end here \(lic_\w+\); refused: /m)
    assert.match(told.errors, /^line 3: suspended in the file, active here \(lic_\w+\); now as in the file$/m)
    assert.include(told.errors, "1 license could not be brought to the status of the file")
    assert.include(told.output, "1 brought to the status of the file")
  })

  it("knows a license by the key that it had before", async () => {
    const rotated = fileOf("rotated.csv", ["0012,active,"])
    assert.strictEqual((await imported(rotated)).status, 0)
    const { id } = await standing("0012")
    await service.data("POST", `/api/v1/licenses/${id}/rotate-key`, { overlap_minutes: 0 })
    const told = await imported(fileOf("refunded.csv", ["0012,revoked,"]))
    assert.match(told.errors, /^line 2: revoked in the file, active here/m)
  })
})

describe("countersign import of many rows with one fault", () => {
  it("is one line with the first lines, and all of them with --json", async () => {
    const service = await startService()
    const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
    const path = join(directory, "many.csv")
    const rows = Array.from({ length: 40 }, (_, n) => `OLD-MANY-${1000 + n},nothing,none\n`)
    writeFileSync(path, `license_key,product,policy\n${rows.join("")}`)
    const ended = await runCommand(["import", path], environment)
    assert.strictEqual(ended.status, 1)
    assert.strictEqual(
      ended.errors.trim(),
      "lines 2, 3, 4, 5, 6 and 35 more, product \"nothing\": is no product's code; none exists yet"
    )
    const { findings } = JSON.parse((await runCommand(["import", path, "--json"], environment)).output)
    assert.lengthOf(findings, 40)
  })
})
