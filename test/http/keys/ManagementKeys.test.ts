import { assert, beforeAll, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { scopesOf } from "../../../src/api/ground/Operation.ts"
import { isManagementToken } from "../../../src/domain/keys/security/Credential.ts"
import { conforms } from "../../fixtures/contract.ts"
import type { Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  // Callers come from as many addresses as they say, so that none is slowed down for its failures.
  service = await startService({
    environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" },
    altered: ["api_key scopes", "api_key expires_at"]
  })
})

const path = "/api/v1/api-keys"
const create = (members: object = {}, token?: string): Promise<Body> =>
  service.data("POST", path, { name: "k", ...members }, token === undefined ? {} : { token })

const allScopes = [
  "admin",
  "product:read",
  "product:write",
  "license:read",
  "license:write",
  "customer:read",
  "customer:write",
  "people:read",
  "people:write",
  "device:write",
  "event:read",
  "ops:read",
  "report:read",
  "report:export",
  "webhook:write"
]

describe("an API key", () => {
  it("is created, shown once, read, listed and revoked", async () => {
    const body = {
      name: "storefront",
      scopes: ["license:read", "license:write"],
      allowed_cidrs: ["127.0.0.0/8", "2001:db8::/32"],
      expires_at: "2999-01-01T00:00:00Z"
    }
    const answer = await service.call("POST", path, { body })
    assert.strictEqual(answer.status, 201)
    const { api_key, token, ...more } = answer.body.data
    assert.deepStrictEqual(more, {})
    conforms("APIKey", api_key)
    assert.isTrue(isManagementToken(token))
    assert.deepInclude(api_key, { ...body, expires_at: "2999-01-01T00:00:00.000Z", is_active: true })
    assert.isTrue(token.startsWith(api_key.key_prefix))
    assert.notProperty(api_key, "last_used_at")
    assert.deepStrictEqual(await service.data("GET", `${path}/${api_key.id}`), api_key)
    assert.deepStrictEqual((await service.data("GET", path))[0], api_key)

    assert.strictEqual((await service.call("GET", "/api/v1/licenses", { token })).status, 200)
    const used = await eventually("its use is recorded", async () => {
      const key = await service.data("GET", `${path}/${api_key.id}`)
      return key.last_used_at !== undefined && key
    })
    conforms("APIKey", used)

    for (let repeat = 0; repeat < 2; repeat++) {
      assert.strictEqual((await service.call("DELETE", `${path}/${api_key.id}`)).status, 204)
    }
    refused(await service.call("GET", "/api/v1/licenses", { token }), 401, "TOKEN_REVOKED")
    assert.deepStrictEqual(await service.data("GET", `${path}/${api_key.id}`), { ...used, is_active: false })
    refused(await service.call("DELETE", `${path}/key_none`), 404, "NOT_FOUND")
    const kinds = (await service.feed(`&resource_id=${api_key.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["api_key.created", "api_key.revoked"])
  })

  it("is stored as a keyed hash alone", async () => {
    const { api_key, token } = await create()
    const sql = await session(service.databaseUrl)
    const [row] = await sql.query("SELECT k::text AS text FROM management_keys k WHERE id = $1", [api_key.id])
    assert.notInclude(row.text, token.slice(13))
    assert.notInclude(JSON.stringify(await service.feed()), token)
    assert.notInclude(service.logs(), token)
  })

  it("without scopes means admin, without ranges anywhere, without expiry for good", async () => {
    const { api_key } = await create()
    assert.deepInclude(api_key, { scopes: ["admin"], allowed_cidrs: [], is_active: true })
    assert.notProperty(api_key, "expires_at")
  })

  it("is answered with a warning when it may do everything, or does so for ever", async () => {
    const warnings = async (members: object): Promise<Body> => {
      const { body } = await service.call("POST", path, { body: { name: "k", ...members } })
      conforms("ResponseMeta", body.meta)
      return body.meta.warnings?.map(({ code }: Body) => code)
    }
    const expires_at = "2999-01-01T00:00:00Z"
    assert.deepStrictEqual(await warnings({}), ["SCOPES_OMITTED", "ADMIN_NEVER_EXPIRES"])
    assert.deepStrictEqual(await warnings({ scopes: ["admin"] }), ["ADMIN_NEVER_EXPIRES"])
    assert.deepStrictEqual(await warnings({ expires_at }), ["SCOPES_OMITTED"])
    assert.isUndefined(await warnings({ scopes: ["admin"], expires_at }))
    assert.isUndefined(await warnings({ scopes: ["ops:read"] }))
  })

  it("that has expired is not active", async () => {
    const { api_key } = await create({ expires_at: "2999-01-01T00:00:00Z" })
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE management_keys SET expires_at = now() WHERE id = $1", [api_key.id])
    assert.isFalse((await service.data("GET", `${path}/${api_key.id}`)).is_active)
  })

  it("is refused when it would have expired already", async () => {
    for (const expires_at of ["2020-01-01T00:00:00Z", new Date(Date.now() - 1000).toISOString()]) {
      invalid(await service.call("POST", path, { body: { name: "k", expires_at } }), "expires_at", "in_the_past")
    }
  })

  it("acts in its own name", async () => {
    const { api_key, token } = await create({ scopes: ["product:write"] })
    const product = await service.data("POST", "/api/v1/products", { name: "p", code: api_key.id }, { token })
    const [event] = await service.feed(`&resource_id=${product.id}`)
    assert.deepInclude(event, { actor_type: "api_key", actor_id: api_key.id })
  })

  it.each([
    ["an unknown scope", { scopes: ["product:delete"] }, "scopes.0"],
    ["no scope at all", { scopes: [] }, "scopes"],
    ["a scope twice", { scopes: ["ops:read", "ops:read"] }, "scopes"],
    ["no name", { name: "" }, "name"],
    ["an expiry that is none", { expires_at: "soon" }, "expires_at"]
  ])("is refused with %s", async (_title, members, field) => {
    const error = refused(
      await service.call("POST", path, { body: { name: "k", ...members } }),
      422,
      "VALIDATION_ERROR"
    )
    assert.include(error.fields.map((finding: Body) => finding.path), field)
  })
})

describe("who am I", () => {
  const whoami = (token?: string | null) => service.call("GET", "/api/v1/whoami", token === undefined ? {} : { token })

  it("tells the bootstrap token what it is", async () => {
    const { body, status } = await whoami()
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.data, {
      kind: "bootstrap",
      id: "bootstrap",
      scopes: ["admin"],
      allowed_cidrs: []
    })
  })

  it.each(allScopes)("tells a key with the scope %s alone what it is", async (scope) => {
    const members = { scopes: [scope], allowed_cidrs: ["127.0.0.0/8"], expires_at: "2999-01-01T00:00:00.000Z" }
    const { api_key: { created_by: _maker, is_active, ...key }, token } = await create({
      name: `only ${scope}`,
      ...members
    })
    assert.isTrue(is_active)
    const { body, status, text } = await whoami(token)
    assert.strictEqual(status, 200, text)
    // Its own question is its first use, which may be recorded before the answer is read.
    const { last_used_at: _lastUsedAt, ...identity } = body.data
    assert.deepStrictEqual(identity, { kind: "management_key", ...key, ...members })
    assert.notInclude(text, token.slice(13))
  })

  it("says when the key was last used", async () => {
    const { token } = await create({ scopes: ["ops:read"] })
    const used = await eventually("its use is recorded", async () => (await whoami(token)).body.data.last_used_at)
    assert.isAtMost(Date.parse(used), Date.now())
  })

  it("is refused with a token that is revoked, expired, used elsewhere, unknown, or none", async () => {
    const sql = await session(service.databaseUrl)
    const revoked = await create({ scopes: ["ops:read"] })
    await service.call("DELETE", `${path}/${revoked.api_key.id}`)
    refused(await whoami(revoked.token), 401, "TOKEN_REVOKED")
    const expired = await create({ expires_at: "2999-01-01T00:00:00Z" })
    await sql.query("UPDATE management_keys SET expires_at = now() WHERE id = $1", [expired.api_key.id])
    refused(await whoami(expired.token), 401, "TOKEN_EXPIRED")
    const elsewhere = await create({ allowed_cidrs: ["192.0.2.0/24"] })
    refused(await whoami(elsewhere.token), 401, "TOKEN_IP_DENIED")
    refused(await whoami("csk_none"), 401, "UNAUTHENTICATED")
    refused(await whoami(null), 401, "UNAUTHENTICATED")
  })

  it("is judged by what the key is now, though it has read before", async () => {
    const sql = await session(service.databaseUrl)
    const { api_key, token } = await create({ scopes: ["product:read"] })
    const [own] = [(await service.issue()).product, (await service.issue()).product]
    const read = (of = "") => service.call("GET", `/api/v1/products${of}`, { token })
    const alter = (members: string, values: ReadonlyArray<unknown>) =>
      sql.query(`UPDATE management_keys SET ${members} WHERE id = $1`, [api_key.id, ...values])
    assert.isAbove((await read()).body.data.length, 1)

    await alter("product_ids = $2::text[]", [[own.id]])
    assert.deepStrictEqual((await read()).body.data.map(({ id }: Body) => id), [own.id])
    await alter("product_ids = NULL", [])
    assert.isAbove((await read()).body.data.length, 1)

    await alter("scopes = $2::text[]", [["ops:read"]])
    refused(await read("/prod_none"), 403, "TOKEN_SCOPE_DENIED")
    await alter("scopes = $2::text[]", [["product:read"]])
    refused(await read("/prod_none"), 404, "NOT_FOUND")

    await service.call("DELETE", `${path}/${api_key.id}`)
    refused(await read("/prod_none"), 401, "TOKEN_REVOKED")
    refused(await read(), 401, "TOKEN_REVOKED")
  })

  it("is refused with a license key, by either scheme", async () => {
    const { key } = await service.issue()
    refused(await whoami(key), 401, "UNAUTHENTICATED")
    const refusal = refused(
      await service.call("GET", "/api/v1/whoami", { licenseKey: key }),
      401,
      "UNAUTHENTICATED"
    )
    assert.include(refusal.message, "a license key was sent")
  })
})

describe("scopes", () => {
  const bearer = operations.filter(({ declaration: { scope } }) => allScopes.includes(scope))

  it("every management operation has one, and none that is not in the list", () => {
    assert.isAbove(bearer.length, 40)
    const others = operations.filter((operation) => !bearer.includes(operation))
    assert.sameMembers([...new Set(others.map(({ declaration }) => declaration.scope))], [
      "any",
      "license",
      "publishable",
      "none"
    ])
    assert.deepStrictEqual(
      others.filter(({ declaration }) => declaration.scope === "any").map(({ operationId }) => operationId),
      [
        "listScopeGranters",
        "requestApproval",
        "listApprovals",
        "getApproval",
        "approveApproval",
        "declineApproval",
        "cancelApproval",
        "listSessions",
        "endSession",
        "listPasskeys",
        "beginPasskey",
        "createPasskey",
        "renamePasskey",
        "deletePasskey",
        "getWhoami",
        "getEnvironment",
        "getSettings"
      ]
    )
    for (const { declaration, operationId, path } of operations) {
      const runtime = path.startsWith("/api/v1/license/")
      const open = !path.startsWith("/api/") ||
        [
          "/api/v1/system/public-keys",
          "/api/v1/license/revocations",
          "/api/v1/billing/connections/:id/events",
          "/api/v1/sign-in",
          "/api/v1/sign-in/oidc",
          "/api/v1/sign-in/passkey",
          "/api/v1/sign-in/passkey/finish",
          "/api/v1/sign-in/invitation",
          "/api/v1/sign-in/invitation/passkey",
          "/api/v1/sign-out"
        ]
          .includes(path)
      if (runtime && !open) {
        assert.strictEqual(declaration.scope, path.endsWith("/trials") ? "publishable" : "license", operationId)
      } else assert.strictEqual(declaration.scope === "none", open, operationId)
    }
  })

  it("each is enforced: a key with all others is refused by every operation that needs it", async () => {
    const tokens = new Map<string, string>()
    for (const scope of new Set(bearer.map(({ declaration }) => declaration.scope))) {
      const others = allScopes.filter((other) => !["admin", scope, scope.replace(":read", ":write")].includes(other))
      tokens.set(scope, (await create({ scopes: others })).token)
    }
    for (const { declaration: { scope }, method, operationId, path } of bearer) {
      const answer = await service.call(method, path.replace(/:[^/]+/g, "none"), {
        token: tokens.get(scope)!,
        ...(method === "GET" || method === "DELETE" ? {} : { body: {} })
      })
      assert.strictEqual(refused(answer, 403, "TOKEN_SCOPE_DENIED").detail, scope, operationId)
    }
  })

  it("one that writes opens what reads the same, and nothing else that the key was not given", async () => {
    const reading = allScopes.filter((scope) => allScopes.includes(scope.replace(":read", ":write")))
      .filter((scope) => scope.endsWith(":read"))
    assert.deepStrictEqual(reading, ["product:read", "license:read", "customer:read", "people:read"])
    const sent = async (token: string, { method, path }: typeof bearer[number]) =>
      service.call(method, path.replace(/:[^/]+/g, "none"), {
        token,
        ...(method === "GET" || method === "DELETE" ? {} : { body: {} })
      })
    for (const scope of reading) {
      const { token } = await create({ scopes: [scope.replace(":read", ":write")] })
      const { token: reader } = await create({ scopes: [scope] })
      for (const operation of bearer) {
        const { declaration, operationId } = operation
        const [needed, ...more] = scopesOf(declaration)
        if (more.length > 0) continue
        const isOpen = needed === scope || needed === scope.replace(":read", ":write")
        const answer = await sent(token, operation)
        assert.strictEqual(answer.status === 403, !isOpen, `${operationId} with ${scope}: ${answer.text}`)
        if (needed === scope.replace(":read", ":write")) {
          assert.strictEqual((await sent(reader, operation)).status, 403, `${operationId} is no question`)
        }
      }
    }
  })

  it("those of an operation suffice, all of them are needed, and admin has all", async () => {
    const { token: admin } = await create({ scopes: ["admin"] })
    const tokens = new Map<string, string>()
    for (const { declaration } of bearer) {
      const scopes = scopesOf(declaration)
      if (!tokens.has(scopes.join(" "))) tokens.set(scopes.join(" "), (await create({ scopes })).token)
    }
    const wide = bearer.filter(({ declaration: { alsoNeeds = [] } }) => alsoNeeds.length > 0)
    assert.deepStrictEqual(wide.map(({ operationId }) => operationId), [
      "createBillingConnection",
      "updateBillingConnection",
      "deleteBillingConnection",
      "retryPurchase",
      "decidePurchaseOwner",
      "reconcileBillingConnection",
      "rehearsePolicy",
      "createPublishableKey",
      "getLicensesReport"
    ])
    for (const { declaration: { alsoNeeds = [], scope }, method, path } of wide) {
      const answer = await service.call(method, path.replace(/:[^/]+/g, "none"), {
        token: tokens.get(scope)!,
        ...(method === "GET" ? {} : { body: {} })
      })
      assert.strictEqual(refused(answer, 403, "TOKEN_SCOPE_DENIED").detail, alsoNeeds.join(" "))
    }
    for (const { declaration, method, operationId, path } of bearer) {
      // What is asked for is not there, or not valid: the point is that the key is let through.
      for (const token of [tokens.get(scopesOf(declaration).join(" "))!, admin]) {
        if (operationId === "rotateSigningKey") continue
        const answer = await service.call(method, path.replace(/:[^/]+/g, "none"), {
          token,
          ...(method === "GET" || method === "DELETE" ? {} : { body: {} })
        })
        assert.notInclude([401, 403], answer.status, `${operationId}: ${answer.text}`)
        assert.isBelow(answer.status, 500, `${operationId}: ${answer.text}`)
      }
    }
  })

  it("every management operation refuses no token, and every runtime operation no license key", async () => {
    for (const [index, { declaration: { scope }, method, path }] of operations.entries()) {
      if (scope === "none") continue
      const answer = await service.call(method, path.replace(/:[^/]+/g, "none"), {
        token: null,
        headers: { "idempotency-key": "k", "x-forwarded-for": `203.0.113.${index}` },
        ...(method === "GET" || method === "DELETE" ? {} : { body: {} })
      })
      const { detail } = refused(answer, 401, scope === "license" ? "LICENSE_KEY_INVALID" : "UNAUTHENTICATED")
      assert.strictEqual(detail, "no_credential", `${method} ${path}`)
    }
  })

  it("a key never makes one wider than itself", async () => {
    // Only admin may create keys, so a narrower creator needs a row of its own.
    const sql = await session(service.databaseUrl)
    const { api_key, token } = await create({ scopes: ["admin"] })
    assert.deepStrictEqual((await create({ scopes: ["ops:read"] }, token)).api_key.scopes, ["ops:read"])
    await sql.query("UPDATE management_keys SET scopes = '{license:read}' WHERE id = $1", [api_key.id])
    const denied = await service.call("POST", path, { token, body: { name: "k", scopes: ["license:read"] } })
    assert.strictEqual(refused(denied, 403, "TOKEN_SCOPE_DENIED").detail, "admin")
  })

  it("a key makes none for other addresses, or for longer, than its own", async () => {
    const allowed_cidrs = ["127.0.0.0/8", "2001:db8::/32"]
    const expires_at = "2999-01-01T00:00:00.000Z"
    const maker = await create({ scopes: ["admin"], allowed_cidrs, expires_at })
    const detail = async (members: object): Promise<string> => {
      const body = { name: "k", scopes: ["ops:read"], allowed_cidrs: ["127.0.0.1/32"], expires_at, ...members }
      const answer = await service.call("POST", path, { token: maker.token, body })
      return refused(answer, 403, "TOKEN_SCOPE_DENIED").detail
    }
    const addresses = "allowed_cidrs must lie within 127.0.0.0/8, 2001:db8::/32"
    const end = `expires_at must be at most ${expires_at}`
    for (const ranges of [undefined, [], ["10.0.0.0/8"], ["127.0.0.0/7"], ["127.0.0.1/32", "::/0"]]) {
      assert.strictEqual(await detail({ allowed_cidrs: ranges }), addresses, String(ranges))
    }
    assert.strictEqual(await detail({ expires_at: undefined }), end)
    assert.strictEqual(await detail({ expires_at: "2999-01-01T00:00:00.001Z" }), end)
    assert.strictEqual(await detail({ allowed_cidrs: undefined, expires_at: undefined }), `${addresses}; ${end}`)
    const within = { scopes: ["ops:read"], allowed_cidrs: ["127.1.0.0/16", "2001:db8:1::/48"], expires_at }
    assert.deepInclude((await create(within, maker.token)).api_key, within)
  })
})
