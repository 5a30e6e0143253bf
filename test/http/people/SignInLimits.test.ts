// Failures of programs at an address never keep people at it from signing in, and failed sign-ins refuse no right one.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { IdentityForge } from "../../fixtures/IdentityForge.ts"
import { PasskeyTab } from "../../fixtures/PasskeyTab.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { begin, beginInvited, browse, callbackPath, comeBack } from "../../fixtures/SignIns.ts"

const forge = await new IdentityForge().open()
const failures = 5
const service = await startService({
  environment: {
    HOST: "localhost",
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8,::1/128",
    COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: String(failures),
    COUNTERSIGN_PORTAL: "on",
    ...forge.settings,
    COUNTERSIGN_OIDC_ROLES: "groups=admins:owner"
  }
})

const own = { "sec-fetch-site": "same-origin" }
const finish = "/api/v1/sign-in/passkey/finish"

let offices = 0
const office = () => ({ "x-forwarded-for": `203.0.113.${++offices}` })
type Office = ReturnType<typeof office>

const invite = async () => {
  const { id } = await service.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
  const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
  return invitation as string
}

/** An office with a program whose API key is wrong, until it is refused. */
const withWrongTokens = async (): Promise<Office> => {
  const headers = office()
  const statuses = new Set<number>()
  for (let count = 0; count < failures + 3; count++) {
    statuses.add((await service.call("GET", "/api/v1/whoami", { token: `cs_${randomUUID()}`, headers })).status)
  }
  assert.include([...statuses], 429)
  return headers
}

/** An office with somebody who tries invitations that are none, until it is refused. */
const withWrongSignIns = async (): Promise<Office> => {
  const headers = office()
  const statuses = new Set<number>()
  for (let count = 0; count < failures + 3; count++) {
    const options = { token: null, headers: { ...own, ...headers }, body: { invitation: "csi_none" } }
    statuses.add((await service.call("POST", "/api/v1/sign-in", options)).status)
  }
  assert.include([...statuses], 429)
  return headers
}

const withPasskey = async (): Promise<PasskeyTab> => {
  const tab = new PasskeyTab(service)
  assert.strictEqual((await tab.join(await invite())).status, 201)
  return tab
}

describe.each([
  ["wrong API keys", withWrongTokens],
  ["wrong sign-ins", withWrongSignIns]
])("at an address with too many %s", (_title, crowded) => {
  it("a right passkey signs in", async () => {
    const tab = await withPasskey()
    const headers = await crowded()
    const answer = await tab.ask("POST", finish, tab.authenticator.sign(await tab.challenge()), { headers })
    assert.strictEqual(answer.status, 201, answer.text)
  })

  it("a person joins with a passkey", async () => {
    const tab = new PasskeyTab(service)
    const asked = await tab.invited(await invite())
    const headers = await crowded()
    const body = tab.authenticator.create(asked as never)
    const answer = await tab.ask("POST", "/api/v1/sign-in/invitation/passkey", body, { headers })
    assert.strictEqual(answer.status, 201, answer.text)
  })

  it("an invitation signs in", async () => {
    const invitation = await invite()
    const headers = { ...own, ...await crowded() }
    const answer = await service.call("POST", "/api/v1/sign-in", { token: null, headers, body: { invitation } })
    assert.strictEqual(answer.status, 201, answer.text)
  })

  it("the callback of the identity provider signs in", async () => {
    const begun = await begin(service)
    const query = forge.grant(begun.address, { sub: `account-${randomUUID()}`, groups: ["admins"] })
    const shown = await comeBack(service, begun, query, await crowded())
    assert.strictEqual(shown.status, 200, shown.text)
  })

  it("a sign-in at the identity provider begins with an invitation", async () => {
    const invitation = await invite()
    await crowded()
    assert.match((await beginInvited(service, { invitation })).address, /^http/)
  })
})

describe("at an address with too many wrong sign-ins", () => {
  it("a program with a right API key goes on, and one with a wrong one is told so", async () => {
    const headers = await withWrongSignIns()
    assert.strictEqual((await service.call("GET", "/api/v1/whoami", { headers })).status, 200)
    refused(
      await service.call("GET", "/api/v1/whoami", { token: `cs_${randomUUID()}`, headers }),
      401,
      "UNAUTHENTICATED"
    )
  })

  it("a wrong passkey and a callback without a sign-in are refused with 429", async () => {
    const tab = await withPasskey()
    const challenge = await tab.challenge()
    const stranger = await withPasskey()
    const headers = await withWrongSignIns()
    const answer = stranger.authenticator.sign({ ...challenge, challenge: "wrong" } as never)
    refused(await tab.ask("POST", finish, answer, { headers }), 429, "RATE_LIMITED")
    assert.strictEqual((await browse(service, callbackPath, headers)).status, 429)
  })
})
