// What browsers are told beside an answer: docs/reference/security-headers.md, held to answers of every kind.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { freePort } from "../../fixtures/FreePort.ts"
import { readRoot } from "../../fixtures/OpsFiles.ts"
import type { Answer, CallOptions, Issued } from "../../fixtures/Service.ts"
import { adminToken, Service, startService } from "../../fixtures/Service.ts"
import { eventually, migrated } from "../../fixtures/Session.ts"

type Kind = "runtime" | "other" | "download" | "page" | "script page" | "unchanged"

const all: ReadonlyArray<Kind> = ["runtime", "other", "download", "page", "script page", "unchanged"]
const pages: ReadonlyArray<Kind> = ["page", "script page"]

/** What the last column of the table says. */
const placed: Readonly<Record<string, ReadonlyArray<Kind>>> = {
  "every answer": all,
  "every answer, if the public URL is https": all,
  "every answer that is not public": [],
  "other answers": ["other"],
  downloads: ["download"],
  pages: ["page"],
  "the reference and the console": ["script page"],
  "other answers, downloads and pages": ["other", "download", ...pages],
  "downloads and pages": ["download", ...pages]
}

const rows = [...readRoot("docs/reference/security-headers.md").matchAll(/^\| `(\S+)` +\| `(.+?)` +\| (.+?) +\|$/gm)]
  .map(([, name = "", value = "", on = ""]) => ({
    name,
    value,
    // Pages with scripts of ours have a policy of their own.
    kinds: on === "pages" && name !== "content-security-policy" ? pages : placed[on] ?? assert.fail(on)
  }))
const names = new Set(rows.map(({ name }) => name).filter((name) => name !== "cache-control"))

/** Headers that tell which software answers, or that nothing of ours sends. */
const never = ["server", "x-powered-by", "set-cookie", "x-frame-options", "x-xss-protection"]

const expected = (kind: Kind, isHttps: boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows.filter(({ kinds, name }) => kinds.includes(kind) && (isHttps || name !== "strict-transport-security"))
      .map(({ name, value }) => [name, value])
  )

/** Behind a proxy that speaks TLS; and as it starts by itself. */
let service: Service
let plain: Service
let issued: Issued
let exported: string

beforeAll(async () => {
  service = new Service(await migrated(), {
    PORT: String(await freePort()),
    COUNTERSIGN_PUBLIC_URL: "https://licenses.example.com",
    COUNTERSIGN_LIMIT_ARRIVAL_SECONDS: "2"
  })
  await service.start()
  plain = await startService({ databaseUrl: service.databaseUrl })
  issued = await service.issue()
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "a" })).status, 200)
  const { id } = await service.data("POST", "/api/v1/reports/exports", { report_kind: "usage-ledger", format: "csv" })
  exported = `/api/v1/reports/exports/${id}`
  await eventually("the export is ready", async () => (await service.data("GET", exported)).status === "ready")
})

/** Holds an answer to what its kind has. */
const check = (
  { headers }: Pick<Answer, "headers">,
  kind: Kind,
  caching: string | undefined = "no-store",
  isHttps = true
): void => {
  const found = Object.fromEntries(Object.entries(headers).filter(([name]) => names.has(name)))
  assert.deepStrictEqual(found, expected(kind, isHttps))
  assert.strictEqual(headers["cache-control"], caching)
  for (const name of never) assert.notProperty(headers, name)
}

const publicly = "public, max-age=60"

interface Case {
  readonly what: string
  readonly asked: readonly [method: string, path: string, options?: CallOptions]
  readonly status: number
  readonly kind: Kind
  readonly caching?: string
}

const html = { headers: { accept: "text/html" } }
const nobody = { token: null }
const cases: ReadonlyArray<Case> = [
  { what: "an answer of the API", asked: ["GET", "/api/v1/products"], status: 200, kind: "other" },
  { what: "an error", asked: ["GET", "/api/v1/licenses/none"], status: 404, kind: "other" },
  { what: "no credential", asked: ["GET", "/api/v1/products", nobody], status: 401, kind: "other" },
  { what: "an address where nothing is", asked: ["GET", "/nothing", nobody], status: 404, kind: "other" },
  { what: "another method", asked: ["DELETE", "/api/v1/products"], status: 405, kind: "other" },
  { what: "a runtime path by GET", asked: ["GET", "/api/v1/license/validate"], status: 405, kind: "other" },
  { what: "the front page", asked: ["GET", "/", html], status: 200, kind: "page" },
  { what: "a guide", asked: ["GET", "/docs/guides/security-headers"], status: 200, kind: "page", caching: publicly },
  { what: "an error's page", asked: ["GET", "/docs/errors/CONFLICT"], status: 200, kind: "page", caching: publicly },
  { what: "the reference", asked: ["GET", "/docs"], status: 200, kind: "script page", caching: publicly },
  {
    what: "an operation's page",
    asked: ["GET", "/docs/reference/createLicense"],
    status: 200,
    kind: "script page",
    caching: publicly
  },
  { what: "the console", asked: ["GET", "/console", html], status: 200, kind: "script page", caching: "no-cache" },
  { what: "OpenAPI", asked: ["GET", "/openapi.json", nobody], status: 200, kind: "other", caching: publicly },
  {
    what: "public keys",
    asked: ["GET", "/api/v1/system/public-keys", nobody],
    status: 200,
    kind: "other",
    caching: publicly
  },
  { what: "metrics", asked: ["GET", "/metrics", nobody], status: 200, kind: "other" },
  { what: "a probe of life", asked: ["GET", "/healthz", nobody], status: 200, kind: "other" },
  { what: "a probe of readiness", asked: ["GET", "/readyz", nobody], status: 200, kind: "other" }
]

describe("security headers", () => {
  it("are a table that says where each is", () => assert.isAtLeast(rows.length, 11))

  it.each(cases)("are on $what", async ({ asked, caching, kind, status }) => {
    const answer = await service.call(...asked)
    assert.strictEqual(answer.status, status, answer.text.slice(0, 200))
    check(answer, kind, caching)
    check(await plain.call(...asked), kind, caching, false)
  })

  it("are on the page that a browser gets where nothing is", async () => {
    const { headers, status } = await fetch(`${service.url}/nothing`, html)
    assert.strictEqual(status, 404)
    check({ headers: Object.fromEntries(headers) }, "page")
  })

  it("are few on runtime answers, on the short way and on the long one, and on their refusals", async () => {
    const licenseKey = issued.key
    const body = { fingerprint: "a" }
    for (
      const [options, status] of [
        [{ licenseKey, body }, 200],
        // In chunks, so it comes the long way.
        [
          {
            licenseKey,
            raw: JSON.stringify(body),
            headers: { "content-type": "application/json", "transfer-encoding": "chunked" }
          },
          200
        ],
        [{ licenseKey, body: {} }, 422],
        [{ licenseKey: `${licenseKey}x`, body }, 401]
      ] as const
    ) {
      const answer = await service.call("POST", "/api/v1/license/validate", options)
      assert.strictEqual(answer.status, status, answer.text)
      check(answer, "runtime")
    }
  })

  it("let nobody keep what holds a secret", async () => {
    const made = await service.call("POST", "/api/v1/api-keys", {
      body: { name: "k", scopes: ["license:read"] }
    })
    assert.strictEqual(made.status, 201, made.text)
    check(made, "other")
    const licensed = await service.call("POST", "/api/v1/licenses", {
      body: { product_id: issued.product.id, policy_id: issued.policy.id }
    })
    assert.isString(licensed.body.data.license_key)
    check(licensed, "other")
  })

  it("are on a file, which does nothing where a browser opens it", async () => {
    check(await service.call("GET", `${exported}/download`), "download", "private, no-cache")
  })

  it("stay those of the page that a browser has when it is unchanged", async () => {
    for (const path of ["/docs/guides/security-headers", "/docs", "/docs/reference/createLicense", "/openapi.json"]) {
      const { etag } = (await service.call("GET", path)).headers
      const answer = await service.call("GET", path, { headers: { "if-none-match": String(etag) } })
      assert.strictEqual(answer.status, 304)
      check(answer, "unchanged", publicly)
    }
  })

  it.each([
    ["a request that is none", "NONSENSE\r\n\r\n", 400],
    ["two hosts", "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n", 400],
    ["large headers", `GET /healthz HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [
      "a body that does not come",
      `POST /api/v1/products HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${adminToken}\r\ncontent-length: 9\r\n\r\n`,
      408
    ]
  ])("are on what the door answers by itself: to %s", async (_what, bytes, status) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1")
    socket.on("error", () => {})
    socket.write(bytes)
    const [head = ""] = (await text(socket)).split("\r\n\r\n")
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
    const headers = Object.fromEntries(
      head.split("\r\n").slice(1).map((line) => {
        const [name = "", ...value] = line.split(": ")
        return [name.toLowerCase(), value.join(": ")]
      })
    )
    check({ headers }, "other")
  })
})
