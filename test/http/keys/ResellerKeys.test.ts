// The key of a reseller: it issues licenses up to a number, each with its tag, and to it there are no others. Every operation that
// there is, asked by it.
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Api } from "../../../src/api/composition/Api.ts"
import { declarationOf, productsOf } from "../../../src/api/ground/Operation.ts"
import { resellerOperations } from "../../../src/domain/keys/security/ProductRule.ts"
import { tokenHashPurpose } from "../../../src/services/people/access/ManagementKeys.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { callsOf, makeTeam } from "../../fixtures/Teams.ts"
import type { TeamCall } from "../../fixtures/Teams.ts"

const service = await startService()
const team = await makeTeam(service, "north")
const sql = await session(service.databaseUrl)

const { product } = team.ids
const yearly = await service.data("POST", `/api/v1/products/${product}/policies`, {
  name: "By resellers",
  code: "by-resellers",
  license_type: "time_limited",
  duration: "P1Y",
  max_activations: 2
})
const issue = { product_id: product, policy_id: yearly.id }
const keys = "/api/v1/api-keys"
const scopes = ["license:write", "device:write"]

const makeKey = (members: object): Promise<Answer> =>
  service.call("POST", keys, { body: { name: "reseller", scopes, product_ids: [product], ...members } })

const tokenOf = async (members: object): Promise<string> => {
  const made = await makeKey(members)
  assert.strictEqual(made.status, 201, made.text)
  return made.body.data.token
}

const call = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/api/v1${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
    headers: method === "GET" ? {} : { "idempotency-key": randomUUID() }
  })

const issueBy = async (token: string, more: object = {}): Promise<Body> => {
  const made = await call(token, "POST", "/licenses", { ...issue, ...more })
  assert.strictEqual(made.status, 201, made.text)
  return made.body.data
}

const acme = await tokenOf({ license_tag: " #ACME ", max_licenses: 1000 })
const bolt = await tokenOf({ license_tag: "bolt" })
const theirs = await issueBy(bolt, { customer_name: "Bolt's customer", customer_email: "one@bolt.example" })
const own = await issueBy(acme, { customer_name: "Acme's customer" })
const vendors = { license: { id: team.ids.license }, license_key: team.licenseKey }

/** Every operation that asks for a management token. */
const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = (() => {
  const found: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => found.push(endpoint) })
  return found.filter((endpoint) => productsOf(declarationOf(endpoint)) !== undefined)
})()

/** What its operations are asked with about a license. */
const callsAbout = ({ device, license, license_key }: Body): Readonly<Record<string, TeamCall>> => {
  const path = [license.id]
  const ofDevice = { path: [license.id, device ?? team.ids.device] }
  return {
    getLicense: { path, query: { include_names: "true", include_terms: "true" } },
    explainLicense: { path, body: { operation: "validate" } },
    suspendLicense: { path, body: {} },
    reinstateLicense: { path, body: {} },
    renewLicense: { path, body: { renew_from: "expiry" } },
    listLicenseDevices: { path },
    getLicenseDevice: ofDevice,
    resetLicenseDevice: { ...ofDevice, body: {} },
    freeLicenseDeviceSeat: { ...ofDevice, body: { reason: "The machine is gone." } },
    blacklistLicenseDevice: { ...ofDevice, body: {} },
    lookupLicense: { body: { license_key } }
  }
}

const ask = (token: string, { method, path }: HttpApiEndpoint.Top, { body, path: ids = [], query }: TeamCall) => {
  const left = [...ids]
  const filled = path.replace(/:\w+/g, () => left.shift() ?? "none").replace("/api/v1", "")
  return call(token, method, `${filled}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`, body)
}

const endpointOf = (name: string): HttpApiEndpoint.Top => endpoints.find(({ identifier }) => identifier === name)!

/** All licenses, and how many events there are of what resellers did. */
const stored = async (): Promise<string> =>
  JSON.stringify(
    await sql.query(`SELECT md5(string_agg(t::text, ',' ORDER BY id)) AS licenses, (
      SELECT count(*)::int FROM event_records
      WHERE actor_id IN (SELECT id FROM management_keys WHERE license_tag IS NOT NULL)) AS events FROM licenses t`)
  )

const idsIn = ({ body }: Answer): ReadonlyArray<string> =>
  (Array.isArray(body.data) ? body.data : body.data.licenses).map(({ id }: Body) => id)

describe("the key of a reseller", () => {
  it("tells its tag, as licenses have it, and how many licenses there may be, wherever a key is told", async () => {
    const limit = { license_tag: "acme", max_licenses: 1000, product_ids: [product] }
    const { data: me } = (await call(acme, "GET", "/whoami")).body
    assert.deepInclude(me, limit)
    assert.deepInclude(await service.data("GET", `${keys}/${me.id}`), limit)
    const [event] = await service.feed(`&resource_id=${me.id}`)
    assert.deepInclude(event.data, limit)
    assert.notProperty((await call(bolt, "GET", "/whoami")).body.data, "max_licenses")
    assert.notProperty((await call(team.token, "GET", "/whoami")).body.data, "license_tag")
  })

  it("tells both on the command line", async () => {
    const { errors, output } = await runCommand(["whoami"], { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: acme })
    assert.match(output, /with the tag acme\n[\s\S]*1,?000 licenses/, errors)
  })

  it("is refused where it would be no reseller's", async () => {
    invalid(await makeKey({ max_licenses: 5 }), "max_licenses", "contradiction")
    invalid(await makeKey({ license_tag: "x", product_ids: null }), "product_ids", "required")
    for (const more of [{ scopes: undefined }, { scopes: ["admin"] }, { scopes: ["license:read", "event:read"] }]) {
      invalid(await makeKey({ license_tag: "x", ...more }), "scopes", "contradiction")
    }
    for (const license_tag of ["", " # ", "a,b", "x".repeat(51)]) {
      refused(await makeKey({ license_tag }), 422, "VALIDATION_ERROR")
    }
    for (const max_licenses of [0, -1, 1.5]) {
      refused(await makeKey({ license_tag: "x", max_licenses }), 422, "VALIDATION_ERROR")
    }
  })

  it("is hashed so that a version that knows no resellers finds no such key", async () => {
    assert.strictEqual(tokenHashPurpose(team.token), "limited-management-token")
    assert.notInclude(["management-token", "limited-management-token"], tokenHashPurpose(acme))
  })

  it("stays one when it is rotated", async () => {
    const token = await tokenOf({ license_tag: "rotated", max_licenses: 1 })
    const { id } = (await call(token, "GET", "/whoami")).body.data
    await issueBy(token)
    const rotated = await service.data("POST", `${keys}/${id}/rotate`, {})
    assert.deepInclude(rotated.api_key, { license_tag: "rotated", max_licenses: 1, product_ids: [product] })
    refused(await call(rotated.token, "POST", "/licenses", issue), 409, "STATE_CONFLICT")
    assert.strictEqual((await call(rotated.token, "GET", "/licenses")).body.data.length, 1)
  })
})

describe("a license of a reseller", () => {
  it("has the tag, and what the policy says", async () => {
    const { data } = await service.call("GET", `/api/v1/licenses/${own.license.id}`).then(({ body }) => body)
    assert.deepStrictEqual(data.tags, ["acme"])
    const [event] = await service.feed(`&resource_id=${own.license.id}`)
    assert.strictEqual(event.actor_type, "api_key")
    assert.deepStrictEqual(event.data.tags, ["acme"])
  })

  it("is issued and renewed with nothing that is the vendor's to decide", async () => {
    const before = await stored()
    const beyond = {
      tags: ["bolt"],
      overrides: { max_activations: 10_000 },
      customer_id: team.ids.customer,
      customer: { name: "x", email: "north@example.com" },
      order_id: team.ids.order,
      subscription_id: team.ids.subscription,
      license_key: "of-another-system",
      product_ids: [product],
      expires_at: "2090-01-01T00:00:00Z",
      status: "suspended"
    }
    for (const [name, value] of Object.entries(beyond)) {
      const error = refused(
        await call(acme, "POST", "/licenses", { ...issue, [name]: value }),
        403,
        "TOKEN_SCOPE_DENIED"
      )
      assert.strictEqual(error.detail, name)
    }
    for (const more of [{ expires_at: "2090-01-01T00:00:00Z" }, { extend_by_days: 9 }, { order_id: team.ids.order }]) {
      const answer = await call(acme, "POST", `/licenses/${own.license.id}/renew`, more)
      assert.strictEqual(refused(answer, 403, "TOKEN_SCOPE_DENIED").detail, Object.keys(more)[0])
    }
    assert.strictEqual(await stored(), before)
  })

  it("is one less for a reseller from whom the vendor takes the tag", async () => {
    const { license } = await issueBy(acme)
    const path = `/licenses/${license.id}`
    assert.strictEqual((await call(acme, "GET", path)).status, 200)
    await service.data("PATCH", `/api/v1${path}`, { tags: null })
    refused(await call(acme, "GET", path), 404, "NOT_FOUND")
  })
})

describe("how many licenses a reseller has", () => {
  it("is held to: one reseller issues the last license once, where two keys of one tag ask for twenty at once", async () => {
    const members = { license_tag: "twenty", max_licenses: 5 }
    const tokens = [await tokenOf(members), await tokenOf(members)]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(tokens[index % 2]!, "POST", "/licenses", issue))
    )
    assert.strictEqual(answers.filter(({ status }) => status === 201).length, 5)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.strictEqual(refused(answer, 409, "STATE_CONFLICT").detail, "max_licenses 5")
    }
    assert.strictEqual((await service.data("GET", "/api/v1/licenses?tag=twenty")).length, 5)
  })

  it("does not count what was revoked", async () => {
    const token = await tokenOf({ license_tag: "one", max_licenses: 1 })
    const { license } = await issueBy(token)
    refused(await call(token, "POST", "/licenses", issue), 409, "STATE_CONFLICT")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`, {})
    await issueBy(token)
    refused(await call(token, "POST", "/licenses", issue), 409, "STATE_CONFLICT")
  })
})

describe("to a reseller there are no licenses but those with the tag", () => {
  it.each([["of another reseller", theirs], ["of the vendor", vendors]])("and none %s", async (_title, other) => {
    const before = await stored()
    for (const [name, asked] of Object.entries(callsAbout(other))) {
      const answer = await ask(acme, endpointOf(name), asked)
      refused(answer, 404, "NOT_FOUND")
      assert.notInclude(answer.text, "Bolt")
    }
    for (
      const query of [
        "",
        "?include_total=true",
        `?q=${other.license.id}`,
        "?tag=bolt",
        "?customer_email=one@bolt.example"
      ]
    ) {
      const answer = await call(acme, "GET", `/licenses${query}`)
      assert.strictEqual(answer.status, 200, answer.text)
      for (const { tags } of answer.body.data) assert.deepStrictEqual(tags, ["acme"])
      if (query !== "" && query !== "?include_total=true") assert.isEmpty(answer.body.data)
    }
    for (const text of [other.license_key, other.license.id, "north", "one@bolt.example"]) {
      assert.isEmpty(idsIn(await call(acme, "POST", "/licenses/search", { text })), text)
    }
    assert.strictEqual(await stored(), before)
  })

  it("and counts no others", async () => {
    const token = await tokenOf({ license_tag: "counting" })
    await issueBy(token)
    await issueBy(token)
    const { page_info } = (await call(token, "GET", "/licenses?include_total=true")).body
    assert.deepStrictEqual(page_info.total, { count: 2, has_more: false })
  })

  it("and does with its own what resellers may", async () => {
    const { license, license_key } = own
    const activated = await service.license("activate", license_key, { fingerprint: "acme-machine" })
    assert.strictEqual(activated.status, 200, activated.text)
    const [device] = (await call(acme, "GET", `/licenses/${license.id}/devices`)).body.data
    for (const [name, asked] of Object.entries(callsAbout({ ...own, device: device.id }))) {
      const answer = await ask(acme, endpointOf(name), asked)
      assert.strictEqual(answer.status, 200, `${name}: ${answer.text}`)
    }
    assert.deepStrictEqual(idsIn(await call(acme, "POST", "/licenses/search", { text: license_key })), [license.id])
  })
})

describe("every other operation", () => {
  const closed = endpoints.filter(({ identifier }) => !resellerOperations.has(identifier))

  it("is one that resellers do not have, whatever the table of theirs says", () => {
    assert.isAbove(closed.length, 150)
    const asked = new Set([
      ...Object.keys(callsAbout(own)),
      "getWhoami",
      "createLicense",
      "listLicenses",
      "searchLicenses"
    ])
    assert.sameMembers([...resellerOperations], [...asked])
    for (const name of resellerOperations) assert.isDefined(endpointOf(name), name)
  })

  it("is refused to a reseller, also about its own license", async () => {
    const before = await stored()
    const calls = callsOf({ ...team, ids: { ...team.ids, license: own.license.id } })
    for (const endpoint of closed) {
      const answer = await ask(acme, endpoint, calls[endpoint.identifier] ?? { body: {} })
      assert.strictEqual(answer.status, 403, `${endpoint.identifier}: ${answer.text}`)
      refused(answer, 403, "TOKEN_SCOPE_DENIED")
    }
    assert.strictEqual(await stored(), before)
  })

  it("is not in the reference of what resellers may call, and theirs are", () => {
    const page = readFileSync("docs/reference/management-keys.md", "utf8")
    const section = page.slice(page.indexOf("## Limited to a reseller"))
    const named = [...section.slice(0, section.indexOf("\n## ", 3)).matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    const names = new Set(endpoints.map(({ identifier }) => identifier))
    assert.sameMembers(named.filter((name) => names.has(name)), [...resellerOperations])
  })
})
