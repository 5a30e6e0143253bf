// Settings that people change: reasons that are required of everybody, and a brand that is an image and nothing else.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { deflateSync } from "node:zlib"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService()
testDatabaseOf(service)

const path = "/api/v1/settings"
const keyed = () => ({ "idempotency-key": randomUUID() })

const change = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  service.call("PATCH", path, { body, headers })

const required = (...actions: ReadonlyArray<string>) => change({ required_reasons: actions })

const newestOf = async (): Promise<Body> => (await service.feed("&event_type=settings.updated")).at(-1)

/** The refusal of an action without a reason, which names the member. */
const lacks = (answer: Answer): void => {
  refused(answer, 422, "VALIDATION_ERROR")
  assert.deepStrictEqual(
    answer.body.error.fields.map(({ code, path }: Body) => ({ code, path })),
    [{ path: "reason", code: "reason_required" }]
  )
}

/** A PNG of a size, without what its pixels are. */
const png = (width: number, height: number): Buffer => {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.alloc(64))),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const logo = () => service.call("GET", "/brand/logo", { token: null })

describe("the settings", () => {
  it("name where customers ask and where they renew, to everybody who may see the brand, and only what can be opened", async () => {
    const ways = { support_contact: "support@acme.example", renewal_url: "https://acme.example/renew" }
    assert.deepInclude((await change(ways)).body.data, ways)
    assert.deepInclude((await newestOf()).data, ways)
    for (const wrong of ["javascript:alert(1)", "http://acme.example", "ask us", ""]) {
      refused(await change({ support_contact: wrong }), 422, "VALIDATION_ERROR")
      refused(await change({ renewal_url: wrong }), 422, "VALIDATION_ERROR")
    }
    refused(await change({ renewal_url: "support@acme.example" }), 422, "VALIDATION_ERROR")
    assert.strictEqual(
      (await change({ support_contact: "https://acme.example/help" })).body.data.support_contact,
      "https://acme.example/help"
    )
    const cleared = (await change({ support_contact: null, renewal_url: null })).body.data
    assert.doesNotHaveAnyKeys(cleared, ["support_contact", "renewal_url"])
  })

  it("are read by every token, changed with admin alone, and each change is an event with who and what", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "ops", scopes: ["ops:read"] })
    const first = await service.call("GET", path, { token })
    assert.deepStrictEqual(first.body.data.required_reasons, [])
    assert.include(first.body.data.suggested_reasons, "Refund")
    refused(await service.call("PATCH", path, { token, body: { brand_name: "x" } }), 403, "TOKEN_SCOPE_DENIED")
    const ada = await signInAs(service, "Ada", ["owner"])
    const answer = await asPerson(service, ada, "PATCH", path, {
      required_reasons: ["license.suspended"],
      suggested_reasons: ["Prank call"]
    })
    assert.strictEqual(answer.status, 200, answer.text)
    const event = await newestOf()
    assert.deepInclude(event, { actor_type: "person", actor_id: ada.id, resource_type: "settings" })
    assert.deepInclude(event.data, { required_reasons: ["license.suspended"], suggested_reasons: ["Prank call"] })
    await change({ required_reasons: ["license.revoked"] })
    const [activity] = await service.data("GET", "/api/v1/activities?action=settings.updated&include_changes=true")
    assert.deepStrictEqual(activity.changes, [
      { member: "required_reasons", before: ["license.suspended"], after: ["license.revoked"] }
    ])
    assert.deepInclude((await change({ suggested_reasons: null, required_reasons: [] })).body.data, {
      required_reasons: [],
      suggested_reasons: first.body.data.suggested_reasons
    })
  })

  it("are changed over what was read, and not over what somebody else has changed meanwhile", async () => {
    const { etag = "" } = (await service.call("GET", path)).headers
    const matching = { "if-match": String(etag) }
    assert.strictEqual((await change({ brand_name: "One" }, matching)).status, 200)
    refused(await change({ brand_name: "Two" }, matching), 412, "PRECONDITION_FAILED")
    assert.deepInclude(await service.data("GET", path), { brand_name: "One" })
    await change({ brand_name: null })
  })

  it.each<[string, object, string]>([
    ["an action that is none", { required_reasons: ["license.validated"] }, "required_reasons.0"],
    ["too many suggestions", { suggested_reasons: Array.from({ length: 13 }, String) }, "suggested_reasons"],
    ["a suggestion of two lines", { suggested_reasons: ["a\nb"] }, "suggested_reasons.0"],
    ["a color by its name", { brand_accent: "red" }, "brand_accent"],
    ["a name that is too long", { brand_name: "x".repeat(61) }, "brand_name"]
  ])("refuse %s", async (_title, body, member) => {
    const answer = await change(body)
    refused(answer, 422, "VALIDATION_ERROR")
    assert.strictEqual(answer.body.error.fields[0].path, member)
  })

  it("are those of their environment", async () => {
    await required("license.suspended")
    const other = await service.call("GET", path, { token: testToken })
    assert.deepStrictEqual(other.body.data.required_reasons, [])
    await required()
  })
})

describe("how people sign in", () => {
  it("is shown to owners alone as the service was started, and a provider that is not there is not tested", async () => {
    const shown = await service.data("GET", `${path}/sign-in`)
    assert.deepInclude(shown, { session_hours: 12, session_idle_minutes: 60 })
    assert.notProperty(shown, "openid_connect")
    refused(await service.call("POST", `${path}/sign-in/test`), 409, "STATE_CONFLICT")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "people", scopes: ["people:write"] })
    refused(await service.call("GET", `${path}/sign-in`, { token }), 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("a reason that is required", () => {
  it("is asked of every caller at once, of jobs too, and of nobody where it is not required", async () => {
    const { license } = await service.issue()
    const act = (action: string, body: object = {}) =>
      service.call("POST", `/api/v1/licenses/${license.id}/${action}`, { body, headers: keyed() })
    const job = (body: object) =>
      service.call("POST", "/api/v1/licenses/jobs", {
        body: { action: "suspend", selection: { ids: [license.id] }, ...body },
        headers: keyed()
      })
    const headers = keyed()
    const early = () => service.call("POST", `/api/v1/licenses/${license.id}/suspend`, { body: {}, headers })
    assert.strictEqual((await early()).status, 200)
    await act("reinstate")
    await required("license.suspended", "license.policy_changed", "api_key.revoked")
    lacks(await act("suspend"))
    // What was done before is answered as it was.
    assert.strictEqual((await early()).status, 200)
    lacks(await service.call("POST", `/api/v1/licenses/${license.id}/suspend`))
    lacks(await act("change-policy", { policy_id: license.policy_id }))
    lacks(await job({}))
    assert.isBelow((await job({ dry_run: true })).status, 300)
    const ada = await signInAs(service, "Ada", ["support"])
    lacks(await asPerson(service, ada, "POST", `/api/v1/licenses/${license.id}/suspend`))
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "active")
    assert.strictEqual((await act("suspend", { reason: "Abuse" })).status, 200)
    assert.strictEqual((await act("reinstate")).status, 200)
    const { api_key } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["ops:read"] })
    lacks(await service.call("DELETE", `/api/v1/api-keys/${api_key.id}`))
    assert.strictEqual((await job({ reason: "Abuse" })).status, 201)
    await required()
    assert.strictEqual((await service.call("DELETE", `/api/v1/api-keys/${api_key.id}`)).status, 204)
  })

  it("is no word of apps: what they do by themselves needs none", async () => {
    const { key } = await service.issue({ policy: { max_floating_users: 1 } })
    await required("lease.checked_in", "device.reset")
    const lease = (await service.license("floating/checkout", key, { fingerprint: "a" })).body.data
    const left = await service.license("floating/checkin", key, { lease_token: lease.lease_token })
    assert.strictEqual(left.status, 200, left.text)
    await required()
  })
})

describe("the brand", () => {
  it("is shown to everybody before the sign-in, its logo as an image that runs nothing", async () => {
    assert.strictEqual((await logo()).status, 404)
    const answer = await change({
      brand_name: "Acme <b>",
      brand_accent: "#3b5bdb",
      brand_logo: png(64, 32).toString("base64")
    })
    assert.strictEqual(answer.status, 200, answer.text)
    const { brand } = await service.data("GET", "/api/v1/sign-in")
    assert.deepInclude(brand, { name: "Acme <b>", accent: "#3b5bdb" })
    assert.deepInclude(brand.logo, { content_type: "image/png", width: 64, height: 32 })
    const image = await service.call("GET", brand.logo.path, { token: null })
    assert.deepInclude(image.headers, { "content-type": "image/png", "x-content-type-options": "nosniff" })
    assert.match(String(image.headers["content-security-policy"]), /default-src 'none'.*sandbox/)
    const again = { token: null, headers: { "if-none-match": String(image.headers["etag"]) } }
    assert.strictEqual((await service.call("GET", brand.logo.path, again)).status, 304)
    const event = await newestOf()
    assert.notInclude(JSON.stringify(event), png(64, 32).toString("base64").slice(0, 40))
    assert.deepInclude(event.data.brand_logo, { width: 64 })
    await change({ brand_name: null, brand_accent: null, brand_logo: null })
    assert.notProperty(await service.data("GET", "/api/v1/sign-in"), "brand")
    assert.strictEqual((await logo()).status, 404)
  })

  const svg = Buffer.from("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>")
  it.each<[string, string, RegExp]>([
    ["a drawing with a script", svg.toString("base64"), /PNG, a JPEG or a WebP/],
    ["what is no base64", "<svg/>", /base64/],
    ["an image with too many pixels", png(1025, 8).toString("base64"), /1024 pixels/],
    ["an image without pixels", png(0, 8).toString("base64"), /1024 pixels/],
    [
      "an image that is too large",
      Buffer.concat([png(8, 8), Buffer.alloc(33_000)]).toString("base64"),
      /KiB|characters/
    ]
  ])("takes no %s", async (_title, brand_logo, says) => {
    const answer = await change({ brand_logo })
    refused(answer, 422, "VALIDATION_ERROR")
    assert.match(answer.body.error.fields[0].message, says)
  })
})

describe("an environment", () => {
  it("is told by the token, with the time of its clock", async () => {
    const begun = Date.now()
    for (const [token, name] of [[undefined, "live"], [testToken, "test"]] as const) {
      const told = await service.data("GET", "/api/v1/environment", undefined, token === undefined ? {} : { token })
      assert.deepInclude(told, { name, clock_moved: false })
      assert.isAtLeast(Date.parse(told.now), begun - 60_000)
    }
  })
})
