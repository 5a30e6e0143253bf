// The ways in, in Chromium with an authenticator of its own: invited, joined, signed in again, and ended on another node in mid-form.
import { assert, describe, it } from "@effect/vitest"
import { Authenticator } from "../../fixtures/Authenticator.ts"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Page } from "../../fixtures/Browser.ts"
import { looks, visit } from "../../fixtures/Console.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { startSecond } from "../../fixtures/SignIns.ts"

takeTurns()

const environment = { HOST: "localhost" }
const service = await startService({ environment })
const other = await startSecond(service, environment)
const browser = await openBrowser()
atEnd(() => browser.close())

/**
 * Puts a software authenticator in the place of the browser's: the headless Chromium of the tests keeps no discoverable passkeys, not
 * even with a virtual authenticator of its own.
 */
const authenticatorScript = `(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (of) => of.charCodeAt(0)).buffer
  const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
  const made = (id, response) => ({
    id, rawId: bytes(id), type: "public-key", authenticatorAttachment: "platform", response, getClientExtensionResults: () => ({})
  })
  navigator.credentials.create = async ({ publicKey: { challenge, rp, user } }) => {
    const answer = await authenticate("create", { challenge: textOf(challenge), rp_id: rp.id, user_id: textOf(user.id) })
    return made(answer.credential, {
      clientDataJSON: bytes(answer.client_data),
      attestationObject: bytes(answer.attestation_object),
      getTransports: () => answer.transports
    })
  }
  navigator.credentials.get = async ({ publicKey: { challenge, rpId } }) => {
    const answer = await authenticate("get", { challenge: textOf(challenge), rp_id: rpId })
    return made(answer.credential, {
      clientDataJSON: bytes(answer.client_data),
      authenticatorData: bytes(answer.authenticator_data),
      signature: bytes(answer.signature),
      userHandle: bytes(answer.user_handle)
    })
  }
})()`

interface AskedHere {
  readonly challenge: string
  readonly rp_id: string
  readonly user_id: string
}

/** A window with an authenticator. */
const windowed = async (look: Parameters<typeof browser.newContext>[0] = looks.desk) => {
  const context = await browser.newContext({ locale: "en-US", ...look })
  const page = await context.newPage()
  const authenticator = new Authenticator(service.url)
  await page.exposeFunction(
    "authenticate",
    (kind: "create" | "get", asked: AskedHere) =>
      kind === "create" ? authenticator.create(asked) : authenticator.sign(asked)
  )
  await page.addInitScript({ content: authenticatorScript })
  return { context, page }
}

const invited = async (roles: ReadonlyArray<string>): Promise<{ readonly id: string; readonly link: string }> => {
  const { id } = await service.data("POST", "/api/v1/people", { name: "Ada Lovelace", roles })
  const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
  return { id, link: `${service.url}/console/join#${invitation}` }
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

describe("a person who is invited", () => {
  it("joins, adds a second passkey, signs out and in, and goes on with a form when the session was ended on another node", async () => {
    const { id, link } = await invited(["owner"])
    const { context, page } = await windowed()
    await page.goto(link)
    await page.getByRole("heading", { name: "Join Countersign" }).waitFor()
    // Looking spends nothing.
    await page.reload()
    await button(page, "Join with a passkey").waitFor()
    assert.include(await page.evaluate<string>("document.body.innerText"), "Owner")
    assert.deepStrictEqual(await axeFindings(context, page), [])
    await button(page, "Join with a passkey").click()
    await page.getByRole("heading", { name: "You are signed in" }).waitFor()
    assert.notInclude(page.url(), "#")
    await button(page, "Add a second passkey").click()
    await page.getByText("Added", { exact: false }).waitFor()
    assert.lengthOf(await service.data("GET", `/api/v1/passkeys?person_id=${id}`), 2)

    await page.goto(`${service.url}/console/me`)
    await page.getByRole("heading", { name: "Your account" }).waitFor()
    await page.getByText("This session").waitFor()
    assert.deepStrictEqual(await axeFindings(context, page), [])
    await button(page, "Sign out").first().click()
    await button(page, "Use a passkey").waitFor()
    assert.deepStrictEqual(await axeFindings(context, page), [])
    await eventually(
      "the session has ended",
      async () => (await service.call("GET", "/api/v1/sessions")).body.data.length === 0
    )
    await page.goto(`${service.url}/console/licenses/new`)
    await button(page, "Use a passkey").click()
    // The page that was asked for.
    await page.getByRole("heading", { level: 1, name: /license/i }).waitFor()
    await page.goto(`${service.url}/console/me`)
    await page.getByRole("heading", { name: "Your account" }).waitFor()

    await page.goto(`${service.url}/console/products`)
    await button(page, "New product").first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Typed before the end")
    const [session] = (await service.call("GET", "/api/v1/sessions")).body.data
    assert.strictEqual((await other.call("DELETE", `/api/v1/sessions/${session.id}`)).status, 204)
    await dialog.getByRole("button", { name: /create|new product/i }).last().click()
    await page.getByRole("heading", { name: "Sign in again" }).waitFor()
    await button(page, "Use a passkey").click()
    await eventually(
      "the product is made, with what was typed",
      async () =>
        (await service.data("GET", "/api/v1/products")).some(({ name }: { name: string }) =>
          name === "Typed before the end"
        )
    )
    await context.close()
  })

  it("is told what is wrong with a link, on a phone too", async () => {
    const { context, page } = await windowed(looks.phone)
    await page.goto(`${service.url}/console/join#csi_none`)
    await page.getByRole("heading", { name: "This invitation does not work" }).waitFor()
    assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
    await context.close()
  })
})

describe("the sign-in page", () => {
  it("takes a token behind other ways, and tells everybody of the admin token", async () => {
    const context = await browser.newContext({ locale: "en-US", ...looks.desk })
    const page = await context.newPage()
    await page.goto(`${service.url}/console`)
    await page.getByText("Other ways").click()
    await page.getByText("for emergencies").first().waitFor()
    await page.getByLabel("Token").fill(adminToken)
    await button(page, "Sign in").click()
    await page.locator(".shell").waitFor()
    await page.getByText("For emergencies").first().waitFor()
    const told = (await service.feed()).filter(({ event_type }) => event_type === "api_key.signed_in")
    assert.lengthOf(told, 1)
    await page.reload()
    await page.locator(".shell").waitFor()
    assert.lengthOf((await service.feed()).filter(({ event_type }) => event_type === "api_key.signed_in"), 1)
    await context.close()
  })

  it("leads to the token alone where passkeys cannot work, and says why when an invitation is opened", async () => {
    const plain = await startService()
    const { id } = await plain.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
    const { invitation } = await plain.data("POST", `/api/v1/people/${id}/invite`)
    const visitor = await visit(browser, plain, { token: null })
    await visitor.shows("Sign in with a token")
    await visitor.page.goto(`${plain.url}/console/join#${invitation}`)
    await visitor.shows("Passkeys need https")
    await visitor.page.getByRole("button", { name: "Sign in once" }).click()
    await visitor.shows("You are signed in")
    await visitor.close()
  })
})

describe("a browser in which two people sign in, in two tabs", () => {
  it("does nothing for the page of the one as the other: says so, keeps what was typed, and goes on as the other", async () => {
    const plain = await startService()
    const context = await browser.newContext({ locale: "en-US", ...looks.desk })
    const join = async (name: string) => {
      const { id } = await plain.data("POST", "/api/v1/people", { name, roles: ["owner"] })
      const { invitation } = await plain.data("POST", `/api/v1/people/${id}/invite`)
      const page = await context.newPage()
      await page.goto(`${plain.url}/console/join#${invitation}`)
      await button(page, "Sign in once").click()
      await page.getByRole("heading", { name: "You are signed in" }).waitFor()
      return page
    }
    const page = await join("Ada Lovelace")
    await page.goto(`${plain.url}/console/products`)
    await button(page, "New product").first().click()
    const dialog = page.getByRole("dialog", { name: "New product" })
    await dialog.getByLabel("Name").fill("Of Ada")
    const send = dialog.getByRole("button", { name: "New product", exact: true })
    await (await join("Bo Berg")).close()

    await send.click()
    const over = page.getByRole("dialog", { name: "Another person is signed in" })
    await over.getByText("You are signed in as Bo Berg in another tab.").waitFor()
    assert.deepStrictEqual(await axeFindings(context, page), [])
    assert.deepStrictEqual(await plain.data("GET", "/api/v1/products"), [])
    await over.getByRole("button", { name: "Keep the page" }).click()
    await over.waitFor({ state: "hidden" })
    assert.strictEqual(await dialog.getByLabel("Name").inputValue(), "Of Ada")

    await send.click()
    await over.getByRole("button", { name: "Continue as Bo Berg" }).click()
    await dialog.waitFor({ state: "hidden" })
    await page.locator(".who").getByText("Bo Berg").waitFor()
    assert.deepStrictEqual(await plain.data("GET", "/api/v1/products"), [])
    // A page that is loaded anew is of whoever is signed in, whomever it knew.
    await (await join("Cy Young")).close()
    await page.reload()
    await page.locator(".who").getByText("Cy Young").waitFor()
    await page.getByRole("heading", { name: "Products" }).waitFor()
    await over.waitFor({ state: "hidden" })
    await context.close()
  })
})
