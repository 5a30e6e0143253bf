import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Countersign } from "../../../src/client/api/index.ts"
import { operations } from "../../../src/client/api/operations.gen.ts"
import { exportedResources } from "../../../src/runtime/exporting/ExportedResources.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { atEnd } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const directory = temporaryDirectory()

describe("countersign export", () => {
  let service: Service
  let made: Awaited<ReturnType<typeof makeHistory>>
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    service = await startService()
    made = await makeHistory(service)
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  it("writes what the API shows, with a manifest that its files answer to", async () => {
    const target = join(directory, "all")
    const ended = await run(["src/runtime/cli.ts", "export", target], environment)
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.isFalse(existsSync(`${target}.part`))
    const text = (name: string) => readFileSync(join(target, name), "utf8")
    const lines = (name: string) =>
      text(`${name}.ndjson`).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
    const { feed, files } = JSON.parse(text("manifest.json"))
    for (const { bytes, file, lines, sha256 } of files) {
      const written = readFileSync(join(target, file))
      assert.strictEqual(createHash("sha256").update(written).digest("hex"), sha256, file)
      assert.strictEqual(written.length, bytes)
      assert.strictEqual(written.toString().split("\n").length - 1, lines)
    }
    for (const name of readdirSync(target)) assert.strictEqual(statSync(join(target, name)).mode & 0o777, 0o600, name)
    assert.deepStrictEqual(lines("events"), await service.feed())
    assert.strictEqual(feed.sequence_after, lines("events").length)
    for (
      const [name, path] of [["licenses", "licenses"], ["customers", "customers"], ["webhooks", "webhooks"]] as const
    ) {
      assert.deepStrictEqual(lines(name), (await service.call("GET", `/api/v1/${path}?limit=200`)).body.data, name)
    }
    const id = made.license.id
    for (
      const [name, part] of [["devices", "devices"], ["leases", "leases"], ["license_features", "features"]] as const
    ) {
      const shown = (await service.call("GET", `/api/v1/licenses/${id}/${part}?limit=200`)).body.data
      assert.isNotEmpty(shown)
      assert.deepStrictEqual(lines(name).filter(({ license_id }) => license_id === id), shown, name)
    }
    for (const [name, path] of [["usage_ledger", "reports/usage-ledger"], ["activities", "activities"]] as const) {
      const shown = (await service.call("GET", `/api/v1/${path}?limit=200&from=2000-01-01T00:00:00Z`)).body.data
      assert.isNotEmpty(shown)
      assert.includeDeepMembers(lines(name), shown, name)
    }
    assert.include(text("README.txt"), "license keys and API keys")
    const whole = readdirSync(target).map(text).join("")
    for (const secret of [made.key, adminToken, "whsec_\""]) assert.notInclude(whole, secret)
  })

  it("reads every list that the API has for a management token, but for copies of the same", () => {
    const asked = new Set<string>()
    const group = (name: string) =>
      new Proxy({}, { get: (_, method) => () => (asked.add(`${name}.${String(method)}`), []) })
    const client = new Proxy({}, { get: (_, name) => group(String(name)) }) as Countersign
    for (const { read } of exportedResources) read(client, { id: "id", product_id: "id" })
    const lists = Object.entries(operations).flatMap(([name, methods]) =>
      Object.entries(methods).filter(([, text]) => / token page /.test(text)).map(([method]) => `${name}.${method}`)
    )
    const left = {
      "reportExports.list": "files that were made from reports for a time, and are deleted again",
      "jobs.list": "what was done is in the events, and what a job says of it is deleted again",
      "jobs.listRows": "the same",
      "approvals.list": "between people here, and done or over in a day",
      "customers.listBalances": "sums of the features, grants and pools of licenses, which are there",
      "licenses.listNotes": "between colleagues here, which do not move",
      "customers.listNotes": "the same",
      "licenseViews.list": "what callers have saved for themselves and colleagues here",
      "passkeys.list": "of the address of this service, and good nowhere else"
    }
    assert.sameMembers([...asked, ...Object.keys(left)], lists)
  })

  it("writes a license with 125,000 leases, in the order of the licenses", async () => {
    const pages = 625
    const most = 200
    const many = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://localhost")
      const [, owner, leases] = /\/licenses\/(lic_\d+)\/(leases)?/.exec(pathname) ?? []
      const page = Number(searchParams.get("cursor") ?? 0)
      const isMany = leases !== undefined && owner === "lic_1"
      const data = pathname.endsWith("/licenses")
        ? [{ id: "lic_1" }, { id: "lic_2" }]
        : isMany
        ? Array.from({ length: most }, (_, index) => ({ id: page * most + index }))
        : leases === undefined
        ? []
        : [{ id: owner }]
      const has_more = isMany && page + 1 < pages
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ data, page_info: { has_more, next_cursor: has_more ? String(page + 1) : null } }))
    })
    await new Promise<void>((resolve) => many.listen(0, "127.0.0.1", resolve))
    atEnd(async () => {
      many.close()
    })
    const target = join(directory, "many")
    const { port } = many.address() as AddressInfo
    const ended = await runCommand(["export", target], { ...environment, COUNTERSIGN_URL: `http://127.0.0.1:${port}` })
    assert.strictEqual(ended.status, 0, ended.errors)
    const ids = readFileSync(join(target, "leases.ndjson"), "utf8").trimEnd().split("\n").map((line) =>
      JSON.parse(line).id
    )
    assert.lengthOf(ids, pages * most + 1)
    assert.isTrue(ids.slice(0, -1).every((id, index) => id === index))
    assert.strictEqual(ids.at(-1), "lic_2")
    const { files } = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"))
    assert.strictEqual(files.find(({ file }: { file: string }) => file === "leases.ndjson").lines, ids.length)
  })

  it("leaves what is there, and nothing half done", async () => {
    const there = await runCommand(["export", directory], environment)
    assert.strictEqual(there.status, 2, there.errors)
    const target = join(directory, "refused")
    const refused = await runCommand(["export", target], {
      ...environment,
      COUNTERSIGN_TOKEN: "a-token-that-nobody-has-0001"
    })
    assert.strictEqual(refused.status, 1, refused.errors)
    assert.isFalse(existsSync(target))
    const away = await runCommand(["export", target], { ...environment, COUNTERSIGN_URL: "http://127.0.0.1:9" })
    assert.strictEqual(away.status, 3, away.errors)
  })
})
