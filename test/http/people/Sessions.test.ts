// People who are signed in: how they get in, what they may do, how it ends, and every way that must not lead in.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

// Attacks come from as many addresses as they say, so that none is slowed down for its failures.
const service = await startService({ environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" } })
const other = await startService({
  databaseUrl: service.databaseUrl,
  environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" }
})
testDatabaseOf(service)
const sql = await session(service.databaseUrl)

const people = "/api/v1/people"
const signIn = "/api/v1/sign-in"
const sessions = "/api/v1/sessions"
const whoami = "/api/v1/whoami"

type Headers = Readonly<Record<string, string>>

/** What a browser says of a request of a page of the service. */
const own: Headers = { "sec-fetch-site": "same-origin" }

let callers = 0

/** A request without a token, from an address of its own. */
const ask = (at: Service, method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  at.call(method, path, {
    token: null,
    headers: { "x-forwarded-for": `198.51.${100 + (++callers >> 8)}.${callers & 255}`, ...headers },
    ...(body === undefined ? {} : { body })
  })

const invite = async (id: string): Promise<string> =>
  (await service.data("POST", `/api/v1/people/${id}/invite`)).invitation
const add = (members: object = {}): Promise<Body> =>
  service.data("POST", people, { name: "Ada", roles: ["support"], ...members })

interface SignedIn {
  readonly id: string
  readonly sessionId: string
  readonly cookie: string
}

const cookieOf = ({ headers }: Answer): string => String(headers["set-cookie"]).split(";")[0]!

const enter = async (id: string): Promise<SignedIn> => {
  const answer = await ask(service, "POST", signIn, own, { invitation: await invite(id) })
  assert.strictEqual(answer.status, 201, answer.text)
  return { id, sessionId: answer.body.data.id, cookie: cookieOf(answer) }
}

const signedIn = async (roles: ReadonlyArray<string>): Promise<SignedIn> => enter((await add({ roles })).id)

const as = (
  { cookie }: SignedIn,
  method: string,
  path: string,
  body?: unknown,
  at: Service = service
): Promise<Answer> => ask(at, method, path, { ...own, cookie }, body)

describe("a session", () => {
  it("is opened by an invitation, in a cookie that no script and no other site has", async () => {
    const { id } = await add({ roles: ["support"] })
    const answer = await ask(service, "POST", signIn, own, { invitation: await invite(id) })
    assert.strictEqual(answer.status, 201, answer.text)
    const [pair, ...attributes] = String(answer.headers["set-cookie"]).split("; ")
    assert.match(pair!, /^countersign=css_[\w-]{43}$/)
    assert.sameMembers(attributes, ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Strict"])
    assert.notInclude(answer.text, pair!.split("=")[1]!)
    assert.deepInclude(answer.body.data, { person_id: id })
  })

  it("acts as the person, by name and roles, in events and activities", async () => {
    const ada = await signedIn(["support", "finance"])
    const { data } = (await as(ada, "GET", whoami)).body
    assert.deepInclude(data, { kind: "person", id: ada.id, name: "Ada" })
    assert.include(data.scopes, "report:export")
    const { license } = await service.issue()
    const path = `/api/v1/licenses/${license.id}/suspend`
    assert.strictEqual((await as(ada, "POST", path, { reason: "asked" })).status, 200)
    const event = (await service.feed(`&resource_id=${license.id}`)).at(-1)!
    assert.deepInclude(event, { event_type: "license.suspended", actor_type: "person", actor_id: ada.id })
    assert.deepInclude(event.metadata, {
      actor_name: "Ada",
      actor_roles: ["Support", "Finance"],
      reason_given: "asked"
    })
    assert.include(Object.keys(event.commitments), "/metadata/actor_name")
    const [activity] = await service.data("GET", `/api/v1/activities?license_id=${license.id}`)
    assert.deepInclude(activity, { actor_type: "person", actor_id: ada.id, source: "management" })
    refused(await as(ada, "POST", "/api/v1/products", { name: "x", code: "x" }), 403, "TOKEN_SCOPE_DENIED")
    await eventually(
      "the refusal is recorded",
      async () =>
        (await service.data("GET", "/api/v1/activities?result_class=refused")).some((found: Body) =>
          found.actor_id === ada.id && found.actor_type === "person"
        )
    )
  })

  it("is limited to products as far as its roles are", async () => {
    const [mine, theirs] = [await makeProduct(service), await makeProduct(service)]
    const limited = { name: randomUUID(), scopes: ["product:write"], product_ids: [mine.id] }
    const role = await service.data("POST", "/api/v1/roles", limited)
    const ada = await signedIn([role.id, "finance"])
    const rename = (product: Body) => as(ada, "PATCH", `/api/v1/products/${product.id}`, { name: "Renamed" })
    assert.strictEqual((await rename(mine)).status, 200)
    refused(await rename(theirs), 404, "NOT_FOUND")
    assert.strictEqual((await as(ada, "GET", `/api/v1/products/${theirs.id}`)).status, 200)
  })

  it("makes keys and people no wider than the person", async () => {
    const scopes = ["people:write", "license:read"]
    const role = await service.data("POST", "/api/v1/roles", { name: randomUUID(), scopes })
    const ada = await signedIn([role.id])
    refused(await as(ada, "POST", people, { name: "x", roles: ["owner"] }), 403, "TOKEN_SCOPE_DENIED")
    refused(await as(ada, "PATCH", `${people}/${ada.id}`, { roles: ["owner"] }), 403, "TOKEN_SCOPE_DENIED")
    const owner = await add({ roles: ["owner"] })
    refused(await as(ada, "POST", `${people}/${owner.id}/invite`), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual((await as(ada, "POST", people, { name: "x", roles: [role.id] })).status, 201)
    const boss = await signedIn(["owner"])
    const made = await as(boss, "POST", "/api/v1/api-keys", { name: "k", scopes: ["license:read"] })
    assert.strictEqual(made.status, 201, made.text)
  })

  it("is told by name who can give a scope that it lacks, which a key without people:read is not", async () => {
    const path = `${people}/granters?scope=ops:read`
    const roleWith = async (scopes: ReadonlyArray<string>, more: object = {}): Promise<string> =>
      (await service.data("POST", "/api/v1/roles", { name: randomUUID(), scopes, ...more })).id
    const ada = await signedIn(["support"])
    const named = async (name: string, roles: ReadonlyArray<string>) => enter((await add({ name, roles })).id)
    await named("Gia Grants", [await roleWith(["people:write"]), await roleWith(["ops:read"])])
    await named("Pia People", [await roleWith(["people:write"])])
    await add({ name: "Ivo Invited", roles: ["owner"] })
    const { names, ...more } = (await as(ada, "GET", path)).body.data
    assert.deepStrictEqual(more, { scope: "ops:read", has_more: false })
    assert.include(names, "Gia Grants")
    assert.notInclude(names, "Pia People")
    assert.notInclude(names, "Ivo Invited")
    const token = async (scopes: ReadonlyArray<string>): Promise<string> =>
      (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes })).token
    refused(await service.call("GET", path, { token: await token(["license:write"]) }), 403, "TOKEN_SCOPE_DENIED")
    assert.deepInclude(await service.data("GET", path, undefined, { token: await token(["people:read"]) }), { names })
    refused(await as(ada, "GET", `${people}/granters?scope=everything`), 400, "INVALID_QUERY")
  })

  it("is listed and ended by its person, and of others by who may change them", async () => {
    const ada = await signedIn(["support"])
    const again = await enter(ada.id)
    const eve = await signedIn(["support"])
    const listed = (await as(ada, "GET", sessions)).body.data
    assert.deepStrictEqual(listed.map(({ id }: Body) => id), [again.sessionId, ada.sessionId])
    assert.deepStrictEqual(listed.map(({ is_current }: Body) => is_current), [false, true])
    refused(await as(ada, "DELETE", `${sessions}/${eve.sessionId}`), 404, "NOT_FOUND")
    assert.strictEqual((await as(ada, "DELETE", `${sessions}/${again.sessionId}`)).status, 204)
    refused(await as(again, "GET", whoami), 401, "UNAUTHENTICATED")
    assert.strictEqual((await service.call("DELETE", `${sessions}/${eve.sessionId}`)).status, 204)
    refused(await as(eve, "GET", whoami), 401, "UNAUTHENTICATED")
    const all = (await service.call("GET", `${sessions}?limit=200`)).body.data
    assert.include(all.map(({ id }: Body) => id), ada.sessionId)
    assert.notInclude(all.map(({ id }: Body) => id), eve.sessionId)
    const told = await service.feed(`&resource_id=${eve.sessionId}`)
    assert.deepStrictEqual(told.map(({ event_type }) => event_type), ["session.opened", "session.ended"])
  })

  it.each<[string, (ada: SignedIn) => Promise<unknown>]>([
    ["its roles change", ({ id }) => service.data("PATCH", `${people}/${id}`, { roles: ["finance"] })],
    ["the accounts change", ({ id }) => service.data("PATCH", `${people}/${id}`, { identities: [] })],
    ["the person is removed", ({ id }) => service.call("DELETE", `${people}/${id}`)],
    ["it is ended", ({ sessionId }) => service.call("DELETE", `${sessions}/${sessionId}`)]
  ])("ends on every node at once when %s", async (_title, change) => {
    const ada = await signedIn(["support"])
    for (const node of [service, other]) assert.strictEqual((await as(ada, "GET", whoami, undefined, node)).status, 200)
    await change(ada)
    for (const node of [other, service]) {
      refused(await as(ada, "GET", whoami, undefined, node), 401, "UNAUTHENTICATED")
    }
  })

  it("has the rights that its roles have at this moment, on every node", async () => {
    const role = await service.data("POST", "/api/v1/roles", {
      name: randomUUID(),
      scopes: ["license:read", "ops:read"]
    })
    const ada = await signedIn([role.id])
    assert.strictEqual((await as(ada, "GET", "/api/v1/licenses", undefined, other)).status, 200)
    await service.data("PATCH", `/api/v1/roles/${role.id}`, { scopes: ["ops:read"] })
    refused(await as(ada, "GET", "/api/v1/licenses", undefined, other), 403, "TOKEN_SCOPE_DENIED")
  })

  it.each([
    ["twelve hours", "expires_at = now()"],
    ["an hour without a request", "last_used_at = now() - interval '60 minutes'"]
  ])("is over after %s", async (_title, change) => {
    const ada = await signedIn(["support"])
    await sql.query(`UPDATE person_sessions SET ${change} WHERE id = $1`, [ada.sessionId])
    refused(await as(ada, "GET", whoami), 401, "TOKEN_EXPIRED")
    assert.isEmpty((await service.data("GET", `${sessions}?limit=200`)).filter(({ id }: Body) => id === ada.sessionId))
  })
})

describe("a poll", () => {
  const lastUse = async ({ sessionId }: SignedIn): Promise<number> =>
    Number(
      (await sql.query(
        "SELECT extract(epoch FROM now() - last_used_at)::float8 AS seconds FROM person_sessions WHERE id = $1",
        [sessionId]
      ))[0].seconds
    )
  const rest = (minutes: number) =>
    sql.query("UPDATE person_sessions SET last_used_at = last_used_at - $1::int * interval '1 minute'", [minutes])
  const poll = ({ cookie }: SignedIn): Promise<Answer> =>
    ask(service, "GET", whoami, { ...own, cookie, "countersign-poll": "true" })

  it("of a page is answered, and does not keep the session from its idle end", async () => {
    const ada = await signedIn(["support"])
    const bob = await signedIn(["support"])
    await rest(40)
    assert.strictEqual((await poll(ada)).status, 200)
    assert.strictEqual((await as(bob, "GET", whoami)).status, 200)
    await eventually("a request of a person is use", async () => await lastUse(bob) < 60)
    assert.isAbove(await lastUse(ada), 39 * 60)
    await rest(21)
    refused(await poll(ada), 401, "TOKEN_EXPIRED")
    assert.strictEqual((await as(bob, "GET", whoami)).status, 200)
  })

  it("whose header a thief leaves out is use, and one whose header has any value is none: it only shortens", async () => {
    const ada = await signedIn(["support"])
    await rest(40)
    assert.strictEqual(
      (await ask(service, "GET", whoami, { ...own, cookie: ada.cookie, "countersign-poll": "0" })).status,
      200
    )
    assert.strictEqual((await poll(ada)).status, 200)
    assert.isAbove(await lastUse(ada), 39 * 60)
    await as(ada, "GET", whoami)
    await eventually("it is use", async () => await lastUse(ada) < 60)
  })
})

describe("a refused sign-in", () => {
  it("is an event with its way in and the reason, a few times an hour for one network, and stands in the activities", async () => {
    const from = { "x-forwarded-for": "203.0.113.77" }
    const refusalsOf = async () =>
      (await service.feed("&event_type=session.refused")).filter(({ ip_address }: Body) =>
        ip_address === "203.0.113.77"
      )
    const attempt = (more: Headers, method: string, path: string, body?: unknown) =>
      service.call(method, path, {
        token: null,
        headers: { ...own, ...from, ...more },
        ...(body === undefined ? {} : { body })
      })
    refused(await attempt({}, "POST", signIn, { invitation: "csi_unknown" }), 401, "UNAUTHENTICATED")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["ops:read"] })
    const [{ id }] = await service.data("GET", "/api/v1/api-keys?q=k&limit=1")
    await service.call("DELETE", `/api/v1/api-keys/${id}`)
    refused(await attempt({ authorization: `Bearer ${token}` }, "GET", whoami), 401, "TOKEN_REVOKED")
    // A program is no page of the console.
    refused(
      await attempt({ authorization: `Bearer ${token}`, "sec-fetch-site": "none" }, "GET", whoami),
      401,
      "TOKEN_REVOKED"
    )
    const told = await refusalsOf()
    assert.deepStrictEqual(told.map(({ data }: Body) => data.sign_in_method), ["invitation", "token"])
    assert.include(told[0].data.reason, "This invitation is unknown")
    assert.notInclude(JSON.stringify(told), token)
    for (let index = 0; index < 8; index++) await attempt({}, "POST", signIn, { invitation: "csi_unknown" })
    assert.lengthOf(await refusalsOf(), 5)
    const [activity] = await service.data("GET", "/api/v1/activities?action=session.refused&include_names=true&limit=1")
    assert.include(activity.names.resource, "This invitation is unknown")
  })
})

describe("an invitation", () => {
  it("is spent once, by two at once too, and the one before stops working", async () => {
    const { id } = await add()
    const before = await invite(id)
    const invitation = await invite(id)
    refused(await ask(service, "POST", signIn, own, { invitation: before }), 401, "UNAUTHENTICATED")
    const answers = await Promise.all(
      [service, other, service, other].map((node) => ask(node, "POST", signIn, own, { invitation }))
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 401, 401, 401])
  })

  it("that was made before a role is given does not sign in with it, and neither does a session", async () => {
    const scopes = ["people:write", "license:read"]
    const token = (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes })).token
    const role = await service.data("POST", "/api/v1/roles", { name: randomUUID(), scopes: ["license:read"] })
    const { id } = await add({ roles: [role.id] })
    const early = await enter(id)
    const { data } = (await service.call("POST", `${people}/${id}/invite`, { token })).body
    await service.data("PATCH", `${people}/${id}`, { roles: ["owner"] })
    refused(await as(early, "GET", whoami), 401, "UNAUTHENTICATED")
    refused(await ask(service, "POST", signIn, own, { invitation: data.invitation }), 401, "UNAUTHENTICATED")
    refused(await service.call("POST", `${people}/${id}/invite`, { token }), 403, "TOKEN_SCOPE_DENIED")
  })

  it("is made for no colleague who can sign in, and the events of its session say who made it", async () => {
    const boss = await enter((await add({ name: "Boss", roles: ["owner"] })).id)
    const colleague = await add({ name: "Colleague", roles: ["support"] })
    await service.data("PATCH", `${people}/${colleague.id}`, {
      identities: [{ issuer: "https://idp.example", subject: randomUUID() }]
    })
    const active = `${people}/${colleague.id}/invite`
    assert.strictEqual(refused(await as(boss, "POST", active), 409, "STATE_CONFLICT").detail, "active")
    assert.strictEqual(refused(await service.call("POST", active), 409, "STATE_CONFLICT").detail, "active")
    await service.data("PATCH", `${people}/${colleague.id}`, { identities: [] })
    const { invitation } = (await as(boss, "POST", active)).body.data
    const opened = await ask(service, "POST", signIn, own, { invitation })
    assert.strictEqual(opened.status, 201, opened.text)
    const session = { id: colleague.id, sessionId: opened.body.data.id, cookie: cookieOf(opened) }
    const { license } = await service.issue()
    assert.strictEqual((await as(session, "POST", `/api/v1/licenses/${license.id}/suspend`)).status, 200)
    const [event] = (await service.feed(`&resource_id=${license.id}&event_type=license.suspended`)) as Array<Body>
    assert.strictEqual(event.actor_id, colleague.id)
    assert.strictEqual(event.metadata.opener_name, "Boss")
    const [activity] = await service.data(
      "GET",
      `/api/v1/activities?license_id=${license.id}&action=license.suspended&include_names=true`
    )
    assert.deepInclude(activity, { actor_name: "Colleague", opener_name: "Boss", opened_by: event.metadata.opened_by })
  })

  it("is given to nobody who was removed, and in no other environment than live", async () => {
    const { id } = await add()
    const invitation = await invite(id)
    await service.call("DELETE", `${people}/${id}`)
    refused(await service.call("POST", `${people}/${id}/invite`), 409, "STATE_CONFLICT")
    refused(await ask(service, "POST", signIn, own, { invitation }), 401, "UNAUTHENTICATED")
    const there = await service.data("POST", people, { name: "Ada" }, { token: testToken })
    refused(await service.call("POST", `${people}/${there.id}/invite`, { token: testToken }), 409, "STATE_CONFLICT")
  })
})

describe("ways in that lead nowhere", () => {
  const secret = "A".repeat(43)
  const changed = (text: string): string => text.slice(0, -1) + (text.endsWith("A") ? "E" : "A")

  it.each<[string, (invitation: string) => readonly [Headers, unknown]]>([
    ["from another site", (invitation) => [{ "sec-fetch-site": "cross-site" }, { invitation }]],
    ["from a sibling of the domain", (invitation) => [{ "sec-fetch-site": "same-site" }, { invitation }]],
    ["typed into the address bar", (invitation) => [{ "sec-fetch-site": "none" }, { invitation }]],
    ["by a browser that says nothing", (invitation) => [{}, { invitation }]],
    ["from another origin, by an old browser", (invitation) => [{ origin: "https://evil.example" }, { invitation }]],
    ["from an opaque origin", (invitation) => [{ origin: "null" }, { invitation }]],
    ["with an origin against the site", (invitation) => [{ ...own, origin: "https://evil.example" }, { invitation }]],
    [
      "with a word that no browser says",
      (invitation) => [{ "sec-fetch-site": "same-origin, cross-site" }, { invitation }]
    ],
    ["by a changed invitation", (invitation) => [own, { invitation: changed(invitation) }]],
    ["by an invitation with a space", (invitation) => [own, { invitation: `${invitation} ` }]],
    ["by one in capitals", (invitation) => [own, { invitation: invitation.toUpperCase() }]],
    ["by one that is made up", () => [own, { invitation: `csi_${secret}` }]],
    ["by the secret of a session", () => [own, { invitation: `css_${secret}` }]],
    ["by an ID", () => [own, { invitation: "per_06eqpx1trxz3h94vqjm3a6kz7c" }]]
  ])("an invitation %s opens nothing, and is not spent", async (_title, way) => {
    const { id } = await add()
    const invitation = await invite(id)
    const [headers, body] = way(invitation)
    const answer = await ask(service, "POST", signIn, headers, body)
    refused(answer, 401, "UNAUTHENTICATED")
    assert.notProperty(answer.headers, "set-cookie")
    assert.strictEqual((await ask(service, "POST", signIn, own, { invitation })).status, 201)
  })

  it.each<[string, unknown, number]>([
    ["nothing", {}, 422],
    ["an empty text", { invitation: "" }, 422],
    ["a list", { invitation: ["csi_"] }, 422],
    ["an object of the database's kind", { invitation: { $ne: "" } }, 422],
    ["a person beside it", { invitation: `csi_${secret}`, person_id: "per_x" }, 400]
  ])("a sign-in with %s is refused", async (_title, body, status) => {
    assert.strictEqual((await ask(service, "POST", signIn, own, body)).status, status)
  })

  it("an invitation of an hour ago is refused", async () => {
    const { id } = await add()
    const invitation = await invite(id)
    await sql.query("UPDATE person_invitations SET expires_at = now() WHERE person_id = $1", [id])
    refused(await ask(service, "POST", signIn, own, { invitation }), 401, "UNAUTHENTICATED")
  })

  it.each<[string, (ada: SignedIn) => Headers]>([
    ["from another site", ({ cookie }) => ({ cookie, "sec-fetch-site": "cross-site" })],
    ["from a sibling of the domain", ({ cookie }) => ({ cookie, "sec-fetch-site": "same-site" })],
    ["typed into the address bar", ({ cookie }) => ({ cookie, "sec-fetch-site": "none" })],
    ["of a browser that says nothing", ({ cookie }) => ({ cookie })],
    ["from another origin, of an old browser", ({ cookie }) => ({ cookie, origin: "https://evil.example" })],
    ["from an opaque origin", ({ cookie }) => ({ cookie, origin: "null" })],
    ["with an origin against the site", ({ cookie }) => ({ ...own, cookie, origin: "https://evil.example" })],
    ["with another one of its name", ({ cookie }) => ({ ...own, cookie: `${cookie}; countersign=css_${secret}` })],
    ["behind another one of its name", ({ cookie }) => ({ ...own, cookie: `countersign=css_${secret}; ${cookie}` })],
    ["under another name", ({ cookie }) => ({ ...own, cookie: cookie.replace("countersign", "session") })],
    ["under the name of https", ({ cookie }) => ({ ...own, cookie: `__Host-${cookie}` })],
    ["in capitals", ({ cookie }) => ({ ...own, cookie: cookie.toUpperCase() })],
    ["with another last character", ({ cookie }) => ({ ...own, cookie: changed(cookie) })],
    ["in quotes", ({ cookie }) => ({ ...own, cookie: cookie.replace(/=(.*)/, "=\"$1\"") })],
    ["that is empty", () => ({ ...own, cookie: "countersign=" })],
    ["that is made up", () => ({ ...own, cookie: `countersign=css_${secret}` })],
    ["that is the ID of the session", ({ sessionId }) => ({ ...own, cookie: `countersign=${sessionId}` })],
    ["as a bearer token", ({ cookie }) => ({ ...own, authorization: `Bearer ${cookie.split("=")[1]}` })],
    ["beside a wrong token", ({ cookie }) => ({ ...own, cookie, authorization: "Bearer csk_none" })],
    ["beside an empty token", ({ cookie }) => ({ ...own, cookie, authorization: "" })]
  ])("a cookie %s opens nothing", async (_title, headersOf) => {
    const ada = await signedIn(["owner"])
    const headers = headersOf(ada)
    refused(await ask(service, "GET", whoami, headers), 401, "UNAUTHENTICATED")
    const body = { name: randomUUID(), code: randomUUID() }
    refused(await ask(service, "POST", "/api/v1/products", headers, body), 401, "UNAUTHENTICATED")
    assert.strictEqual((await as(ada, "GET", whoami)).status, 200)
  })

  it("a cookie opens nothing at run time", async () => {
    const ada = await signedIn(["owner"])
    const { key } = await service.issue()
    refused(await as(ada, "POST", "/api/v1/license/validate", { fingerprint: "here" }), 401, "LICENSE_KEY_INVALID")
    refused(await as(ada, "POST", "/api/v1/license/trials", { fingerprint: "here" }), 401, "UNAUTHENTICATED")
    const headers = { ...own, cookie: ada.cookie, authorization: `License ${key}` }
    refused(await ask(service, "GET", whoami, headers), 401, "UNAUTHENTICATED")
  })

  it("a token needs no origin, and a cookie beside it changes nothing", async () => {
    const ada = await signedIn(["support"])
    const headers = { cookie: ada.cookie, "sec-fetch-site": "cross-site" }
    const { data } = (await service.call("GET", whoami, { headers })).body
    assert.strictEqual(data.kind, "bootstrap")
  })

  it("a session that was fixed before the sign-in is not the one that is opened", async () => {
    const { id } = await add()
    const planted = `countersign=css_${secret}`
    const answer = await ask(service, "POST", signIn, { ...own, cookie: planted }, { invitation: await invite(id) })
    assert.notStrictEqual(cookieOf(answer), planted)
    refused(await ask(service, "GET", whoami, { ...own, cookie: planted }), 401, "UNAUTHENTICATED")
  })

  it("the browser is told to send the cookie nowhere else, and no other origin is let in by CORS", async () => {
    const ada = await signedIn(["owner"])
    const headers = { ...own, cookie: ada.cookie, origin: "https://evil.example" }
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await ask(service, method, whoami, headers)
      assert.notProperty(answer.headers, "access-control-allow-credentials")
      assert.notInclude(answer.text, ada.id)
    }
  })

  it("what is stored opens nothing: the hashes alone are kept", async () => {
    const ada = await signedIn(["owner"])
    const rows = JSON.stringify(await sql.query("SELECT * FROM person_sessions"))
    assert.notInclude(rows, ada.cookie.split("=")[1]!)
  })
})
