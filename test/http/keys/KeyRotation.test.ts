// API keys as a team keeps them: who made each, how it is found again, and how a new one takes its place.
import { assert, describe, it } from "@effect/vitest"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { conforms } from "../../fixtures/contract.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"

const service = await startService({ altered: ["api_key expires_at"] })
const sql = await session(service.databaseUrl)

const path = "/api/v1/api-keys"
const scopes = ["license:read"]
const create = (members: object = {}, token?: string): Promise<Body> =>
  service.data("POST", path, { name: "k", ...members }, token === undefined ? {} : { token })
const rotate = (id: string, body: object = {}, token?: string): Promise<Answer> =>
  service.call("POST", `${path}/${id}/rotate`, { body, ...(token === undefined ? {} : { token }) })
const use = async (token: string): Promise<number> => (await service.call("GET", "/api/v1/licenses", { token })).status
const find = async (query: string): Promise<ReadonlyArray<string>> =>
  (await service.data("GET", `${path}?${query}`)).map(({ id }: Body) => id)

describe("a rotated API key", () => {
  it("has one with the same rights in its place, and works on for a day", async () => {
    const product = await makeProduct(service)
    const made = await create({
      name: "Web shop",
      scopes,
      allowed_cidrs: ["127.0.0.0/8", "::1/128"],
      product_ids: [product.id],
      expires_at: "2999-01-01T00:00:00Z"
    })
    const answer = await rotate(made.api_key.id)
    assert.strictEqual(answer.status, 201, answer.text)
    const { api_key, previous, token } = answer.body.data
    for (const key of [api_key, previous]) conforms("APIKey", key)
    const { created_at: _at, id: _id, key_prefix: _prefix, ...same } = made.api_key
    assert.deepInclude(api_key, same)
    assert.notStrictEqual(api_key.id, made.api_key.id)
    assert.notStrictEqual(token, made.token)
    assert.deepStrictEqual([await use(token), await use(made.token)], [200, 200])
    assert.strictEqual(previous.id, made.api_key.id)
    const hours = (Date.parse(previous.expires_at) - Date.now()) / 3_600_000
    assert.closeTo(hours, 24, 0.1)
    const kinds = (await service.feed(`&resource_id=${previous.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["api_key.created", "api_key.updated"])
  })

  it("ends at once where that is asked for, and never later than it would have", async () => {
    const first = await create({ scopes })
    const now = await rotate(first.api_key.id, { overlap_minutes: 0 })
    assert.isFalse(now.body.data.previous.is_active)
    refused(await service.call("GET", "/api/v1/licenses", { token: first.token }), 401, "TOKEN_EXPIRED")
    assert.strictEqual(await use(now.body.data.token), 200)
    const soon = new Date(Date.now() + 60_000).toISOString()
    const second = await create({ scopes, expires_at: soon })
    const later = (await rotate(second.api_key.id, { expires_at: null })).body.data
    assert.strictEqual(later.previous.expires_at, soon)
    assert.notProperty(later.api_key, "expires_at")
  })

  it("is none that was revoked, has expired, or that there is not", async () => {
    const { api_key } = await create({ scopes })
    await service.call("DELETE", `${path}/${api_key.id}`)
    refused(await rotate(api_key.id), 409, "STATE_CONFLICT")
    const expired = await create({ scopes, expires_at: "2999-01-01T00:00:00Z" })
    await sql.query("UPDATE management_keys SET expires_at = now() WHERE id = $1", [expired.api_key.id])
    refused(await rotate(expired.api_key.id), 409, "STATE_CONFLICT")
    refused(await rotate("key_none"), 404, "NOT_FOUND")
  })

  it("is limited to the products that there still are, and is none where all were deleted", async () => {
    const [kept, deleted] = [await makeProduct(service), await makeProduct(service)]
    const limited = await create({ scopes, product_ids: [deleted.id, kept.id] })
    const alone = await create({ scopes, product_ids: [deleted.id] })
    assert.strictEqual((await service.call("DELETE", `/api/v1/products/${deleted.id}`)).status, 204)
    const answer = await rotate(limited.api_key.id)
    assert.strictEqual(answer.status, 201, answer.text)
    assert.deepStrictEqual(answer.body.data.api_key.product_ids, [kept.id])
    const { message } = refused(await rotate(alone.api_key.id), 409, "STATE_CONFLICT")
    assert.include(message, "were deleted")
  })

  it("is refused with an end in the past, and an overlap beyond 90 days", async () => {
    const { api_key } = await create({ scopes })
    invalid(await rotate(api_key.id, { expires_at: "2020-01-01T00:00:00Z" }), "expires_at", "in_the_past")
    refused(await rotate(api_key.id, { overlap_minutes: 129_601 }), 422, "VALIDATION_ERROR")
  })

  it("is never one that is wider than whoever rotates it", async () => {
    const wide = await create({ scopes: ["admin"] })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const bounded = await create({ scopes: ["admin"], expires_at: until })
    const { message } = refused(await rotate(wide.api_key.id, {}, bounded.token), 403, "TOKEN_SCOPE_DENIED")
    assert.include(message, "cannot be wider")
    assert.strictEqual((await rotate(wide.api_key.id, { expires_at: until }, bounded.token)).status, 201)
  })
})

describe("the maker of an API key", () => {
  it("is a person, another key or the admin token, and stays when the person is removed", async () => {
    const mei = await signInAs(service, "Mei", ["owner"])
    const answer = await asPerson(service, mei, "POST", path, { name: "shop", scopes })
    assert.strictEqual(answer.status, 201, answer.text)
    const byMei = answer.body.data.api_key
    conforms("APIKey", byMei)
    assert.deepStrictEqual(byMei.created_by, { type: "person", id: mei.id, name: "Mei" })
    assert.deepStrictEqual((await create({ scopes })).api_key.created_by, { type: "api_key", id: "bootstrap" })
    const robot = await create({ name: "robot", scopes: ["admin"] })
    const made = await create({ scopes }, robot.token)
    assert.deepStrictEqual(made.api_key.created_by, { type: "api_key", id: robot.api_key.id, name: "robot" })

    assert.strictEqual((await service.call("DELETE", `/api/v1/people/${mei.id}`)).status, 204)
    assert.deepStrictEqual((await service.data("GET", `${path}/${byMei.id}`)).created_by, byMei.created_by)
    assert.deepStrictEqual(await find(`created_by=${mei.id}`), [byMei.id])
    assert.strictEqual(await use(answer.body.data.token), 200)
    // The keys that a key of hers makes are hers too.
    const robots = await asPerson(service, await signInAs(service, "Mo", ["owner"]), "POST", path, {
      name: "of Mo",
      scopes: ["admin"]
    })
    const { api_key: below } = await create({ scopes }, robots.body.data.token)
    assert.deepStrictEqual(await find(`created_by=${robots.body.data.api_key.created_by.id}`), [
      below.id,
      robots.body.data.api_key.id
    ])
    // Events name people by their actor, whose name can be erased.
    const [event] = await service.feed(`&resource_id=${byMei.id}`)
    assert.deepStrictEqual(event!.data.created_by, { type: "person", id: mei.id })
  })
})

describe("the list of API keys", () => {
  it("is searched by name, ID and the beginning of the token, and by whether a key works", async () => {
    const { api_key } = await create({ name: "Nightly Build", scopes })
    const gone = (await create({ name: "nightly old", scopes })).api_key
    await service.call("DELETE", `${path}/${gone.id}`)
    assert.deepStrictEqual(await find("q=nightly"), [gone.id, api_key.id])
    assert.deepStrictEqual(await find("q=nightly&is_active=true"), [api_key.id])
    assert.deepStrictEqual(await find("q=nightly&is_active=false"), [gone.id])
    assert.deepStrictEqual(await find(`q=${api_key.id}`), [api_key.id])
    assert.deepStrictEqual(await find(`q=${encodeURIComponent(api_key.key_prefix)}`), [api_key.id])
    assert.deepStrictEqual(await find("q=%25"), [])
    const { body } = await service.call("GET", `${path}?q=nightly&limit=1`)
    assert.deepStrictEqual(await find(`q=nightly&limit=1&cursor=${body.page_info.next_cursor}`), [api_key.id])
  })
})
