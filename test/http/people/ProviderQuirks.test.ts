// Sign-in at providers as they are: each deviates in one way, of which there is a public report.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import type { Payload } from "../../fixtures/IdentityForge.ts"
import { quirkRules, quirks } from "../../fixtures/ProviderQuirks.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { begin, comeBack, inSession } from "../../fixtures/SignIns.ts"
import type { Shown } from "../../fixtures/SignIns.ts"

/** A provider whose issuer tells that it is Keycloak, and another one. */
const keycloak = await new IdentityForge("/realms/acme").open()
const plain = await new IdentityForge().open()

const behind = { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8", COUNTERSIGN_OIDC_ROLES: quirkRules }
const service = await startService({ environment: { ...behind, ...keycloak.settings } })
const unknowing = await startService({
  databaseUrl: service.databaseUrl,
  environment: { ...behind, ...plain.settings }
})

const people = "/api/v1/people"
const subject = () => `account-${randomUUID()}`

/** Undoes what a quirk has set. */
const reset = (forge: IdentityForge): void => {
  forge.secretBy = ["basic"]
  forge.metadata = {}
  forge.userinfo = undefined
  forge.rotate()
}

const signIn = async (
  at: Service,
  forge: IdentityForge,
  payload: Payload,
  more: Parameters<IdentityForge["grant"]>[2] = {}
): Promise<Shown> => {
  const begun = await begin(at)
  return comeBack(at, begun, forge.grant(begun.address, payload, more))
}

const whoami = async (at: Service, { cookie, status, text }: Shown): Promise<Body> => {
  assert.strictEqual(status, 200, text)
  return (await inSession(at, cookie!, "/api/v1/whoami")).body.data
}
const isIn = async ({ cookie }: Shown): Promise<boolean> =>
  (await inSession(service, cookie!, "/api/v1/whoami")).status === 200
const get = (id: string): Promise<Body> => service.data("GET", `${people}/${id}`)
const entity = (text: string): string => text.replaceAll("&#39;", "'").replaceAll("&quot;", "\"")

describe("a provider with a quirk", () => {
  it.each(Object.keys(quirks))("%s", async (name) => {
    const quirk = quirks[name]!
    quirk.provider?.(keycloak)
    keycloak.userinfo = quirk.answers?.(keycloak)
    keycloak.asked.length = 0
    const token = typeof quirk.token === "function" ? quirk.token() : quirk.token
    const shown = await signIn(service, keycloak, { sub: subject(), ...token }, {
      ...(quirk.signed === undefined ? {} : { signed: quirk.signed(keycloak) }),
      ...(quirk.userinfo === undefined ? {} : { userinfo: quirk.userinfo })
    }).finally(() => reset(keycloak))
    if (quirk.outcome instanceof RegExp) {
      assert.include([401, 403], shown.status, shown.text)
      assert.match(entity(shown.text), quirk.outcome)
    } else {
      const { id } = await whoami(service, shown)
      assert.sameMembers((await get(id)).roles, [...quirk.outcome])
    }
    const isAsked = keycloak.asked.includes("/userinfo")
    assert.strictEqual(isAsked, quirk.asksUserinfo ?? isAsked)
  })
})

const helpdesk = { name: "Ada", groups: ["helpdesk"] }

describe("who is in no group any more, at a provider that leaves empty claims out", () => {
  it("has no role any more, and no session", async () => {
    const sub = subject()
    const first = await signIn(service, keycloak, { sub, ...helpdesk })
    const { id } = await whoami(service, first)
    const after = await signIn(service, keycloak, { sub, name: "Ada" })
    assert.strictEqual(after.status, 403, after.text)
    assert.match(
      after.text,
      /no longer gives this account a role here\. .* nothing in it, .* or the provider is not set up/
    )
    assert.deepInclude(await get(id), { roles: [], claimed_roles: [] })
    assert.isFalse(await isIn(first))
  })

  it("keeps what was given by hand, and comes in by it", async () => {
    const sub = subject()
    const { id } = await whoami(service, await signIn(service, keycloak, { sub, ...helpdesk }))
    await service.data("PATCH", `${people}/${id}`, { roles: ["support", "finance"] })
    await whoami(service, await signIn(service, keycloak, { sub, name: "Ada" }))
    assert.deepInclude(await get(id), { roles: ["finance"], claimed_roles: [] })
  })

  it("keeps the role and the session while userinfo, which may have the claim, is away", async () => {
    const sub = subject()
    const first = await signIn(service, keycloak, { sub, ...helpdesk })
    const { id } = await whoami(service, first)
    keycloak.userinfo = () => ({ status: 500, body: "" })
    const after = await signIn(service, keycloak, { sub, name: "Ada" }).finally(() => reset(keycloak))
    assert.strictEqual(after.status, 503, after.text)
    assert.deepStrictEqual((await get(id)).roles, ["support"])
    assert.isTrue(await isIn(first))
  })
})

describe("who comes without a claim, at a provider of which nothing is known", () => {
  it("keeps the role, is told both reasons, and has no session any more", async () => {
    const sub = subject()
    const first = await signIn(unknowing, plain, { sub, ...helpdesk })
    const { id } = await whoami(unknowing, first)
    const after = await signIn(unknowing, plain, { sub, name: "Ada" })
    assert.strictEqual(after.status, 403, after.text)
    assert.match(after.text, /nothing in it, such as no group, or the provider is not set up/)
    assert.deepStrictEqual((await get(id)).roles, ["support"])
    assert.isFalse(await isIn(first))
    await whoami(unknowing, await signIn(unknowing, plain, { sub, ...helpdesk }))
  })

  it("comes in by a role that was given by hand, and not by the one that nothing is told of", async () => {
    const sub = subject()
    const { id } = await whoami(unknowing, await signIn(unknowing, plain, { sub, ...helpdesk }))
    await service.data("PATCH", `${people}/${id}`, { roles: ["support", "finance"] })
    await whoami(unknowing, await signIn(unknowing, plain, { sub, name: "Ada" }))
    assert.deepInclude(await get(id), { roles: ["finance"], claimed_roles: [] })
  })
})

describe("an issuer that is configured without its slash", () => {
  it("is the one with it, and an account that was linked by either name is found", async () => {
    const slashed = await new IdentityForge("/application/o/acme/").open()
    const issuer = slashed.issuer.replace(/\/$/, "")
    const at = await startService({
      databaseUrl: service.databaseUrl,
      environment: { ...behind, ...slashed.settings, COUNTERSIGN_OIDC_ISSUER: issuer }
    })
    for (const linked of [issuer, slashed.issuer]) {
      const sub = subject()
      const identities = [{ issuer: linked, subject: sub }]
      const { id } = await service.data("POST", people, { name: "Ada", roles: ["finance"], identities })
      assert.strictEqual((await whoami(at, await signIn(at, slashed, { sub, name: "Ada" }))).id, id)
    }
    assert.deepInclude(await at.data("POST", "/api/v1/settings/sign-in/test"), { works: true })
  })
})

describe("the test of sign-in", () => {
  const outcome = async (change: () => void): Promise<Body> => {
    change()
    return await service.data("POST", "/api/v1/settings/sign-in/test").finally(() => reset(keycloak))
  }

  it("works where a sign-in would", async () => {
    assert.deepStrictEqual(await outcome(() => {}), { issuer: keycloak.issuer, works: true })
    assert.isTrue((await outcome(() => (keycloak.secretBy = ["post"]))).works)
  })

  it.each<readonly [string, () => void, RegExp]>([
    [
      "does not take the client",
      () => (keycloak.secretBy = []),
      /refuses the client: check COUNTERSIGN_OIDC_CLIENT_ID/
    ],
    ["has no keys", () => (keycloak.keys = []), /has no keys/],
    [
      "takes no client secret",
      () => (keycloak.metadata = { token_endpoint_auth_methods_supported: ["private_key_jwt"] }),
      /by neither client_secret_basic nor client_secret_post/
    ],
    [
      "names no place to sign in",
      () => (keycloak.metadata = { authorization_endpoint: undefined }),
      /no authorization_end/
    ],
    [
      "names itself otherwise",
      () => (keycloak.metadata = { issuer: "https://login.example.com/other" }),
      /names itself https:\/\/login.example.com\/other: set COUNTERSIGN_OIDC_ISSUER to that/
    ]
  ])("fails at a provider that %s", async (_what, change, words) => {
    const { problem, works } = await outcome(change)
    assert.isFalse(works)
    assert.match(problem, words)
  })

  it("does not show the secret", async () => {
    keycloak.secretBy = []
    const answer = await service.call("POST", "/api/v1/settings/sign-in/test").finally(() => reset(keycloak))
    assert.notInclude(answer.text, client.secret)
  })
})

describe("an owner whose account is at an issuer that is no longer configured", () => {
  it("is none of those of whom the last one stays", async () => {
    const owner = (issuer: string) =>
      service.data("POST", people, {
        name: "Ada",
        roles: ["owner"],
        identities: [{ issuer, subject: subject() }]
      })
    const change = async (method: string, id: string, body?: object) =>
      (await service.call(method, `${people}/${id}`, body === undefined ? {} : { body })).status
    const [here, gone] = [await owner(keycloak.issuer), await owner("https://old.example.com")]
    assert.strictEqual(await change("DELETE", here.id), 409)
    assert.strictEqual(await change("PATCH", here.id, { roles: ["support"] }), 409)
    const elsewhere = [{ issuer: "https://old.example.com", subject: subject() }]
    assert.strictEqual(await change("PATCH", here.id, { identities: elsewhere }), 409)
    assert.strictEqual(await change("DELETE", gone.id), 204)
    const second = await owner(`${keycloak.issuer}/`)
    assert.strictEqual(await change("DELETE", here.id), 204)
    assert.strictEqual(await change("DELETE", second.id), 409)
  })
})
