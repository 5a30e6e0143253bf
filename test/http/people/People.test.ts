// People and their roles, by the API: who may give which rights, and that somebody stays who can let others in.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const people = "/api/v1/people"
const roles = "/api/v1/roles"

const issuer = "https://login.example.com"
const identity = (): Body => ({ issuer, subject: randomUUID() })
const add = (members: object = {}): Promise<Body> => service.data("POST", people, { name: "Ada", ...members })
const makeRole = (members: object = {}): Promise<Body> =>
  service.data("POST", roles, { name: randomUUID(), scopes: ["license:read"], ...members })
const tokenWith = async (scopes: ReadonlyArray<string>, more: object = {}): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes, ...more })).token
const patch = (path: string, body: object, token?: string): Promise<Answer> =>
  service.call("PATCH", path, { body, ...(token === undefined ? {} : { token }) })

describe("a person", () => {
  it("is added, read, listed, changed, removed and reinstated, each change an event", async () => {
    const identities = [identity(), identity()].toSorted((a, b) => a.subject < b.subject ? -1 : 1)
    const made = await add({ email: "ada@example.com", roles: ["support"], identities })
    const path = `${people}/${made.id}`
    assert.match(made.id, /^per_/)
    assert.deepInclude(made, {
      name: "Ada",
      email: "ada@example.com",
      roles: ["support"],
      status: "active",
      identities
    })
    assert.deepStrictEqual(await service.data("GET", path), made)
    const changed = await service.data("PATCH", `${people}/${made.id}`, {
      email: "",
      roles: ["finance", "support"],
      identities: []
    })
    assert.deepInclude(changed, { roles: ["finance", "support"], status: "invited", identities: [] })
    assert.notProperty(changed, "email")
    await service.data("PATCH", path, { identities: [identities[0]] })
    for (let repeat = 0; repeat < 2; repeat++) assert.strictEqual((await service.call("DELETE", path)).status, 204)
    const removed = await service.data("GET", path)
    assert.deepInclude(removed, { status: "removed", roles: [], identities: [identities[0]] })
    refused(await patch(path, { roles: ["support"] }), 409, "STATE_CONFLICT")
    for (let repeat = 0; repeat < 2; repeat++) {
      const back = await service.data("POST", `${people}/${made.id}/reinstate`)
      assert.deepInclude(back, { status: "active", roles: [], identities: [identities[0]] })
    }
    const listed = (await service.call("GET", `${people}?limit=200`)).body.data
    assert.include(listed.map(({ id }: Body) => id), made.id)
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "person.created",
      "person.updated",
      "person.updated",
      "person.removed",
      "person.reinstated"
    ])
    assert.sameMembers(Object.keys(events[0]!.commitments), [
      "/data/name",
      "/data/email",
      "/data/identities",
      "/ip_address"
    ])
  })

  it("is found by an unknown ID nowhere", async () => {
    const path = `${people}/per_none`
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    refused(await patch(path, { name: "x" }), 404, "NOT_FOUND")
    refused(await service.call("DELETE", path), 404, "NOT_FOUND")
    refused(await service.call("POST", `${path}/reinstate`), 404, "NOT_FOUND")
  })

  it("has an account that nobody else has, also after the removal", async () => {
    const own = identity()
    const { id } = await add({ identities: [own] })
    refused(await service.call("POST", people, { body: { name: "Eve", identities: [own] } }), 409, "CONFLICT")
    const eve = await add({ name: "Eve" })
    refused(await patch(`${people}/${eve.id}`, { identities: [own] }), 409, "CONFLICT")
    assert.deepInclude(await service.data("GET", `${people}/${eve.id}`), { identities: [], status: "invited" })
    await service.call("DELETE", `${people}/${id}`)
    refused(await patch(`${people}/${eve.id}`, { identities: [own] }), 409, "CONFLICT")
    // The same subject of another issuer is another account, and so is one in other letters.
    const others = [{ ...own, issuer: `${issuer}/other` }, { ...own, subject: own.subject.toUpperCase() }]
    assert.strictEqual((await patch(`${people}/${eve.id}`, { identities: others })).status, 200)
  })

  it("may share an email address: nobody is recognized by it", async () => {
    const email = "shared@example.com"
    assert.notStrictEqual((await add({ email })).id, (await add({ email })).id)
  })

  it.each([
    ["a role that there is not", { roles: ["support", "role_none"] }, "roles.1"],
    ["a role twice", { roles: ["support", "support"] }, "roles"],
    ["an issuer that is no address", { identities: [{ issuer: "login", subject: "1" }] }, "identities.0.issuer"],
    ["an issuer with a query", { identities: [{ issuer: `${issuer}?a=1`, subject: "1" }] }, "identities.0.issuer"],
    [
      "an issuer with a password",
      { identities: [{ issuer: "https://a:b@c.example", subject: "1" }] },
      "identities.0.issuer"
    ],
    ["an account without subject", { identities: [{ issuer, subject: "" }] }, "identities.0.subject"]
  ])("is refused with %s", async (_title, members, path) => {
    const error = refused(
      await service.call("POST", people, { body: { name: "Ada", ...members } }),
      422,
      "VALIDATION_ERROR"
    )
    assert.include(error.fields.map((found: Body) => found.path), path)
  })
})

describe("a role", () => {
  it("is still edited when a product of its limit was deleted", async () => {
    const [kept, deleted] = [await makeProduct(service), await makeProduct(service)]
    const role = await makeRole({ product_ids: [deleted.id, kept.id] })
    await service.call("DELETE", `/api/v1/products/${deleted.id}`)
    const answer = await patch(`${roles}/${role.id}`, { name: randomUUID(), product_ids: [deleted.id, kept.id] })
    assert.strictEqual(answer.status, 200, answer.text)
    invalid(
      await patch(`${roles}/${role.id}`, { product_ids: ["prod_0000000000000000000000000z"] }),
      "product_ids.0",
      "not_found"
    )
  })

  it("is created, read, listed, changed and deleted, each change an event", async () => {
    const { id: product } = await makeProduct(service)
    const name = `Support ${randomUUID()}`
    const made = await makeRole({ name, description: "", scopes: ["license:write"], product_ids: [product] })
    const path = `${roles}/${made.id}`
    assert.match(made.id, /^role_/)
    assert.deepInclude(made, { name, scopes: ["license:write"], product_ids: [product], is_built_in: false })
    assert.notProperty(made, "description")
    assert.deepStrictEqual(await service.data("GET", path), made)
    const changed = await service.data("PATCH", `${roles}/${made.id}`, { description: "For Scope.", product_ids: null })
    assert.deepInclude(changed, { name, description: "For Scope.", scopes: ["license:write"] })
    assert.notProperty(changed, "product_ids")
    refused(
      await service.call("POST", roles, { body: { name: name.toUpperCase(), scopes: ["ops:read"] } }),
      409,
      "CONFLICT"
    )
    const other = await makeRole()
    refused(await patch(`${roles}/${other.id}`, { name: name.toLowerCase() }), 409, "CONFLICT")
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    refused(await service.call("DELETE", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), ["role.created", "role.updated", "role.deleted"])
  })

  it("is one of five built-in ones, beside custom ones", async () => {
    const own = await makeRole()
    const ready = ["owner", "developer", "support", "finance", "auditor"]
    for (const order of ["asc", "desc"]) {
      const found: Array<string> = []
      for (let cursor = "";;) {
        const { body } = await service.call("GET", `${roles}?limit=2&order=${order}${cursor}`)
        found.push(...body.data.map(({ id }: Body) => id))
        if (!body.page_info.has_more) break
        cursor = `&cursor=${body.page_info.next_cursor}`
      }
      assert.includeMembers(found, [...ready, own.id])
      assert.strictEqual(new Set(found).size, found.length)
      assert.deepStrictEqual(found, order === "asc" ? found.toSorted() : found.toSorted().toReversed())
    }
    for (const id of ready) {
      assert.deepInclude(await service.data("GET", `${roles}/${id}`), { id, is_built_in: true })
      refused(await patch(`${roles}/${id}`, { scopes: ["license:read"] }), 409, "STATE_CONFLICT")
      refused(await service.call("DELETE", `${roles}/${id}`), 409, "STATE_CONFLICT")
    }
    refused(await service.call("POST", roles, { body: { name: "OWNER", scopes: ["license:read"] } }), 409, "CONFLICT")
    refused(await patch(`${roles}/${own.id}`, { name: "owner" }), 409, "CONFLICT")
  })

  it("that somebody has is not deleted", async () => {
    const { id } = await makeRole()
    const person = await add({ roles: [id] })
    refused(await service.call("DELETE", `${roles}/${id}`), 409, "IN_USE")
    await service.call("DELETE", `${people}/${person.id}`)
    assert.strictEqual((await service.call("DELETE", `${roles}/${id}`)).status, 204)
  })

  it("is refused without scopes, and for products that there are not", async () => {
    const body = { name: "n", scopes: ["license:read"] }
    invalid(await service.call("POST", roles, { body: { ...body, scopes: [] } }), "scopes", "invalid_value")
    const product_ids = ["prod_0000000000000000000000000z"]
    invalid(await service.call("POST", roles, { body: { ...body, product_ids } }), "product_ids.0", "not_found")
    const { id } = await makeRole()
    invalid(await patch(`${roles}/${id}`, { product_ids }), "product_ids.0", "not_found")
  })
})

describe("nobody gives what they lack", () => {
  const lacking = (answer: Answer): string => refused(answer, 403, "TOKEN_SCOPE_DENIED").detail

  it("to a new person, by a new role, or by a change of either", async () => {
    const token = await tokenWith(["people:write", "license:read"])
    const own = await makeRole({ scopes: ["license:read"] })
    const wide = await makeRole({ scopes: ["license:write", "people:write"] })
    const person = await add({ roles: [own.id] })
    const post = (path: string, body: object) => service.call("POST", path, { body, token })
    for (const given of ["owner", "support", wide.id]) {
      assert.include(
        lacking(await post(people, { name: "x", roles: [given] })),
        given === "owner" ? "admin" : "license:write"
      )
      lacking(await patch(`${people}/${person.id}`, { roles: [own.id, given] }, token))
    }
    for (const scopes of [["admin"], ["license:write"], ["license:read", "ops:read"]]) {
      lacking(await post(roles, { name: randomUUID(), scopes }))
      lacking(await patch(`${roles}/${own.id}`, { scopes }, token))
    }
    assert.strictEqual((await post(people, { name: "x", roles: [own.id] })).status, 201)
    assert.strictEqual((await post(roles, { name: randomUUID(), scopes: ["license:read", "people:read"] })).status, 201)
    assert.strictEqual((await patch(`${people}/${person.id}`, { name: "y" }, token)).status, 200)
  })

  it("nor takes it: somebody with more rights is neither changed nor removed, nor made recognizable by another account", async () => {
    const token = await tokenWith(["people:write", "license:read"])
    const owner = await add({ roles: ["owner"], identities: [identity()] })
    const path = `${people}/${owner.id}`
    for (
      const body of [{ roles: [] }, { identities: [identity()] }, { name: "x" }, { email: "eve@example.com" }]
    ) assert.strictEqual(lacking(await patch(path, body, token)), "admin")
    assert.strictEqual(lacking(await service.call("DELETE", path, { token })), "admin")
    const wide = await makeRole({ scopes: ["license:write"] })
    const narrowed = await patch(`${roles}/${wide.id}`, { scopes: ["license:read"] }, token)
    assert.strictEqual(lacking(narrowed), "license:write")
    assert.strictEqual(lacking(await service.call("DELETE", `${roles}/${wide.id}`, { token })), "license:write")
    assert.deepInclude(await service.data("GET", path), { roles: ["owner"], status: "active", name: "Ada" })
  })

  it("in two steps: no account is planted on somebody who is given rights later", async () => {
    const token = await tokenWith(["people:write", "license:read"])
    const planted = [identity()]
    const made = await service.call("POST", people, { token, body: { name: "Ada", identities: planted } })
    assert.strictEqual(lacking(made), "admin")
    const invited = await add()
    const back = await add({ roles: ["owner"] })
    await service.call("DELETE", `${people}/${back.id}`)
    await service.data("POST", `${people}/${back.id}/reinstate`)
    for (const { id } of [invited, back]) {
      assert.strictEqual(lacking(await patch(`${people}/${id}`, { identities: planted }, token)), "admin")
      assert.strictEqual((await patch(`${people}/${id}`, { identities: [] }, token)).status, 200)
    }
    const limited = await tokenWith(["admin"], { expires_at: "2999-01-01T00:00:00Z" })
    assert.include(lacking(await patch(`${people}/${invited.id}`, { identities: planted }, limited)), "ends at")
    assert.strictEqual((await patch(`${people}/${invited.id}`, { identities: planted })).status, 200)
  })

  it("for longer, or from elsewhere, than they have it", async () => {
    const limits = [{ expires_at: "2999-01-01T00:00:00Z" }, { allowed_cidrs: ["127.0.0.0/8", "::1/128"] }]
    for (const limit of limits) {
      const token = await tokenWith(["admin"], limit)
      const post = (path: string, body: object) => service.call("POST", path, { body, token })
      const word = "expires_at" in limit ? "ends at" : "allowed_cidrs"
      assert.include(lacking(await post(people, { name: "x", roles: ["auditor"] })), word)
      assert.include(lacking(await post(roles, { name: randomUUID(), scopes: ["license:read"] })), word)
      const { id } = await add({ roles: ["support"] })
      assert.include(lacking(await patch(`${people}/${id}`, { identities: [identity()] }, token)), word)
      // What takes rights, or gives none, lasts no longer than it should.
      assert.strictEqual((await post(people, { name: "x" })).status, 201)
      assert.strictEqual((await patch(`${people}/${id}`, { name: "y" }, token)).status, 200)
      assert.strictEqual((await service.call("DELETE", `${people}/${id}`, { token })).status, 204)
    }
  })

  it("by a key that is limited to products, which reaches no people at all", async () => {
    const { id } = await makeProduct(service)
    const token = await tokenWith(["admin"], { product_ids: [id] })
    for (const path of [people, roles]) {
      refused(await service.call("GET", path, { token }), 403, "TOKEN_PRODUCT_DENIED")
      refused(await service.call("POST", path, { token, body: { name: "x" } }), 403, "TOKEN_PRODUCT_DENIED")
    }
  })

  it("and who only reads people changes none", async () => {
    const token = await tokenWith(["people:read"])
    assert.strictEqual((await service.call("GET", people, { token })).status, 200)
    assert.strictEqual((await service.call("GET", `${roles}/owner`, { token })).status, 200)
    refused(await service.call("POST", people, { token, body: { name: "x" } }), 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("the last owner", () => {
  /** Leaves the service with one owner who can sign in. */
  const alone = async (): Promise<string> => {
    const { id } = await add({ roles: ["owner"], identities: [identity()] })
    const all: ReadonlyArray<Body> = (await service.call("GET", `${people}?limit=200`)).body.data
    for (const other of all) {
      if (other.id !== id && other.roles.includes("owner")) await service.call("DELETE", `${people}/${other.id}`)
    }
    return `${people}/${id}`
  }

  it("stays, whatever would take him, also when another is invited", async () => {
    const path = await alone()
    await add({ roles: ["owner"] })
    const ways = [
      () => patch(path, { roles: ["developer"] }),
      () => patch(path, { identities: [] }),
      () => service.call("DELETE", path)
    ]
    for (const way of ways) refused(await way(), 409, "STATE_CONFLICT")
    assert.deepInclude(await service.data("GET", path), { roles: ["owner"], status: "active" })
    assert.strictEqual((await patch(path, { identities: [identity()], roles: ["owner", "support"] })).status, 200)
    await add({ roles: ["owner"], identities: [identity()] })
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
  })

  it("stays when two owners remove each other at once", async () => {
    for (let round = 0; round < 4; round++) {
      const paths = [await alone(), `${people}/${(await add({ roles: ["owner"], identities: [identity()] })).id}`]
      const answers = await Promise.all([
        service.call("DELETE", paths[0]!),
        patch(paths[1]!, { roles: [] })
      ])
      assert.sameMembers(answers.map(({ status }) => status < 300), [true, false])
    }
  })
})
