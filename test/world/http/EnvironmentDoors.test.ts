import { assert, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import type { EnvironmentName } from "../../../src/domain/ground/environments/EnvironmentName.ts"
import {
  formatBootstrapToken,
  formatLicenseKey,
  formatLimitedToken,
  formatManagementToken,
  formatPublishableKey,
  formatResellerToken
} from "../../../src/domain/keys/security/Credential.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

/** Credentials of an environment as they are made, each with the operation that takes it. */
const management = { method: "GET", path: "/api/v1/products", scheme: "Bearer", code: "UNAUTHENTICATED" } as const
const trial = { ...management, method: "POST", path: "/api/v1/license/trials" } as const
const app = {
  method: "POST",
  path: "/api/v1/license/validate",
  scheme: "License",
  code: "LICENSE_KEY_INVALID"
} as const
const credentialsOf = (environment: EnvironmentName) => [
  { name: "admin token", credential: environment === "live" ? adminToken : testToken, ...management },
  { name: "bootstrap token", credential: formatBootstrapToken(randomBytes(32), environment), ...management },
  { name: "API key", credential: formatManagementToken(randomBytes(32), environment), ...management },
  { name: "limited API key", credential: formatLimitedToken(randomBytes(31), environment), ...management },
  { name: "reseller's API key", credential: formatResellerToken(randomBytes(30), environment), ...management },
  { name: "publishable key", credential: formatPublishableKey(randomBytes(16), environment), ...trial },
  { name: "license key", credential: formatLicenseKey(randomBytes(15), environment), ...app }
]
const credentials = credentialsOf("test")

/** The same text with another character near its end. */
const mistyped = (credential: string): string => {
  const at = credential.length - 3
  return credential.slice(0, at) + (credential[at] === "7" ? "8" : "7") + credential.slice(at + 1)
}

const send = (
  service: Service,
  { credential, method, path, scheme }: Record<"credential" | "method" | "path" | "scheme", string>
) =>
  service.call(method, path, {
    token: null,
    headers: { authorization: `${scheme} ${credential}` },
    ...(method === "POST" ? { body: { product_code: "acme", fingerprint: "f-1", email: "a@example.com" } } : {})
  })

const hasTestDatabase = async ({ databaseUrl }: Service): Promise<boolean> => {
  const { query } = await session(databaseUrl)
  const [{ found }] = await query(
    "SELECT EXISTS (SELECT FROM pg_database WHERE datname = current_database() || '_test') AS found"
  )
  return found
}

describe("the door to the test environment", () => {
  it("stays shut for a credential that is mistyped, which is refused as that", async () => {
    const service = await startService()
    // An admin token has no check characters: what is cut off is no longer its form.
    const wrong = credentials.map((row) => ({
      ...row,
      credential: row.credential.startsWith("admin_") ? row.credential.slice(0, -1) : mistyped(row.credential)
    }))
    for (const { name, ...row } of wrong) {
      const { body, status, text } = await send(service, row)
      assert.strictEqual(status, 401, `${name}: ${text}`)
      assert.strictEqual(body.error.code, row.code, name)
      assert.match(body.error.message, /mistyped|its check characters are right/, name)
    }
    assert.isFalse(await hasTestDatabase(service))
  })

  it("takes no credential of live, and says which environment was asked", async () => {
    const service = await startService()
    testDatabaseOf(service)
    for (const { name, ...row } of credentialsOf("live")) {
      const { body, status, text } = await send(service, { ...row, path: `/test${row.path}` })
      assert.strictEqual(status, 401, `${name}: ${text}`)
      assert.strictEqual(body.error.code, row.code, name)
      assert.match(body.error.message, /test environment was asked/, name)
    }
  })

  it("is shut where the operator does not want it: every credential and address is refused, and no database is made", async () => {
    const service = await startService({ environment: { COUNTERSIGN_TEST_ENVIRONMENT: "off" } })
    for (const { name, ...row } of credentials) {
      for (const prefix of ["", "/test"]) {
        const { body, status, text } = await send(service, { ...row, path: prefix + row.path })
        assert.strictEqual(status, 401, `${name}: ${text}`)
        assert.match(body.error.message, /test environment.*turned off/, name)
      }
    }
    for (
      const [path, token] of [
        ["/test/api/v1/products", adminToken],
        ["/test/api/v1/system/public-keys", null],
        ["/test/.well-known/jwks.json", null]
      ] as const
    ) {
      const { body, status } = await service.call("GET", path, { token })
      assert.strictEqual(status, 404, path)
      assert.match(body.error.message, /test environment.*turned off/, path)
    }
    assert.strictEqual((await service.call("GET", "/api/v1/products")).status, 200)
    assert.isFalse(await hasTestDatabase(service))
  })
})

describe("the places of the live environment", () => {
  it("are all free while those of test are taken", async () => {
    const service = await startService({ environment: { COUNTERSIGN_LIMIT_IN_FLIGHT: "1" } })
    const database = testDatabaseOf(service)
    const product = (token: string) =>
      service.call("POST", "/api/v1/products", { token, body: { name: "Acme Studio", code: randomUUID() } })
    assert.strictEqual((await product(testToken)).status, 201)
    const lock = await hold(database, "LOCK TABLE products IN EXCLUSIVE MODE")
    const end = new AbortController()
    // The database ends a wait for a lock after a while: then the next one waits.
    const waiting = async () => {
      while (!end.signal.aborted) await product(testToken)
    }
    const all = Promise.all([waiting(), waiting(), waiting()])
    await eventually("test is full", async () => {
      const { body, status } = await service.call("GET", "/api/v1/products", { token: testToken })
      return status === 503 && /overloaded/.test(body.error.message)
    })
    const created = await product(adminToken)
    end.abort()
    await lock.release()
    await all
    assert.strictEqual(created.status, 201, created.text)
  })
})
