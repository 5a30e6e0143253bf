// The pages of the console as people look at them: at a desk and on a phone, in the light and in the dark; a part of them by the seed of
// the run, or all (`CASES=all`).
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { pagePaths } from "../../../src/console/composition/parts/PagePaths.ts"
import type { PagePath } from "../../../src/console/composition/parts/PagePaths.ts"
import { addressIn, environmentIn } from "../../../src/console/ground/addresses/Address.ts"
import { reportKinds } from "../../../src/domain/evidence/reports/Report.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Route } from "../../fixtures/Browser.ts"
import { looks, visit } from "../../fixtures/Console.ts"
import type { Seen, Visitor } from "../../fixtures/Console.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

let browser: Browser
/** With a vendor who has been in business for a year; and as it is after its first start. */
let full: Service
let empty: Service
let pages: ReadonlyArray<string>

interface Introduced {
  /** The title of the tab without the environment and the product; empty where it has not both. */
  readonly title: string
  /** Whether the title is the name of the page as its heading begins. */
  readonly hasName: boolean
  readonly hasFocus: boolean
}

type PageOfOne = Extract<PagePath, `${string}:${string}`>

/** The pages that have no record of their own in the address. */
const lists = [...pagePaths.filter((path) => !path.includes(":")), "/console/licenses?status=active&q=no-such-owner"]

beforeAll(async () => {
  ;[full, empty, browser] = await Promise.all([startService(), startService(), openBrowser()])
  const seeded = await seedVendor(full, 60, "console")
  const [{ fingerprint }]: Body = seeded.known
  const [used]: Body = await full.data("GET", `/api/v1/licenses?q=${fingerprint}`)
  const [suspended]: Body = await full.data("GET", "/api/v1/licenses?status=suspended&limit=1")
  const [customer]: Body = await full.data("GET", "/api/v1/customers?limit=1")
  const [product]: Body = await full.data("GET", "/api/v1/products?limit=1")
  const [activity]: Body = await full.data("GET", "/api/v1/activities?action=license.suspended&limit=1")
  const [policy]: Body = await full.data("GET", `/api/v1/products/${product.id}/policies?limit=1`)
  const feature: Body = await full.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Projects",
    code: "projects",
    value_type: "integer"
  })
  await full.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
    feature_id: feature.id,
    value: 10
  })
  const person: Body = await full.data("POST", "/api/v1/people", { name: "Jun Sato", roles: ["support"] })
  const body = { action: "suspend", selection: { ids: [used.id, ...(suspended === undefined ? [] : [suspended.id])] } }
  const headers = { "idempotency-key": randomUUID() }
  const { job }: Body = await full.data("POST", "/api/v1/licenses/jobs", { ...body, dry_run: false }, { headers })
  await full.data("POST", `/api/v1/licenses/${used.id}/notes`, { text: "Called: moves to a new Mac on Monday." })
  await full.data("PATCH", `/api/v1/licenses/${used.id}`, {
    tags: ["vip", "a tag that is as long as a tag can be or nearly"]
  })
  const shop = await openShop(inTestOf(full, testDatabaseOf(full)))
  const bought = sold()
  await shop.sendAll(bought.bought)
  const purchase = await shop.purchase(bought)
  const pagesOfOne: Readonly<Record<PageOfOne, ReadonlyArray<string>>> = {
    "/console/products/:id": [`/console/products/${product.id}`],
    "/console/products/:id/:tab": ["features", "versions", "fields", "trial-keys"].map((tab) =>
      `/console/products/${product.id}/${tab}`
    ),
    "/console/products/:id/policies/:policy": ["new", policy.id].map((at) =>
      `/console/products/${product.id}/policies/${at}`
    ),
    "/console/products/:id/features/:feature": [`/console/products/${product.id}/features/${feature.id}`],
    "/console/licenses/:id": [used, suspended].flatMap((license) =>
      license === undefined ? [] : [`/console/licenses/${license.id}`]
    ),
    "/console/purchases/:id": [`/console/purchases/${purchase.id}`],
    "/console/purchases/connections/:id": [`/console/purchases/connections/${shop.connection.id}`],
    "/console/people/:id": [`/console/people/${person.id}`],
    "/console/licenses/jobs/:id": [`/console/licenses/jobs/${job.id}`],
    "/console/customers/:id": [`/console/customers/${customer.id}`],
    "/console/activity/:id": [`/console/activity/${activity.id}`],
    "/console/reports/:kind": reportKinds.map((kind) => `/console/reports/${kind}`),
    "/console/settings/mail/:kind": ["/console/settings/mail/license_issued?language=de"]
  }
  pages = [...lists, ...Object.values(pagesOfOne).flat(), "/console/no/such/page"]
})
afterAll(() => browser.close())

const sizes = [
  { name: "a desk", light: looks.desk, dark: looks.deskAtNight, axeIn: "light", opens: "by its address" },
  { name: "a phone", light: looks.phone, dark: looks.phoneAtNight, axeIn: "dark", opens: "by a link" }
] as const

const schemes = ["light", "dark"] as const

/** Opens a page as a link in the page that is shown does. */
const follow = async ({ page, settle }: Visitor, path: string): Promise<void> => {
  await page.evaluate(`{
    const link = document.createElement("a")
    link.href = ${JSON.stringify(addressIn(environmentIn(new URL(page.url()).pathname), path))}
    document.getElementById("main").append(link)
    link.click()
    link.remove()
  }`)
  await settle()
}

/** What a page says of itself when it is opened: to the tab, and to who hears it. */
const introduced = async ({ page }: Visitor): Promise<Introduced> => {
  const named = String.raw`/^(?:\[test\] )?(.+) · Countersign$/.exec(document.title)`
  // A page that never names itself is found by its empty name.
  await page.waitForFunction(named).catch(() => undefined)
  return page.evaluate(`(() => {
    const heading = document.querySelector("h1")?.innerText ?? ""
    const [, title = ""] = ${named} ?? []
    return {
      hasName: heading.startsWith(title),
      title,
      hasFocus: document.activeElement?.localName === "h1" || document.activeElement?.matches("[autofocus]") === true
    }
  })()`)
}

/** Notes what moves without having been asked to, from the begin of a document. */
const noteShifts = `globalThis.shifted = 0
globalThis.shifts = new PerformanceObserver((list) => noteShifts(list.getEntries()))
globalThis.noteShifts = (entries) => {
  for (const { hadRecentInput, value } of entries) if (!hadRecentInput) shifted += value
}
shifts.observe({ type: "layout-shift", buffered: true })`

/** The part of the window that has moved since it was asked last: the sum of all shifts (Layout Instability API). */
const shifted = ({ page }: Visitor): Promise<number> =>
  page.evaluate(`(() => {
    noteShifts(shifts.takeRecords())
    const sum = Math.round(shifted * 10000) / 10000
    shifted = 0
    return sum
  })()`)

/** The most that a page may move while it loads. */
const mostShifted = 0.02

const painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

/** Has each request wait until the answer to the one before may be painted, so that what an answer moves is seen. */
const answerOneByOne = async ({ page }: Visitor): Promise<void> => {
  let before = Promise.resolve()
  const answer = async (earlier: Promise<void>, route: Route) => {
    await earlier
    // Another page may be opened meanwhile: nobody waits for the answer any more.
    await page.evaluate(painted).catch(() => {})
    await route.continue().catch(() => {})
  }
  await page.route(/\/api\/v1\//, (route) => (before = answer(before, route)))
}

/** The links and buttons that are smaller than a finger or a pointer needs (WCAG 2.2, 2.5.8); links inside of sentences may be. */
const small = ({ page }: Visitor): Promise<ReadonlyArray<string>> =>
  page.evaluate(`[...document.querySelectorAll("#console :is(a[href], button, select, summary)")].flatMap((target) => {
    const { height, width } = target.getBoundingClientRect()
    const isShown = width > 0 && target.closest(".visually-hidden, .skip") === null
    const isInSentence = getComputedStyle(target).display === "inline" &&
      target.parentElement.textContent.trim() !== target.textContent.trim()
    return !isShown || isInSentence || height >= 23.5 ? [] : [target.localName + " " + target.innerText + " " + width + " x " + height]
  })`)

// What axe judges by names and roles is the same in each look; what it judges by colours and places is in two of four.
describe.each(sizes)("$name", { timeout: 900_000 }, ({ axeIn, ...size }) => {
  it("has pages that are whole, in the window, without an error, named and with the focus on their heading, with texts that can be read, and axe finds nothing serious in them", async () => {
    const found: Record<string, Seen> = {}
    const whole: Record<string, Seen> = {}
    const serious: Array<string> = []
    const unnamed: Array<string> = []
    const unfocused: Array<string> = []
    const moved: Record<string, number> = {}
    const tooSmall: Array<string> = []
    let before = ""
    const signIn = await visit(browser, empty, { look: size[axeIn], token: null })
    onTestFinished(() => signIn.close())
    serious.push(...(await signIn.axe()).map((finding) => `sign-in: ${finding}`))
    for (
      const [service, paths] of [
        [full, someOf(`pages at ${size.opens}`, pages, 18)],
        [empty, someOf(`lists at ${size.opens}`, lists, 6)]
      ] as const
    ) {
      const visitor = await visit(browser, service, { look: size.light })
      onTestFinished(() => visitor.close())
      await visitor.page.addInitScript({ content: noteShifts })
      await answerOneByOne(visitor)
      // The document that shows the sign-in was there before.
      await visitor.goto("/console/licenses")
      const judge = async (name: string) =>
        serious.push(...(await visitor.axe()).map((finding) => `${name}: ${finding}`))
      for (const path of paths) {
        await shifted(visitor)
        if (size.opens === "by its address") await visitor.goto(path)
        else await follow(visitor, path)
        const sum = await shifted(visitor)
        // A page about one record is as high as that has members, and one that finds something wrong says it first.
        const isAlarmed = await visitor.page.locator("#main > .note li").count() > 0
        if (sum > mostShifted && !isAlarmed && !/_\w{26}/.test(path)) moved[path] = sum
        tooSmall.push(...(await small(visitor)).map((target) => `${path}: ${target}`))
        const { hasFocus, hasName, title } = await introduced(visitor)
        // The title of another page may be longer than its heading, but is not that of the page before.
        if (title === "" || !hasName && title === before) unnamed.push(`${path}: ${title}`)
        before = title
        if (!hasFocus) unfocused.push(`${path}: ${await visitor.focus()}`)
        for (const colorScheme of schemes) {
          await visitor.page.emulateMedia({ colorScheme })
          found[`${path} ${colorScheme}`] = await visitor.look()
          whole[`${path} ${colorScheme}`] = { headings: 1, wider: 0, outside: [] }
          if (colorScheme === axeIn) await judge(path)
        }
      }
      if (service === empty) {
        assert.deepStrictEqual(visitor.wrong, [])
        continue
      }
      for (const colorScheme of schemes) {
        await visitor.page.emulateMedia({ colorScheme })
        await visitor.goto("/console/design")
        const contrasts = await visitor.page.locator("[data-contrast]").allInnerTexts()
        assert.isAtLeast(contrasts.length, 20)
        for (const contrast of contrasts) assert.isAbove(Number(contrast), 4.5)
      }
      // What opens on demand, too.
      await visitor.page.emulateMedia({ colorScheme: axeIn })
      await visitor.goto(pages.find((path) => path.startsWith("/console/licenses/lic_")) ?? "")
      await visitor.page.getByRole("button", { name: "Revoke", exact: true }).first().click()
      await judge("a dialog")
      await visitor.page.keyboard.press("Escape")
      await visitor.page.getByRole("combobox", { name: "Search" }).fill("active")
      await visitor.settle()
      await judge("the search")
      assert.deepStrictEqual(visitor.wrong, [])
    }
    assert.deepStrictEqual(unnamed, [], "the tab has the name of the page, and not of the one before")
    assert.deepStrictEqual(unfocused, [], "the heading has the focus, or the first field of a page that has one")
    assert.deepStrictEqual(moved, {}, `no page moves by more than ${mostShifted} while it loads`)
    assert.deepStrictEqual(tooSmall, [], "targets are at least 24 pixels high")
    assert.deepStrictEqual(found, whole)
    assert.deepStrictEqual(serious, [])
  })
})
