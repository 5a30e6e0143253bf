// The pages in a real browser, at two widths, in the light and in the dark.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Looking, Page } from "../../fixtures/Browser.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const paths = [
  "/",
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

const looks = [1280, 390].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme): Looking => ({ viewport: { width, height: 844 }, colorScheme }))
)

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
    // The address where nothing is answers 404, and says so.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("404")) wrong.push(message.text())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${service.url}/`) && !/^(data|blob):/.test(request.url())) wrong.push(request.url())
  })
  await page.addInitScript(noteViolations)
  return { page, wrong }
}

/** Scalar asks at its start whether it may make functions of texts, and does without. */
const asked = ["forbidden: eval"]

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

/** Where the links that can be clicked lead to, beside this service. */
const outside = `[...document.querySelectorAll("a[href]")]
  .filter((link) => link.host !== location.host && link.checkVisibility()).map((link) => link.href)`

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

describe.each(looks)("$viewport.width wide, in the $colorScheme", (looking) => {
  it.each(paths)("%s is whole, readable, and asks nobody else", async (path) => {
    const { page, wrong } = await watched(looking)
    await page.goto(`${service.url}${path}`, { waitUntil: "load" })
    assert.deepStrictEqual(await looked(page), { headings: 1, wider: 0, faint: [], stuck: 0 })
    assert.deepStrictEqual(wrong, [])
  })

  it("/docs is the reference, and asks nobody else", async () => {
    const { page, wrong } = await watched(looking)
    await page.goto(`${service.url}/docs`, { waitUntil: "load" })
    await page.locator("h1").first().waitFor()
    await page.getByText("The first five calls").last().waitFor()
    // While its chapters come in, what they are laid out in is wider for a moment.
    const { headings, wider } = await eventually("nothing is wider than the window", async () => {
      const seen = await looked(page)
      return seen.wider === 0 ? seen : undefined
    })
    assert.deepStrictEqual({ headings, wider }, { headings: 1, wider: 0 })
    assert.deepStrictEqual(await page.evaluate<ReadonlyArray<string>>(outside), [])
    assert.deepStrictEqual(wrong, asked)
  })
})

/** The curl that is shown for the creation of a product. */
const curl = `[...document.querySelectorAll("pre, code")].map((element) => element.innerText)
  .find((text) => text.includes("curl") && /\\/api\\/v1\\/products\\s/.test(text) && text.includes("--data"))`

describe("a try from the reference", () => {
  const looking: Looking = { viewport: { width: 1280, height: 900 }, colorScheme: "light" }

  /** Opens an operation by the chapter and the summary under which it stands. */
  const opened = async (page: Page, chapter: string, summary: string): Promise<void> => {
    await page.getByText(chapter, { exact: true }).first().click()
    await page.getByText(summary, { exact: true }).first().click()
  }

  it("with a token creates a product, and the curl that is shown does the same", async () => {
    const { page, wrong } = await watched(looking)
    await page.goto(`${service.url}/docs`, { waitUntil: "load" })
    // The window for tries has such a field too, hidden, which may be there first.
    await page.locator("input[placeholder=\"Token\"]:visible").first().fill(adminToken)
    await page.getByText("Create a product", { exact: true }).first().click()

    const request = page.getByRole("button", { name: /Test Request\s*\(post \/api\/v1\/products\)/i }).first()
    await request.waitFor()
    await page.waitForFunction(curl)
    const shown = await page.evaluate<string>(curl)
    await request.click()
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url() === `${service.url}/api/v1/products`),
      page.getByRole("button", { name: /^Send/ }).first().click()
    ])
    assert.strictEqual(answer.status(), 201, await answer.text())
    const created: Body = JSON.parse(await answer.text())
    assert.strictEqual((await service.data("GET", `/api/v1/products/${created.data.id}`)).name, created.data.name)
    assert.deepStrictEqual(wrong, asked)

    // As it stands there, with the token, and without a header that says nothing; another product has another code.
    assert.notMatch(shown, /: *['"]\s*\\?$/m)
    const command = shown.replaceAll(created.data.code, `${created.data.code}-2`)
    const { stdout } = await promisify(execFile)("bash", ["-c", command])
    assert.strictEqual(JSON.parse(stdout).data?.code, `${created.data.code}-2`, `${command}\n${stdout}`)
  })

  it("with a license key validates a license", async () => {
    const issued = await service.issue()
    const fingerprint = "b8e1c6f2d4"
    assert.strictEqual((await service.license("activate", issued.key, { fingerprint })).status, 200)
    const { page, wrong } = await watched(looking)
    await page.goto(`${service.url}/docs`, { waitUntil: "load" })
    await opened(page, "Run time", "Validate a license")
    await page.getByRole("button", { name: /Test Request\s*\(post \/api\/v1\/license\/validate\)/i }).first().click()
    // The token is asked for until the other credential is chosen.
    await page.getByRole("button", { name: /bearer/i }).last().click()
    await page.getByRole("option", { name: /license/ }).first().click()
    await page.keyboard.press("Escape")
    await page.getByText("license", { exact: true }).last().click()
    await page.locator("input[placeholder^=\"QUxM\"]").last().fill(`License ${issued.key}`)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url() === `${service.url}/api/v1/license/validate`),
      page.getByRole("button", { name: /^Send/ }).first().click()
    ])
    assert.strictEqual(answer.status(), 200, await answer.text())
    assert.strictEqual(JSON.parse(await answer.text()).data.license_id, issued.license.id)
    assert.deepStrictEqual(wrong, asked)
  })
})
