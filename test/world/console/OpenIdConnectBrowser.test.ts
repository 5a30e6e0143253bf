// Sign-in at an identity provider in Chromium, which decides by itself what cookies come with which request.
import { assert, it } from "@effect/vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import { CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { looks } from "../../fixtures/Console.ts"
import { IdentityForge } from "../../fixtures/IdentityForge.ts"
import { startService } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { callbackPath, signInPath } from "../../fixtures/SignIns.ts"

takeTurns()

const browser = await openBrowser()
atEnd(() => browser.close())

// A provider is 127.0.0.1 and the service localhost: two sites.
const host = { HOST: "localhost" }
const whoami = `fetch("/api/v1/whoami").then((answer) => answer.json()).then(({ data }) => data)`

it("a browser that another site sends back ends in the console, in a session that no other site can use", async () => {
  const forge = await new IdentityForge().open()
  const service = await startService({
    environment: { ...forge.settings, ...host, COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support" }
  })
  const page = await (await browser.newContext(looks.desk)).newPage()
  await page.goto(`${forge.issuer}/jwks`)
  await page.evaluate(`location.href = "${service.url}${signInPath}/oidc?return_to=/console/licenses"`)
  await eventually("the console is shown", () => page.url() === `${service.url}/console/licenses`)
  assert.strictEqual((await page.evaluate<{ readonly name: string }>(whoami)).name, "Ada")
  assert.notInclude(await page.evaluate<string>("document.cookie"), "countersign")
})

it("a certified provider signs a person in by its own pages, and what it says at userinfo decides her role", async () => {
  const provider = await new CertifiedProvider().open()
  const service = await startService({
    environment: {
      ...provider.settings,
      ...host,
      COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support,groups=money:finance"
    }
  })
  provider.serve(service.url + callbackPath, {
    jun: { name: "Jun Sato", email: "jun@acme.example", email_verified: true, groups: ["chess", "helpdesk"] },
    stranger: { name: "Nobody", groups: ["chess"] }
  })

  /** Signs in on the provider's pages: a name, any password, and consent. */
  const signIn = async (account: string) => {
    const page = await (await browser.newContext(looks.desk)).newPage()
    await page.goto(`${service.url}${signInPath}/oidc?return_to=/console/customers`)
    await page.locator("input[name=login]").fill(account)
    await page.locator("input[name=password]").fill("whatever")
    await page.getByRole("button", { name: "Sign-in" }).click()
    await page.getByRole("button", { name: "Continue" }).click()
    return page
  }

  const page = await signIn("jun")
  await eventually("the console is shown", () => page.url() === `${service.url}/console/customers`)
  const jun = await page.evaluate<object>(whoami)
  assert.deepInclude(jun, { kind: "person", name: "Jun Sato" })
  const [person] = await service.data("GET", "/api/v1/people")
  assert.deepInclude(person, { name: "Jun Sato", email: "jun@acme.example" })
  assert.deepStrictEqual(person.identities.map(({ subject }: { subject: string }) => subject), ["jun"])

  const refused = await signIn("stranger")
  await refused.getByText("You are not signed in").waitFor()
  await refused.goto(`${service.url}/api/v1/whoami`)
  await refused.getByText("UNAUTHENTICATED").waitFor()
  assert.lengthOf(await service.data("GET", "/api/v1/people"), 1)

  // Discovery, keys, the pages of the browser, the code redeemed, and the claims.
  const paths = new Set(provider.asked.map((path) => path.replace(/interaction\/.*|auth\/.+/, "…")))
  for (
    const hop of [
      "GET /.well-known/openid-configuration",
      "GET /jwks",
      "GET /auth",
      "GET /…",
      "POST /…",
      "POST /token",
      "GET /me"
    ]
  ) assert.isTrue(paths.has(hop), `${hop} of ${[...paths].join(", ")}`)
})

it("a browser that begins in two tabs is let in by both, and the one that comes back first is no attack", async () => {
  const forge = await new IdentityForge().open()
  const service = await startService({
    environment: { ...forge.settings, ...host, COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support" }
  })
  const context = await browser.newContext(looks.desk)
  /** A tab that has begun, and waits at the provider until it is let go on. */
  const beginning = async () => {
    const page = await context.newPage()
    let go = () => {}
    const released = new Promise<void>((resolve) => {
      go = resolve
    })
    let begun = false
    await page.route(new RegExp(`^${forge.issuer}/authorize`), async (route) => {
      begun = true
      await released
      await route.continue()
    })
    await page.goto(`${service.url}/console/sign-in`)
    await page.getByRole("button", { name: /^Continue with/ }).click()
    await eventually("the tab is at the provider", () => begun)
    return { page, go }
  }
  const [one, two] = [await beginning(), await beginning()]
  for (const { go, page } of [two, one]) {
    go()
    await eventually("the tab is in the console", () => page.url() === `${service.url}/console`)
    assert.strictEqual((await page.evaluate<{ readonly name: string }>(whoami)).name, "Ada")
  }
  const refusals = (await service.feed()).filter(({ event_type }) => event_type === "session.refused")
  assert.deepStrictEqual(refusals, [])
})

it("who signs out is signed out at a certified provider, and who is signed out there is signed out here", async () => {
  const provider = await new CertifiedProvider().open()
  const service = await startService({
    environment: { ...provider.settings, ...host, COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support" }
  })
  provider.serve(service.url + callbackPath, { jun: { name: "Jun Sato", groups: ["helpdesk"] } })
  const page = await (await browser.newContext(looks.desk)).newPage()
  page.setDefaultTimeout(20_000)
  const signIn = async () => {
    await page.locator("input[name=login]").fill("jun")
    await page.locator("input[name=password]").fill("whatever")
    await page.getByRole("button", { name: "Sign-in" }).click()
    await page.getByRole("button", { name: "Continue" }).click()
    await eventually("the console is shown", () => page.url().startsWith(`${service.url}/console`))
    assert.strictEqual((await page.evaluate<{ readonly name: string }>(whoami)).name, "Jun Sato")
  }
  await page.goto(`${service.url}${signInPath}/oidc`)
  await signIn()

  await page.goto(`${service.url}/console/me`)
  await page.getByRole("button", { name: "Sign out" }).first().click()
  await page.getByRole("button", { name: "Yes, sign me out" }).click()
  await eventually("the browser is back", () => page.url().startsWith(`${service.url}/console/sign-in`))

  // The provider asks for the account again: nobody comes in by what the one before has left.
  await page.getByRole("button", { name: /^Continue with/ }).click()
  await signIn()

  // Signed out at the provider, by another tab: its logout token ends the session here.
  const other = await page.context().newPage()
  await other.goto(`${provider.issuer}/session/end`)
  await other.getByRole("button", { name: "Yes, sign me out" }).click()
  const status = `fetch("/api/v1/whoami").then((answer) => answer.status)`
  await eventually("the session has ended", async () => await page.evaluate<number>(status) === 401)
  const ended = (await service.feed()).findLast(({ event_type }) => event_type === "session.ended")!
  assert.strictEqual(ended.actor_type, "system")
})
