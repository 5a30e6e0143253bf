// The pages in a real browser, at two widths, in the light and in the dark: a part of them by the seed of the run, or all (`CASES=all`).
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Looking, Page } from "../../fixtures/Browser.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const paths = [
  "/",
  "/docs",
  "/docs/reference/createPolicy",
  "/docs/reference/explainLicense",
  "/docs/reference/downloadReportExport",
  "/docs/reference/onLicenseCreated",
  "/nothing/here",
  "/docs/errors",
  "/docs/errors/LICENSE_EXPIRED",
  "/docs/errors/FEATURE_QUOTA_EXCEEDED",
  "/docs/guides",
  "/docs/guides/quick-start",
  "/docs/guides/policy-fields",
  "/docs/guides/event-kinds",
  "/docs/guides/configuration",
  "/docs/guides/operations"
]

// What axe judges by names and roles is the same in each look; what it judges by colours and places is in two of four.
const sizes = [{ width: 1280, axeIn: "light", other: "dark" }, { width: 390, axeIn: "dark", other: "light" }] as const

/** Notes what a policy of the page forbids, which the console need not show. */
const noteViolations = {
  content: `addEventListener("securitypolicyviolation", (event) => console.error("forbidden: " + event.blockedURI))`
}

/** A page with what went wrong in it: errors, and requests to another host than the service. */
const watched = async (looking: Looking) => {
  const context = await browser.newContext(looking)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const wrong: Array<string> = []
  page.on("console", (message) => {
    // Chromium reports every answer that is an error, as the one at an address where nothing is.
    const isRefusal = /the server responded with a status of (401|404|422)/.test(message.text())
    if (["error", "warning"].includes(message.type()) && !isRefusal) wrong.push(message.text())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${service.url}/`) && !/^(data|blob):/.test(request.url())) wrong.push(request.url())
  })
  await page.addInitScript(noteViolations)
  return { context, page, wrong }
}

/** What cannot be read: texts whose contrast to what they stand on is below 4.5 (WCAG 2.2, 1.4.3). */
const faint = `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] === 1) return color
    }
    return [255, 255, 255]
  }
  const found = new Set()
  for (const element of document.querySelectorAll(".bar *, .page *")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue
    const [a, b] = [parts(getComputedStyle(element).color), ground(element)].map(luminance)
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) found.add(element.tagName + " " + element.className + " " + contrast.toFixed(2))
  }
  return [...found]
})()`

const looked = async (page: Page) => ({
  headings: await page.evaluate<number>(`document.querySelectorAll("h1").length`),
  wider: await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
  faint: await page.evaluate<ReadonlyArray<string>>(faint),
  // What scrolls aside is reached by the keyboard.
  stuck: await page.evaluate<number>(
    `[...document.querySelectorAll(".page *")].filter((element) => element.scrollWidth > element.clientWidth + 1 &&
       getComputedStyle(element).overflowX === "auto" && element.tabIndex < 0).length`
  )
})

/** Opens everything that is folded. */
const unfold = `for (const details of document.querySelectorAll("details:not([hidden])")) details.open = true`

describe.each(sizes)("$width wide, in the light and in the dark", ({ axeIn, other, width }) => {
  it.each(someOf(`documents at ${width}`, paths, 5))("%s is whole, readable, and asks nobody else", async (path) => {
    const { context, page, wrong } = await watched({ viewport: { width, height: 844 }, colorScheme: other })
    await page.goto(`${service.url}${path}`, { waitUntil: "load" })
    const whole = { headings: 1, wider: 0, faint: [], stuck: 0 }
    for (const colorScheme of [other, axeIn]) {
      await page.emulateMedia({ colorScheme })
      assert.deepStrictEqual(await looked(page), whole, colorScheme)
    }
    await page.evaluate(unfold)
    for (const colorScheme of [other, axeIn]) {
      await page.emulateMedia({ colorScheme })
      assert.deepStrictEqual(await looked(page), whole, `unfolded, ${colorScheme}`)
    }
    assert.deepStrictEqual(await axeFindings(context, page, ["minor", "moderate", "serious", "critical"]), [])
    assert.deepStrictEqual(wrong, [])
  })
})

const desk: Looking = { viewport: { width: 1280, height: 900 }, colorScheme: "light" }

describe("the start of the reference", () => {
  it("narrows its list to what has every word, and says when nothing has", async () => {
    const { page, wrong } = await watched(desk)
    await page.goto(`${service.url}/docs`, { waitUntil: "load" })
    const shown = (selector: string) =>
      page.evaluate<ReadonlyArray<string>>(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((element) => element.checkVisibility())
           .map((element) => element.textContent)`
      )
    const links = "[data-words] > a"
    const everything = await shown(links)
    const filter = page.getByLabel("Filter operations and events")
    await filter.pressSequentially("FLOATING checkoutFloating")
    assert.deepStrictEqual(await shown(links), ["Check out a floating seat"])
    assert.deepStrictEqual(await shown("[data-group] h3"), ["Run time"])
    assert.deepStrictEqual(await shown("#filter-count"), [`1 of ${everything.length}`])
    await filter.fill("no such words")
    assert.deepStrictEqual(await shown("[data-group] h3"), [])
    assert.deepStrictEqual(await shown("#filter-count"), ["No matches."])
    await filter.fill("")
    assert.deepStrictEqual(await shown(links), everything)
    assert.deepStrictEqual(wrong, [])
  })

  it.each([
    ["tag/licenses/POST/api/v1/licenses/{id}/renew", "Renew a license"],
    // As Scalar wrote them, which showed the reference before.
    ["api-1/tag/licenses/POST/api/v1/licenses/{id}/renew", "Renew a license"],
    ["api-1/tag/licenses/POST/api/v1/licenses/{id}/renew.headers.Idempotency-Key", "Renew a license"],
    ["api-1/tag/system/GET/openapi.yaml", "/openapi.yaml"],
    ["api-1/tag/run-time", "Run time"],
    ["api-1/description/the-first-five-calls", "The first five calls"]
  ])("shows at #%s what the link means", async (anchor, text) => {
    const { page, wrong } = await watched(desk)
    await page.goto(`${service.url}/docs#${anchor}`, { waitUntil: "load" })
    await page.locator(":target").waitFor()
    assert.include(await page.locator(":target").innerText(), text)
    assert.deepStrictEqual(wrong, [])
  })
})

describe("a try from the reference", () => {
  /** Opens the form of an operation. */
  const opened = async (page: Page, name: string): Promise<void> => {
    await page.goto(`${service.url}/docs/reference/${name}`, { waitUntil: "load" })
    await page.getByText("Send this request", { exact: true }).click()
  }
  const said = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor()
  const answerOf = async (page: Page): Promise<Body> => JSON.parse(await page.getByLabel("Response body").innerText())

  it("with a token creates a product, and the command that is shown does the same", async () => {
    const { context, page, wrong } = await watched(desk)
    await opened(page, "createProduct")
    await page.getByLabel("Token").fill(adminToken)
    await page.getByRole("button", { name: "Send" }).click()
    await said(page, /^201 Created, \d+ ms, \d+ bytes$/)
    const { data } = await answerOf(page)
    assert.strictEqual((await service.data("GET", `/api/v1/products/${data.id}`)).name, data.name)
    await page.getByText("Response headers").click()
    assert.include(await page.locator("#try-headers").innerText(), "x-request-id: req_")
    assert.deepStrictEqual(await axeFindings(context, page), [])
    // The token is nowhere but in its field.
    assert.notInclude(await page.evaluate<string>("document.documentElement.outerHTML + location.href"), adminToken)
    assert.strictEqual(await page.evaluate<number>("localStorage.length + sessionStorage.length"), 0)

    // As it stands there, with the token in a variable; another product has another code.
    const command = (await page.locator(".sample pre").first().innerText()).replaceAll(data.code, `${data.code}-2`)
    const { stdout } = await promisify(execFile)("sh", ["-c", command], {
      env: { ...process.env, COUNTERSIGN_TOKEN: adminToken }
    })
    assert.strictEqual(JSON.parse(stdout).data?.code, `${data.code}-2`, `${command}\n${stdout}`)
    assert.deepStrictEqual(wrong, [])
  })

  it("with a license key, by the keyboard alone, validates a license", async () => {
    const issued = await service.issue()
    const fingerprint = "b8e1c6f2d4"
    assert.strictEqual((await service.license("activate", issued.key, { fingerprint })).status, 200)
    const { page, wrong } = await watched(desk)
    await page.goto(`${service.url}/docs/reference/validateLicense`, { waitUntil: "load" })
    const focused = () =>
      page.evaluate<string>("document.activeElement.id || document.activeElement.textContent.slice(0, 40)")
    const tabTo = async (name: string) => {
      for (let at = 0; at < 40; at++) {
        if (await focused() === name) return
        await page.keyboard.press("Tab")
      }
      assert.fail(`${name} is not reached`)
    }
    await tabTo("Send this request")
    await page.keyboard.press("Enter")
    await tabTo("try-credential")
    await page.keyboard.type(issued.key)
    await tabTo("Send")
    await page.keyboard.press("Enter")
    await said(page, /^200 OK/)
    assert.strictEqual((await answerOf(page)).data.license_id, issued.license.id)
    // Who sent it by the keyboard goes on from there.
    assert.strictEqual(await focused(), "Send")
    assert.deepStrictEqual(wrong, [])
  })

  it("writes parameters into path and query, and leads to the page of the error", async () => {
    const { page, wrong } = await watched(desk)
    await opened(page, "listPoliciesByProduct")
    const path: Array<string> = []
    page.on("request", (request) => path.push(request.url().slice(service.url.length)))
    await page.getByLabel("Token").fill(adminToken)
    await page.locator("[data-name=id]").fill("a/b ?")
    await page.locator("[data-name=limit]").fill("7")
    await page.getByRole("button", { name: "Send" }).click()
    await said(page, /^404/)
    assert.deepStrictEqual(path, ["/api/v1/products/a%2Fb%20%3F/policies?limit=7"])
    await page.getByText("Meaning of NOT_FOUND").click()
    await page.locator("h1").filter({ hasText: "NOT_FOUND" }).waitFor()
    assert.deepStrictEqual(wrong, [])
  })

  it("says what is no JSON and what is missing before anything is sent, and when there is no answer", async () => {
    const { page, wrong } = await watched(desk)
    await opened(page, "renewLicense")
    let requests = 0
    page.on("request", () => requests++)
    const send = page.getByRole("button", { name: "Send" })
    await send.click()
    assert.strictEqual(await page.evaluate<string>("document.activeElement.id"), "try-credential")
    await page.getByLabel("Token").fill("no token")
    await page.locator("[data-name=id]").fill("..")
    await send.click()
    assert.strictEqual(await page.evaluate<string>("document.activeElement.dataset.name"), "id")
    await page.locator("[data-name=id]").fill("lic_none")
    const body = page.getByLabel("Body JSON")
    const example = await body.inputValue()
    await body.fill(`${example},`)
    await send.click()
    await page.getByText("This is no JSON").waitFor()
    assert.strictEqual(await page.evaluate<string>("document.activeElement.id"), "try-body")
    assert.strictEqual(await body.getAttribute("aria-invalid"), "true")
    assert.strictEqual(requests, 0)

    // The key that the operation requires stands there already.
    const key = page.locator("[data-name=Idempotency-Key]")
    const first = await key.inputValue()
    assert.match(first, /^[0-9a-f]{32}$/)
    await body.fill(example)
    await send.click()
    await said(page, /^401/)
    assert.strictEqual(await body.getAttribute("aria-invalid"), null)
    assert.strictEqual((await answerOf(page)).error.code, "UNAUTHENTICATED")
    assert.deepStrictEqual(wrong, [])

    const before = requests
    await page.getByLabel("Token").fill("a pasted …")
    await send.click()
    await said(page, /^This cannot be sent: /)
    assert.strictEqual(requests, before)
    await page.getByLabel("Token").fill("no token")

    await page.route(/renew$/, (route) => route.abort("connectionrefused"))
    await send.click()
    await said(page, /^No response: .+ Is the service running\?$/)
    assert.isFalse(await page.getByLabel("Response body").isVisible())
  })
})
