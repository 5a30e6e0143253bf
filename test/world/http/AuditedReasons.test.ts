// The audit of a license shows why somebody did something, live and in each format, until that is erased.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { extractText, getDocumentProxy } from "unpdf"
import { exchange } from "../../fixtures/Exchange.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const act = async (path: string, body: object): Promise<Body> => {
  const headers = { "idempotency-key": crypto.randomUUID() }
  const answer = await service.call("POST", `/api/v1/${path}`, { body, headers })
  assert.isBelow(answer.status, 300, answer.text)
  return answer.body?.data
}

describe("the audit of a license", () => {
  it("shows reasons live and frozen in each format, and none after an erasure", async () => {
    const why = "Überwacher says: \"=1+1\"; 漢字"
    const customer = await act("customers", { name: "Audited", code: crypto.randomUUID() })
    const { key, license } = await service.issue({
      policy: { max_floating_users: 1 },
      license: { customer_id: customer.id }
    })
    await service.license("floating/checkout", key, { fingerprint: "a" })
    const [lease] = await service.data("GET", `/api/v1/licenses/${license.id}/leases`)
    await act(`licenses/${license.id}/leases/${lease.id}/release`, { reason: why })
    const statusOf = async (id: string) => (await service.data("GET", `/api/v1/reports/exports/${id}`)).status
    const frozen = (format: string) =>
      act("reports/exports", { report_kind: "license-audit", format, filters: { license_id: license.id } })
    const download = (id: string) => service.call("GET", `/api/v1/reports/exports/${id}/download`)
    const all = async () => {
      const exports = await Promise.all(["json", "csv", "pdf"].map(frozen))
      for (const { id } of exports) await eventually(`${id} is ready`, async () => await statusOf(id) === "ready")
      return exports.map(({ id }) => id)
    }
    const printed = async (id: string): Promise<string> => {
      const { status, bytes } = await exchange(service.url, `/api/v1/reports/exports/${id}/download`, {
        headers: { authorization: `Bearer ${adminToken}` }
      })
      assert.strictEqual(status, 200)
      return (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })).text
    }
    const live = () => service.call("GET", `/api/v1/reports/license-audit?license_id=${license.id}`)
    const [json, csv, pdf] = await all()
    assert.include((await live()).text, JSON.stringify(why))
    assert.include((await download(json)).text, JSON.stringify(why))
    assert.include((await download(csv)).text, "Überwacher says")
    assert.include(await printed(pdf), "Überwacher says")
    await act(`customers/${customer.id}/erase`, {})
    for (const id of [json, csv, pdf]) {
      assert.strictEqual(await statusOf(id), "expired", id)
      assert.notInclude((await download(id)).text, "berwacher")
    }
    assert.notInclude((await live()).text, "berwacher")
    const [laterJson, laterCsv, laterPdf] = await all()
    for (const id of [laterJson, laterCsv]) assert.notInclude((await download(id)).text, "berwacher")
    assert.notInclude(await printed(laterPdf), "berwacher")
  })
})
