import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { randomUUID } from "node:crypto"
import { failing, NotFound } from "../../../src/domain/ground/wire/Errors.ts"
import { encodeFailure, verdictOf } from "../../../src/http/ground/edge/Failures.ts"
import { approvalRequired, bootstrapActor } from "../../../src/services/log/Provenance.ts"
import type { Answer, CallOptions, Issued, Service } from "../../fixtures/Service.ts"
import { adminToken, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
})

const products = "/api/v1/products"
const licenses = "/api/v1/licenses"
const json = { "content-type": "application/json" }
const zeroKey = "CS-00000-00000-00000-00000-00000"

/** A request, and the failure it must be. */
interface Row {
  readonly failure: `${number} ${string}`
  readonly title: string
  /** A POST to `/api/v1/products` unless it says otherwise. */
  readonly request: () => CallOptions & { readonly method?: string; readonly path?: string }
  readonly expect: ((answer: Answer) => void) | undefined
}

const row = (failure: Row["failure"], title: string, request: Row["request"], expect?: Row["expect"]): Row => ({
  failure,
  title,
  request,
  expect
})

const get = (failure: Row["failure"], title: string, path: string, options: CallOptions = {}) =>
  row(failure, title, () => ({ method: "GET", path, ...options }))

/** Holds the findings to these, as `path code`. */
const findings = (...expected: ReadonlyArray<string>) => ({ body }: Answer) =>
  assert.sameMembers(body.error.fields.map((field: Body) => `${field.path} ${field.code}`), [...expected])

const allows = (...methods: ReadonlyArray<string>) => ({ headers }: Answer) =>
  assert.sameMembers(String(headers["allow"]).split(", "), [...methods])

const runtime = (operation: string, options: CallOptions) => ({
  path: `/api/v1/license/${operation}`,
  headers: { "idempotency-key": randomUUID() },
  body: { fingerprint: "f" },
  ...options
})

/** The key with its last character replaced by another of the alphabet. */
const mistyped = (licenseKey: string): string => licenseKey.slice(0, -1) + (licenseKey.endsWith("7") ? "8" : "7")

const unreadable = [
  row("400 INVALID_JSON", "a body that is no JSON", () => ({ raw: "{", headers: json })),
  row("400 INVALID_JSON", "a body without a content type that is no JSON", () => ({ raw: "name=x" })),
  row(
    "415 UNSUPPORTED_MEDIA_TYPE",
    "a form",
    () => ({ raw: "name=a&code=b", headers: { "content-type": "application/x-www-form-urlencoded" } })
  ),
  ...[{}, { "transfer-encoding": "chunked" }].map((framing) =>
    row(
      "413 PAYLOAD_TOO_LARGE",
      `a body of more than 256 KiB, framed by ${Object.keys(framing)[0] ?? "content-length"}`,
      () => ({ raw: JSON.stringify({ name: "x".repeat(256 * 1024), code: "x" }), headers: { ...json, ...framing } })
    )
  ),
  row(
    "400 UNKNOWN_FIELD",
    "unknown members",
    () => ({ body: { name: "a", code: "b", colour: "red", size: 1 } }),
    findings("colour unknown_field", "size unknown_field")
  ),
  row("400 UNKNOWN_FIELD", "a member named __proto__", () => ({
    raw: `{"name":"a","code":"b","__proto__":{}}`,
    headers: json
  }))
]

const addressing = [
  get("400 INVALID_QUERY", "an unknown query parameter", `${products}?page=2`),
  ...["0", "-1", "1.5", "ten", "1e2", ""].map((limit) =>
    get("400 INVALID_QUERY", `limit=${limit}`, `${products}?limit=${limit}`)
  ),
  get("400 INVALID_QUERY", "limit given twice", `${products}?limit=1&limit=2`),
  get("400 INVALID_QUERY", "a status that no license can have", `${licenses}?status=dormant`),
  get("400 INVALID_QUERY", "an instant that is none", `${licenses}?expires_before=tomorrow`),
  get("400 INVALID_QUERY", "a filter that no text can equal", `${licenses}?product_id=%00`),
  get("400 INVALID_QUERY", "the same of the feed", "/api/v1/events?resource_id=%00"),
  get("400 INVALID_QUERY", "an actor type that is none", "/api/v1/events?actor_type=robot"),
  get("400 INVALID_QUERY", "a position of the feed that is none", "/api/v1/events?cursor=abc"),
  get("409 CURSOR_AHEAD", "a position beyond the feed's head", "/api/v1/events?cursor=123456789"),
  get("400 INVALID_CURSOR", "a garbage cursor", `${products}?cursor=garbage`),
  get(
    "400 INVALID_CURSOR",
    "a cursor with a zero byte",
    `${products}?cursor=${Buffer.from("x:\0").toString("base64url")}`
  ),
  get("404 NOT_FOUND", "an id that nothing has", `${products}/prod_none`),
  get("404 NOT_FOUND", "an id that no text can equal", `${products}/%00`),
  get("404 ROUTE_NOT_FOUND", "a path that cannot be decoded", `${products}/%E0%A4`),
  get("404 ROUTE_NOT_FOUND", "a path that no operation has", "/api/v2/products"),
  get("404 ROUTE_NOT_FOUND", "the root", "/"),
  row("405 METHOD_NOT_ALLOWED", "of a list", () => ({ method: "PUT" }), allows("GET", "HEAD", "POST")),
  row(
    "405 METHOD_NOT_ALLOWED",
    "of a resource",
    () => ({ path: `${products}/prod_none` }),
    allows("GET", "HEAD", "PATCH", "DELETE")
  ),
  row(
    "405 METHOD_NOT_ALLOWED",
    "of an action",
    () => ({ method: "GET", path: "/api/v1/license/activate" }),
    allows("POST")
  )
]

const headers = [
  row(
    "400 INVALID_HEADER",
    "a nonce that is too short",
    () => runtime("check", { licenseKey: issued.key, headers: { "x-nonce": "short" } })
  ),
  ...["a b", "k".repeat(256)].map((key) =>
    row("400 INVALID_HEADER", `an Idempotency-Key of ${key.length} characters`, () => ({
      body: { name: "a", code: "b" },
      headers: { "idempotency-key": key }
    }))
  ),
  ...["activate", "deactivate", "consume"].map((operation) =>
    row("400 IDEMPOTENCY_KEY_REQUIRED", operation, () => runtime(operation, { licenseKey: issued.key, headers: {} }))
  )
]

const credentials = [
  ...([
    ["no token", { token: null }],
    ["an empty token", { token: "" }],
    ["a token that was never issued", { token: `csk_${"a".repeat(49)}` }],
    ["the admin token with a character too many", { token: `${adminToken}0` }],
    ["another scheme", { token: null, headers: { authorization: "Basic YTpi" } }],
    ["a license key where a token is due", { licenseKey: zeroKey }],
    ["no token, before anything is said about the body", { token: null, method: "POST", raw: "{", headers: json }]
  ] as const).map(([title, options]) =>
    row(
      "401 UNAUTHENTICATED",
      title,
      () => ({ method: "GET", ...options }),
      (answer) => assert.match(String(answer.headers["www-authenticate"]), /^Bearer realm="/)
    )
  ),
  ...["activate", "validate", "check", "deactivate", "consume"].flatMap((operation) =>
    ([
      ["no license key", () => ({ token: null })],
      ["a management token", () => ({})],
      ["a key whose check character is wrong", () => ({ licenseKey: mistyped(issued.key) })],
      ["a well-formed key that no license has", () => ({ licenseKey: zeroKey })]
    ] as const).map(([title, options]) =>
      row("401 LICENSE_KEY_INVALID", `${operation} with ${title}`, () =>
        runtime(operation, {
          ...options(),
          ...(operation === "consume" ? { body: { fingerprint: "f", feature_code: "f", event_id: randomUUID() } } : {})
        }), (answer) => assert.match(String(answer.headers["www-authenticate"]), /^License realm="/))
    )
  )
]

const invalid = "422 VALIDATION_ERROR"
const withName = (name: string) => () => ({ raw: `{"name":${name},"code":"${randomUUID()}"}`, headers: json })
const withMetadata = (metadata: string) => () => ({
  raw: `{"name":"a","code":"${randomUUID()}","metadata":${metadata}}`,
  headers: json
})

const values = [
  row(invalid, "no body where one is due", () => ({ headers: { "content-length": "0" } })),
  row(invalid, "a body that is no object", () => ({ body: [] })),
  row(
    invalid,
    "every finding at once",
    () => ({ body: { name: "", code: "no spaces", metadata: 1 } }),
    findings("name invalid_value", "code invalid_value", "metadata invalid_type")
  ),
  row(invalid, "missing members", () => ({ body: {} }), findings("name required", "code required")),
  row(
    invalid,
    "every range that is none",
    () => ({ path: "/api/v1/api-keys", body: { name: "a", allowed_cidrs: ["here", "10.0.0.0/8", "10.0.0.0/33"] } }),
    findings("allowed_cidrs.0 invalid_cidr", "allowed_cidrs.2 invalid_cidr")
  ),
  ...([
    ["is empty", `""`],
    ["has a zero byte", `"\\u0000"`],
    ["has half a surrogate pair", `"\\ud800"`],
    ["is a number", "1"],
    ["is null", "null"],
    ["has 256 characters", `"${"x".repeat(256)}"`]
  ] as const).map(([title, name]) =>
    row(
      invalid,
      `a name that ${title}`,
      withName(name),
      ({ body }) => assert.deepStrictEqual(body.error.fields.map((field: Body) => field.path), ["name"])
    )
  ),
  ...([
    ["a number too large for JSON", `{"n":1e400}`],
    ["a zero byte in a member", `{"n":"\\u0000"}`],
    ["a zero byte in a name", `{"\\u0000":1}`],
    ["more than 16 KiB", `{"n":"${"x".repeat(17_000)}"}`],
    ["65 levels", `{"n":${"[".repeat(63)}${"]".repeat(63)}}`],
    ["brackets in a text, which are no levels", `{"n":"\\"${"[".repeat(17_000)}"}`],
    ["10,000 levels", `{"n":${"[".repeat(10_000)}${"]".repeat(10_000)}}`]
  ] as const).map(([title, metadata]) => row(invalid, `metadata with ${title}`, withMetadata(metadata))),
  ...["\0", "\ud800"].map((id) =>
    row(invalid, `a reference that is ${JSON.stringify(id)}`, () => ({
      path: licenses,
      body: { product_id: id, policy_id: issued.policy.id }
    }))
  ),
  row(invalid, "a reference to a feature that no text can equal", () => ({
    path: `${licenses}/${issued.license.id}/features`,
    body: { feature_id: "\0" }
  })),
  ...[
    "2030-02-30T00:00:00Z",
    "2030-01-01T00:00:60Z",
    "2030-01-01T00:00:00",
    "2030-01-01",
    "1e9",
    "2030-01-01T00:00:00+24:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00"
  ].map((expires_at) =>
    row(
      invalid,
      `an expiry at ${expires_at}`,
      () => ({ path: licenses, body: { product_id: issued.product.id, policy_id: issued.policy.id, expires_at } }),
      ({ body }) => assert.deepStrictEqual(body.error.fields.map((field: Body) => field.path), ["expires_at"])
    )
  ),
  ...([
    ["no fingerprint", {}],
    ["an empty fingerprint", { fingerprint: "" }],
    ["a blank fingerprint", { fingerprint: "  " }],
    ["a container without a name", { is_container: true, fingerprint: "x" }],
    ["a nonce that is too short", { fingerprint: "x", nonce: "1234567" }],
    ["a nonce that JSON escapes", { fingerprint: "x", nonce: `12345678"` }],
    ["an app_version that is not ASCII", { fingerprint: "x", app_version: "1.0\u00e9" }]
  ] as const).map(([title, body]) => row(invalid, title, () => runtime("check", { licenseKey: issued.key, body })))
]

describe.each([
  ["what cannot be read", unreadable],
  ["paths, queries and methods", addressing],
  ["headers", headers],
  ["credentials", credentials],
  ["values", values]
])("%s", (_name, rows) => {
  it.each(rows)("$failure: $title", async ({ expect, failure, request }) => {
    const { method = "POST", path = products, ...options } = request()
    const answer = await service.call(method, path, options)
    const [status, code = ""] = failure.split(" ")
    refused(answer, Number(status), code)
    assert.strictEqual(answer.headers["cache-control"], "no-store")
    expect?.(answer)
  })
})

describe("what is not refused", () => {
  it("an offset of almost a day, which RFC 3339 allows", async () => {
    const { license } = await service.data("POST", licenses, {
      product_id: issued.product.id,
      policy_id: issued.policy.id,
      expires_at: "2030-01-02T00:00:00+23:59"
    })
    assert.strictEqual(license.expires_at, "2030-01-01T00:01:00.000Z")
  })

  it("a body of 256 KiB to the byte is read before it is judged", async () => {
    const frame = JSON.stringify({ name: "", code: "x" })
    const raw = frame.replace(`""`, `"${"x".repeat(256 * 1024 - frame.length)}"`)
    assert.lengthOf(raw, 256 * 1024)
    refused(await service.call("POST", products, { raw, headers: json }), 422, "VALIDATION_ERROR")
  })

  it("a charset beside the media type", async () => {
    const raw = JSON.stringify({ name: "Grüße", code: randomUUID() })
    const answer = await service.call("POST", products, {
      raw,
      headers: { "content-type": "application/json; charset=utf-8" }
    })
    assert.strictEqual(answer.body.data.name, "Grüße")
  })

  it("credentials whose scheme is in another case", async () => {
    const authorization = `bearer ${adminToken}`
    assert.strictEqual((await service.call("GET", products, { token: null, headers: { authorization } })).status, 200)
  })

  it("a license key as people type it", async () => {
    const typed = ` ${issued.key.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `
    refused(await service.license("check", typed.trim(), { fingerprint: "never" }), 404, "DEVICE_NOT_ACTIVATED")
  })
})

describe("INVALID_CURSOR", () => {
  it("refuses a cursor of another list and one of other filters", async () => {
    await service.data("POST", licenses, { product_id: issued.product.id, policy_id: issued.policy.id })
    const filtered = `${licenses}?product_id=${issued.product.id}`
    const first = (await service.call("GET", `${filtered}&limit=1`)).body
    const cursor = first.page_info.next_cursor
    const second = (await service.call("GET", `${filtered}&limit=1&cursor=${cursor}`)).body
    assert.isTrue(second.data[0].id < first.data[0].id)
    for (
      const path of [
        `${products}?cursor=${cursor}`,
        `${licenses}?cursor=${cursor}`,
        `${filtered}&status=active&cursor=${cursor}`,
        `${licenses}?product_id=${(await service.issue()).product.id}&cursor=${cursor}`
      ]
    ) refused(await service.call("GET", path), 400, "INVALID_CURSOR")
  })
})

describe("a defect", () => {
  const missing = failing(NotFound, "No license has this id.")
  const encode = (cause: Cause.Cause<unknown>) => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => {
      lines.push(message)
    })
    const meta = { request_id: "req_1", timestamp: "2026-11-21T10:30:00.000Z" }
    return encodeFailure({ cause, meta, publicUrl: "" }).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.map(({ status }) => ({ status, logged: lines.length }))
    )
  }

  it.effect("is 500 and logged, also one that carries an error of the catalog; a failure is that error", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* encode(Cause.fail(missing)), { status: 404, logged: 0 })
      assert.deepStrictEqual(yield* encode(Cause.die(missing)), { status: 500, logged: 1 })
      assert.strictEqual(verdictOf(Cause.die(missing)).code, "INTERNAL")
    }))

  it.effect("is the refusal where a second person was not asked about an event, whatever the operation", () =>
    Effect.gen(function*() {
      const unasked = Cause.die(approvalRequired(bootstrapActor, "revoke_license"))
      assert.deepStrictEqual(yield* encode(unasked), { status: 403, logged: 0 })
      assert.deepStrictEqual(verdictOf(unasked), { code: "APPROVAL_REQUIRED", status: 403, detail: "revoke_license" })
    }))
})
