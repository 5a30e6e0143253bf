// People are one list: a session of live reaches the test environment, with the roles and second looks of its person, and nobody else
// comes in by one.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"
import { testDatabaseOf, testPrefix, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const service = await startService()
const testDatabase = testDatabaseOf(service)

const inTest = (who: SignedIn, method: string, path: string, body?: unknown): Promise<Answer> =>
  asPerson(service, who, method, `${testPrefix}/api/v1${path}`, body)

const dataOf = (answer: Answer): Body => {
  assert.isBelow(answer.status, 300, answer.text)
  return answer.body.data
}

const refused = ({ body, status, text }: Answer, code: string): void => {
  assert.isAtLeast(status, 400, text)
  assert.strictEqual(body.error.code, code, text)
}

const person = (roles: ReadonlyArray<string>) => signInAs(service, `Ada ${randomUUID()}`, roles)

/** A license of test, issued by the admin token of test. */
const issued = async (): Promise<Body> => {
  const ask = (path: string, body: object) => service.data("POST", path, body, { token: testToken })
  const product = await ask("/api/v1/products", { name: "Acme", code: randomUUID() })
  const policy = await ask(`/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    duration: "P1Y"
  })
  const { license } = await ask("/api/v1/licenses", { product_id: product.id, policy_id: policy.id })
  return { ...license, product_id: product.id, policy_id: policy.id }
}

const eventsOf = async (id: string): Promise<ReadonlyArray<Body>> =>
  (await service.data("GET", `/api/v1/events?resource_id=${id}&order=asc`, undefined, { token: testToken })) as never

/** A role of the vendor's own. */
const roleWith = async (role: object): Promise<string> =>
  (await service.data("POST", "/api/v1/roles", { name: randomUUID(), ...role })).id

describe("a person's session in the test environment", () => {
  it("acts there as the person, with the scopes of the roles, and its events name the person", async () => {
    const ada = await person(["developer"])
    const who = dataOf(await inTest(ada, "GET", "/whoami"))
    assert.deepInclude(who, { kind: "person", id: ada.id, name: ada.name })
    assert.strictEqual(dataOf(await inTest(ada, "GET", "/environment")).name, "test")
    const product = dataOf(await inTest(ada, "POST", "/products", { name: "Made in test", code: randomUUID() }))
    refused(await asPerson(service, ada, "GET", `/api/v1/products/${product.id}`), "NOT_FOUND")
    const [event] = await eventually("the event is in the feed", async () => {
      const found = await eventsOf(product.id)
      return found.length > 0 && found
    })
    assert.deepInclude(event, { actor_type: "person", actor_id: ada.id })
    assert.deepInclude(event!["metadata"], { actor_name: ada.name, actor_roles: ["Developer"] })
    refused(await inTest(ada, "POST", "/environment/reset"), "TOKEN_SCOPE_DENIED")
    refused(await inTest(ada, "POST", "/api-keys", { name: "k" }), "TOKEN_SCOPE_DENIED")
  })

  it("reads there with a role that reads, and writes nothing", async () => {
    const kim = await person(["auditor"])
    dataOf(await inTest(kim, "GET", "/products"))
    refused(await inTest(kim, "POST", "/products", { name: "no", code: randomUUID() }), "TOKEN_SCOPE_DENIED")
  })

  it("reaches no product with a role that is limited to products of live", async () => {
    const { id } = await service.data("POST", "/api/v1/products", { name: "Live", code: randomUUID() })
    const { product_id } = await issued()
    const sam = await person([await roleWith({ scopes: ["product:read", "license:read"], product_ids: [id] })])
    refused(await inTest(sam, "GET", `/products/${product_id}`), "NOT_FOUND")
    assert.deepStrictEqual(dataOf(await inTest(sam, "GET", "/licenses")), [])
  })

  it.each<[string, (ada: SignedIn) => Promise<unknown>]>([
    ["is removed", ({ id }) => service.call("DELETE", `/api/v1/people/${id}`)],
    ["loses the session", ({ sessionId }) => service.call("DELETE", `/api/v1/sessions/${sessionId}`)],
    [
      "is idle for too long",
      async ({ sessionId }) => {
        const { query } = await session(service.databaseUrl)
        await query("UPDATE person_sessions SET last_used_at = now() - interval '1 day' WHERE id = $1", [sessionId])
      }
    ]
  ])("ends there at once when the person %s in live", async (_how, end) => {
    const ada = await person(["developer"])
    dataOf(await inTest(ada, "GET", "/products"))
    await end(ada)
    assert.strictEqual((await inTest(ada, "GET", "/products")).status, 401)
    assert.strictEqual((await asPerson(service, ada, "GET", "/api/v1/products")).status, 401)
  })

  it("loses there what a role of the person loses in live, with the next request", async () => {
    const role = await roleWith({ scopes: ["product:write"] })
    const ada = await person([role])
    // The session of an invitation ends with any change of a role.
    const { query } = await session(service.databaseUrl)
    await query("UPDATE person_sessions SET sign_in_method = 'passkey' WHERE id = $1", [ada.sessionId])
    dataOf(await inTest(ada, "POST", "/products", { name: "before", code: randomUUID() }))
    await service.data("PATCH", `/api/v1/roles/${role}`, { scopes: ["product:read"] })
    refused(await inTest(ada, "POST", "/products", { name: "after", code: randomUUID() }), "TOKEN_SCOPE_DENIED")
  })

  it("lives by the clock of live, however far that of test was moved", async () => {
    const ada = await person(["owner"])
    dataOf(await inTest(ada, "PUT", "/environment/clock", { advance: "P2Y" }))
    dataOf(await inTest(ada, "GET", "/whoami"))
    dataOf(await asPerson(service, ada, "GET", "/api/v1/whoami"))
    dataOf(await inTest(ada, "POST", "/environment/reset"))
    dataOf(await inTest(ada, "GET", "/whoami"))
  })

  it("is refused from elsewhere than a page of the service, and for a page of somebody else", async () => {
    const ada = await person(["owner"])
    const { cookie } = ada
    const path = `${testPrefix}/api/v1/products`
    const body = { name: "forged", code: randomUUID() }
    for (
      const headers of [
        { cookie, "sec-fetch-site": "cross-site" },
        { cookie, "sec-fetch-site": "same-site" },
        { cookie },
        { cookie, origin: "https://evil.example" },
        { cookie: `${cookie}x`, "sec-fetch-site": "same-origin" },
        { cookie: "countersign=css_", "sec-fetch-site": "same-origin" }
      ]
    ) refused(await service.call("POST", path, { token: null, headers, body }), "UNAUTHENTICATED")
    const headers = { cookie, "sec-fetch-site": "same-origin", "countersign-person": "per_06eqpx1trxz3h94vqjm3a6kz7c" }
    refused(await service.call("POST", path, { token: null, headers, body }), "PERSON_MISMATCH")
    // With a token, that is what counts, and it is of one environment.
    const withToken = { ...headers, authorization: `Bearer ${testToken}` }
    const asked = await service.call("GET", `${testPrefix}/api/v1/whoami`, { token: null, headers: withToken })
    assert.strictEqual(asked.body.data.kind, "bootstrap")
  })

  it("finds there no people, roles, sessions and passkeys, which are those of live", async () => {
    const ada = await person(["owner"])
    for (
      const [method, path, body] of [
        ["GET", "/people"],
        ["POST", "/people", { name: "Eve", roles: ["owner"] }],
        ["DELETE", `/people/${ada.id}`],
        ["GET", "/roles"],
        ["PATCH", "/roles/support", { second_look: [] }],
        ["GET", "/sessions"],
        ["DELETE", "/sessions/current"],
        ["POST", "/passkeys/begin"]
      ] as const
    ) {
      const answer = await inTest(ada, method, path, body)
      refused(answer, "TOKEN_SCOPE_DENIED")
      assert.include(answer.body.error.message, "live")
    }
    refused(
      await inTest(ada, "POST", "/approvals", { operation: "removePerson", params: { id: ada.id }, reason: "r" }),
      "TOKEN_SCOPE_DENIED"
    )
    refused(await inTest(ada, "POST", "/sign-out"), "UNAUTHENTICATED")
    dataOf(await asPerson(service, ada, "GET", "/api/v1/whoami"))
  })

  it("is opened by nobody of test: who is added there is not invited", async () => {
    const made = (path: string, body?: object) => service.call("POST", path, { token: testToken, body })
    const { id } = dataOf(await made("/api/v1/people", { name: "Eve", roles: ["owner"] }))
    refused(await made(`/api/v1/people/${id}/invite`), "STATE_CONFLICT")
  })
})

describe("a second person in the test environment", () => {
  it("is needed where the roles of live need one, and approves there", async () => {
    const role = await roleWith({ scopes: ["license:write"], second_look: ["revoke_license"] })
    const [ada, kim] = await Promise.all([person([role]), person(["support"])])
    const { id } = await issued()
    refused(await inTest(ada, "POST", `/licenses/${id}/revoke`, { reason: "leaked" }), "APPROVAL_REQUIRED")
    const asked = dataOf(
      await inTest(ada, "POST", "/approvals", {
        operation: "revokeLicense",
        params: { id },
        body: { reason: "leaked" },
        reason: "leaked"
      })
    )
    refused(await inTest(ada, "POST", `/approvals/${asked.id}/approve`, { reason: "mine" }), "STATE_CONFLICT")
    refused(
      await asPerson(service, kim, "POST", `/api/v1/approvals/${asked.id}/approve`, { reason: "ok" }),
      "NOT_FOUND"
    )
    const done = dataOf(await inTest(kim, "POST", `/approvals/${asked.id}/approve`, { reason: "seen" }))
    assert.strictEqual(done.state, "approved", JSON.stringify(done))
    assert.strictEqual(dataOf(await inTest(kim, "GET", `/licenses/${id}`)).status, "revoked")
    const revoked = await eventually(
      "the event is in the feed",
      async () => (await eventsOf(id)).find(({ event_type }) => event_type === "license.revoked")
    )
    assert.deepInclude(revoked, { actor_type: "person", actor_id: ada.id })
    assert.deepInclude(revoked["metadata"], { approved_by: kim.id, approver_name: kim.name, actor_name: ada.name })
  })

  it("does nothing for somebody who was removed in live meanwhile", async () => {
    const role = await roleWith({ scopes: ["license:write"], second_look: ["revoke_license"] })
    const [ada, kim] = await Promise.all([person([role]), person(["support"])])
    const { id } = await issued()
    const asked = dataOf(
      await inTest(ada, "POST", "/approvals", { operation: "revokeLicense", params: { id }, reason: "leaked" })
    )
    await service.call("DELETE", `/api/v1/people/${ada.id}`)
    refused(await inTest(kim, "POST", `/approvals/${asked.id}/approve`, { reason: "seen" }), "STATE_CONFLICT")
    assert.strictEqual(dataOf(await inTest(kim, "GET", `/licenses/${id}`)).status, "active")
  })
})

describe("a job in the test environment", () => {
  it("runs for the person, and ends before its next license when the person is removed in live", async () => {
    const [ada, kim] = await Promise.all([person(["support"]), person(["support"])])
    const ids = await Promise.all([1, 2, 3].map(async () => (await issued())["id"] as string))
    // Two licenses are changed at once: the third waits for one of them, and is judged when the person is gone. Its refusal ends the
    // work on the other, which then is done as a whole or not at all.
    const held = await hold(testDatabase, "SELECT 1 FROM licenses WHERE id = ANY($1) FOR UPDATE", [ids])
    const asked = await service.call("POST", `${testPrefix}/api/v1/licenses/jobs`, {
      token: null,
      headers: { cookie: ada.cookie, "sec-fetch-site": "same-origin", "idempotency-key": randomUUID() },
      body: { action: "suspend", selection: { ids }, reason: "r" }
    })
    const { job: { id } } = dataOf(asked)
    await held.blocked(2)
    await service.call("DELETE", `/api/v1/people/${ada.id}`)
    await held.release()
    const job = await eventually("the job has ended", async () => {
      const found: Body = await service.data("GET", `/api/v1/jobs/${id}`, undefined, { token: testToken })
      return found.state !== "running" && found
    })
    const licenses = await Promise.all(ids.map((each) => inTest(kim, "GET", `/licenses/${each}`)))
    const suspended = licenses.filter((answer) => dataOf(answer).status === "suspended")
    assert.deepInclude(job, { state: "failed", failed: 0, skipped: 0, done: suspended.length, total: 3 })
    assert.include([1, 2], suspended.length)
    assert.deepInclude(job.author, { type: "person", id: ada.id })
  })
})
