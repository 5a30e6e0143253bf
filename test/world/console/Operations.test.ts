// The first minute of who runs the service, in a real browser against a real service: is it well?
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import manifest from "../../../package.json" with { type: "json" }
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Page } from "../../fixtures/Browser.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { looks, oneLook, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { noteOver, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"

takeTurns()

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  await makeProduct(service)
  await eventually("there is a checkpoint", async () => (await checkpoint()).status === 200)
})
afterAll(() => browser.close())

const checkpoint = () => service.call("GET", "/api/v1/events/checkpoint")

const path = "/console/operations"

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path, ...options })
  onTestFinished(() => visitor.close())
  return visitor
}

const keyOf = (scopes: ReadonlyArray<string>, name: string = randomUUID()): Promise<Body> =>
  service.data("POST", "/api/v1/api-keys", { name, scopes })

const kept = (page: Page) => page.evaluate<string | null>(`localStorage.getItem("countersign.checkpoint")`)

/** Types what a dialog asks for, and has it done. */
const confirm = async ({ page }: Visitor, name: string, typed?: string) => {
  const dialog = page.getByRole("dialog")
  const button = dialog.getByRole("button", { name, exact: true })
  if (typed !== undefined) {
    assert.isFalse(await button.isEnabled(), "it waits for what is typed")
    await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed)
  }
  await button.click()
  await dialog.getByText("Done", { exact: true }).waitFor()
}

const sizeOf = (note: string) => Number(note.split("\n")[1])

/** The page keeps a checkpoint that the service has signed since; another one may be signed at any time. Answers it. */
const keptSince = async (page: Page, earlier: Answer): Promise<string> => {
  const note = String(await kept(page))
  const { note: newest } = (await checkpoint()).body.data
  assert.strictEqual(note.split("\n")[0], newest.split("\n")[0])
  assert.isAtLeast(sizeOf(note), sizeOf(earlier.body.data.note))
  assert.isAtMost(sizeOf(note), sizeOf(newest))
  return note
}

const close = async (visitor: Visitor) => {
  await visitor.page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
  await visitor.settle()
}

describe("the page of operations", () => {
  it("says that it is well, and what it stands on, to who may see the rest too", async () => {
    const { token } = await keyOf(["ops:read", "event:read", "report:export"])
    const visitor = await opened({ token })
    const all = await visitor.shows("Healthy")
    for (
      const text of [
        manifest.version,
        "accepts requests",
        "all healthy",
        "Feed lag",
        "Webhook backlog",
        process.version
      ]
    ) {
      assert.include(all, text)
    }
    assert.match(all, /PostgreSQL\s+\d+/)
    assert.match(all, /Pool api\s+\d+ of \d+ in use/)
    assert.match(all, /Running\s+0\s+Queued\s+0\s+Failed\s+0/)
    assert.include(all, "verified in this browser")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("has nothing that is done, and asks nothing, for a token that may only watch", async () => {
    const { token } = await keyOf(["ops:read"])
    const visitor = await opened({ token })
    const all = await visitor.shows("Healthy")
    for (const text of ["Checkpoint", "Exports", "Signing keys"]) assert.notInclude(all, text)
    assert.include(all, "Not visible with this token: checkpoint, exports, signing keys")
    assert.strictEqual(await visitor.page.locator("main button").count(), 0)
    assert.isFalse(visitor.requests.some(({ url }) => /api-keys|signing-keys|exports|events/.test(url)))
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is not well when parts of it cannot be read, and names them", async () => {
    const visitor = await opened()
    const { page } = visitor
    const away = /\/metrics$|\/events\/checkpoint$|\/reports\/exports\?|\/signing-keys/
    await page.route(away, (route) => route.fulfill({ status: 503, contentType: "text/plain", body: "away" }))
    await page.reload()
    await visitor.shows("Some checks could not be read")
    // Parts fail one after the other, and each is named as it does.
    const all = await visitor.shows(
      "Could not be read: node and database metrics, checkpoint, exports, signing keys"
    )
    assert.notInclude(all, "Healthy")
    assert.notInclude(all, "No action needed")
    await page.unroute(away)
    await page.reload()
    await visitor.shows("Healthy")
  })

  it("says why it is not ready", async () => {
    const visitor = await opened()
    const { page } = visitor
    await page.route(/\/readyz$/, (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/json",
        body: JSON.stringify({
          data: { status: "not_ready", db: "unavailable", phase: "ready" },
          meta: { request_id: "req_1", timestamp: "2026-01-01T00:00:00.000Z" }
        })
      }))
    await page.reload()
    const all = await visitor.shows("Unhealthy")
    assert.include(all, "Node not ready: the database is unavailable")
    assert.include(all, "not ready")
    await page.unroute(/\/readyz$/)
    await page.reload()
    await visitor.shows("Healthy")
  })

  it.each(oneLook("operations"))("fits and can be used by all: %s", async (look) => {
    const visitor = await opened({ look: looks[look] })
    await visitor.shows("verified in this browser")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the checkpoint", () => {
  it("is verified here, and that the log goes on from the one that was seen before", async () => {
    const before = await checkpoint()
    const visitor = await opened()
    const { page } = visitor
    const first = await visitor.shows("verified in this browser")
    assert.include(first, "Last verified")
    const note = await keptSince(page, before)
    const { tree_size } = (await checkpoint()).body.data
    await makeProduct(service)
    await eventually("there is another", async () => (await checkpoint()).body.data.tree_size > tree_size)
    const from = sizeOf(String(await kept(page)))
    await visitor.goto(path)
    const next = await visitor.shows("verified in this browser")
    assert.include(next, `${from} events; consistent`)
    assert.isTrue(visitor.requests.some(({ url }) => url.includes(`/api/v1/events/consistency?from=${from}&to=`)))
    assert.notStrictEqual(await kept(page), note)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is refused when it is not what was signed, whatever the service says of it", async () => {
    const visitor = await opened()
    const { page } = visitor
    const before = await kept(page)
    const { body } = await checkpoint()
    const forged = body.data.note.replace(/\n(\d+)\n/, (_: string, size: string) => `\n${Number(size) + 1}\n`)
    await page.route(/\/events\/checkpoint$/, (route) =>
      route.fulfill({
        status: 200,
        contentType: "application/json",
        body: JSON.stringify({ ...body, data: { ...body.data, note: forged } })
      }))
    await page.reload()
    const all = await visitor.shows("Checkpoint verification failed")
    assert.match(all, /Unhealthy\s+Checkpoint verification failed/)
    assert.notInclude(all, "verified in this browser")
    assert.strictEqual(await kept(page), before)
  })

  it("is refused when the log is another one than before, until the person forgets that", async () => {
    const visitor = await opened()
    const { page } = visitor
    const other = noteOver(signedFeed(3), signingKey(9))
    await page.evaluate(`localStorage.setItem("countersign.checkpoint", ${JSON.stringify(other)})`)
    await page.reload()
    await visitor.shows("If a different service now uses this URL")
    assert.strictEqual(await kept(page), other)
    const earlier = await checkpoint()
    await page.getByRole("button", { name: "Clear stored checkpoint" }).click()
    await visitor.shows("Last verified")
    assert.notStrictEqual(await keptSince(page, earlier), other)
  })
})

describe("what an operator does", () => {
  it("is to rotate the signing key, which is asked for by a word", async () => {
    const visitor = await opened()
    const { page } = visitor
    const keys = () => service.data("GET", "/api/v1/signing-keys")
    const [{ kid: before }] = await keys()
    await page.getByRole("button", { name: "Rotate key" }).click()
    await confirm(visitor, "Rotate key", "rotate")
    const [{ kid }] = await keys()
    assert.notStrictEqual(kid, before)
    assert.include(await page.getByRole("dialog").innerText(), kid)
    await close(visitor)
    const table = page.getByRole("table", { name: "Signing keys" })
    await table.getByRole("row").filter({ hasText: kid }).filter({ hasText: "active" }).waitFor()
    await table.getByRole("row").filter({ hasText: before }).filter({ hasText: "retired" }).waitFor()
    await visitor.goto(path)
    await visitor.shows("verified in this browser")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is to have an export made that failed", async () => {
    const { id } = await service.data("POST", "/api/v1/reports/exports", {
      report_kind: "license-audit",
      format: "json",
      filters: { license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c" }
    })
    const found = (): Promise<Body> => service.data("GET", `/api/v1/reports/exports/${id}`)
    // There is no such license.
    const { failure, updated_at } = await eventually("it failed", async () => {
      const one = await found()
      return one.status === "failed" ? one : undefined
    })
    const visitor = await opened()
    const all = await visitor.shows("1 export failed")
    assert.match(all, /License audit\s/)
    assert.include(all, failure.message)
    await visitor.page.getByRole("button", { name: "Retry" }).click()
    await confirm(visitor, "Retry")
    await eventually("it was tried again", async () => {
      const one = await found()
      return one.status === "failed" && one.updated_at > updated_at
    })
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
