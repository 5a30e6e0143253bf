// A customer's whole way through the portal in a real browser, by mails of a real server.
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import { mailedLicense, signInSecretsOf } from "../../fixtures/MailUsers.ts"
import { offerOf, PortalBrowser, secretsOf } from "../../fixtures/PortalBrowser.ts"
import { startService } from "../../fixtures/Service.ts"
import { atEnd } from "../../fixtures/Session.ts"

const server = await new MailServer().start()
const service = await startService({
  environment: {
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
    COUNTERSIGN_PORTAL: "on",
    COUNTERSIGN_SMTP_URL: server.url,
    COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
  }
})
const browser = new PortalBrowser(service, server)

/** How the other device looks. */
const phoneLook = { viewport: { width: 390, height: 844 }, colorScheme: "light", locale: "en-US" } as const

describe("a customer with a browser", () => {
  it("stays signed in by a link of the vendor's own site, also after a reload, and does nothing by a form there", async () => {
    const { key, license } = await service.issue({ policy: { self_service: true } })
    // Of another site than the one that the browser calls the service by.
    const portal = `${service.url.replace("127.0.0.1", "localhost")}/portal`
    const vendor = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(
        `<a href="${portal}">Your licenses</a><form method="post" action="${portal}/sign-out"><button>Win</button></form>`
      )
    })
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve))
    atEnd(() => new Promise<void>((resolve) => vendor.close(() => resolve())))
    const chromium = await openBrowser()
    const page = await (await chromium.newContext(phoneLook)).newPage()
    await page.goto(portal)
    await page.locator("[name=license_key]").fill(key)
    await page.locator("[name=license_key]").press("Enter")
    const shown = () => page.getByText(license.license_key_last4).first().waitFor()
    await shown()
    const site = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
    await page.goto(site)
    await page.getByRole("link").click()
    await shown()
    await page.reload()
    await shown()
    await page.goto(site)
    await page.getByRole("button").click()
    await page.locator("[name=license_key]").waitFor()
    await page.goto(site)
    await page.getByRole("link").click()
    await shown()
    await chromium.close()
  })

  it("signs in by the button of a mailed link, and on another device by its code, on pages that are accessible", async () => {
    const owner = await browser.owner(2, { language: "de" })
    const other = await browser.owner(1, { email: owner.email })
    const chromium = await openBrowser()
    const context = await chromium.newContext({
      viewport: { width: 390, height: 844 },
      colorScheme: "light",
      locale: process.env["PORTAL_LANGUAGE"] ?? "en-US"
    })
    const [shown, phone] = [await context.newPage(), await (await chromium.newContext(phoneLook)).newPage()]
    const judged = async (name: string) => {
      for (const [colorScheme, width] of [["light", 390], ["dark", 1280]] as const) {
        await shown.setViewportSize({ width, height: 844 })
        await shown.emulateMedia({ colorScheme })
        assert.deepStrictEqual(await axeFindings(context, shown, ["minor", "moderate", "serious", "critical"]), [])
        assert.isTrue(await shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name}: too wide`)
        const folder = process.env["PORTAL_PICTURES"]
        if (folder !== undefined) await shown.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
      }
    }
    const asked = async (count: number) => {
      await shown.goto(`${service.url}/portal`)
      if (count === 1) await judged("ways-in")
      await shown.locator("#email").fill(owner.email)
      await shown.locator("#email").press("Enter")
      await shown.locator("#code").first().waitFor()
      return secretsOf((await server.to(owner.email, count))[count - 1]!)
    }
    const { token } = await asked(1)
    await judged("sent")
    await shown.goto(`${service.url}/portal/link?token=${token}`)
    await judged("link")
    await shown.locator("main button").click()
    await shown.locator("main li button").first().waitFor()
    await judged("customers")
    await shown.locator("main li button").first().click()
    await shown.locator("main li a").first().waitFor()
    // The customer's own language, until another one is chosen.
    await shown.getByRole("heading", { name: "Ihre Lizenzen" }).waitFor()
    await shown.getByRole("button", { name: "English" }).click()
    await shown.getByRole("heading", { name: "Your licenses" }).waitFor()
    await judged("licenses")
    await shown.getByRole("button", { name: "Stop notices" }).click()
    await shown.getByRole("button", { name: "Send notices again" }).waitFor()
    await judged("paused")
    await shown.goto(`${service.url}/portal/purchases`)
    await shown.getByText("You have no purchases.").waitFor()
    await judged("purchases")
    await shown.goto(`${service.url}/portal`)
    const { status } = await service.license("activate", owner.issued[1]!.key, {
      fingerprint: "machine",
      hostname: "machine"
    })
    assert.strictEqual(status, 200)
    await shown.locator("main li a").first().click()
    await shown.getByRole("heading", { level: 2 }).first().waitFor()
    await shown.locator("summary").first().click()
    await shown.getByLabel("Name of the device").fill("Anna's laptop")
    await judged("license")
    await shown.getByRole("button", { name: "Save" }).click()
    await shown.getByText("The device is now called Anna's laptop.").waitFor()
    await judged("named")
    await shown.getByRole("button", { name: "Release Anna's laptop" }).click()
    await shown.getByText("Anna's laptop was released.").first().waitFor()
    const colleague = `colleague-of-${owner.email}`
    const team = await mailedLicense(service, 2, { self_service: true }, { customer_id: owner.id })
    await shown.goto(`${service.url}/portal/licenses/${team.license.id}`)
    await shown.getByRole("link", { name: "See and change who uses the license" }).click()
    await shown.getByLabel("Email address").fill(colleague)
    await shown.getByRole("button", { name: "Invite" }).click()
    await shown.getByText(`${colleague} is invited.`).waitFor()
    await judged("invited")
    const { sign_in_token } = (await team.begin(colleague)).body.data
    const signIn = (await server.to(colleague, 2)).find((mail) =>
      headerOf(mail, "Message-ID")!.includes("user_sign_in")
    )
    const { link } = signInSecretsOf(signIn!)
    await phone.goto(`${service.url}/user-sign-in?token=${link}`)
    await phone.locator("main button").click()
    await phone.getByRole("status").waitFor()
    const { user_token } = (await team.finish(sign_in_token)).body.data
    assert.strictEqual((await team.activate(user_token)).status, 200)
    await shown.goto(`${service.url}/portal/licenses/${team.license.id}/users`)
    await shown.locator("summary").click()
    await judged("users")
    await shown.getByRole("button", { name: `Remove ${colleague}` }).click()
    await shown.getByText(`${colleague} was removed.`).waitFor()
    const stopped = await team.ask("validate", { fingerprint: "laptop", user_token })
    assert.deepStrictEqual([stopped.status, stopped.body.error.code], [403, "USER_SIGN_IN_REQUIRED"])
    await shown.goto(`${service.url}/portal/licenses/${owner.issued[1]!.license.id}`)
    await shown.getByLabel("Email address of the new owner").fill("next-owner@example.com")
    await shown.getByRole("button", { name: "Offer the license" }).click()
    await shown.getByText("The license was offered to next-owner@example.com.").waitFor()
    await judged("offered")
    await shown.goto(`${service.url}/portal/transfer?token=${offerOf((await server.to("next-owner@example.com"))[0]!)}`)
    await judged("offer")
    await shown.getByRole("button", { name: "Accept the license" }).click()
    await shown.getByRole("heading", { name: "The license is yours" }).waitFor()
    await judged("accepted")
    await shown.locator("header button").click()
    const { code, token: second } = await asked(2)
    await phone.goto(`${service.url}/portal/link?token=${second}`)
    await shown.locator("#code").fill(code.toLowerCase())
    await shown.locator("#code").press("Enter")
    await shown.getByText(other.name).first().waitFor()
    await chromium.close()
  })
})
