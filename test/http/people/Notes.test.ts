// Notes of colleagues about licenses and customers: who wrote them, who may change them, and where they are not told.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()

const customer = (): Promise<Body> => service.data("POST", "/api/v1/customers", { name: "Ada", code: randomUUID() })
const license = async (customer_id?: string): Promise<Body> =>
  (await service.issue({ license: customer_id === undefined ? {} : { customer_id } })).license
const ofLicense = {
  list: (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}/notes`),
  create: (id: string, text: string): Promise<Body> => service.data("POST", `/api/v1/licenses/${id}/notes`, { text }),
  update: (id: string, note: string, text: string): Promise<Body> =>
    service.data("PUT", `/api/v1/licenses/${id}/notes/${note}`, { text }),
  remove: (id: string, note: string) => service.call("DELETE", `/api/v1/licenses/${id}/notes/${note}`)
}
const ofCustomer: typeof ofLicense = {
  list: (id) => service.data("GET", `/api/v1/customers/${id}/notes`),
  create: (id, text) => service.data("POST", `/api/v1/customers/${id}/notes`, { text }),
  update: (id, note, text) => service.data("PUT", `/api/v1/customers/${id}/notes/${note}`, { text }),
  remove: (id, note) => service.call("DELETE", `/api/v1/customers/${id}/notes/${note}`)
}
const write = (path: string, text: string): Promise<Body> => service.data("POST", `${path}/notes`, { text })
const texts = async (path: string): Promise<ReadonlyArray<string>> =>
  (await service.data("GET", `${path}/notes`)).map(({ text }: Body) => text)

describe.each([["licenses", license], ["customers", customer]] as const)(
  "a note about one of the %s",
  (subjects, make) => {
    const subject = subjects === "licenses" ? "license" : "customer"

    it("is written, listed, changed and deleted, each with an event that does not have its text", async () => {
      const { id } = await make()
      const calls = subjects === "licenses" ? ofLicense : ofCustomer
      const note = await calls.create(id, "Called: wants\na refund 🙂")
      assert.match(note.id, /^note_/)
      assert.deepInclude(note, {
        [`${subject}_id`]: id,
        text: "Called: wants\na refund 🙂",
        author: { type: "api_key", id: "bootstrap" },
        is_own: true
      })
      assert.deepStrictEqual(await calls.list(id), [note])
      const changed = await calls.update(id, note.id, "Refunded.")
      assert.deepInclude(changed, { text: "Refunded.", created_at: note.created_at })
      assert.strictEqual((await calls.remove(id, note.id)).status, 204)
      assert.deepStrictEqual(await calls.list(id), [])
      refused(await calls.remove(id, note.id), 404, "NOT_FOUND")
      const events = await service.feed(`&resource_id=${note.id}`)
      assert.deepStrictEqual(
        events.map(({ event_type }: Body) => event_type),
        ["note.created", "note.updated", "note.deleted"]
      )
      for (const event of events) {
        assert.notInclude(JSON.stringify(event), "efund")
        assert.strictEqual(event.data[`${subject}_id`], id)
      }
    })

    it("is of its author, by the name that the key had", async () => {
      const { id } = await make()
      const path = `/api/v1/${subjects}/${id}/notes`
      const { api_key, token } = await service.data("POST", "/api/v1/api-keys", {
        name: "Support desk",
        scopes: ["license:write", "customer:write"]
      })
      const note = await service.data("POST", path, { text: "mine" }, { token })
      assert.deepStrictEqual(note.author, { type: "api_key", id: api_key.id, name: "Support desk" })
      const other = await write(`/api/v1/${subjects}/${id}`, "of the admin")
      const seen = await service.call("GET", path, { token })
      assert.deepStrictEqual(seen.body.data.map(({ is_own }: Body) => is_own), [false, true])
      const put = (of: Body, more: object) =>
        service.call("PUT", `${path}/${of.id}`, { body: { text: "changed" }, ...more })
      refused(await put(other, { token }), 403, "TOKEN_SCOPE_DENIED")
      refused(await put(note, {}), 403, "TOKEN_SCOPE_DENIED")
      refused(await service.call("DELETE", `${path}/${other.id}`, { token }), 403, "TOKEN_SCOPE_DENIED")
      // Who may do everything deletes what another wrote.
      assert.strictEqual((await service.call("DELETE", `${path}/${note.id}`)).status, 204)
    })

    it("has a text of 1 to 2,000 characters, one of which can be seen", async () => {
      const { id } = await make()
      const path = `/api/v1/${subjects}/${id}/notes`
      for (const text of ["", " \n ", "x".repeat(2001)]) {
        refused(await service.call("POST", path, { body: { text } }), 422, "VALIDATION_ERROR")
      }
      assert.strictEqual((await service.call("POST", path, { body: { text: "x".repeat(2000) } })).status, 201)
    })

    it("is found only with what it is about", async () => {
      const [one, two] = [await make(), await make()]
      const note = await write(`/api/v1/${subjects}/${one.id}`, "of the first")
      refused(
        await service.call("PUT", `/api/v1/${subjects}/${two.id}/notes/${note.id}`, { body: { text: "x" } }),
        404,
        "NOT_FOUND"
      )
      for (const method of ["GET", "POST"]) {
        const body = method === "GET" ? {} : { body: { text: "x" } }
        refused(await service.call(method, `/api/v1/${subjects}/nothing/notes`, body), 404, "NOT_FOUND")
      }
    })
  }
)

describe("an erasure", () => {
  it("deletes the notes about the customer and the customer's licenses, and no others", async () => {
    const [erased, other] = [await customer(), await customer()]
    const [own, former, foreign] = [await license(erased.id), await license(erased.id), await license(other.id)]
    await write(`/api/v1/customers/${erased.id}`, "about her")
    await write(`/api/v1/customers/${other.id}`, "about another")
    await write(`/api/v1/licenses/${own.id}`, "about her license")
    await write(`/api/v1/licenses/${former.id}`, "about her license, before it was handed over")
    await write(`/api/v1/licenses/${foreign.id}`, "about another's license")
    const unowned = await license()
    await write(`/api/v1/licenses/${unowned.id}`, "before it was hers")
    await service.data("PATCH", `/api/v1/licenses/${unowned.id}`, { customer_id: erased.id })
    await service.data("POST", `/api/v1/licenses/${former.id}/transfer`, { customer_id: other.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    await write(`/api/v1/licenses/${former.id}`, "about the new owner")
    const transfer = (id: string, customer_id: string) =>
      service.data("POST", `/api/v1/licenses/${id}/transfer`, { customer_id }, {
        headers: { "idempotency-key": randomUUID() }
      })
    // Written before the license was hers, and changed while it was: then it became another's.
    const handed = await license()
    await write(`/api/v1/licenses/${handed.id}`, "before it was hers, too")
    await service.data("PATCH", `/api/v1/licenses/${handed.id}`, { customer_id: erased.id })
    await transfer(handed.id, other.id)
    const edited = await license(other.id)
    const note = await write(`/api/v1/licenses/${edited.id}`, "about another")
    await transfer(edited.id, erased.id)
    await service.data("PUT", `/api/v1/licenses/${edited.id}/notes/${note.id}`, { text: "about her" })
    await transfer(edited.id, other.id)
    const path = `/api/v1/customers/${erased.id}/erase`
    assert.strictEqual((await service.data("POST", path, { dry_run: true })).notes, 6)
    assert.strictEqual((await service.data("POST", path, {})).notes, 6)
    assert.strictEqual((await service.data("POST", path, { dry_run: true })).notes, 0)
    assert.deepStrictEqual(await texts(`/api/v1/customers/${erased.id}`), [])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${own.id}`), [])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${unowned.id}`), [])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${former.id}`), ["about the new owner"])
    assert.deepStrictEqual(await texts(`/api/v1/customers/${other.id}`), ["about another"])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${handed.id}`), [])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${edited.id}`), [])
    assert.deepStrictEqual(await texts(`/api/v1/licenses/${foreign.id}`), ["about another's license"])
  })
})
