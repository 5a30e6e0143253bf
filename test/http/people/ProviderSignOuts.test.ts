// Signing out at an identity provider, and sessions that it ends: who may end which, and every token that must end none.
import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync, randomUUID } from "node:crypto"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import type { Payload, Signed } from "../../fixtures/IdentityForge.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { begin, browse, comeBack, fromElsewhere, inSession, signInPath, startSecond } from "../../fixtures/SignIns.ts"

const forge = await new IdentityForge().open()
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  ...forge.settings,
  COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support,groups=admins:owner"
}
const service = await startService({ environment })
const other = await startSecond(service, environment)
const alone = await startService({
  databaseUrl: service.databaseUrl,
  environment: { ...environment, COUNTERSIGN_OIDC_SIGN_OUT: "service" }
})

const subject = () => `account-${randomUUID()}`
const now = () => Math.floor(Date.now() / 1000)

/** Signs an account in, and answers the cookie of its session. */
const enter = async (payload: Payload, at = service): Promise<string> => {
  const begun = await begin(at)
  const shown = await comeBack(at, begun, forge.grant(begun.address, { name: "Ada", groups: ["helpdesk"], ...payload }))
  assert.strictEqual(shown.status, 200, shown.text)
  return shown.cookie!
}

const isIn = async (cookie: string): Promise<boolean> =>
  (await inSession(service, cookie, "/api/v1/whoami")).status === 200

/** Tells the service of a session that has ended, as the provider does. */
const tell = async (token: string | undefined, at = service) => {
  const answer = await fetch(`${at.url}${signInPath}/oidc/back-channel-logout`, {
    method: "POST",
    headers: fromElsewhere(),
    body: new URLSearchParams(token === undefined ? {} : { logout_token: token })
  })
  return { status: answer.status, cache: answer.headers.get("cache-control"), text: await answer.text() }
}

const signOut = (cookie: string, at = service, headers: Readonly<Record<string, string>> = {}): Promise<Body> =>
  at.call("POST", "/api/v1/sign-out", {
    token: null,
    headers: { "sec-fetch-site": "same-origin", cookie, ...fromElsewhere(), ...headers }
  })

describe("a logout token of the provider", () => {
  it("ends the session that it names, on every node, and no other one", async () => {
    const sub = subject()
    const [one, two, stranger] = await Promise.all([
      enter({ sub, sid: `one-${sub}` }),
      enter({ sub, sid: `two-${sub}` }),
      enter({ sub: subject(), sid: `three-${sub}` })
    ])
    const { cache, status, text } = await tell(forge.logoutToken({ sid: `one-${sub}` }), other)
    assert.deepStrictEqual({ cache, status, text }, { cache: "no-store", status: 200, text: "" })
    assert.deepStrictEqual(await Promise.all([one, two, stranger].map(isIn)), [false, true, true])
    const ended = (await service.feed()).findLast(({ event_type }) => event_type === "session.ended")!
    assert.deepInclude(ended, { actor_type: "system" })
    assert.deepInclude(ended.data, { sign_in_method: "openid_connect" })
  })

  it("ends all sessions of an account, also those whose session at the provider is not known", async () => {
    const sub = subject()
    const [one, two, stranger] = await Promise.all([
      enter({ sub, sid: `one-${sub}` }),
      enter({ sub }),
      enter({ sub: subject() })
    ])
    assert.strictEqual((await tell(forge.logoutToken({ sub }))).status, 200)
    assert.deepStrictEqual(await Promise.all([one, two, stranger].map(isIn)), [false, false, true])
  })

  it("that names an account and its session ends this one, and what may be it", async () => {
    const sub = subject()
    const [one, two, unnamed] = await Promise.all([
      enter({ sub, sid: `one-${sub}` }),
      enter({ sub, sid: `two-${sub}` }),
      enter({ sub })
    ])
    assert.strictEqual((await tell(forge.logoutToken({ sub, sid: `one-${sub}` }))).status, 200)
    assert.deepStrictEqual(await Promise.all([one, two, unnamed].map(isIn)), [false, true, false])
    assert.strictEqual((await tell(forge.logoutToken({ sub: subject(), sid: `two-${sub}` }))).status, 200)
    assert.isTrue(await isIn(two))
  })

  it("ends no session that was opened by an invitation or at another issuer", async () => {
    const sub = subject()
    const { id } = await service.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
    const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
    const opened = await service.call("POST", signInPath, {
      token: null,
      headers: { "sec-fetch-site": "same-origin", ...fromElsewhere() },
      body: { invitation }
    })
    const cookie = String(opened.headers["set-cookie"]).split(";")[0]!
    assert.strictEqual((await tell(forge.logoutToken({ sub }))).status, 200)
    assert.isTrue(await isIn(cookie))
  })

  it("signed by a key that the provider has published since is taken", async () => {
    const sub = subject()
    const cookie = await enter({ sub })
    assert.strictEqual((await tell(forge.logoutToken({ sub: subject() }))).status, 200)
    forge.rotate()
    // Keys are read anew once they are ten seconds old; another node, which has read none, reads them now.
    const third = await startSecond(service, environment)
    assert.strictEqual((await tell(forge.logoutToken({ sub }), third)).status, 200)
    assert.isFalse(await isIn(cookie))
    await enter({ sub })
  })
})

const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const unsigned = (token: string) => token.replace(/[^.]*$/, "")

/** Logout tokens that must end nothing, by what is wrong with them. */
const forged: Readonly<Record<string, readonly [payload: Payload | (() => Payload), signed?: Signed]>> = {
  "of another issuer": [{ iss: "https://evil.example" }],
  "of the issuer with a slash": [() => ({ iss: `${forge.issuer}/` })],
  "without an issuer": [{ iss: undefined }],
  "for another client": [{ aud: "another" }],
  "without an audience": [{ aud: undefined }],
  "with a nonce": [{ nonce: "n" }],
  "with an empty nonce": [{ nonce: "" }],
  "without events": [{ events: undefined }],
  "with another event": [{ events: { "http://schemas.openid.net/event/other": {} } }],
  "with an event that is no object": [{ events: { "http://schemas.openid.net/event/backchannel-logout": true } }],
  "with events that are a list": [{ events: ["http://schemas.openid.net/event/backchannel-logout"] }],
  "without an id": [{ jti: undefined }],
  "with an empty id": [{ jti: "" }],
  "of nobody": [{ sub: undefined, sid: undefined }],
  "of a subject that is no text": [{ sub: 7 }],
  "of an empty session": [{ sid: "" }],
  "that is over": [() => ({ exp: now() - 61 })],
  "without an end": [{ exp: undefined }],
  "that ends in a week": [() => ({ exp: now() + 7 * 86_400 })],
  "without a time": [{ iat: undefined }],
  "of tomorrow": [() => ({ iat: now() + 86_400 })],
  "that is not good yet": [() => ({ nbf: now() + 90 })],
  "with alg none": [{}, { header: { alg: "none" }, tampered: unsigned }],
  "without a signature": [{}, { tampered: unsigned }],
  "signed with the client secret": [{}, { header: { alg: "HS256" }, hmac: client.secret }],
  "signed by another key": [{}, { by: stranger }],
  "that brings its own key": [{}, { by: stranger, header: { kid: undefined, jwk: {} } }],
  "that is an access token by its type": [{}, { header: { typ: "at+jwt" } }]
}

describe("a forged logout token", () => {
  it.each(Object.keys(forged))("%s ends nothing", async (what) => {
    const [payload, signed] = forged[what]!
    const sub = subject()
    const cookie = await enter({ sub })
    const token = forge.logoutToken({ sub, ...typeof payload === "function" ? payload() : payload }, signed)
    const { cache, status, text } = await tell(token)
    assert.deepStrictEqual([status, cache], [400, "no-store"], text)
    assert.deepInclude(JSON.parse(text), { error: "invalid_request" })
    assert.isTrue(await isIn(cookie))
  })

  it.each([undefined, "", "x", "a.b.c", "x".repeat(20_000)])("that is %s ends nothing", async (token) => {
    assert.strictEqual((await tell(token)).status, 400)
  })

  it("that was used before ends nothing, on no node", async () => {
    const sub = subject()
    const first = await enter({ sub })
    const token = forge.logoutToken({ sub })
    assert.strictEqual((await tell(token)).status, 200)
    const second = await enter({ sub })
    assert.strictEqual((await tell(token)).status, 400)
    assert.strictEqual((await tell(token, other)).status, 400)
    assert.deepStrictEqual([await isIn(first), await isIn(second)], [false, true])
  })

  it("that is the ID token of the session ends nothing", async () => {
    const sub = subject()
    const begun = await begin(service)
    const cookie = await enter({ sub })
    assert.strictEqual((await tell(forge.idToken(begun.address, { sub, jti: "1" }))).status, 400)
    assert.isTrue(await isIn(cookie))
  })

  it("does not have the provider asked again and again, and too many are slowed down", async () => {
    await tell(forge.logoutToken({ sub: subject() }))
    forge.asked.length = 0
    const statuses = new Set<number>()
    for (let count = 0; count < 70; count++) {
      const { status } = await fetch(`${service.url}${signInPath}/oidc/back-channel-logout`, {
        method: "POST",
        headers: { "x-forwarded-for": "203.0.113.99" },
        body: new URLSearchParams({
          logout_token: forge.logoutToken({}, { by: stranger, header: { kid: randomUUID() } })!
        })
      })
      statuses.add(status)
    }
    assert.sameMembers([...statuses], [400, 429])
    assert.isAtMost(forge.asked.length, 1)
  })

  it("is not taken where there is no provider, and by no other method", async () => {
    assert.strictEqual((await browse(service, `${signInPath}/oidc/back-channel-logout`)).status, 404)
    const path = `${service.url}/test${signInPath}/oidc/back-channel-logout`
    const answer = await fetch(path, { method: "POST", body: new URLSearchParams({ logout_token: "x" }) })
    assert.include([400, 404, 503], answer.status)
  })
})

describe("a person who signs out", () => {
  it("ends the session here, and is sent to end that at the provider", async () => {
    const cookie = await enter({ sub: subject() })
    const { body, headers, status } = await signOut(cookie)
    assert.strictEqual(status, 200)
    assert.isFalse(await isIn(cookie))
    const url = new URL(body.data.provider_url)
    assert.strictEqual(url.origin + url.pathname, `${forge.issuer}/logout`)
    assert.strictEqual(url.searchParams.get("post_logout_redirect_uri"), `${service.url}/console/sign-in`)
    const [, claims = ""] = url.searchParams.get("id_token_hint")!.split(".")
    assert.strictEqual(JSON.parse(Buffer.from(claims, "base64url").toString()).aud, client.id)
    assert.match(String(headers["set-cookie"]), /^countersign-signed-out=1; .*HttpOnly; SameSite=Lax/)
  })

  it("is asked for the account at the next sign-in, and not at the one after", async () => {
    const { headers } = await signOut(await enter({ sub: subject() }))
    const signedOut = String(headers["set-cookie"]).split(";")[0]!
    const shown = await browse(service, `${signInPath}/oidc`, { cookie: signedOut })
    assert.strictEqual(new URL(shown.location!).searchParams.get("prompt"), "login")
    const cookie = `${signedOut}; ${shown.cookie}`
    const back = await comeBack(
      service,
      { cookie },
      forge.grant(shown.location!, { sub: subject(), groups: ["helpdesk"], name: "A" })
    )
    assert.match(back.setCookie!, /countersign-signed-out=; Max-Age=0/)
    assert.isNull(new URL((await begin(service)).address).searchParams.get("prompt"))
  })

  it("is asked as the provider can, and no more where it refuses to", async () => {
    const signedOut = "countersign-signed-out=1"
    const promptAt = async (prompts: ReadonlyArray<string>) => {
      forge.metadata = { prompt_values_supported: prompts }
      const fresh = await startSecond(service, environment)
      const shown = await browse(fresh, `${signInPath}/oidc`, { cookie: signedOut })
      forge.metadata = {}
      return new URL(shown.location!).searchParams.get("prompt")
    }
    assert.strictEqual(await promptAt(["none", "login", "select_account"]), "select_account")
    assert.isNull(await promptAt(["none"]))
    const begun = await begin(service)
    const state = new URL(begun.address).searchParams.get("state")!
    const cookie = `${signedOut}; ${begun.cookie}`
    const refusedBack = await comeBack(service, { cookie }, { error: "invalid_request", state, iss: forge.issuer })
    assert.match(refusedBack.setCookie!, /countersign-signed-out=; Max-Age=0/)
  })

  it("stays signed in at the provider where the service is set so, or the provider takes no sign-outs", async () => {
    const here = await signOut(await enter({ sub: subject() }, alone), alone)
    assert.deepStrictEqual(here.body.data, {})
    assert.match(String(here.headers["set-cookie"]), /^countersign-signed-out=1/)
    forge.metadata = { end_session_endpoint: undefined }
    const fresh = await startSecond(service, environment)
    const there = await signOut(await enter({ sub: subject() }, fresh), fresh)
    forge.metadata = {}
    assert.deepStrictEqual(there.body.data, {})
  })

  it("signs out while the provider is away", async () => {
    const cookie = await enter({ sub: subject() })
    await forge.close()
    const fresh = await startSecond(service, environment)
    const { body, status } = await signOut(cookie, fresh)
    await forge.open()
    assert.deepStrictEqual([status, body.data], [200, {}])
    assert.isFalse(await isIn(cookie))
  })

  it("cannot be made to by another site, without a session, or for another person", async () => {
    const cookie = await enter({ sub: subject() })
    refused(await signOut(cookie, service, { "sec-fetch-site": "cross-site" }), 401, "UNAUTHENTICATED")
    refused(await signOut("a=b"), 401, "UNAUTHENTICATED")
    refused(
      await signOut(cookie, service, { "countersign-person": "per_06eqpx1trxz3h94vqjm3a6kz7c" }),
      401,
      "PERSON_MISMATCH"
    )
    assert.isTrue(await isIn(cookie))
  })
})

describe("a browser that begins in two tabs", () => {
  it("is let in by each of them, whichever comes back first, and nothing is told as an attack", async () => {
    const refusals = async () =>
      (await service.feed()).filter(({ event_type }) => event_type === "session.refused").length
    const before = await refusals()
    const [one, two] = [await begin(service), await begin(service)]
    const cookie = `${one.cookie}; ${two.cookie}`
    for (const begun of [one, two]) {
      const query = forge.grant(begun.address, { sub: subject(), name: "Ada", groups: ["helpdesk"] })
      assert.strictEqual((await comeBack(service, { cookie }, query)).status, 200)
    }
    assert.strictEqual(await refusals(), before)
  })

  it("is not let in by the sign-in of another browser", async () => {
    const [own, foreign] = [await begin(service), await begin(service)]
    const query = forge.grant(foreign.address, { sub: subject(), name: "Eve", groups: ["admins"] })
    assert.strictEqual((await comeBack(service, own, query)).status, 401)
    const renamed = foreign.cookie.split("=")[0] + "=" + own.cookie.split("=")[1]
    assert.strictEqual((await comeBack(service, { cookie: renamed }, query)).status, 401)
  })

  it("keeps eight sign-ins that are under way, the newest", async () => {
    const cookies = await Promise.all(Array.from({ length: 9 }, async () => (await begin(service)).cookie))
    const shown = await browse(service, `${signInPath}/oidc`, { cookie: cookies.join("; ") })
    const taken = shown.setCookie!.match(/countersign-sign-in-[\w-]+=; Max-Age=0/g)
    assert.deepStrictEqual(taken, cookies.slice(0, 2).map((text) => `${text.split("=")[0]}=; Max-Age=0`))
  })
})
