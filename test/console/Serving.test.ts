// What a browser gets of the console, byte by byte.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib"
import { inject } from "vitest"
import { pagePaths } from "../../src/console/composition/parts/PagePaths.ts"
import { exchange } from "../fixtures/Exchange.ts"
import type { Exchanged } from "../fixtures/Exchange.ts"
import { startService } from "../fixtures/Service.ts"

const service = await startService()
const built = join(inject("bundle"), "console")
const assets = readdirSync(join(built, "assets"))

/** An answer of the service, as it is sent. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Exchanged> =>
  exchange(service.url, path, { headers, method })

const pageOf = (name: string) => readFileSync(join(built, `${name}.html`), "utf8")
const page = pageOf("index")

describe("the page", () => {
  it.each([
    ["/console", "index"],
    ["/console/licenses/lic_06eqpx1trxz3h94vqjm3a6kz7c?outcome=refused", "licenses"],
    ["/console/reports", "reports"],
    ["/console/index", "index"],
    ["/console/a/b/c", "index"]
  ])(
    "%s is the console, with the part of its name, asked for anew each time",
    async (path, name) => {
      const { bytes, headers, status } = await get(path, { accept: "text/html" })
      assert.strictEqual(status, 200)
      assert.strictEqual(bytes.toString(), pageOf(name))
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(headers["cache-control"], "no-cache")
      const again = await get(path, { "if-none-match": String(headers["etag"]) })
      assert.strictEqual(again.status, 304)
      assert.lengthOf(again.bytes, 0)
    }
  )

  it.each(["/console/", "/assets/console/"])("%s leads to the path without its last slash", async (path) => {
    const { headers, status } = await get(path)
    assert.deepStrictEqual([status, new URL(headers["location"]!, `${service.url}${path}`).pathname], [
      308,
      path.slice(0, -1)
    ])
  })

  it("may run files of this service alone, and makes neither code nor elements of texts", async () => {
    const { headers } = await get("/console")
    const policy = new Map(
      String(headers["content-security-policy"]).split("; ").map((directive) => {
        const [name = "", ...sources] = directive.split(" ")
        return [name, sources.join(" ")]
      })
    )
    assert.deepStrictEqual(Object.fromEntries(policy), {
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "connect-src": "'self'",
      "img-src": "'self' data: blob:",
      "font-src": "'self' data:",
      "require-trusted-types-for": "'script'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'"
    })
    // What the policy forbids is not in it.
    assert.notMatch(page, /<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:|https?:/)
  })

  it("is a head without a body to whoever asks for it, and takes nothing", async () => {
    const head = await get("/console/licenses", {}, "HEAD")
    assert.strictEqual(head.status, 200)
    assert.lengthOf(head.bytes, 0)
    assert.strictEqual(head.headers["content-length"], String(Buffer.byteLength(pageOf("licenses"))))
    assert.include([404, 405], (await get("/console/licenses", { "content-length": "0" }, "POST")).status)
  })
})

describe("what the page loads", () => {
  const types: Readonly<Record<string, string>> = {
    css: "text/css; charset=utf-8",
    js: "text/javascript; charset=utf-8",
    woff2: "font/woff2"
  }

  it.each(assets)("%s is kept for good, and sent as small as it gets", async (name) => {
    const content = readFileSync(join(built, "assets", name))
    const path = `/assets/console/${name}`
    const isFont = name.endsWith(".woff2")
    for (
      const [accepted, unpack] of [["br", brotliDecompressSync], ["gzip", gunzipSync], [
        "identity",
        Buffer.from
      ]] as const
    ) {
      const { bytes, headers, status } = await get(path, { "accept-encoding": accepted })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], types[name.split(".").at(-1)!])
      assert.strictEqual(headers["cache-control"], "public, max-age=31536000, immutable")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["cross-origin-resource-policy"], "same-origin")
      // Less than this gets no smaller by it.
      const isPacked = !isFont && accepted !== "identity" && content.length >= 1024
      assert.strictEqual(headers["content-encoding"], isPacked ? accepted : undefined)
      assert.isTrue(content.equals(isPacked ? unpack(bytes) : bytes), accepted)
    }
  })

  it.each([
    "x",
    "index.html",
    "..%2Findex.html",
    "../index.html",
    "%2e%2e/index.html",
    "console.js%00",
    "__proto__"
  ])(
    "/assets/console/%s is not there",
    async (name) => assert.strictEqual((await get(`/assets/console/${name}`)).status, 404)
  )

  const parts = readdirSync(built).filter((name) => name.endsWith(".html") && name !== "index.html")
    .map((name) => name.slice(0, -5))

  it("has parts of less than 25,000 bytes", () => {
    assert.sameMembers(parts, [...new Set(pagePaths.map((path) => path.split("/")[2]!))])
    for (const part of parts) {
      const file = assets.find((name) => new RegExp(`^${part}-\\w+\\.js$`).test(name))
      assert.isBelow(brotliCompressSync(readFileSync(join(built, "assets", file!))).length, 25_000, part)
    }
  })
})
