import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service

const hour = 3_600_000
/** An instant so many hours from now. */
const at = (hours: number): string => new Date(Date.now() + hours * hour).toISOString()

const issue = (license: object = {}): Promise<Issued> =>
  service.issue({ policy: { license_type: "perpetual" }, license })

const add = (product: Body, version: string, more: object = {}): Promise<Body> =>
  service.data("POST", `/api/v1/products/${product.id}/versions`, { version, ...more })

/** What a fresh device of this license is told about the version it runs. */
const eligibility = async ({ key }: Issued, app_version: string): Promise<Body> => {
  const binding = { fingerprint: randomUUID(), app_version }
  const activated = await service.license("activate", key, binding)
  assert.strictEqual(activated.status, 200, activated.text)
  const validated = await service.license("validate", key, binding)
  const checked = await service.license("check", key, binding)
  assert.strictEqual(validated.status, 200, validated.text)
  assert.deepStrictEqual(validated.body.data.version_eligibility, activated.body.data.version_eligibility)
  assert.deepStrictEqual(checked.body.data.version_eligibility, activated.body.data.version_eligibility)
  assert.strictEqual((await service.license("deactivate", key, binding)).status, 200)
  return validated.body.data.version_eligibility
}

beforeAll(async () => {
  service = await startService()
})

describe("the catalogue", () => {
  it("keeps the links of a version in their order, and takes them away for an empty list", async () => {
    const { product } = await issue()
    const links = [
      { label: "Windows", url: "https://downloads.example.com/4.2?os=win#msi", sha256: "0f".repeat(32) },
      { label: "Linux", url: "https://downloads.example.com/4.2.tar.gz" }
    ]
    const version = await add(product, "4.2", { links })
    assert.deepStrictEqual(version.links, links)
    const path = `/api/v1/products/${product.id}/versions/${version.id}`
    assert.deepStrictEqual((await service.data("PATCH", path, { metadata: { a: 1 } })).links, links)
    const turned = links.toReversed()
    assert.deepStrictEqual((await service.data("PATCH", path, { links: turned })).links, turned)
    assert.deepStrictEqual((await service.data("GET", path)).links, turned)
    assert.deepStrictEqual((await service.data("GET", `/api/v1/products/${product.id}/versions`))[0].links, turned)
    const [event] = (await service.feed("&event_type=version.updated")).slice(-1)
    assert.deepStrictEqual(event.data.links, turned)
    assert.notProperty(await service.data("PATCH", path, { links: [] }), "links")
    assert.notProperty(await add(product, "4.3", { links: [] }), "links")
    const url = "https://downloads.example.com/4.2"
    const bad: ReadonlyArray<unknown> = [
      [{ label: "Linux" }],
      [{ label: " ", url }],
      [{ label: "x".repeat(65), url }],
      [{ label: "Linux", url: "http://downloads.example.com" }],
      [{ label: "Linux", url: "javascript:alert(1)" }],
      [{ label: "Linux", url: "https://me:secret@downloads.example.com" }],
      [{ label: "Linux", url: "downloads.example.com" }],
      [{ label: "Linux", url: `${url}/${"x".repeat(2048)}` }],
      [{ label: "Linux", url, sha256: "AB".repeat(32) }],
      Array.from({ length: 21 }, () => ({ label: "Linux", url }))
    ]
    for (const links of bad) {
      refused(await service.call("PATCH", path, { body: { links } }), 422, "VALIDATION_ERROR")
      refused(
        await service.call("POST", `/api/v1/products/${product.id}/versions`, { body: { version: "5", links } }),
        422,
        "VALIDATION_ERROR"
      )
    }
  })

  it("answers a version with the members of the contract, released now unless said otherwise", async () => {
    const { product } = await issue()
    const version = await add(product, "1.0.0")
    assert.sameMembers(Object.keys(version), [
      "id",
      "product_id",
      "version",
      "released_at",
      "metadata",
      "created_at",
      "updated_at"
    ])
    assert.match(version.id, /^ver_/)
    assert.strictEqual(version.product_id, product.id)
    assert.strictEqual(version.released_at, version.created_at)
    const told = await add(product, "1.0.1", {
      released_at: "2020-02-29T12:00:00+02:00",
      metadata: { channel: "beta" }
    })
    assert.strictEqual(told.released_at, "2020-02-29T10:00:00.000Z")
    assert.deepStrictEqual(told.metadata, { channel: "beta" })
  })

  it("has each version once per product", async () => {
    const one = await issue()
    const other = await issue()
    await add(one.product, "1.0.0")
    await add(other.product, "1.0.0")
    const again = await service.call("POST", `/api/v1/products/${one.product.id}/versions`, {
      body: { version: "1.0.0" }
    })
    refused(again, 409, "CONFLICT")
  })

  it("lists the newest first, page by page", async () => {
    const { product } = await issue()
    for (const version of ["1", "2", "3"]) await add(product, version)
    const path = `/api/v1/products/${product.id}/versions`
    const first = await service.call("GET", `${path}?limit=2`)
    assert.deepStrictEqual(first.body.data.map((row: Body) => row.version), ["3", "2"])
    assert.isTrue(first.body.page_info.has_more)
    const second = await service.call("GET", `${path}?limit=2&cursor=${first.body.page_info.next_cursor}`)
    assert.deepStrictEqual(second.body.data.map((row: Body) => row.version), ["1"])
    assert.deepStrictEqual(second.body.page_info, { next_cursor: null, has_more: false })
    const other = await issue()
    refused(
      await service.call(
        "GET",
        `/api/v1/products/${other.product.id}/versions?cursor=${first.body.page_info.next_cursor}`
      ),
      400,
      "INVALID_CURSOR"
    )
  })

  it("refuses what it cannot hold", async () => {
    const { product } = await issue()
    const path = `/api/v1/products/${product.id}/versions`
    refused(await service.call("POST", path, { body: {} }), 422, "VALIDATION_ERROR")
    refused(await service.call("POST", path, { body: { version: "" } }), 422, "VALIDATION_ERROR")
    refused(await service.call("POST", path, { body: { version: "1<2" } }), 422, "VALIDATION_ERROR")
    refused(
      await service.call("POST", path, { body: { version: "1", released_at: "yesterday" } }),
      422,
      "VALIDATION_ERROR"
    )
    refused(await service.call("POST", path, { body: { version: "1", channel: "beta" } }), 400, "UNKNOWN_FIELD")
    refused(
      await service.call("POST", "/api/v1/products/prod_none/versions", { body: { version: "1" } }),
      404,
      "NOT_FOUND"
    )
    refused(await service.call("GET", "/api/v1/products/prod_none/versions"), 404, "NOT_FOUND")
  })

  it("is read, changed and deleted under its own product only, each change an event", async () => {
    const { product } = await issue()
    const other = await issue()
    const version = await add(product, "1.0.0")
    await add(product, "2.0.0")
    const path = `/api/v1/products/${product.id}/versions/${version.id}`
    const wrong = `/api/v1/products/${other.product.id}/versions/${version.id}`
    for (const method of ["GET", "DELETE"]) refused(await service.call(method, wrong), 404, "NOT_FOUND")
    refused(await service.call("PATCH", wrong, { body: {} }), 404, "NOT_FOUND")
    refused(await service.call("PATCH", path, { body: { version: "2.0.0" } }), 409, "CONFLICT")
    const changed = await service.data("PATCH", path, { released_at: "2021-01-01T00:00:00Z" })
    assert.strictEqual(changed.released_at, "2021-01-01T00:00:00.000Z")
    assert.deepStrictEqual(await service.data("GET", path), changed)
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${version.id}`)
    assert.deepStrictEqual(events.map((event) => `${event.event_type} ${event.resource_type}`), [
      "version.created version",
      "version.updated version",
      "version.deleted version"
    ])
    assert.deepStrictEqual(events[1].data, changed)
  })

  it("keeps its product from being deleted", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "Acme", code: randomUUID() })
    await add(product, "1.0.0")
    const { detail } = refused(await service.call("DELETE", `/api/v1/products/${product.id}`), 409, "IN_USE")
    assert.include(detail, "product versions")
  })

  it("needs product:read and product:write", async () => {
    const { product } = await issue()
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "reader", scopes: ["product:read"] })
    const path = `/api/v1/products/${product.id}/versions`
    assert.strictEqual((await service.call("GET", path, { token })).status, 200)
    refused(await service.call("POST", path, { token, body: { version: "1" } }), 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("eligibility at run time", () => {
  it("is not answered to an app that does not say its version", async () => {
    const issued = await issue()
    await add(issued.product, "1.0.0")
    const { body } = await service.license("activate", issued.key, { fingerprint: "f" })
    assert.notProperty(body.data, "version_eligibility")
  })

  it("is not enforced without a catalogue, whatever maintenance says", async () => {
    assert.deepStrictEqual(await eligibility(await issue({ maintenance_expires_at: at(-1) }), "9.9"), {
      app_version: "9.9",
      is_entitled: true,
      enforced: false
    })
  })

  it("is not enforced without an end of maintenance, and tells when the version was released", async () => {
    const issued = await issue()
    const { released_at } = await add(issued.product, "1.0.0", { released_at: at(-48) })
    assert.deepStrictEqual(await eligibility(issued, "1.0.0"), {
      app_version: "1.0.0",
      is_entitled: true,
      enforced: false,
      released_at
    })
    assert.deepStrictEqual(await eligibility(issued, "1.0.1"), {
      app_version: "1.0.1",
      is_entitled: true,
      enforced: false
    })
  })

  it("covers the versions released by the end of maintenance, its very instant included", async () => {
    const maintenance_expires_at = at(-24)
    const issued = await issue({ maintenance_expires_at })
    const before = await add(issued.product, "1.0", { released_at: at(-48) })
    await add(issued.product, "1.1", { released_at: maintenance_expires_at })
    const after = await add(issued.product, "2.0", {
      released_at: new Date(Date.parse(maintenance_expires_at) + 1).toISOString()
    })
    const enforced = { enforced: true, eligible_through: maintenance_expires_at }
    assert.deepStrictEqual(await eligibility(issued, "1.0"), {
      app_version: "1.0",
      is_entitled: true,
      released_at: before.released_at,
      ...enforced
    })
    assert.deepStrictEqual(await eligibility(issued, "1.1"), {
      app_version: "1.1",
      is_entitled: true,
      released_at: maintenance_expires_at,
      ...enforced
    })
    assert.deepStrictEqual(await eligibility(issued, "2.0"), {
      app_version: "2.0",
      is_entitled: false,
      released_at: after.released_at,
      ...enforced
    })
  })

  it("covers a version that is not listed while maintenance runs, and no longer once it has ended", async () => {
    const running = await issue({ maintenance_expires_at: at(24) })
    await add(running.product, "1.0", { released_at: at(-48) })
    await add(running.product, "3.0", { released_at: at(48) })
    const unlisted = await eligibility(running, "2.0")
    assert.deepInclude(unlisted, { is_entitled: true, enforced: true })
    assert.notProperty(unlisted, "released_at")
    assert.isFalse((await eligibility(running, "3.0")).is_entitled)

    const ended = await issue({ maintenance_expires_at: at(-24) })
    await add(ended.product, "1.0", { released_at: at(-48) })
    assert.deepInclude(await eligibility(ended, "2.0"), { is_entitled: false, enforced: true })
    await add(ended.product, "2.0", { released_at: at(-30) })
    assert.deepInclude(await eligibility(ended, "2.0"), { is_entitled: true, enforced: true })
  })

  it("looks in the catalogue of the license's own product", async () => {
    const other = await issue()
    await add(other.product, "1.0", { released_at: at(-48) })
    const issued = await issue({ maintenance_expires_at: at(-24) })
    assert.deepInclude(await eligibility(issued, "1.0"), { is_entitled: true, enforced: false })
  })

  it("stands in the answer of consume too", async () => {
    const issued = await issue({ maintenance_expires_at: at(-24) })
    await add(issued.product, "2.0")
    const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "Export",
      code: "export"
    })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: feature.id })
    const binding = { fingerprint: "f", app_version: "2.0" }
    await service.license("activate", issued.key, binding)
    const consumed = await service.license("consume", issued.key, { ...binding, feature_code: "export", event_id: "1" })
    assert.strictEqual(consumed.status, 200, consumed.text)
    assert.deepInclude(consumed.body.data.version_eligibility, { is_entitled: false, enforced: true })
  })
})
