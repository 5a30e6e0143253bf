import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import type { Ended } from "../../../fixtures/Program.ts"
import { run, temporaryDirectory } from "../../../fixtures/Program.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { eventually, session } from "../../../fixtures/Session.ts"

const base = "/api/v1/reports/exports"
const vendor = "Müller & שלום GmbH"
let service: Service

beforeAll(async () => {
  service = await startService({ environment: { COUNTERSIGN_VENDOR_NAME: vendor } })
  await service.data("POST", "/api/v1/customers", { name: "株式会社サンプル", code: "jp" })
  await service.issue()
})

const bytesOf = async (path: string): Promise<Uint8Array> => {
  const answer = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })
  assert.strictEqual(answer.status, 200, path)
  return new Uint8Array(await answer.arrayBuffer())
}

/** A finished export with everything that a verifier needs, as files. */
const kept = async (format: string) => {
  const body = {
    report_kind: "usage-summary",
    format,
    time_zone: "Europe/Berlin",
    filters: { bucket: "1d", group_by: "customer_id" }
  }
  const { id } = await service.data("POST", base, body)
  const record: Body = await eventually("the export is ready", async () => {
    const record = await service.data("GET", `${base}/${id}`)
    return record.status === "ready" ? record : undefined
  })
  const directory = temporaryDirectory()
  const file = join(directory, record.file_name)
  const [manifest, keys, snapshot] = ["manifest.json", "keys.json", "snapshot.json"].map((name) =>
    join(directory, name)
  )
  writeFileSync(file, await bytesOf(`${base}/${id}/download`))
  writeFileSync(manifest!, await bytesOf(`${base}/${id}/manifest`))
  writeFileSync(keys!, await bytesOf("/api/v1/system/public-keys"))
  writeFileSync(snapshot!, await bytesOf(`${base}/${id}/snapshot`))
  return { record, file, manifest: manifest!, keys: keys!, snapshot: snapshot! }
}

const verify = (...args: ReadonlyArray<string>): Promise<Ended> => runCommand(["verify", "export", ...args])

describe("countersign verify export", () => {
  it.concurrent.each(["json", "csv", "pdf"])(
    "checks a %s offline, and renders it again byte for byte",
    async (format) => {
      const { file, keys, manifest, record, snapshot } = await kept(format)
      const options = ["--manifest", manifest, "--keys", keys]
      const plain = await verify(file, ...options)
      assert.strictEqual(plain.status, 0, plain.errors + plain.output)
      assert.include(plain.output, `verified: ${record.file_name}`)
      // Another process, with another language and another time zone.
      const again = await run(
        ["src/runtime/cli.ts", "verify", "export", file, ...options, "--snapshot", snapshot, "--json"],
        { LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG.UTF-8", TZ: "Asia/Tokyo" }
      )
      assert.strictEqual(again.status, 0, again.errors + again.output)
      const verdict = JSON.parse(again.output)
      assert.isTrue(verdict.ok)
      assert.strictEqual(verdict.manifest.artifact_digest, record.artifact_digest)
      // The command knows neither the service's settings nor the request; both are frozen in the snapshot.
      const { presentation } = JSON.parse(readFileSync(snapshot, "utf8"))
      assert.strictEqual(presentation.vendor, vendor)
      assert.strictEqual(presentation.time_zone.name, "Europe/Berlin")
    }
  )

  it("exits 1 and says what is wrong with a file, a snapshot, a key or a manifest", async () => {
    const { file, keys, manifest, snapshot } = await kept("csv")
    const fails = async (fault: string, ...args: ReadonlyArray<string>) => {
      const ended = await verify(...args)
      assert.strictEqual(ended.status, 1, ended.output)
      assert.include(ended.output, `not verified: ${fault}`)
    }
    const content = readFileSync(file)
    const altered = `${file}.altered`
    content[content.length - 3]! ^= 1
    writeFileSync(altered, content)
    await fails("digest_mismatch", altered, "--manifest", manifest, "--keys", keys)
    await fails("size_mismatch", snapshot, "--manifest", manifest, "--keys", keys)
    await fails("size_mismatch", file, "--manifest", manifest, "--keys", keys, "--snapshot", file)
    const forged = JSON.parse(readFileSync(manifest, "utf8"))
    forged.data.artifact_digest = `sha256:${createHash("sha256").update(content).digest("hex")}`
    writeFileSync(`${manifest}.forged`, JSON.stringify(forged))
    await fails("signature_mismatch", altered, "--manifest", `${manifest}.forged`, "--keys", keys)
    const others = JSON.parse(readFileSync(keys, "utf8"))
    others.data[0].kid = "sig_another"
    writeFileSync(`${keys}.others`, JSON.stringify(others))
    await fails("unknown_key", file, "--manifest", manifest, "--keys", `${keys}.others`)
    const missing = await verify(file, "--manifest", manifest, "--keys", join(temporaryDirectory(), "none.json"))
    assert.strictEqual(missing.status, 2)
    assert.include(missing.errors, "none.json")
  })
})

describe("retention", () => {
  it("removes the file when its time is over, and keeps the digests and the manifest", async () => {
    const { file, keys, manifest, record } = await kept("csv")
    const database = await session(service.databaseUrl)
    await database.query("UPDATE report_exports SET expires_at = now() WHERE id = $1", [record.id])
    // A service looks for old files when it starts, and every minute.
    const other = await startService({ databaseUrl: service.databaseUrl })
    const expired: Body = await eventually("the export has expired", async () => {
      const found = await other.data("GET", `${base}/${record.id}`)
      return found.status === "expired" ? found : undefined
    })
    assert.strictEqual(expired.digest, record.digest)
    // The record says so first.
    await eventually("the file is gone", async () => {
      const left = await database.query("SELECT 1 FROM report_export_pieces WHERE export_id = $1", [record.id])
      return left.length === 0
    })
    const download = await other.call("GET", `${base}/${record.id}/download`)
    assert.strictEqual(download.status, 409)
    assert.include(download.body.error.message, "expired")
    const { body } = await other.call("GET", `${base}/${record.id}/manifest`)
    assert.deepStrictEqual(body.data, JSON.parse(readFileSync(manifest, "utf8")).data)
    // Who kept the file can still check it.
    assert.strictEqual((await verify(file, "--manifest", manifest, "--keys", keys)).status, 0)
  })
})
