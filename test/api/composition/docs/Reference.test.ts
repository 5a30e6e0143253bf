// The reference at /docs: the document on pages, one for each operation and each kind of event. All over HTTP, without a
// browser; Browser.test.ts looks at some of them.
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { referred, resolved } from "../../../../src/api/composition/docs/Schemas.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const document: Body = (await service.call("GET", "/openapi.json", { token: null })).body

/** What has a page: its address, its node in the document, and how it is called. */
const described = [
  ...Object.entries<Body>(document.paths).flatMap(([path, item]) =>
    Object.entries<Body>(item).map(([method, node]) => ({ name: String(node.operationId), method, path, node }))
  ),
  ...Object.values<Body>(document.webhooks).map(({ post }) => ({
    name: String(post.operationId),
    method: "",
    path: "",
    node: post
  }))
]
const operations = described.filter(({ path }) => path !== "")

const addressOf = (name: string) => `/docs/reference/${name}`

/** Pages as they were served, each asked for once. */
const pages = new Map<string, string>()
const pageAt = async (path: string): Promise<string> => {
  const known = pages.get(path)
  if (known !== undefined) return known
  const answer = await fetch(`${service.url}${path}`, { headers: { accept: "text/html" } })
  const text = await answer.text()
  assert.strictEqual(answer.status, 200, path)
  pages.set(path, text)
  return text
}

const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'" }
const plain = (html: string): string => html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name]!)

/** What a reader of a page sees, with the spaces of a line. */
const wordsOf = (html: string): string =>
  plain(html.replaceAll(/<wbr>|<\/?(?:code|a|i|em|strong|b)\b[^>]*>/g, "").replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")

/** Works out what is asked again and again once. */
const once = <A>(make: (of: string) => A): (of: string) => A => {
  const known = new Map<string, A>()
  return (of) => {
    const found = known.get(of) ?? make(of)
    known.set(of, found)
    return found
  }
}

/** A text of the document without its marks of Markdown. */
const unmarked = once((text) =>
  text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/^[-\d.]+ /gm, "").replaceAll(/\*\*([^*]+)\*\*|`/g, "$1")
    .replaceAll(/\s+/g, " ").trim()
)

const empty = new Set(["meta", "link", "input", "wbr", "br", "hr"])

/** Elements that are closed out of turn, or never: a browser would mend them in its own way. */
const unbalanced = (html: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  const wrong: Array<string> = []
  for (const [, close, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^>]*)?>/g)) {
    if (empty.has(name)) continue
    if (close === "") open.push(name)
    else if (open.pop() !== name) wrong.push(name)
  }
  return [...wrong, ...open]
}

const linksOf = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href = ""]) => plain(href)))
]
const idsOf = once((html): ReadonlyArray<string> =>
  [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => plain(id))
)

describe("/docs", () => {
  it("lists every operation with its method and path, and every kind of event, each with the way to its page", async () => {
    const html = await pageAt("/docs")
    const ids = idsOf(html)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(unbalanced(html), [])
    const links = new Set(linksOf(html))
    const words = wordsOf(html)
    for (const { method, name, node, path } of described) {
      assert.include(links, addressOf(name))
      assert.include(words, path === "" ? node.summary : `${node.summary} ${method.toUpperCase()} ${path}`)
    }
  })

  it("begins with what the document says, in which the first calls lead to their pages", async () => {
    const html = await pageAt("/docs")
    for (const [, heading = ""] of document.info.description.matchAll(/^## (.+)$/gm)) {
      assert.match(html, new RegExp(`<h2 id="[^"]+">${heading}</h2>`))
    }
    for (const line of document.info.description.split(/\n\n|\n(?=- |\d\. )/)) {
      if (!line.startsWith("#")) assert.include(wordsOf(html), unmarked(line))
    }
    assert.include(html, `<a href="/docs/reference/validateLicense"><code>POST /api/v1/license/validate</code></a>`)
    for (const { description, name } of document.tags) {
      assert.include(wordsOf(html), name)
      assert.include(wordsOf(html), unmarked(description))
    }
  })

  it("has a place for each chapter and each operation", async () => {
    const ids = new Set(idsOf(await pageAt("/docs")))
    for (const { method, node, path } of operations) {
      const chapter = `tag/${node.tags[0].toLowerCase().replaceAll(" ", "-")}`
      assert.include(ids, chapter)
      assert.include(ids, `${chapter}/${method.toUpperCase()}${path}`)
    }
  })

  it("has nothing at the address of no operation", async () => {
    for (const path of [addressOf("createNothing"), `${addressOf("createProduct")}/more`, addressOf("CreateProduct")]) {
      const { body, status } = await service.call("GET", path, { token: null })
      assert.strictEqual(status, 404)
      assert.strictEqual(body.error.code, "ROUTE_NOT_FOUND")
      const page = await fetch(`${service.url}${path}`, { headers: { accept: "text/html" } })
      assert.strictEqual(page.status, 404)
      assert.include(await page.text(), "<h1>Page not found</h1>")
    }
  })
})

/** The members that a schema describes, however deep, with their texts. */
const membersOf = (schema: Body, seen: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, string]> => {
  const name = referred(schema)
  if (name !== undefined && seen.includes(name)) return []
  const within = name === undefined ? seen : [...seen, name]
  const whole: Body = resolved(document, schema)
  const parts: ReadonlyArray<Body> = [
    ...(whole.anyOf ?? []),
    ...(whole.items === undefined ? [] : [whole.items]),
    ...(typeof whole.additionalProperties === "object" ? [whole.additionalProperties] : [])
  ]
  const members = Object.entries<Body>(whole.properties ?? {})
  return [
    ...members.map(([member, value]) =>
      [member, String(value.description ?? resolved(document, value)["description"] ?? "")] as const
    ),
    ...[...members.map(([, value]) => value), ...parts].flatMap((part) => membersOf(part, within))
  ]
}

/** Every value that a schema lists, however deep. */
const valuesOf = (schema: Body): ReadonlyArray<string> => {
  const found: Array<string> = []
  JSON.stringify(resolved(document, schema), (key, value) => {
    if (key === "enum") found.push(...value.map(String))
    return value
  })
  return found
}

const schemasOf = (node: Body): ReadonlyArray<Body> => [
  ...Object.values<Body>(node.requestBody?.content ?? {}).map(({ schema }) => schema),
  ...Object.entries<Body>(node.responses).filter(([status]) => status < "4")
    .flatMap(([, given]) => Object.values<Body>(resolved(document, given)["content"] ?? {}))
    .map(({ schema }) => schema)
]

describe("the page of", () => {
  it.each(described)(
    "$name says what the document says, and its links lead to what is there",
    async ({ name, node }) => {
      const html = await pageAt(addressOf(name))
      const words = wordsOf(html)
      assert.strictEqual(html.match(/<h1>/g)?.length, 1)
      assert.deepStrictEqual(unbalanced(html), [])
      const ids = idsOf(html)
      assert.strictEqual(new Set(ids).size, ids.length, ids.join(" "))
      assert.notMatch(html, /undefined|\[object|NaN/)
      assert.include(words, node.summary)
      assert.include(words, unmarked(node.description))
      for (const scope of node["x-required-scopes"] ?? []) assert.include(words, scope)

      const names = new Set([...html.matchAll(/<code class="name">([^<]*(?:<wbr>[^<]*)*)<\/code>/g)]
        .map(([, text = ""]) => text.replaceAll("<wbr>", "")))
      for (const given of node.parameters ?? []) {
        const parameter: Body = resolved(document, given)
        assert.include(names, parameter.name)
        assert.include(words, unmarked(parameter.description))
        for (const value of valuesOf(parameter.schema)) assert.include(words, value)
      }
      const members = schemasOf(node).flatMap((schema) => membersOf(schema))
      for (const member of new Set(members.map(([member]) => member))) assert.include(names, member)
      for (const text of new Set(members.map(([, description]) => description))) assert.include(words, unmarked(text))
      for (const value of new Set(schemasOf(node).flatMap(valuesOf))) assert.include(words, value)
      const links = linksOf(html)
      for (const code of node["x-error-codes"] ?? []) assert.include(links, `/docs/errors/${code}`)

      for (const link of links) {
        const [path = "", anchor] = link.split("#")
        assert.isTrue(path === "" || path.startsWith("/"), link)
        if (path.startsWith("/openapi")) continue
        const target = path === "" ? html : await pageAt(path)
        if (anchor !== undefined) assert.include(idsOf(target), decodeURIComponent(anchor), link)
      }
    }
  )

  it("operations follow each other, and so do kinds of events", async () => {
    let name: string | undefined = described[0]!.name
    const visited = new Set<string>()
    while (name !== undefined) {
      visited.add(name)
      name = /<a rel="next" href="\/docs\/reference\/(\w+)"/.exec(await pageAt(addressOf(name)))?.[1]
      if (name !== undefined && visited.has(name)) assert.fail(`${name} comes twice`)
    }
    assert.strictEqual(visited.size, described.length)
  })

  it("operations is led to from the errors that it raises", async () => {
    const html = await pageAt("/docs/errors/LICENSE_EXPIRED")
    assert.include(linksOf(html), addressOf("validateLicense"))
  })
})

describe("the commands", () => {
  it("are each one request that the document describes, whatever shell reads them", async () => {
    const commands = await Promise.all(operations.map(async ({ name }) => {
      const [, command = ""] = /<h2>Request<\/h2><\/div>\n<pre tabindex="0"><code>([\s\S]*?)<\/code>/.exec(
        await pageAt(addressOf(name))
      ) ?? []
      return plain(command)
    }))
    // Instead of curl, what it is given: its words, each ended by a NUL, and another NUL at the end.
    const script = `curl() { printf '%s\\0' "$@"; printf '\\0'; }\n${commands.join("\n")}\n`
    const environment = { COUNTERSIGN_TOKEN: "t-1", LICENSE_KEY: "k-1", PUBLISHABLE_KEY: "p-1" }
    const { stdout } = await promisify(execFile)("sh", ["-euc", script], { env: environment, maxBuffer: 1e8 })
    const calls = stdout.split("\0\0").slice(0, -1).map((call) => call.split("\0"))
    assert.strictEqual(calls.length, operations.length)
    for (const [index, { method, name, node, path }] of operations.entries()) {
      const words = calls[index]!
      const after = (option: string) => words.flatMap((word, at) => word === option ? [words[at + 1]!] : [])
      const [body] = after("-d")
      const url = new URL(words.find((word) => word.startsWith("http")) ?? assert.fail(name))
      assert.strictEqual(url.origin, service.url)
      assert.match(url.pathname, new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "[^/{}]+")}$`))
      assert.strictEqual(after("-X")[0] ?? (body === undefined ? "GET" : "POST"), method.toUpperCase(), name)
      const example = node.requestBody?.content["application/json"].example
      assert.deepStrictEqual(body === undefined ? undefined : JSON.parse(body), example, name)
      const headers = new Map(
        after("-H").map((line) => {
          const [header = "", value = ""] = line.split(": ")
          return [header.toLowerCase(), value]
        })
      )
      const [scheme] = Object.keys(node.security[0] ?? {})
      const credentials: Body = { bearer: "Bearer t-1", license: "License k-1", publishable: "Bearer p-1" }
      assert.strictEqual(headers.get("authorization"), scheme === undefined ? undefined : credentials[scheme], name)
      for (const given of node.parameters ?? []) {
        const { in: place, name: parameter, required }: Body = resolved(document, given)
        if (required !== true) continue
        if (place === "query") assert.isNotEmpty(url.searchParams.get(parameter), name)
        if (place === "header") assert.isNotEmpty(headers.get(parameter.toLowerCase()), name)
      }
    }
  })
})
