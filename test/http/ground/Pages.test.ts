import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import type { ConnectionCode, InputCode } from "../../../src/client/transport/CountersignError.ts"
import { errorGuide } from "../../../src/domain/ground/guides/ErrorGuide.ts"
import type { FailingRequest } from "../../../src/domain/ground/guides/ErrorTexts.ts"
import { catalog } from "../../../src/domain/ground/wire/Errors.ts"
import type { Code } from "../../../src/domain/ground/wire/Errors.ts"
import { clientErrors } from "../../../src/http/composition/pages/ErrorPages.ts"
import { makePublishableKey } from "../../fixtures/Commerce.ts"
import { startService } from "../../fixtures/Service.ts"

const service = await startService()

/** What a browser sends when it goes to an address. */
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8" }

/** An answer as a browser gets it. */
const visit = async (path: string) => {
  const response = await fetch(`${service.url}${path}`, { headers: browser })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** What links lead to. Each is visited once: the pages lead to the same ones some thousand times. */
const targets = new Map<string, ReturnType<typeof visit>>()
const follow = (link: string): ReturnType<typeof visit> => {
  const path = link.split("#")[0]!
  const known = targets.get(path)
  if (known !== undefined) return known
  const visited = visit(path)
  targets.set(path, visited)
  return visited
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
      assert.includeMembers([...linksOf(text)], ["/console", "/docs", "/readyz"])
      if (path !== "/") assert.include(text, String(headers.get("x-request-id")))
      for (const link of linksOf(text)) assert.strictEqual((await follow(link)).status, 200, link)
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
  const names = readdirSync(join(import.meta.dirname, "../../../docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md")).map((path) => basename(path, ".md"))

  it("are all listed, each under a name of its own", async () => {
    const { text } = await visit("/docs/guides")
    assert.strictEqual(new Set(names).size, names.length)
    assert.includeMembers([...linksOf(text)], names.map((name) => `/docs/guides/${name}`))
  })

  it("are searched without a script, and a question is never more than text", async () => {
    const found = await visit("/docs/guides?q=partial+refund")
    assert.strictEqual(found.status, 200)
    assert.match(String(found.headers.get("content-security-policy")), /script-src 'none'.*form-action 'self'/)
    assert.include(found.text, "/docs/guides/sell-with-stripe#")
    const odd = await visit("/docs/guides?q=%3Cb%3E")
    assert.strictEqual(odd.status, 200)
    assert.notInclude(odd.text, "<b>")
  })

  it.each(names)("%s has a heading, runs no script, and its links lead to what is there", async (name) => {
    const { headers, status, text } = await visit(`/docs/guides/${name}`)
    assert.strictEqual(status, 200)
    assert.match(String(headers.get("content-security-policy")), /script-src 'none'.*frame-ancestors 'none'/)
    assert.match(text, /<h1 id="[^"]+">.+<\/h1>/)
    assert.notMatch(text, /<!--|<script|href="(?!\/|#|https?:|data:,)/)
    for (const link of linksOf(text)) {
      const [, anchor] = link.split("#")
      const target = await follow(link)
      assert.strictEqual(target.status, 200, link)
      if (anchor !== undefined) assert.include(target.text, ` id="${anchor}"`, link)
    }
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) assert.include(text, ` id="${anchor}"`)
  })
})

describe("errors", () => {
  const codes = Object.keys(catalog) as ReadonlyArray<Code>
  const told = codes.map((code) => {
    const { causes, cure, example } = errorGuide[code]
    return { code, causes, cure, example }
  })

  it("the codes that clients give without an answer are explained beside them", async () => {
    const given: Readonly<Record<ConnectionCode | InputCode, true>> = {
      NETWORK_ERROR: true,
      TIMEOUT: true,
      INVALID_ANSWER: true,
      LICENSE_KEY_MALFORMED: true,
      CREDENTIAL_MALFORMED: true,
      HEADER_MALFORMED: true
    }
    assert.deepStrictEqual(Object.keys(clientErrors), Object.keys(given))
    const { text } = await visit("/docs/errors")
    for (const code of Object.keys(given)) {
      assert.match(text, new RegExp(`<li id="${code}"><code>${code}</code><p>.{40,}</p>`))
    }
  })

  it.each(told)("$code has a page with all parts, which its doc_url names", async ({ causes, code, cure, example }) => {
    const { status, text } = await visit(`/docs/errors/${code}`)
    assert.strictEqual(status, 200)
    for (const part of ["Usual causes", "How to fix it", "Example", "Raised by"]) {
      assert.include(text, `<h2>${part}</h2>`)
    }
    for (const words of [...causes, cure]) assert.isAbove(words.length, 10)
    assert.isNotEmpty(causes)
    assert.include(text, `&quot;code&quot;: &quot;${code}&quot;`)
    assert.include(text, `${example.line} HTTP/1.1`)
    for (const link of linksOf(text)) assert.strictEqual((await follow(link)).status, 200, link)
  })

  it.each(told)("the example of $code is of an operation that raises it", ({ code, example }) => {
    const raising = operations.filter(({ codes }) => codes.includes(code))
    const [method, target = ""] = example.line.split(" ")
    const path = target.split("?")[0]!
    const fits = raising.some((operation) =>
      operation.method === method && new RegExp(`^${operation.path.replaceAll(/:[^/]+/g, "[^/]+")}$`).test(path)
    )
    assert.isTrue(raising.length === 0 || fits, raising.map(({ method, path }) => `${method} ${path}`).join(", "))
  })

  /** Sends an example as it stands. */
  const sendExample = async ({ body, headers = {}, line }: FailingRequest) => {
    const [method = "", path = ""] = line.split(" ")
    const { key, product } = await service.issue()
    if (path === "/api/v1/license/trials" && headers["authorization"] === undefined) {
      return service.call(method, path, { token: await makePublishableKey(service, product), body, headers })
    }
    return service.call(method, path, {
      ...(body === undefined ? {} : typeof body === "string" ? { raw: body } : { body }),
      ...(headers["authorization"] === undefined
        ? path.startsWith("/api/v1/license/") ? { licenseKey: key } : {}
        : { token: null }),
      headers
    })
  }

  it.each(told.filter(({ example }) => example.when === undefined))(
    "the example of $code raises it as it stands",
    async ({ code, example }) => {
      const answer = await sendExample(example)
      assert.strictEqual(answer.body.error.code, code)
      assert.strictEqual(answer.status, catalog[code].status)
      assert.strictEqual(answer.body.error.doc_url, `${service.url}/docs/errors/${code}`)
    }
  )

  it.each(told.filter(({ example }) => example.when !== undefined))(
    "the example of $code is right but for what holds before",
    async ({ code, example }) => {
      const { body, status } = await sendExample(example)
      if (status < 400 || body.error.code === code) return
      const { detail, fields, message } = body.error
      assert.include([403, 404, 409], status, JSON.stringify({ message, detail, fields }))
      assert.notStrictEqual(body.error.code, "ROUTE_NOT_FOUND")
    }
  )
})
