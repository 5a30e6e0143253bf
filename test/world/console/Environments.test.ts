// Nobody mistakes test for live: what a person sees of each environment in a real browser, and what they can do with it.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const day = 86_400_000
let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  testDatabaseOf(service)
  await service.data("POST", "/api/v1/customers", { name: "Grace of live", code: "grace" })
  await inTest("POST", "/api/v1/customers", { name: "Ada of test", code: "ada" })
})
afterAll(() => browser.close())

/** A management call in the test environment that must succeed; answers `data`. */
const inTest = (method: string, path: string, body?: unknown): Promise<Body> =>
  service.data(method, path, body, { token: testToken })

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const band = ({ page }: Visitor) => page.getByRole("region", { name: "Environment", exact: true }).first()

/** What of the band is in sight, and whether nothing lies over it. */
const bandBox = ({ page }: Visitor) =>
  page.evaluate<Body>(`(() => {
    const band = document.querySelector(".band")
    const { top, left, width, height } = band.getBoundingClientRect()
    const over = document.elementFromPoint(left + 4, top + height / 2)
    return { top, left, isWide: width >= document.documentElement.clientWidth, isAbove: over === band }
  })()`)

const wholeBand = { top: 0, left: 0, isWide: true, isAbove: true }

/** Opens an action, fills its dialog and has it done; answers what it says. */
const act = async (visitor: Visitor, label: string, fill: () => Promise<void>): Promise<string> => {
  const { page } = visitor
  await page.getByRole("button", { name: label, exact: true }).click()
  await fill()
  return confirm(visitor, label)
}

const sizes = [
  { name: "a desk", look: looks.desk, schemes: ["dark", "light"] },
  { name: "a phone", look: looks.phoneAtNight, schemes: ["light", "dark"] }
] as const

// Axe judges what it judges by colours in one scheme of each.
describe.each(someOf("looks of environments", sizes, 1))("$name", ({ look, schemes }) => {
  it("shows a band on top of each page of test, wherever somebody has scrolled to", async () => {
    const visitor = await opened({ look, token: testToken })
    for (const path of ["/licenses", "/customers", "/webhooks", "/operations"].map((page) => `/console/test${page}`)) {
      await visitor.goto(path)
      const links = await visitor.page.evaluate<ReadonlyArray<string>>(
        `[...document.querySelectorAll('#console a[href^="/console"]')].map((link) => link.getAttribute("href"))`
      )
      assert.isAbove(links.length, 4)
      assert.deepStrictEqual(links.filter((href) => !href.startsWith("/console/test")), [], "a link leads to live")
      assert.match(await band(visitor).innerText(), /^test environment/i)
      assert.match(await visitor.page.title(), /^\[test\] .+ · Countersign$/)
      assert.deepStrictEqual(await bandBox(visitor), wholeBand, path)
      await visitor.page.evaluate("scrollTo(0, 600)")
      assert.deepStrictEqual(await bandBox(visitor), wholeBand, `${path}, scrolled`)
      for (const colorScheme of schemes) {
        await visitor.page.emulateMedia({ colorScheme })
        assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] }, `${path}, ${colorScheme}`)
      }
      assert.deepStrictEqual(await visitor.axe(), [], path)
    }
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the environment of a session", () => {
  it("is the one that the service names, and live looks as it always did", async () => {
    const visitor = await opened({ path: "/console/customers" })
    await visitor.shows("Grace of live")
    assert.strictEqual(await band(visitor).count(), 0)
    assert.strictEqual(await visitor.page.title(), "Customers · Countersign")
    await visitor.goto("/console/operations")
    for (const name of ["Move clock", "Reset"]) {
      assert.strictEqual(await visitor.page.getByRole("button", { name, exact: true }).count(), 0, name)
    }
  })

  it("is asked for once when a page of test is opened", async () => {
    const visitor = await opened({ token: testToken, path: "/console/customers" })
    const before = visitor.requests.length
    await visitor.goto("/console/test/licenses")
    await band(visitor).waitFor()
    const asked = visitor.requests.slice(before).map(({ url }) => new URL(url).pathname)
    assert.deepStrictEqual(asked.filter((path) => path.endsWith("/api/v1/environment")), ["/api/v1/environment"])
  })

  it.each(someOf("looks of a lone environment", ["desk", "phone"] as const, 1))(
    "is live alone where there is no other, and none is offered at a %s",
    async (look) => {
      const alone = await startService({ environment: { COUNTERSIGN_TEST_ENVIRONMENT: "off" } })
      assert.deepStrictEqual((await alone.data("GET", "/api/v1/environment")).available, ["live"])
      const visitor = await visit(browser, alone, { look: looks[look] })
      onTestFinished(() => visitor.close())
      await visitor.page.getByRole("button", { name: "Sign out" }).first().waitFor()
      assert.strictEqual(await visitor.page.getByRole("button", { name: /^Switch to/ }).count(), 0)
      assert.deepStrictEqual(visitor.wrong, [])
      const both = await opened({ look: looks[look] })
      assert.isAbove(await both.page.getByRole("button", { name: "Switch to test" }).count(), 0)
    }
  )

  it("takes no token of the other one, on the way back either", async () => {
    const visitor = await opened({ token: testToken, path: "/console/customers" })
    await visitor.page.getByRole("button", { name: "Switch to live" }).click()
    const dialog = visitor.page.getByRole("dialog")
    await dialog.getByLabel("Token").fill(testToken)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("This token belongs to the test environment. Enter a token of the live environment.")
    assert.strictEqual(await band(visitor).count(), 1)
  })

  it("is the one of the token, whatever the tab calls it", async () => {
    const visitor = await opened({ token: testToken, path: "/console/customers" })
    await visitor.shows("Ada of test")
    // What was kept for live is of test: shown is where the token belongs, under its band.
    await visitor.page.evaluate(`(() => {
      sessionStorage.setItem("countersign.token.live", sessionStorage.getItem("countersign.token.test"))
    })()`)
    await visitor.goto("/console/customers")
    await band(visitor).waitFor()
    assert.strictEqual(new URL(visitor.page.url()).pathname, "/console/test/customers")
    assert.notInclude(await visitor.shows("Ada of test"), "Grace of live")
  })

  it("can be changed, and each keeps its token until the person signs out of both", async () => {
    const visitor = await opened({ path: "/console/customers" })
    const { page } = visitor
    await visitor.shows("Grace of live")
    await page.getByRole("button", { name: "Switch to test" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Token").fill(adminToken)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("This token belongs to the live environment. Enter a token of the test environment.")
    assert.strictEqual(await band(visitor).count(), 0)
    await dialog.getByLabel("Token").fill(testToken)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await band(visitor).waitFor()
    await page.getByRole("link", { name: "Customers" }).click()
    assert.notInclude(await visitor.shows("Ada of test"), "Grace of live")

    await page.getByRole("button", { name: "Switch to live" }).click()
    await band(visitor).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Customers" }).click()
    assert.notInclude(await visitor.shows("Grace of live"), "Ada of test")

    await page.getByRole("button", { name: "Switch to test" }).click()
    await band(visitor).waitFor()
    await page.reload()
    await band(visitor).waitFor()
    await page.getByRole("button", { name: "Sign out" }).first().click()
    await page.getByLabel("Token").waitFor()
    assert.strictEqual(await page.evaluate("sessionStorage.length"), 0)
  })

  it("is never left by signing in again over a page, even with the admin tokens of both", async () => {
    const { api_key: { id }, token } = await inTest("POST", "/api/v1/api-keys", { name: "left", scopes: ["admin"] })
    const visitor = await opened({ token, path: "/console/customers" })
    const { page } = visitor
    await visitor.shows("Ada of test")
    await inTest("DELETE", `/api/v1/api-keys/${id}`)
    await page.getByRole("link", { name: "Licenses" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Enter a token of the test environment.").waitFor()
    await dialog.getByLabel("Token").fill(adminToken)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("This token belongs to the live environment.")
    assert.strictEqual(await band(visitor).count(), 1)
  })

  it("that the service has ended leaves the other one, to which a button leads back", async () => {
    const { api_key: { id }, token } = await inTest("POST", "/api/v1/api-keys", { name: "ended", scopes: ["admin"] })
    const visitor = await opened()
    const { page } = visitor
    await page.getByRole("button", { name: "Switch to test" }).click()
    await page.getByLabel("Token").fill(token)
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click()
    await band(visitor).waitFor()
    // Whatever the start still asks for would be refused before the link is clicked.
    await visitor.settle()
    await inTest("DELETE", `/api/v1/api-keys/${id}`)
    await page.getByRole("link", { name: "Customers" }).click()
    await page.getByRole("dialog").getByText("You were signed out").waitFor()
    // The page that is opened anew says it as well.
    await page.reload()
    await page.getByRole("heading", { name: "Sign in with a token" }).waitFor()
    await visitor.shows("You were signed out")
    await page.getByRole("button", { name: "Back to live" }).click()
    await page.locator(".shell").waitFor()
    assert.strictEqual(await band(visitor).count(), 0)
  })
})

describe("the address of a page", () => {
  const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname

  it("keeps its environment in each tab, and in one whose history goes back and forth", async () => {
    const { id } = (await inTest("GET", "/api/v1/customers"))[0]
    const visitor = await opened({ path: "/console/customers?q=grace" })
    const { page } = visitor
    await visitor.shows("Grace of live")
    await page.getByRole("button", { name: "Switch to test" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Token").fill(testToken)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    assert.notInclude(await visitor.shows("Ada of test"), "Grace of live")
    assert.strictEqual(pathOf(visitor), "/console/test/customers", "the list stays")
    await page.getByRole("link", { name: "Ada of test" }).first().click()
    await page.getByRole("heading", { name: "Ada of test" }).waitFor()
    assert.strictEqual(pathOf(visitor), `/console/test/customers/${id}`)
    await page.getByRole("button", { name: "Switch to live" }).click()
    await visitor.shows("Grace of live")
    assert.strictEqual(pathOf(visitor), "/console/customers", "a record of test is not in live")
    await page.goBack()
    await page.getByRole("heading", { name: "Ada of test" }).waitFor()
    await band(visitor).waitFor()
    await page.goBack()
    await page.goBack()
    assert.notInclude(await visitor.shows("Grace of live"), "Ada of test")
    assert.strictEqual(await band(visitor).count(), 0)
    assert.include(page.url(), "/console/customers?q=grace")

    // A second tab of the same browser, whose page is one of test, changes nothing of the first.
    const second = await page.context().newPage()
    await second.goto(`${service.url}/console/test/customers`, { waitUntil: "load" })
    await second.getByLabel("Token").fill(testToken)
    await second.getByRole("button", { name: "Sign in" }).click()
    await second.getByText("Ada of test").first().waitFor()
    await page.reload()
    assert.notInclude(await visitor.shows("Grace of live"), "Ada of test")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("leads a colleague to test, with a token of test alone", async () => {
    const { id } = (await inTest("GET", "/api/v1/customers"))[0]
    const path = `/console/test/customers/${id}`
    const visitor = await opened({ token: null, path })
    const { page } = visitor
    await visitor.shows("Enter a token of the test environment.")
    await page.getByLabel("Token").fill(adminToken)
    await page.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("This token belongs to the live environment.")
    await page.getByLabel("Token").fill(testToken)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Ada of test" }).waitFor()
    assert.strictEqual(pathOf(visitor), path)
    await page.getByRole("button", { name: "Sign out" }).first().click()
    await page.getByRole("button", { name: "Go to live" }).click()
    await page.getByLabel("Token").fill(adminToken)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.locator(".shell").waitFor()
    assert.strictEqual(await band(visitor).count(), 0)
  })
})

describe("a person who is signed in to live", () => {
  const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname

  it("switches to test and back without a token, and is the same person with the same roles", async () => {
    const person = await signInAs(service, "Dee Developer", ["developer"])
    const visitor = await opened({ person, path: "/console/customers" })
    const { page } = visitor
    await visitor.shows("Grace of live")
    await page.getByRole("button", { name: "Switch to test" }).click()
    await band(visitor).waitFor()
    assert.notInclude(await visitor.shows("Ada of test"), "Grace of live")
    assert.strictEqual(pathOf(visitor), "/console/test/customers")
    await page.getByRole("link", { name: "Dee Developer" }).waitFor()
    assert.deepStrictEqual(
      await page.getByRole("navigation").first().getByRole("link").allInnerTexts().then((names) =>
        names.filter((name) => /People|API keys|Settings|Approvals/.test(name))
      ),
      ["Approvals"]
    )

    // The page that is opened anew, and a link that a colleague sends, are of test, too.
    await page.reload()
    await band(visitor).waitFor()
    await visitor.shows("Ada of test")
    await page.evaluate("sessionStorage.clear()")
    await visitor.goto("/console/test/customers")
    await band(visitor).waitFor()
    assert.notInclude(await visitor.shows("Ada of test"), "Grace of live")

    // What is about people leads to live.
    await page.getByRole("link", { name: "Dee Developer" }).click()
    await visitor.shows("are those of the live environment, also in this one")
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "Open in live" }).click()
    await band(visitor).waitFor({ state: "detached" })
    assert.strictEqual(pathOf(visitor), "/console/me")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("whose session ends in test signs in over the page, which stays there", async () => {
    const person = await signInAs(service, "Eli Ended", ["developer"])
    const visitor = await opened({ person, path: "/console/test/customers" })
    const { page } = visitor
    await band(visitor).waitFor()
    await visitor.shows("Ada of test")
    await service.call("DELETE", `/api/v1/sessions/${person.sessionId}`)
    await page.getByRole("link", { name: "Licenses" }).click()
    await page.getByRole("dialog").getByText("You were signed out").waitFor()
    assert.strictEqual(await band(visitor).count(), 1)
  })

  it("signs out of both with one button", async () => {
    const person = await signInAs(service, "Lee Leaver", ["developer"])
    const visitor = await opened({ person, path: "/console/test/customers" })
    const { page } = visitor
    await band(visitor).waitFor()
    await page.getByRole("button", { name: "Sign out" }).first().click()
    await page.getByRole("heading", { name: /^Sign in/ }).waitFor()
    const asked = await asPerson(service, person, "GET", "/api/v1/whoami")
    assert.strictEqual(asked.status, 401, asked.text)
  })
})

describe("what an operator does in test", () => {
  it("is to move the clock, of which the whole console then takes its time", async () => {
    const visitor = await opened({ token: testToken, path: "/console/operations" })
    const { page } = visitor
    await eventually("the log of test is verified with its own keys", async () => {
      await visitor.goto("/console/test/operations")
      return /verified in this browser/.test(await page.evaluate<string>("document.body.innerText"))
    })
    const before = Date.parse((await inTest("GET", "/api/v1/environment")).now)
    assert.notInclude(await band(visitor).innerText(), "Clock")
    const dialog = page.getByRole("dialog")
    const said = await act(visitor, "Move clock", async () => {
      await dialog.getByText("Everything that is due until then happens now").waitFor()
      await dialog.getByLabel("Move clock by").selectOption("P1Y")
    })
    assert.match(said, /[\d,]+ events? happened\. The clock is at/)
    const { now } = await inTest("GET", "/api/v1/environment")
    assert.isAbove(Date.parse(now) - before, 364 * day)
    assert.include(await band(visitor).innerText(), `${new Date(now).getUTCFullYear()}`)
    // A key of today was made a year ago.
    await visitor.shows("last year")

    const year = new Date(now).getUTCFullYear() + 1
    await act(visitor, "Move clock", async () => {
      await dialog.getByLabel("Move clock by").selectOption("date")
      assert.isFalse(await dialog.getByRole("button", { name: "Move clock", exact: true }).isEnabled())
      await dialog.getByLabel("Date").fill("2001-01-01")
      await dialog.getByText("Enter a date after the time of the clock").waitFor()
      await dialog.getByLabel("Date").fill(`${year}-06-01`)
    })
    assert.match((await inTest("GET", "/api/v1/environment")).now, new RegExp(`^${year}-06-01T00:`))
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is to reset it, by a word that is typed, and then the log of test begins anew", async () => {
    const visitor = await opened({ token: testToken, path: "/console/operations" })
    const dialog = visitor.page.getByRole("dialog")
    const said = await act(visitor, "Reset", async () => {
      await dialog.getByText("The live environment is not affected.").waitFor()
      assert.isFalse(await dialog.getByRole("button", { name: "Reset", exact: true }).isEnabled())
      await dialog.getByLabel("Type test to confirm").fill("test")
    })
    assert.include(said, "The test environment is empty.")
    assert.notInclude(await band(visitor).innerText(), "Clock")
    await visitor.goto("/console/test/customers")
    await visitor.shows("No customers yet")
    assert.lengthOf(await service.data("GET", "/api/v1/customers"), 1)
  })

  it("is not offered to a token without admin", async () => {
    const { token } = await inTest("POST", "/api/v1/api-keys", { name: "watcher", scopes: ["ops:read"] })
    const visitor = await opened({ token, path: "/console/operations" })
    await band(visitor).waitFor()
    for (const name of ["Move clock", "Reset"]) {
      assert.strictEqual(await visitor.page.getByRole("button", { name, exact: true }).count(), 0, name)
    }
  })

  it("ends the session of an API key with a reset, and says so", async () => {
    const { token } = await inTest("POST", "/api/v1/api-keys", { name: "admin", scopes: ["admin"] })
    const visitor = await opened({ token, path: "/console/operations" })
    const { page } = visitor
    await page.getByRole("button", { name: "Reset", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Your API key is deleted too").waitFor()
    await dialog.getByLabel("Type test to confirm").fill("test")
    await dialog.getByRole("button", { name: "Reset", exact: true }).click()
    await visitor.shows("The test environment was reset, and your API key was deleted with it.")
  })
})
