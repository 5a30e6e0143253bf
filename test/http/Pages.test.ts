import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { startService } from "../fixtures/Service.ts"

const service = await startService()

/** What a browser sends when it goes to an address. */
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8" }

/** An answer as a browser gets it. */
const visit = async (path: string) => {
  const response = await fetch(`${service.url}${path}`, { headers: browser })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The addresses of this service that a page leads to. */
const linksOf = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path!))
]

describe("where nothing is", () => {
  it.each(["/", "/nothing/here", "/docs/nothing", "/docs/errors/NO_SUCH_CODE"])(
    "%s is a page to a browser",
    async (path) => {
      const { headers, status, text } = await visit(path)
      assert.strictEqual(status, path === "/" ? 200 : 404)
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      assert.match(String(headers.get("content-security-policy")), /script-src 'none'.*frame-ancestors 'none'/)
      assert.strictEqual(headers.get("vary"), "accept")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.includeMembers([...linksOf(text)], ["/docs", "/readyz"])
      assert.notInclude(text, "/console")
      if (path !== "/") assert.include(text, String(headers.get("x-request-id")))
      for (const link of linksOf(text)) assert.strictEqual((await visit(link)).status, 200, link)
    }
  )

  it.each([
    undefined,
    "*/*",
    "application/json",
    "application/json, text/html;q=0.9",
    "text/html, application/json",
    "text/html;q=0"
  ])("is JSON to a program that accepts %s", async (accept) => {
    for (const path of ["/", "/nothing/here"]) {
      const answer = await service.call("GET", path, accept === undefined ? {} : { headers: { accept } })
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.body.error.code, "ROUTE_NOT_FOUND")
      assert.isUndefined(answer.headers["vary"])
    }
  })

  it("is JSON to whoever writes, and a head without a body to whoever asks for it", async () => {
    const answer = await service.call("POST", "/nothing/here", { headers: browser, body: {} })
    assert.strictEqual(answer.body.error.code, "ROUTE_NOT_FOUND")
    const head = await fetch(`${service.url}/`, { method: "HEAD", headers: browser })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(await head.text(), "")
  })
})

describe("guides", () => {
  const names = readdirSync(join(import.meta.dirname, "../../docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md")).map((path) => basename(path, ".md"))

  it("are all listed, each under a name of its own", async () => {
    const { text } = await visit("/docs/guides")
    assert.strictEqual(new Set(names).size, names.length)
    assert.includeMembers([...linksOf(text)], names.map((name) => `/docs/guides/${name}`))
  })

  it.each(names)("%s has a heading, runs no script, and its links lead to what is there", async (name) => {
    const { headers, status, text } = await visit(`/docs/guides/${name}`)
    assert.strictEqual(status, 200)
    assert.match(String(headers.get("content-security-policy")), /script-src 'none'.*frame-ancestors 'none'/)
    assert.match(text, /<h1 id="[^"]+">.+<\/h1>/)
    assert.notMatch(text, /<!--|<script|href="(?!\/|#|https?:|data:,)/)
    for (const link of linksOf(text)) {
      const [path = "", anchor] = link.split("#")
      const target = await visit(path)
      assert.strictEqual(target.status, 200, link)
      if (anchor !== undefined) assert.include(target.text, ` id="${anchor}"`, link)
    }
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) assert.include(text, ` id="${anchor}"`)
  })
})
