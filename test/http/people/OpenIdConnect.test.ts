// Sign-in at an identity provider: who gets in, with which roles, and every way that must not lead in.
import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync, randomUUID } from "node:crypto"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import type { Payload, Signed } from "../../fixtures/IdentityForge.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import {
  begin,
  beginInvited,
  browse,
  callbackPath,
  comeBack,
  fromElsewhere,
  inSession,
  signInPath,
  startSecond
} from "../../fixtures/SignIns.ts"
import type { BegunSignIn, Shown } from "../../fixtures/SignIns.ts"
import { testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const forge = await new IdentityForge().open()

const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  ...forge.settings,
  COUNTERSIGN_OIDC_ROLES: "groups=admins:owner,groups=helpdesk:support,groups=money:finance"
}
const service = await startService({ environment })
const other = await startSecond(service, environment)
testDatabaseOf(service)

const people = "/api/v1/people"
const beginPath = "/api/v1/sign-in/oidc"

const add = (members: object): Promise<Body> => service.data("POST", people, { name: "Ada", ...members })
const get = (id: string): Promise<Body> => service.data("GET", `${people}/${id}`)
const invite = (id: string, token?: string): Promise<Body> =>
  service.data("POST", `${people}/${id}/invite`, undefined, token === undefined ? {} : { token })
const subject = () => `account-${randomUUID()}`

/** Signs in with what the provider says of an account. */
const signIn = async (
  payload: Payload,
  { begun, ...more }: Parameters<IdentityForge["grant"]>[2] & { readonly begun?: BegunSignIn } = {}
): Promise<Shown> => {
  const at = begun ?? await begin(service)
  return comeBack(service, at, forge.grant(at.address, payload, more))
}

const enters = (shown: Shown): string => {
  assert.strictEqual(shown.status, 200, shown.text)
  assert.match(shown.cookie!, /^countersign=css_/)
  return shown.cookie!
}

const staysOut = (shown: Shown, status: number, words: RegExp | string): void => {
  assert.strictEqual(shown.status, status, shown.text)
  assert.isUndefined(shown.setCookie)
  assert.match(shown.text, new RegExp(words))
  assert.include(shown.text, "You are not signed in")
}

const whoami = async (cookie: string, at = service): Promise<Body> => {
  const { body, status } = await inSession(at, cookie, "/api/v1/whoami")
  assert.strictEqual(status, 200)
  return body.data
}

/** Counts what a sign-in that succeeds makes more of. */
const insiders = async (): Promise<unknown> => [
  (await service.call("GET", "/api/v1/sessions?limit=200")).body.data.length,
  (await service.call("GET", `${people}?limit=200`)).body.data.length
]

describe("the ways to sign in", () => {
  it("are told to everybody", async () => {
    const answer = await service.call("GET", "/api/v1/sign-in", { token: null })
    assert.deepStrictEqual(answer.body.data, {
      openid_connect: { issuer: forge.issuer },
      passkeys: false,
      passkeys_problem: "Passkeys need https, or localhost. Ask the operator of this service.",
      admin_token: true
    })
    const inTest = await service.call("GET", `/test${signInPath}`, { token: null })
    assert.deepStrictEqual(inTest.body.data, {
      passkeys: false,
      passkeys_problem: "People sign in to the live environment.",
      admin_token: true
    })
  })
})

describe("a person signs in at the identity provider", () => {
  it("by an account that is linked, and ends at the page that was asked for", async () => {
    const sub = subject()
    const ada = await add({ roles: ["support"], identities: [{ issuer: forge.issuer, subject: sub }] })
    const begun = await begin(service, "/console/licenses?status=active")
    const asked = new URL(begun.address).searchParams
    assert.include(
      Object.fromEntries(asked),
      {
        response_type: "code",
        client_id: client.id,
        code_challenge_method: "S256",
        scope: "openid profile email groups",
        redirect_uri: service.url + callbackPath
      }
    )
    const shown = await signIn({ sub, groups: [] }, { begun })
    const cookie = enters(shown)
    assert.include(shown.text, `content="0; url=${service.url}/console/licenses?status=active"`)
    assert.match(shown.setCookie!, /; HttpOnly; SameSite=Strict$/)
    assert.deepInclude(await whoami(cookie), { kind: "person", id: ada.id })
    const opened = (await service.feed()).findLast(({ event_type }) => event_type === "session.opened")!
    assert.deepInclude(opened, { actor_type: "person", actor_id: ada.id })
    assert.deepInclude(opened.data, { person_id: ada.id, sign_in_method: "openid_connect" })
  })

  it("by an invitation that an owner made, which links the account and is spent", async () => {
    const sub = subject()
    const ada = await add({ roles: ["finance"] })
    const invited = await invite(ada.id)
    assert.isTrue(invited.links_account)
    const begun = await beginInvited(service, { invitation: invited.invitation, return_to: "/console/people" })
    enters(await signIn({ sub, groups: [] }, { begun }))
    assert.deepInclude(await get(ada.id), { status: "active", identities: [{ issuer: forge.issuer, subject: sub }] })
    const again = await beginInvited(service, { invitation: invited.invitation })
    staysOut(await signIn({ sub, groups: [] }, { begun: again }), 403, "unknown, was used, or has expired")
    enters(await signIn({ sub, groups: [] }))
  })

  it("by a claim that gives a role, as somebody new", async () => {
    const sub = subject()
    const claims = {
      name: "Grace Hopper",
      email: "grace@example.com",
      email_verified: true,
      groups: ["helpdesk", "all"]
    }
    const { id } = await whoami(enters(await signIn({ sub, ...claims })))
    assert.deepInclude(await get(id), {
      name: "Grace Hopper",
      email: "grace@example.com",
      roles: ["support"],
      status: "active"
    })
    const unverified = { ...claims, name: " ", email_verified: undefined, preferred_username: "grace" }
    const second = await whoami(enters(await signIn({ sub: subject(), ...unverified })))
    assert.notProperty(await get(second.id), "email")
    assert.strictEqual(second.name, "grace")
  })

  it("with claims that only the user info endpoint has", async () => {
    const userinfo = { name: "Grace", groups: ["money"] }
    const { id } = await whoami(enters(await signIn({ sub: subject() }, { userinfo })))
    assert.deepInclude(await get(id), { name: "Grace", roles: ["finance"], claimed_roles: ["finance"] })
  })

  it("with roles that follow the claim at each sign-in, beside those given by hand", async () => {
    const sub = subject()
    const first = enters(await signIn({ sub, groups: ["helpdesk"] }))
    const { id } = await whoami(first)
    await service.data("PATCH", `${people}/${id}`, { roles: ["support", "auditor"] })
    const second = enters(await signIn({ sub, groups: ["money"] }))
    assert.deepInclude(await get(id), { roles: ["auditor", "finance"], claimed_roles: ["finance"] })
    const third = enters(await signIn({ sub, groups: [] }))
    assert.deepStrictEqual((await get(id)).roles, ["auditor"])
    // The session from before the change has ended.
    assert.strictEqual((await inSession(service, second, "/api/v1/whoami")).status, 401)
    assert.deepInclude(await whoami(third), { id })
  })

  it("no more once the claim gives no role, and the sessions from before have ended", async () => {
    const sub = subject()
    const cookie = enters(await signIn({ sub, groups: ["helpdesk"] }))
    const { id } = await whoami(cookie)
    // As often as it is tried: that the role came by the claim is forgotten with it.
    for (let times = 0; times < 2; times++) {
      staysOut(await signIn({ sub, groups: ["all"] }), 403, "no longer gives this account a role")
    }
    assert.deepStrictEqual((await get(id)).roles, [])
    assert.strictEqual((await inSession(service, cookie, "/api/v1/whoami")).status, 401)
  })

  it("and stays an owner where nobody else is one who can sign in", async () => {
    for (const { id, roles, status } of (await service.call("GET", `${people}?limit=200`)).body.data) {
      if (status === "active" && roles.includes("owner")) await service.call("DELETE", `${people}/${id}`)
    }
    const sub = subject()
    const { id } = await whoami(enters(await signIn({ sub, groups: ["admins"] })))
    enters(await signIn({ sub, groups: ["money"] }))
    assert.sameMembers((await get(id)).roles, ["finance", "owner"])
    await add({ roles: ["owner"], identities: [{ issuer: forge.issuer, subject: subject() }] })
    enters(await signIn({ sub, groups: ["money"] }))
    assert.deepStrictEqual((await get(id)).roles, ["finance"])
  })

  it("on another node than the one that it was begun on", async () => {
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: subject(), groups: ["helpdesk"] })
    const cookie = enters(await comeBack(other, begun, query))
    assert.strictEqual((await whoami(cookie)).kind, "person")
    staysOut(await comeBack(service, begun, query), 401, "finished already")
  })

  it("after the provider has changed its keys, and with a clock that goes 20 seconds wrong", async () => {
    enters(await signIn({ sub: subject(), groups: ["helpdesk"] }))
    forge.rotate()
    const now = Math.floor(Date.now() / 1000)
    enters(await signIn({ sub: subject(), groups: ["helpdesk"], iat: now + 20, exp: now - 20 }))
  })
})

describe("a provider that is down", () => {
  it("locks out nobody who is signed in, and lets in nobody who is not", async () => {
    const cookie = enters(await signIn({ sub: subject(), groups: ["helpdesk"] }))
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: subject(), groups: ["helpdesk"] })
    await forge.close()
    const before = await insiders()
    staysOut(await comeBack(service, begun, query), 503, "does not respond")
    const link = await browse(service, beginPath)
    staysOut(link, 503, "does not respond")
    refused(
      await service.call("POST", beginPath, {
        token: null,
        headers: { "sec-fetch-site": "same-origin", ...fromElsewhere() },
        body: {}
      }),
      503,
      "UNAVAILABLE"
    )
    assert.strictEqual((await whoami(cookie)).kind, "person")
    assert.deepStrictEqual(await insiders(), before)
    await forge.open()
    enters(await signIn({ sub: subject(), groups: ["helpdesk"] }))
  })
})

const now = () => Math.floor(Date.now() / 1000)
const [head, body, signature] = [0, 1, 2]
const cut = (part: number, change: (text: string) => string) => (token: string) =>
  token.split(".").map((text, index) => index === part ? change(text) : text).join(".")
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const recoded = (change: (value: Body) => object) => (text: string) =>
  Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(text, "base64url").toString())))).toString("base64url")

/** ID tokens that must not be believed: claims that are other than they should be, or another signature. */
const tokens: Readonly<Record<string, readonly [payload: Payload | (() => Payload), signed?: () => Signed]>> = {
  "without a signature, alg none": [{}, () => ({ header: { alg: "none" }, tampered: cut(signature!, () => "") })],
  "with alg none and a signature": [{}, () => ({ header: { alg: "none" } })],
  "signed with the client secret": [{}, () => ({ header: { alg: "HS256" }, hmac: client.secret })],
  "signed with the public key as a secret": [{}, () => ({
    header: { alg: "HS256" },
    hmac: JSON.stringify(forge.keys[0]!.jwk)
  })],
  "signed by another key under a known kid": [{}, () => ({ by: stranger })],
  "signed by a key that nobody publishes": [{}, () => ({ by: stranger, header: { kid: "unknown" } })],
  "that brings its own key": [{}, () => ({ by: stranger, header: { jwk: forge.keys[0]!.jwk } })],
  "changed after it was signed": [
    {},
    () => ({ tampered: cut(body!, recoded((value) => ({ ...value, sub: "other" }))) })
  ],
  "with another head than was signed": [
    {},
    () => ({ tampered: cut(head!, recoded((value) => ({ ...value, typ: "at" }))) })
  ],
  "with a critical extension": [{}, () => ({ header: { crit: ["exp"], exp: 1 } })],
  "of another issuer": [{ iss: "https://evil.example" }],
  "of the issuer with a trailing slash": [() => ({ iss: `${forge.issuer}/` })],
  "without an issuer": [{ iss: undefined }],
  "of another client": [{ aud: "another" }],
  "of several clients, for another": [{ aud: [client.id, "another"], azp: "another" }],
  "for another client by azp": [{ azp: "another" }],
  "without an audience": [{ aud: undefined }],
  "without the nonce": [{ nonce: undefined }],
  "with another nonce": [{ nonce: "another" }],
  "with an empty nonce": [{ nonce: "" }],
  "that is over": [() => ({ exp: now() - 60 })],
  "without an end": [{ exp: undefined }],
  "whose end is a text": [{ exp: "2099" }],
  "that is not good yet": [() => ({ nbf: now() + 90 })],
  "without a time": [{ iat: undefined }],
  "of nobody": [{ sub: undefined }],
  "of an empty subject": [{ sub: "" }],
  "of a subject that is no text": [{ sub: 7 }],
  "of a subject that is too long": [{ sub: "a".repeat(256) }],
  "that is missing": [{}, () => ({ tampered: () => undefined })],
  "that is none": [{}, () => ({ tampered: () => "x.y" })]
}

describe("an ID token", () => {
  it.each(Object.keys(tokens))("%s lets nobody in", async (what) => {
    const [payload, signed] = tokens[what]!
    const before = await insiders()
    const claims = { sub: "owner-by-claim", groups: ["admins"], ...typeof payload === "function" ? payload() : payload }
    const shown = await signIn(claims, signed === undefined ? {} : { signed: signed() })
    staysOut(shown, 401, "is not valid for this sign-in")
    assert.deepStrictEqual(await insiders(), before)
  })
})

/** Ways to come back that must not lead in, and what is answered. */
const returns: Readonly<
  Record<string, (begun: BegunSignIn, query: Readonly<Record<string, string>>) => Promise<Shown>>
> = {
  "without the cookie of the browser": (_begun, query) =>
    browse(service, `${callbackPath}?${new URLSearchParams(query)}`),
  "with the cookie of another sign-in": async (_begun, query) => comeBack(service, await begin(service), query),
  "with a cookie that was changed": ({ cookie }, query) =>
    comeBack(service, { cookie: cookie.replace(/=./, (text) => text === "=A" ? "=B" : "=A") }, query),
  "with two cookies of one name": async ({ cookie }, query) =>
    comeBack(
      service,
      { cookie: `${cookie}; ${cookie.split("=")[0]}=${(await begin(service)).cookie.split("=")[1]}` },
      query
    ),
  "with the cookie of a session in its place": ({ cookie }, query) =>
    comeBack(service, { cookie: cookie.replace(/^[^=]+/, "countersign") }, query),
  "without a state": (begun, { state: _state, ...query }) => comeBack(service, begun, query),
  "with an empty state": (begun, query) => comeBack(service, begun, { ...query, state: "" }),
  "with another state": (begun, query) => comeBack(service, begun, { ...query, state: "another" }),
  "with the state of another sign-in": async (begun, query) => {
    const state = new URL((await begin(service)).address).searchParams.get("state")!
    return comeBack(service, begun, { ...query, state })
  },
  "with the state and the cookie of another sign-in, and this code": async (_begun, { code, iss }) => {
    const another = await begin(service)
    return comeBack(service, another, {
      code: code!,
      iss: iss!,
      state: new URL(another.address).searchParams.get("state")!
    })
  },
  "without a code": (begun, { code: _code, ...query }) => comeBack(service, begun, query),
  "with a code that was never given": (begun, query) => comeBack(service, begun, { ...query, code: "another" }),
  "with two codes": (begun, query) =>
    browse(service, `${callbackPath}?${new URLSearchParams(query)}&code=another`, { cookie: begun.cookie }),
  "from another provider": (begun, query) => comeBack(service, begun, { ...query, iss: "https://evil.example" }),
  "from nobody, where the provider says who it is": (begun, { iss: _iss, ...query }) => comeBack(service, begun, query),
  "with an error": (begun, { iss, state }) =>
    comeBack(service, begun, { error: "access_denied", iss: iss!, state: state! }),
  "with an error that is markup": (begun, { iss, state }) =>
    comeBack(service, begun, { error: "<script>alert(1)</script>", iss: iss!, state: state! }),
  "with a token in the address": (begun, { iss, state }) =>
    comeBack(service, begun, { id_token: forge.idToken(begun.address, { sub: "x" })!, iss: iss!, state: state! })
}

describe("a browser that comes back", () => {
  it.each(Object.keys(returns))("%s is not let in", async (what) => {
    const before = await insiders()
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: "owner-by-claim", groups: ["admins"] })
    const shown = await returns[what]!(begun, query)
    staysOut(shown, 401, /Begin again|canceled or denied|refuses/)
    assert.notInclude(shown.text, "<script")
    assert.deepStrictEqual(await insiders(), before)
  })

  it("a second time is not let in, on any node", async () => {
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: subject(), groups: ["helpdesk"] })
    enters(await comeBack(service, begun, query))
    staysOut(await comeBack(service, begun, query), 401, "finished already")
    staysOut(await comeBack(other, begun, query), 401, "finished already")
    const code = { ...forge.grant(begun.address, { sub: subject(), groups: ["helpdesk"] }) }
    staysOut(await comeBack(service, begun, code), 401, "finished already")
  })

  it("with another state does not spend the sign-in that is under way", async () => {
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: subject(), groups: ["helpdesk"] })
    staysOut(await comeBack(service, begun, { ...query, state: "another" }), 401, "Begin again")
    enters(await comeBack(service, begun, query))
  })

  it.each([
    ["/token", 400, 401],
    ["/token", 500, 503],
    ["/jwks", 500, 503],
    ["/jwks", 404, 401],
    ["/userinfo", 500, 503]
  ])("is not let in where %s answers %d", async (path, answered, status) => {
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: subject() }, { userinfo: { groups: ["admins"] } })
    forge.failing = { [path]: answered }
    const shown = await comeBack(service, begun, query)
    forge.failing = {}
    staysOut(shown, status, /Begin again|refuses/)
  })

  it("is not let in by the user info of another account", async () => {
    const userinfo = { sub: "another", groups: ["admins"] }
    staysOut(await signIn({ sub: subject() }, { userinfo }), 401, "is not valid")
  })

  it("too often without a sign-in is slowed down, as wrong tokens are", async () => {
    const headers = { "x-forwarded-for": "203.0.113.77" }
    const statuses = new Set<number>()
    for (let count = 0; count < 70; count++) statuses.add((await browse(service, callbackPath, headers)).status)
    assert.sameMembers([...statuses], [401, 429])
  })
})

describe("an account that nobody knows", () => {
  it.each<readonly [string, Payload, string]>([
    ["without a group that gives a role", { groups: ["all"] }, "is not known here"],
    ["whose groups are no names", { groups: { admins: true } }, "is not known here"],
    ["without groups", {}, "did not send the claim groups"],
    ["with too many groups", { _claim_names: { groups: "src1" }, _claim_sources: {} }, "too many values"],
    ["with groups that are said to be there", { hasgroups: true }, "too many values"]
  ])("%s is not let in", async (_what, claims, words) => {
    const before = await insiders()
    staysOut(await signIn({ sub: subject(), ...claims }), 403, words)
    assert.deepStrictEqual(await insiders(), before)
  })

  it("is not let in by the email address of somebody else", async () => {
    const email = `${randomUUID()}@example.com`
    const ada = await add({ email, roles: ["owner"], identities: [{ issuer: forge.issuer, subject: subject() }] })
    const before = await insiders()
    staysOut(await signIn({ sub: subject(), email, email_verified: true, groups: [] }), 403, "is not known here")
    assert.deepStrictEqual(await insiders(), before)
    const eve = await whoami(
      enters(await signIn({ sub: subject(), email, email_verified: true, groups: ["helpdesk"] }))
    )
    assert.notStrictEqual(eve.id, ada.id)
  })

  it("is not let in by a subject of another issuer", async () => {
    const sub = subject()
    await add({ roles: ["owner"], identities: [{ issuer: `${forge.issuer}/`, subject: sub }] })
    staysOut(await signIn({ sub, groups: [] }), 403, "is not known here")
  })

  it("is not let in again after its person was removed, whatever the claims", async () => {
    const sub = subject()
    const { id } = await whoami(enters(await signIn({ sub, groups: ["helpdesk"] })))
    await service.call("DELETE", `${people}/${id}`)
    staysOut(await signIn({ sub, groups: ["admins"] }), 403, "is not known here")
    assert.deepInclude(await get(id), { status: "removed", roles: [] })
  })

  it("keeps roles that came by claims where the claim is missing, and is not let in", async () => {
    const sub = subject()
    const { id } = await whoami(enters(await signIn({ sub, groups: ["helpdesk"] })))
    staysOut(await signIn({ sub }), 403, "did not send the claim groups")
    assert.deepStrictEqual((await get(id)).roles, ["support"])
    const byHand = subject()
    await add({ roles: ["support"], identities: [{ issuer: forge.issuer, subject: byHand }] })
    enters(await signIn({ sub: byHand }))
  })
})

describe("an invitation", () => {
  it("links no account where its maker lacks admin, and is not spent by that", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "k",
      scopes: [
        "people:write",
        "product:read",
        "license:write",
        "customer:write",
        "device:write",
        "event:read",
        "report:read"
      ]
    })
    const ada = await service.data("POST", people, { name: "Ada", roles: ["support"] }, { token })
    const { invitation, links_account } = await invite(ada.id, token)
    assert.isFalse(links_account)
    const begun = await beginInvited(service, { invitation })
    staysOut(await signIn({ sub: subject(), groups: [] }, { begun }), 403, "links no account")
    const spent = await service.call("POST", signInPath, {
      token: null,
      headers: { "sec-fetch-site": "same-origin", ...fromElsewhere() },
      body: { invitation }
    })
    assert.strictEqual(spent.status, 201, spent.text)
    assert.deepInclude(spent.body.data, { sign_in_method: "invitation" })
  })

  it("links no account of another person", async () => {
    const sub = subject()
    await add({ roles: ["support"], identities: [{ issuer: forge.issuer, subject: sub }] })
    const eve = await add({ roles: ["owner"] })
    const begun = await beginInvited(service, { invitation: (await invite(eve.id)).invitation })
    staysOut(await signIn({ sub, groups: [] }, { begun }), 403, "linked to another person")
    assert.deepStrictEqual((await get(eve.id)).identities, [])
  })

  it("of a person who was removed meanwhile, or whose rights have changed, lets nobody in", async () => {
    const ada = await add({ roles: ["owner"] })
    const begun = await beginInvited(service, { invitation: (await invite(ada.id)).invitation })
    await service.call("DELETE", `${people}/${ada.id}`)
    staysOut(await signIn({ sub: subject(), groups: ["admins"] }, { begun }), 403, "unknown, was used")
  })

  it.each(["csi_none", "css_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt"])(
    "such as %s begins nothing",
    async (invitation) => {
      const headers = { "sec-fetch-site": "same-origin", ...fromElsewhere() }
      const answer = await service.call("POST", beginPath, { token: null, headers, body: { invitation } })
      refused(answer, 401, "UNAUTHENTICATED")
    }
  )
})

describe("a sign-in is begun", () => {
  it.each(["https://evil.example", "//evil.example/console", "/\\evil.example", "/docs", "/console/..//evil.example"])(
    "for no page such as %s",
    async (path) => {
      const shown = await browse(service, `${beginPath}?return_to=${encodeURIComponent(path)}`)
      staysOut(shown, 422, "must be a path of the console")
      assert.isNull(shown.location)
      const headers = { "sec-fetch-site": "same-origin", ...fromElsewhere() }
      const body = { return_to: path }
      const answer = await service.call("POST", beginPath, { token: null, headers, body })
      refused(answer, 422, "VALIDATION_ERROR")
    }
  )

  it("with an invitation from pages of the service alone", async () => {
    const { invitation } = await invite((await add({ roles: ["support"] })).id)
    for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const answer = await service.call("POST", beginPath, {
        token: null,
        headers: { ...headers, ...fromElsewhere() },
        body: { invitation }
      })
      refused(answer, 401, "UNAUTHENTICATED")
    }
  })

  it("not in the test environment", async () => {
    const headers = { "sec-fetch-site": "same-origin", ...fromElsewhere() }
    const answer = await service.call("POST", `/test${beginPath}`, { token: null, headers, body: {} })
    refused(answer, 409, "STATE_CONFLICT")
    staysOut(await browse(service, `/test${beginPath}`), 409, "no identity provider")
    assert.strictEqual((await browse(service, `/test${callbackPath}?code=a&state=b`)).status, 404)
  })

  it.each<readonly [string, Payload]>([
    ["names itself otherwise", { issuer: "https://evil.example" }],
    ["signs by nothing that can be verified", { id_token_signing_alg_values_supported: ["none", "HS256"] }]
  ])("not at a provider that %s", async (_what, metadata) => {
    const fresh = await startService({ databaseUrl: service.databaseUrl, environment })
    forge.metadata = metadata
    const shown = await browse(fresh, beginPath)
    forge.metadata = {}
    staysOut(shown, 503, "does not respond")
    assert.strictEqual((await browse(fresh, beginPath)).status, 302)
  })
})
