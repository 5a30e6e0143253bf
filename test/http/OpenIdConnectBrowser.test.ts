// Sign-in at an identity provider in Chromium, which decides by itself what cookies come with which request.
import { assert, it } from "@effect/vitest"
import { openBrowser } from "../fixtures/Browser.ts"
import { looks } from "../fixtures/Console.ts"
import { IdentityForge } from "../fixtures/IdentityForge.ts"
import { startService } from "../fixtures/Service.ts"
import { atEnd, eventually } from "../fixtures/Session.ts"

it("a browser that another site sends back ends in the console, in a session that no other site can use", async () => {
  const forge = await new IdentityForge().open()
  const service = await startService({
    environment: { ...forge.settings, HOST: "localhost", COUNTERSIGN_OIDC_ROLES: "groups=helpdesk:support" }
  })
  const browser = await openBrowser()
  atEnd(() => browser.close())
  const page = await (await browser.newContext(looks.desk)).newPage()
  // The provider is 127.0.0.1 and the service localhost: two sites.
  await page.goto(`${forge.issuer}/jwks`)
  await page.evaluate(`location.href = "${service.url}/api/v1/sign-in/oidc?return_to=/console/licenses"`)
  await eventually("the console is shown", () => page.url() === `${service.url}/console/licenses`)
  const asked = `fetch("/api/v1/whoami").then((answer) => answer.json()).then(({ data }) => data.name)`
  assert.strictEqual(await page.evaluate<string>(asked), "Ada")
  assert.notInclude(await page.evaluate<string>("document.cookie"), "countersign")
})
