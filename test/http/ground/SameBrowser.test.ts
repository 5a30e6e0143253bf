// Sign-ins in one browser: a new one ends the session that the browser had of the same person, and no other one.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { IdentityForge } from "../../fixtures/IdentityForge.ts"
import { PasskeyTab } from "../../fixtures/PasskeyTab.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { begin, comeBack, fromElsewhere } from "../../fixtures/SignIns.ts"

const forge = await new IdentityForge().open()
const service = await startService({
  environment: {
    HOST: "localhost",
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8,::1/128",
    ...forge.settings,
    COUNTERSIGN_OIDC_ROLES: "groups=admins:owner"
  }
})

const own = { "sec-fetch-site": "same-origin" }
const people = "/api/v1/people"
const add = (): Promise<Body> => service.data("POST", people, { name: "Ada", roles: ["support"] })
const invite = async (id: string): Promise<string> => (await service.data("POST", `${people}/${id}/invite`)).invitation
const sessionsOf = async (id: string): Promise<ReadonlyArray<string>> =>
  (await service.call("GET", `/api/v1/sessions?person_id=${id}&limit=200`)).body.data.map((session: Body) => session.id)
const endedOf = async (person: string) =>
  (await service.feed("&event_type=session.ended")).filter(({ data }) => data.person_id === person)

/** Signs in by an invitation, in a browser with this cookie. */
const byInvitation = async (
  id: string,
  cookie = ""
): Promise<{ readonly cookie: string; readonly session: string }> => {
  const answer = await service.call("POST", "/api/v1/sign-in", {
    token: null,
    headers: { ...own, ...fromElsewhere(), ...(cookie === "" ? {} : { cookie }) },
    body: { invitation: await invite(id) }
  })
  assert.strictEqual(answer.status, 201, answer.text)
  return { cookie: String(answer.headers["set-cookie"]).split(";")[0]!, session: answer.body.data.id }
}

describe("a person who signs in again", () => {
  it("by invitations in one browser has the newest session, and that of another browser", async () => {
    const { id } = await add()
    const other = await byInvitation(id)
    let last = await byInvitation(id)
    for (let count = 0; count < 5; count++) last = await byInvitation(id, last.cookie)
    assert.sameMembers([...await sessionsOf(id)], [other.session, last.session])
    const ended = await endedOf(id)
    assert.lengthOf(ended, 5)
    for (const event of ended) assert.deepInclude(event, { actor_type: "person", actor_id: id })
  })

  it("with a passkey in one browser has one session after thirty sign-ins", async () => {
    const { id } = await add()
    const tab = new PasskeyTab(service)
    assert.strictEqual((await tab.join(await invite(id))).status, 201)
    for (let count = 0; count < 30; count++) assert.strictEqual((await tab.signIn()).status, 201)
    assert.lengthOf(await sessionsOf(id), 1)
    assert.strictEqual((await tab.whoami()).status, 200)
  })

  it("at the identity provider has one session, though its cookie does not come back from there", async () => {
    const sub = `account-${randomUUID()}`
    let cookie = ""
    let id = ""
    for (let count = 0; count < 3; count++) {
      const begun = await begin(service, undefined, cookie)
      const shown = await comeBack(service, begun, forge.grant(begun.address, { sub, groups: ["admins"] }))
      assert.strictEqual(shown.status, 200, shown.text)
      cookie = shown.cookie!
      const who = await service.call("GET", "/api/v1/whoami", { token: null, headers: { ...own, cookie } })
      id = who.body.data.id
    }
    assert.lengthOf(await sessionsOf(id), 1)
  })

  it("leaves the session of another person who used the browser before", async () => {
    const [ada, bob] = [await add(), await add()]
    const before = await byInvitation(ada.id)
    await byInvitation(bob.id, before.cookie)
    assert.deepStrictEqual([...await sessionsOf(ada.id)], [before.session])
    assert.isEmpty(await endedOf(ada.id))
  })
})

describe("a person who is removed", () => {
  it("leaves API keys, which the event names: those that work, and those that they made", async () => {
    const { id } = await service.data("POST", people, { name: "Grace", roles: ["owner"] })
    const { cookie } = await byInvitation(id)
    const create = async (headers: object, token?: string): Promise<Body> => {
      const answer = await service.call("POST", "/api/v1/api-keys", {
        token: token ?? null,
        headers: { ...own, ...fromElsewhere(), ...headers },
        body: { name: "storefront", scopes: ["admin"] }
      })
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body.data
    }
    const first = await create({ cookie })
    const made = await create({}, first.token)
    const gone = await create({ cookie })
    await service.data("DELETE", `/api/v1/api-keys/${gone.api_key.id}`)
    await service.data("DELETE", `${people}/${id}`)
    const [event] = await service.feed(`&event_type=person.removed&resource_id=${id}`)
    assert.sameMembers(event!.metadata.api_keys_kept, [first.api_key.id, made.api_key.id])
    const whoami = await service.call("GET", "/api/v1/whoami", { token: first.token })
    assert.strictEqual(whoami.status, 200)
  })
})
