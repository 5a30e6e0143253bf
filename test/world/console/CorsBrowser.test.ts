// What a real browser lets the scripts of other origins do with a service.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { root } from "../../fixtures/Program.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const html = "<!doctype html><meta charset=\"utf-8\"><title>An app</title>"
const directory = mkdtempSync(join(tmpdir(), "countersign-page-"))
const file = join(directory, "app.html")

const sites: Array<Server> = []

/** A site with one empty page; answers its origin. */
const openSite = async (): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(html))
  sites.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

let browser: Browser
let ours: string
let other: string

/** It allows our site, pages without an origin, none. */
let forSite: Service
let forFiles: Service
let closed: Service
let issued: Issued
const fingerprint = "b8e1c6f2d4"

beforeAll(async () => {
  writeFileSync(file, html)
  ;[browser, ours, other] = await Promise.all([openBrowser(), openSite(), openSite()])
  forSite = await startService({ environment: { COUNTERSIGN_CORS_ORIGINS: ours } })
  const { databaseUrl } = forSite
  ;[forFiles, closed] = await Promise.all([
    startService({ databaseUrl, environment: { COUNTERSIGN_CORS_ORIGINS: "null" } }),
    startService({ databaseUrl })
  ])
  issued = await forSite.issue()
  assert.strictEqual((await forSite.license("activate", issued.key, { fingerprint })).status, 200)
})

afterAll(async () => {
  await browser.close()
  for (const site of sites) site.close()
  rmSync(directory, { recursive: true })
})

/** What a script got of an answer, or the name of the error that it got instead. */
type Got =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string }
  | string

/** Fetches in a page at this address, as the app that lives there does. */
const fetchFrom = async (page: string, url: string, init: object = {}): Promise<Got> => {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, colorScheme: "light" })
  const opened = await context.newPage()
  await opened.goto(page, { waitUntil: "load" })
  const got = await opened.evaluate<Got>(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
    async (response) => ({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text()
    }),
    (error) => error.name
  )`)
  await context.close()
  return got
}

const read = (got: Got) => typeof got === "string" ? assert.fail(`the browser refused: ${got}`) : got

const asking = (extra: object = {}) => ({
  method: "POST",
  headers: {
    authorization: `License ${issued.key}`,
    "content-type": "application/json",
    "x-nonce": "n-7f3a9c21d0",
    "x-request-id": "from-a-page"
  },
  body: JSON.stringify({ fingerprint }),
  ...extra
})

const validate = "/api/v1/license/validate"

/** Which pages may ask which service, as the browser enforces it. */
const cases = () =>
  [
    [forSite, ours, true],
    [forSite, other, false],
    [forSite, pathToFileURL(file).href, false],
    [forFiles, pathToFileURL(file).href, true],
    [forFiles, ours, false],
    [closed, ours, false],
    [closed, pathToFileURL(file).href, false]
  ] as const

/** What the guide says to save under this name. */
const ofGuide = (name: string): string => {
  const guide = readFileSync(join(root, "docs/how-to/call-from-a-browser.md"), "utf8")
  return guide.split(`\`${name}\`:\n\n\`\`\`js\n`)[1]?.split("```")[0] ?? assert.fail(`${name} is not in the guide`)
}

describe("a script of another origin", () => {
  it("reads signed answers, their headers and the keys where its origin is named, and nowhere else", async () => {
    for (const [service, page, isAllowed] of cases()) {
      const answer = await fetchFrom(page, `${service.url}${validate}`, asking())
      const keys = await fetchFrom(page, `${service.url}/api/v1/system/public-keys`)
      if (!isAllowed) {
        assert.deepStrictEqual([answer, keys], ["TypeError", "TypeError"], page)
        continue
      }
      const { headers, status, text } = read(answer)
      assert.strictEqual(status, 200, text)
      assert.strictEqual(headers["x-request-id"], "from-a-page")
      assert.match(read(keys).headers["etag"]!, /^"[0-9a-f]{32}"$/)
      const { data } = await verifyEnvelope({
        body: text,
        publicKeys: JSON.parse(read(keys).text).data,
        expected: { nonce: "n-7f3a9c21d0" }
      })
      assert.strictEqual(data["license_id"], issued.license.id)
    }
  })

  it("reads why it was refused", async () => {
    const wrong = await fetchFrom(ours, `${forSite.url}${validate}`, {
      ...asking(),
      headers: { authorization: "License CS-no", "content-type": "application/json" }
    })
    const { headers, status, text } = read(wrong)
    assert.strictEqual(`${status} ${JSON.parse(text).error.code}`, "401 LICENSE_KEY_INVALID")
    assert.strictEqual(headers["www-authenticate"], "License realm=\"countersign\"")
    assert.strictEqual(headers["x-request-id"], JSON.parse(text).meta.request_id)
    const large = await fetchFrom(ours, `${forSite.url}${validate}`, asking({ body: " ".repeat(20_000) }))
    assert.strictEqual(read(large).status, 413)
  })

  it("that the guide shows asks, reads the answer and the keys that verify it, and says why it was refused", async () => {
    const script = ofGuide("ask.js").replace("https://licenses.example.com", forSite.url)
    const context = await browser.newContext({ viewport: { width: 800, height: 600 }, colorScheme: "light" })
    const page = await context.newPage()
    await page.goto(ours, { waitUntil: "load" })
    const run = (call: string) =>
      page.evaluate<Body>(
        `import(URL.createObjectURL(new Blob([${JSON.stringify(script)}], { type: "text/javascript" })))
          .then((ask) => ask.${call})`
      )
    const { body, nonce } = await run(`validate(${JSON.stringify(issued.key)}, ${JSON.stringify(fingerprint)})`)
    const { data } = await verifyEnvelope({ body, publicKeys: await run("publicKeys()"), expected: { nonce } })
    assert.strictEqual(data["license_id"], issued.license.id)
    const refused = await run(`validate(${JSON.stringify(issued.key)}, "another")`)
    assert.strictEqual(refused.error.code, "DEVICE_NOT_ACTIVATED")
    assert.match(refused.requestId, /^req_/)
    await context.close()
  })

  it("is told its origin by self.origin, as the guide says", async () => {
    const context = await browser.newContext({ viewport: { width: 800, height: 600 }, colorScheme: "light" })
    const page = await context.newPage()
    for (const [url, origin] of [[`${ours}/app/?x=1`, ours], [pathToFileURL(file).href, "null"]] as const) {
      await page.goto(url, { waitUntil: "load" })
      assert.strictEqual(await page.evaluate("self.origin"), origin)
    }
    await context.close()
  })

  it("reads the revocation list, and asks anew with its tag", async () => {
    const url = `${forSite.url}/api/v1/license/revocations`
    const { headers, status } = read(await fetchFrom(ours, url))
    assert.strictEqual(status, 200)
    const again = await fetchFrom(ours, url, { headers: { "if-none-match": headers["etag"] }, cache: "no-store" })
    assert.strictEqual(read(again).status, 304)
  })

  it("does nothing to management, with the right token or without one", async () => {
    const before = await forSite.call("GET", "/api/v1/products")
    for (const headers of [{ authorization: `Bearer ${adminToken}`, "content-type": "application/json" }, {}]) {
      for (const method of ["GET", "POST"]) {
        const body = method === "GET" ? {} : { body: JSON.stringify({ name: "Forged", code: "forged" }) }
        const got = await fetchFrom(ours, `${forSite.url}/api/v1/products`, { method, headers, ...body })
        assert.strictEqual(got, "TypeError")
      }
    }
    assert.deepStrictEqual((await forSite.call("GET", "/api/v1/products")).body.data, before.body.data)
  })

  it("sends no cookies", async () => {
    assert.strictEqual(
      await fetchFrom(ours, `${forSite.url}${validate}`, asking({ credentials: "include" })),
      "TypeError"
    )
  })
})
