// Sign-in at an identity provider in Chromium, which decides by itself what cookies come with which request.
import { assert, it } from "@effect/vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import { CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { looks } from "../../fixtures/Console.ts"
import { IdentityForge } from "../../fixtures/IdentityForge.ts"
import { startService } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"
import { callbackPath, signInPath } from "../../fixtures/SignIns.ts"

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
