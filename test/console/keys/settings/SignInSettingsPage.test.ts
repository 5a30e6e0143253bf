// The page of sign-in, rendered in memory: what to allow at the provider, what becomes of a missing claim, and what a test finds.
import { assert, describe, it } from "@effect/vitest"
import type { SignInSettings } from "../../../../src/client/api/index.ts"
import { person } from "../../../fixtures/ConsoleAnswers.ts"
import { cells, openTab } from "../../../fixtures/ConsoleTab.ts"

const at = "https://licenses.example.com"

const settings: SignInSettings = {
  openid_connect: {
    issuer: "https://login.example.com",
    client_id: "countersign",
    redirect_uri: `${at}/api/v1/sign-in/oidc/callback`,
    roles: [
      { claim: "groups", value: "admins", role: "owner" },
      { claim: "department", value: "money", role: "finance" }
    ],
    empty_claims: ["groups"],
    signs_out_at_provider: true,
    post_logout_redirect_uri: `${at}/console/sign-in`,
    backchannel_logout_uri: `${at}/api/v1/sign-in/oidc/back-channel-logout`
  },
  passkeys: true,
  session_hours: 12,
  session_idle_minutes: 60
}

const opened = async (shown = settings, test: object = {}) => {
  const tab = await openTab("/console/settings/sign-in", {
    answers: {
      apiKeys: { whoami: person() },
      settings: { getSignIn: shown, testSignIn: { issuer: "https://login.example.com", works: true, ...test } }
    }
  })
  await tab.role("heading", "Identity provider")
  return tab
}

describe("the identity provider", () => {
  it("has the addresses to allow there, and where signing out leads", async () => {
    const tab = await opened()
    const { backchannel_logout_uri, post_logout_redirect_uri, redirect_uri } = settings.openid_connect!
    for (const address of [redirect_uri, post_logout_redirect_uri, backchannel_logout_uri]) await tab.shows(address)
    await tab.shows("here, and at the provider if it can")
    const alone = { ...settings, openid_connect: { ...settings.openid_connect!, signs_out_at_provider: false } }
    await (await opened(alone)).shows("here alone")
  })

  it("has for each rule what becomes of the role where the claim is missing", async () => {
    const tab = await opened()
    const [, ...rows] = cells(await tab.role("table", "Roles by claim"))
    assert.deepStrictEqual(rows, [
      ["groups", "admins", "owner", "The role is taken"],
      ["department", "money", "finance", "The role is not decided"]
    ])
  })

  it.each([
    [{}, "The provider has keys, and takes this client and its secret."],
    [{ works: false, problem: "login.example.com has no keys" }, "login.example.com has no keys"]
  ])("is tested, and %j is said in words", async (test, words) => {
    const tab = await opened(settings, test)
    await tab.press("Test sign-in")
    await tab.shows(words)
  })
})
