import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { run, serve, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, eventually } from "../../fixtures/Session.ts"

/** A bundle as `npm run bundle` makes it, outside the checkout, so that nothing is found in node_modules. */
const bundled = async (...options: ReadonlyArray<string>) => {
  const app = temporaryDirectory()
  const built = await run([manifest.scripts.bundle.replace("node ", ""), join(app, "dist"), ...options])
  assert.strictEqual(built.status, 0, built.errors)
  const service = await serve(["dist/main.js"], {
    DATABASE_URL: await database(),
    COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    COUNTERSIGN_ADMIN_TOKEN: adminToken
  }, app)
  const call = (path: string, body?: object) =>
    fetch(service.url + path, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
    })
  /** The record of an export once it has ended. */
  const ended = async (format: string): Promise<Body> => {
    const created = await call("/api/v1/reports/exports", { report_kind: "usage-ledger", format })
    assert.strictEqual(created.status, 201)
    const { data: { id } } = await created.json() as Body
    return eventually(`the ${format} ends`, async () => {
      const { data } = await (await call(`/api/v1/reports/exports/${id}`)).json() as Body
      return data.status === "ready" || data.status === "failed" ? data : undefined
    }, 40)
  }
  const beginning = async ({ id }: Body): Promise<string> =>
    (await (await call(`/api/v1/reports/exports/${id}/download`)).text()).slice(0, 12)
  return { service, ended, beginning }
}

describe("a bundle", () => {
  it("makes PDFs", async () => {
    const { beginning, ended, service } = await bundled()
    const record = await ended("pdf")
    assert.strictEqual(record.status, "ready", JSON.stringify(record))
    assert.include(await beginning(record), "%PDF-1.7")
    assert.strictEqual(await service.stop(), 0)
  }, 120_000)

  it("without fonts refuses a PDF and says how they are installed, and does everything else", async () => {
    const { beginning, ended, service } = await bundled("--without-pdf")
    const { failure, status } = await ended("pdf")
    assert.strictEqual(status, "failed")
    assert.strictEqual(failure.code, "FONTS_MISSING")
    assert.include(failure.message, "npm run bundle")
    for (const [format, begin] of [["csv", "occurred_at"], ["json", "{\"as_of"]] as const) {
      const record = await ended(format)
      assert.strictEqual(record.status, "ready", JSON.stringify(record))
      assert.include(await beginning(record), begin)
    }
    assert.strictEqual(await service.stop(), 0)
  }, 120_000)
})
