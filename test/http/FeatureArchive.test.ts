import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

describe("archived features", () => {
  it("are given to no further license, and stay where they are", async () => {
    const { key, license, product: mine } = await service.issue()
    const features = `/api/v1/products/${mine.id}/features`
    const feature = await service.data("POST", features, { name: "Export", code: "export" })
    assert.notProperty(feature, "archived_at")
    const assignments = `/api/v1/licenses/${license.id}/features`
    await service.data("POST", assignments, { feature_id: feature.id, max_consumptions: 5 })

    const archived = await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true })
    assert.isString(archived.archived_at)
    const again = await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true, name: "Export 2" })
    assert.strictEqual(again.archived_at, archived.archived_at)
    assert.deepInclude(await service.data("GET", `/api/v1/features/${feature.id}`), { name: "Export 2" })

    const policy = await service.data("POST", `/api/v1/products/${mine.id}/policies`, {
      name: "Trial",
      code: "trial",
      license_type: "trial"
    })
    const further = await service.data("POST", "/api/v1/licenses", { product_id: mine.id, policy_id: policy.id })
    const path = `/api/v1/licenses/${further.license.id}/features`
    refused(await service.call("POST", path, { body: { feature_id: feature.id } }), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await service.data("GET", path), [])

    // Who has it keeps it: it serves, and how it is had may change.
    const kept = await service.data("POST", assignments, { feature_id: feature.id, max_consumptions: 9 })
    assert.strictEqual(kept.max_consumptions, 9)
    const activated = await service.license("activate", key, { fingerprint: "f" })
    assert.deepInclude(activated.body.data.features, {
      code: "export",
      enabled: true,
      quota: 9,
      consumed: 0,
      remaining: 9
    })

    await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: false })
    assert.notProperty(await service.data("GET", `/api/v1/features/${feature.id}`), "archived_at")
    assert.strictEqual((await service.call("POST", path, { body: { feature_id: feature.id } })).status, 200)
  })

  it("are listed by a filter that belongs to the cursor", async () => {
    const mine = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
    const path = `/api/v1/products/${mine.id}/features`
    const codes = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `${path}${query}`)).map(({ code }: Body) => code)
    for (const code of ["a", "b", "c", "d"]) {
      const feature = await service.data("POST", path, { name: code, code })
      if (code === "b" || code === "d") {
        await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true })
      }
    }
    assert.deepStrictEqual(await codes(""), ["d", "c", "b", "a"])
    assert.deepStrictEqual(await codes("?is_archived=true"), ["d", "b"])
    assert.deepStrictEqual(await codes("?is_archived=false"), ["c", "a"])
    const { body } = await service.call("GET", `${path}?is_archived=true&limit=1`)
    const cursor = body.page_info.next_cursor
    assert.deepStrictEqual(await codes(`?is_archived=true&cursor=${cursor}`), ["b"])
    for (const query of ["is_archived=false&", ""]) {
      refused(await service.call("GET", `${path}?${query}cursor=${cursor}`), 400, "INVALID_CURSOR")
    }
    refused(await service.call("GET", `${path}?is_archived=maybe`), 400, "INVALID_QUERY")
  })
})
