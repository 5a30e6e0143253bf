// Named users: people who are invited to a license, sign in, use devices, and are removed.
import { assert, describe, it } from "@effect/vitest"
import { createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import { certifiedIdToken, CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import { endOf, judged, keptChain } from "../../fixtures/LicenseChain.ts"
import { idToken, sharedLicense } from "../../fixtures/LicenseUsers.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { startSecond } from "../../fixtures/SignIns.ts"
import { makeRandom } from "../../fixtures/UsageModel.ts"
import { addressOf, UserModel } from "../../fixtures/UserModel.ts"

takeTurns()

const [service, issuer] = await Promise.all([startService(), new IdentityForge().open()])

let started: ReturnType<typeof startSecond> | undefined

/** Another node, which tests share. */
const secondNode = () => started ??= startSecond(service, {})

const ada = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" }

const detailOf = (answer: Answer, code: string): string => refused(answer, 403, code).detail

const customer = () => service.data("POST", "/api/v1/customers", { name: "Beispiel", code: randomUUID() })

/** A license that so many people may use, by nobody's word yet. */
const shared = async (max_users: number, policy: object = {}, license: object = {}) => {
  const issued = await service.issue({ policy: { max_activations: 9, max_users, ...policy }, license })
  const path = `/api/v1/licenses/${issued.license.id}`
  return {
    ...issued,
    path,
    invite: (body: object) => service.call("POST", `${path}/users`, { body }),
    invited: (email: string): Promise<Body> => service.data("POST", `${path}/users`, { email }),
    users: (query = ""): Promise<Array<Body>> =>
      service.data("GET", `/api/v1/licenses/${issued.license.id}/users${query}`),
    remove: (id: string): Promise<Body> => service.data("POST", `${path}/users/${id}/remove`, {})
  }
}

/** A license whose users sign in at the issuer, each with a device whose app tells what the machine is called. */
const erasable = async () => {
  const of = await sharedLicense(service, issuer.issuer, 3)
  return {
    ...of,
    activate: async (token: string, hostname: string) => {
      const answer = await of.call("activate", hostname.slice(0, 4), token, { hostname })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  }
}

/** The chain of a license up to its last event. */
const wholeChain = async (id: string) => {
  const last = (await service.feed(`&resource_id=${id}`)).at(-1)
  return eventually("a checkpoint has the last event", async () => {
    const chain = await keptChain(service, id)
    // Before the first checkpoint it has no event.
    return chain.events.length > 0 && endOf(chain).sequence >= last.sequence ? chain : undefined
  })
}

/** All rows of each table, as texts. */
const storedTexts = async () => {
  const sql = await session(service.databaseUrl)
  const tables = await sql.query(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information)'"
  )
  return Promise.all(tables.map(async ({ name }) => {
    const [{ text }] = await sql.query(`SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') AS text FROM ${name} t`)
    return { name: String(name), text: String(text) }
  }))
}

const consistent = async () => assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

describe("users of a license", () => {
  it("are invited by an address or an account, listed, and removed", async () => {
    const { invite, invited, path, remove, users } = await shared(2)
    const ada = await invited("Ada@Example.com")
    assert.strictEqual(ada.email, "ada@example.com")
    assert.strictEqual(ada.status, "invited")
    const account = { issuer: "https://login.example.com", subject: "42", name: "Grace" }
    const grace = (await invite(account)).body.data
    assert.deepInclude(grace, account)
    assert.strictEqual(refused(await invite({ email: "ADA@example.com" }), 409, "CONFLICT").detail, ada.id)
    assert.strictEqual(refused(await invite(account), 409, "CONFLICT").detail, grace.id)
    assert.deepStrictEqual((await users()).map(({ id }) => id), [grace.id, ada.id])
    assert.deepStrictEqual((await users("?q=grac")).map(({ id }) => id), [grace.id])
    assert.strictEqual((await remove(ada.id)).removed_because, "removed")
    assert.strictEqual((await remove(ada.id)).status, "removed")
    assert.deepStrictEqual((await users("?status=invited")).map(({ id }) => id), [grace.id])
    assert.notStrictEqual((await invited("ada@example.com")).id, ada.id)
    const events = await service.feed(`&resource_id=${path.split("/").at(-1)}`)
    assert.deepStrictEqual(
      events.map(({ event_type, metadata }) => [event_type, metadata.user_id]).filter(([, id]) => id !== undefined)
        .slice(0, 3),
      [["license.user_invited", ada.id], ["license.user_invited", grace.id], ["license.user_removed", ada.id]]
    )
    await consistent()
  })

  it("say who they are, and are there only where the terms have users", async () => {
    const { invite, path } = await shared(1)
    refused(await invite({}), 422, "VALIDATION_ERROR")
    refused(await invite({ issuer: "https://login.example.com" }), 422, "VALIDATION_ERROR")
    refused(await service.call("GET", `${path}/users/usr_none`), 404, "NOT_FOUND")
    const { license } = await service.issue()
    const without = `/api/v1/licenses/${license.id}/users`
    const body = { email: "ada@example.com" }
    assert.strictEqual(refused(await service.call("POST", without, { body }), 409, "STATE_CONFLICT").detail, "no_users")
    const policy = { name: "Wrong", code: "wrong", license_type: "subscription", max_devices_per_user: 2 }
    const answer = await service.call("POST", `/api/v1/products/${license.product_id}/policies`, { body: policy })
    assert.strictEqual(refused(answer, 422, "VALIDATION_ERROR").fields[0].path, "max_devices_per_user")
  })

  it("of one license are found by no other's path", async () => {
    const [mine, others] = [await shared(1), await shared(1)]
    const user = await others.invited("ada@example.com")
    refused(await service.call("GET", `${mine.path}/users/${user.id}`), 404, "NOT_FOUND")
    refused(await service.call("POST", `${mine.path}/users/${user.id}/remove`, { body: {} }), 404, "NOT_FOUND")
    assert.strictEqual((await others.users())[0]!["status"], "invited")
  })

  it("are erased one by one, and leave nothing of theirs in the service and its history, which still verifies", async () => {
    const { activate, id, invited, path, signedIn, users } = await erasable()
    const [mine, others] = ["hidden", "kept"].map((name) => ({
      email: `${name}@erasure.example`,
      name: `${name} person`
    }))
    const user = await invited({ ...mine, reason: "hidden asked for it" })
    await invited(others!)
    for (const name of ["hidden", "kept"]) {
      const account = { sub: name, email: `${name}@erasure.example`, email_verified: true, name: `${name} person` }
      await activate(await signedIn(idToken(issuer, account)), `${name}-laptop`)
    }
    const before = await wholeChain(id)
    assert.include(JSON.stringify(before), "hidden-laptop")
    const { data } =
      (await service.call("POST", `${path}/users/${user.id}/erase`, { body: { reason: "asked by law" } })).body
    assert.deepInclude(data, { exports: 0, devices: 1, reasons: 1 })
    assert.deepInclude(data.user, { id: user.id, status: "removed", removed_because: "erased" })
    assert.isAtLeast(data.events, 3)
    for (const member of ["email", "name", "issuer", "subject"]) assert.notProperty(data.user, member)
    const stored = await storedTexts()
    assert.deepStrictEqual(stored.filter(({ text }) => text.includes("hidden")).map(({ name }) => name), [])
    for (const kept of ["kept-laptop", "kept@erasure.example", "asked by law"]) {
      assert.isTrue(stored.some(({ text }) => text.includes(kept)), kept)
    }
    assert.sameMembers((await users()).map(({ status }) => status), ["removed", "active"])
    const after = await wholeChain(id)
    assert.deepInclude(await judged(after), { ok: true, last: endOf(after) })
    assert.deepInclude(await judged(after, endOf(before)), { ok: true, after: endOf(before) })
    assert.deepInclude(await judged(before), { ok: true, last: endOf(before) })
    // Repeating it finds nothing more, and tells nothing.
    const again = (await service.call("POST", `${path}/users/${user.id}/erase`)).body.data
    assert.deepInclude(again, { events: 0, exports: 0, devices: 0, reasons: 0 })
    assert.strictEqual(endOf(await wholeChain(id)).hash, endOf(after).hash)
    refused(await service.call("POST", `${path}/users/usr_none/erase`), 404, "NOT_FOUND")
    await consistent()
  })

  it("end with a transfer, and leave no name with the next owner", async () => {
    const [from, to] = [await customer(), await customer()]
    const { invited, license, remove, users } = await shared(2, {}, { customer_id: from.id })
    await remove((await invited("left@example.com")).id)
    await invited("ada@example.com")
    await service.data("POST", `/api/v1/licenses/${license.id}/transfer`, { customer_id: to.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    for (const user of await users()) {
      assert.strictEqual(user["removed_because"], "transferred")
      assert.notProperty(user, "email")
    }
    await consistent()
  })

  it("end and are forgotten when their customer is erased: seats are free, devices reset, the issuer is gone, and who comes next is new", async () => {
    const { id } = await customer()
    const terms = { admits: "anyone", license: { customer_id: id } } as const
    const { call, invited, license, signIn, signedIn, users } = await sharedLicense(service, issuer.issuer, 1, terms)
    const erase = (body: object = {}) =>
      service.data("POST", `/api/v1/customers/${id}/erase`, body, { headers: { "idempotency-key": randomUUID() } })
    const person = { sub: "forget-me", email: "forget-me@example.com", email_verified: true }
    const token = await signedIn(idToken(issuer, person))
    assert.strictEqual((await call("activate", "a", token, { hostname: "forget-me-laptop" })).status, 200)
    await invited({ email: "forget-me-too@example.com" })
    const { users: foreseen } = await erase({ dry_run: true })
    assert.deepStrictEqual([foreseen, (await erase()).users], [2, 2])
    for (const user of await users()) {
      assert.deepInclude(user, { status: "removed", removed_because: "erased" })
      for (const member of ["email", "name", "issuer", "subject"]) assert.notProperty(user, member)
    }
    assert.notInclude(JSON.stringify(await service.feed(`&resource_id=${license.id}`)), "forget-me")
    assert.strictEqual(detailOf(await call("validate", "a", token), "USER_SIGN_IN_REQUIRED"), "removed")
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    assert.strictEqual(device.status, "reset")
    assert.strictEqual(detailOf(await signIn(idToken(issuer, person)), "USER_NOT_ALLOWED"), "no_issuer")
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, {
      trusted_issuer: { issuer: issuer.issuer, audience: client.id, admits: "anyone" }
    })
    const again = await signIn(idToken(issuer, person))
    assert.notInclude((await users("?status=removed")).map((user) => user["id"]), again.body.data.user_id)
    assert.lengthOf(await users("?status=active"), 1)
    await consistent()
    await erase()
    assert.lengthOf(await users("?status=active"), 0)
    await consistent()
  })
})

describe("a sign-in by an ID token", () => {
  it("takes the seat of an invitation, and is this account from then on", async () => {
    const { invited, path, signIn, users } = await sharedLicense(service, issuer.issuer, 1)
    await invited({ email: "Ada@example.com" })
    const answer = await signIn(idToken(issuer, ada), { nonce: "n-7f3a9c21d0" })
    assert.strictEqual(answer.status, 200, answer.text)
    const { data } = answer.body
    assert.strictEqual(data.user_email, "ada@example.com")
    assert.strictEqual(data.nonce, "n-7f3a9c21d0")
    assert.isAtMost(Date.parse(data.valid_until) - Date.parse(data.issued_at), 86_400_000)
    const [user] = await users()
    assert.deepInclude(user, { id: data.user_id, status: "active", issuer: issuer.issuer, subject: "ada" })
    // The address is somebody else's by now, and the account is still Ada's.
    assert.strictEqual(
      detailOf(await signIn(idToken(issuer, { ...ada, sub: "eve" })), "USER_NOT_ALLOWED"),
      "not_invited"
    )
    assert.strictEqual((await signIn(idToken(issuer, { sub: "ada" }))).body.data.user_id, data.user_id)
    const events = await service.feed(`&resource_id=${path.split("/").at(-1)}&event_type=license.user_joined`)
    assert.lengthOf(events, 1)
    await consistent()
  })

  it("needs an address that the provider has verified, or an account that was invited", async () => {
    const { invited, signIn } = await sharedLicense(service, issuer.issuer, 2)
    await invited({ email: "ada@example.com" })
    const token = (email_verified: unknown) => idToken(issuer, { ...ada, email_verified })
    for (const unverified of [false, undefined, "false", 1, "yes"]) {
      assert.strictEqual(detailOf(await signIn(token(unverified)), "USER_NOT_ALLOWED"), "email_not_verified")
    }
    await invited({ issuer: issuer.issuer, subject: "grace" })
    assert.strictEqual((await signIn(idToken(issuer, { sub: "grace" }))).status, 200)
    await consistent()
  })

  it("is refused for a token that is another's, old, changed, or signed by no private key", async () => {
    const { signIn } = await sharedLicense(service, issuer.issuer, 2, { admits: "anyone" })
    const now = Math.floor(Date.now() / 1000)
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const published = createPublicKey(issuer.keys[0]!.key).export({ type: "spki", format: "pem" }).toString()
    const cases = {
      audience: idToken(issuer, { ...ada, aud: "another-app" }),
      "audience of several": idToken(issuer, { ...ada, aud: [client.id, "another-app"] }),
      "audience, authorized party": idToken(issuer, { ...ada, azp: "another-app" }),
      issuer: idToken(issuer, { ...ada, iss: "https://login.example.com" }),
      expired: idToken(issuer, { ...ada, iat: now - 900, exp: now - 60 }),
      not_yet_valid: idToken(issuer, { ...ada, iat: now + 120 }),
      "malformed, no end": idToken(issuer, { ...ada, exp: undefined }),
      "malformed, nobody": idToken(issuer, { ...ada, sub: undefined }),
      signature: idToken(issuer, ada, { by: other }),
      "signature, unknown key": idToken(issuer, ada, { by: other, header: { kid: "none" } }),
      "algorithm, none": idToken(issuer, ada, {
        header: { alg: "none" },
        tampered: (token) => `${token.split(".").slice(0, 2).join(".")}.`
      }),
      "algorithm, HS256 with the public key": idToken(issuer, ada, { header: { alg: "HS256" }, hmac: published }),
      "malformed, no token": "not.a.token"
    }
    for (const [name, token] of Object.entries(cases)) {
      assert.strictEqual(detailOf(await signIn(token), "ID_TOKEN_INVALID"), name.split(/,| of/)[0], name)
    }
    const withNonce = idToken(issuer, { ...ada, nonce: "mine" })
    assert.strictEqual(detailOf(await signIn(withNonce, { id_token_nonce: "yours" }), "ID_TOKEN_INVALID"), "nonce")
    assert.strictEqual((await signIn(withNonce, { id_token_nonce: "mine" })).status, 200)
  })

  it("goes on by new keys, and by those that are known while the provider is away", async () => {
    const rotating = await new IdentityForge().open()
    const { signIn } = await sharedLicense(service, rotating.issuer, 9, { admits: "anyone" })
    assert.strictEqual((await signIn(idToken(rotating, ada))).status, 200)
    const before = idToken(rotating, ada)
    rotating.rotate()
    assert.strictEqual((await signIn(idToken(rotating, ada))).status, 200)
    assert.strictEqual(detailOf(await signIn(before), "ID_TOKEN_INVALID"), "signature")
    await rotating.close()
    assert.strictEqual((await signIn(idToken(rotating, { sub: "bob" }))).status, 200)
    const unknown = await new IdentityForge().open()
    unknown.failing = { "/jwks": 503 }
    const lost = await sharedLicense(service, unknown.issuer, 9, { admits: "anyone" })
    const error = refused(await lost.signIn(idToken(unknown, ada)), 503, "UNAVAILABLE")
    assert.strictEqual(error.detail, "identity_provider")
    // What no token can name makes the service ask without end.
    for (let turn = 0; turn < 8; turn++) await lost.signIn(idToken(unknown, ada))
    assert.isAtMost(unknown.asked.filter((path) => path === "/jwks").length, 5)
  })

  it("takes the tokens of two certified providers, each for its license alone", async () => {
    const redirectUri = "https://app.example/callback"
    const certified = await Promise.all([new CertifiedProvider().open(), new CertifiedProvider().open()])
    for (const provider of certified) provider.serve(redirectUri, {})
    const tokens = await Promise.all(certified.map((provider) => certifiedIdToken(provider, redirectUri, "ada")))
    const licenses = await Promise.all(
      certified.map((provider) => sharedLicense(service, provider.issuer, 1, { admits: "anyone" }))
    )
    for (const [index, license] of licenses.entries()) {
      assert.strictEqual((await license.signIn(tokens[index]!)).status, 200)
      assert.strictEqual((await license.users())[0]!["subject"], "ada")
      const foreign = await license.signIn(tokens[1 - index]!)
      assert.include(["signature", "issuer"], detailOf(foreign, "ID_TOKEN_INVALID"))
    }
  })

  it("admits exactly as many as there are seats, however many come at once, on two nodes", async () => {
    const second = await secondNode()
    const { signIn, users } = await sharedLicense(service, issuer.issuer, 3, { admits: "anyone" })
    const answers = await Promise.all(
      Array.from(
        { length: 100 },
        (_, index) => signIn(idToken(issuer, { sub: `racer-${index}` }), {}, index % 2 === 0 ? service : second)
      )
    )
    const granted = answers.filter(({ status }) => status === 200)
    assert.lengthOf(granted, 3)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assert.strictEqual(detailOf(answer, "USER_LIMIT_EXCEEDED"), "3 of 3 in use")
    }
    assert.lengthOf(await users("?status=active"), 3)
    await consistent()
  })

  it("is begun by an app that knows its key alone: it is told the issuer, signed for it", async () => {
    const { key, license } = await sharedLicense(service, issuer.issuer, 1)
    const ask = (licenseKey: string, nonce = "n-7f3a9c21d0") =>
      service.call("GET", "/api/v1/license/users/issuer", { licenseKey, headers: { "x-nonce": nonce } })
    refused(await ask(key, "short"), 400, "INVALID_HEADER")
    const { text } = await ask(key)
    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const { data } = await verifyEnvelope({ body: text, publicKeys, expected: { nonce: "n-7f3a9c21d0" } })
    assert.deepInclude(data, { license_id: license.id, issuer: issuer.issuer, audience: client.id })
    assert.strictEqual(detailOf(await ask((await service.issue({})).key), "USER_NOT_ALLOWED"), "no_users")
    assert.strictEqual(detailOf(await ask((await shared(1)).key), "USER_NOT_ALLOWED"), "no_issuer")
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`, {})
    assert.strictEqual(detailOf(await ask(key), "LICENSE_INACTIVE"), "suspended")
  })

  it("is refused where the terms have no users, or no issuer", async () => {
    const without = await service.issue({})
    const token = idToken(issuer, ada)
    const signIn = (key: string) => service.license("users/sign-in", key, { id_token: token })
    assert.strictEqual(detailOf(await signIn(without.key), "USER_NOT_ALLOWED"), "no_users")
    const untrusting = await shared(1)
    assert.strictEqual(detailOf(await signIn(untrusting.key), "USER_NOT_ALLOWED"), "no_issuer")
    const body = { trusted_issuer: { issuer: "http://login.example.com", audience: "app" } }
    refused(await service.call("PATCH", untrusting.path, { body }), 422, "VALIDATION_ERROR")
  })
})

describe("a license with users", () => {
  it("runs for those who are signed in alone, and until they are removed", async () => {
    const { call, remove, signedIn, users } = await sharedLicense(service, issuer.issuer, 2, {
      admits: "anyone",
      policy: { max_floating_users: 2 }
    })
    const required = (answer: Answer) => detailOf(answer, "USER_SIGN_IN_REQUIRED")
    assert.strictEqual(required(await call("activate", "a")), "missing")
    const token = await signedIn(idToken(issuer, ada))
    const activated = await call("activate", "a", token)
    assert.strictEqual(activated.status, 200, activated.text)
    assert.match(activated.body.data.user_id, /^usr_/)
    for (const operation of ["validate", "check", "offline"]) {
      assert.strictEqual((await call(operation, "a", token)).status, 200, operation)
      assert.strictEqual(required(await call(operation, "a")), "missing", operation)
    }
    const lease = await call("floating/checkout", "b", token)
    assert.strictEqual(lease.status, 200, lease.text)
    const beat = (user_token?: string) =>
      call("floating/heartbeat", "b", user_token, { fingerprint: undefined, lease_token: lease.body.data.lease_token })
    assert.strictEqual(required(await beat()), "missing")
    assert.strictEqual((await beat(token)).status, 200)
    // The last character has bits that stand for nothing: each other one is refused, whatever the bytes.
    const others = ["A", "B", "C", "D", "x"].flatMap((last) => token.endsWith(last) ? [] : [token.slice(0, -1) + last])
    for (const wrong of [token.slice(0, -2), ...others, "csu_none", "x"]) {
      assert.strictEqual(required(await call("validate", "a", wrong)), "invalid", wrong)
    }
    await remove((await users())[0]!["id"])
    assert.strictEqual(required(await call("validate", "a", token)), "removed")
    assert.strictEqual(required(await call("activate", "a", token)), "removed")
    const { signIn } = { signIn: (sub: string) => signedIn(idToken(issuer, { sub })) }
    assert.match(await signIn("grace"), /^csu_/)
    await consistent()
  })

  it("asks every operation of apps for its user and for the user's own device, but for those that free a seat or sign in", async () => {
    const more: Readonly<Record<string, object>> = {
      activateLicense: {},
      validateLicense: {},
      checkLicense: {},
      consumeLicense: { feature_code: "x", event_id: "e", amount: 1 },
      refundOwnUsage: { feature_code: "x", event_id: "e" },
      issueOfflineLicense: {},
      checkoutFloatingLicense: {},
      heartbeatFloatingLicense: {}
    }
    const without: Readonly<Record<string, string>> = {
      deactivateLicense: "whoever has gone still gives a seat back",
      checkinFloatingLicense: "whoever has gone still gives a seat back",
      listOwnDevices: "who names nobody sees the devices of nobody",
      releaseOwnDevice: "who names nobody releases the devices of nobody",
      getUsageReceipt: "the user is named by a header, and judged below",
      getUserIssuer: "nobody is signed in yet",
      beginUserMailSignIn: "nobody is signed in yet",
      signInLicenseUser: "nobody is signed in yet"
    }
    const ofApps = operations.filter(({ declaration }) => declaration.scope === "license")
    assert.sameMembers(ofApps.map(({ operationId }) => operationId), [more, without].flatMap(Object.keys))
    const { call, signedIn } = await sharedLicense(service, issuer.issuer, 2, {
      admits: "anyone",
      policy: { max_floating_users: 9 }
    })
    const [adas, graces] = [await signedIn(idToken(issuer, ada)), await signedIn(idToken(issuer, { sub: "grace" }))]
    assert.strictEqual((await call("activate", "a", adas)).status, 200)
    const { lease_token } = (await call("floating/checkout", "b", adas)).body.data
    const taking = new Set(["activateLicense", "checkoutFloatingLicense"])
    for (const { operationId, path } of ofApps.filter((operation) => !Object.hasOwn(without, operation.operationId))) {
      const body = operationId === "heartbeatFloatingLicense"
        ? { fingerprint: undefined, lease_token }
        : more[operationId]
      const ask = (token?: string) => call(path.slice("/api/v1/license/".length), "a", token, body)
      assert.strictEqual(detailOf(await ask(), "USER_SIGN_IN_REQUIRED"), "missing", operationId)
      if (!taking.has(operationId)) {
        assert.strictEqual((await ask(graces)).body.error?.detail, "other_user", operationId)
      }
    }
  })

  it("is known to a rehearsal of the policy", async () => {
    const { key, license: { id }, policy } = await service.issue({ policy: { max_activations: 3, max_users: 3 } })
    await service.data("PATCH", `/api/v1/licenses/${id}`, {
      trusted_issuer: { issuer: issuer.issuer, audience: client.id, admits: "anyone" }
    })
    const tokenOf = async (sub: string): Promise<string> =>
      (await service.license("users/sign-in", key, { id_token: idToken(issuer, { sub }) })).body.data.user_token
    const [ada, grace] = [await tokenOf("ada"), await tokenOf("grace")]
    const calls = [["activate", "one", ada], ["activate", "two", ada], ["validate", "two", ada], [
      "activate",
      "three",
      grace
    ]]
    for (const [operation, fingerprint, user_token] of calls) {
      assert.strictEqual((await service.license(operation!, key, { fingerprint, user_token })).status, 200)
    }
    refused(await service.license("validate", key, { fingerprint: "one" }), 403, "USER_SIGN_IN_REQUIRED")
    const found = await eventually("the calls are recorded", async () => {
      const body = { change: { max_devices_per_user: 1 } }
      const { data } = (await service.call("POST", `/api/v1/policies/${policy.id}/rehearse`, { body })).body
      return data.calls.all === 5 ? data : undefined
    })
    assert.deepInclude(found, {
      calls: { all: 5, same: 3, refused: 2, granted: 0, unknown: 0 },
      refused: [
        { code: "DEVICE_NOT_ACTIVATED", licenses: 1, devices: 1, calls: 1 },
        { code: "USER_DEVICE_LIMIT_EXCEEDED", licenses: 1, devices: 1, calls: 1 }
      ]
    })
    // They sign in within moments here, which a rehearsal could not put in an order.
    const database = await session(service.databaseUrl)
    const move = (hours: number) =>
      database.query(
        `UPDATE license_users SET joined_at = joined_at + make_interval(hours => $2),
          created_at = created_at + make_interval(hours => $2) WHERE license_id = $1 AND subject = 'ada'`,
        [id, hours]
      )
    const rehearsed = async (max_users: number) => {
      const body = { change: { max_users } }
      return (await service.call("POST", `/api/v1/policies/${policy.id}/rehearse`, { body })).body.data
    }
    await move(-1)
    const [one, more] = await Promise.all([1, 9].map(rehearsed))
    // What the log says of them is so again.
    await move(1)
    assert.deepInclude(one, {
      calls: { all: 5, same: 4, refused: 1, granted: 0, unknown: 0 },
      refused: [{ code: "USER_SIGN_IN_REQUIRED", licenses: 1, devices: 1, calls: 1 }],
      rules: [{ name: "max_users", before: 3, after: 1, is_rehearsed: true }]
    })
    assert.deepInclude(more.calls, { same: 5 }, "nobody asked in vain")
  })

  it("sees and releases its own devices and those of nobody, and no colleague's, by whichever way", async () => {
    const issued = await service.issue({ policy: { max_activations: 3, self_service: true } })
    const { key, license: { id } } = issued
    const ofNobody = (await service.license("activate", key, { fingerprint: "old" })).body.data.device_id
    await service.data("PATCH", `/api/v1/licenses/${id}`, {
      overrides: { max_users: 3 },
      trusted_issuer: { issuer: issuer.issuer, audience: client.id, admits: "anyone" }
    })
    const signedIn = async (sub: string) => {
      const { body } = await service.license("users/sign-in", key, { id_token: idToken(issuer, { sub }) })
      const user_token: string = body.data.user_token
      const { device_id } = (await service.license("activate", key, { fingerprint: sub, user_token })).body.data
      return { device_id, user_token }
    }
    const [adas, graces] = [await signedIn("ada"), await signedIn("grace")]
    const headersOf = (token?: string) => ({
      licenseKey: key,
      headers: { "idempotency-key": randomUUID(), ...(token === undefined ? {} : { "x-user-token": token }) }
    })
    const list = (token?: string) => service.call("GET", "/api/v1/license/devices", headersOf(token))
    const listed = async (token?: string) => (await list(token)).body.data.map((device: Body) => device.id)
    const release = (device: string, token?: string) =>
      service.call("POST", `/api/v1/license/devices/${device}/release`, headersOf(token))
    assert.deepStrictEqual(await listed(), [ofNobody])
    assert.sameMembers(await listed(adas.user_token), [adas.device_id, ofNobody])
    assert.sameMembers(await listed(graces.user_token), [graces.device_id, ofNobody])
    const false_ = await list(`${adas.user_token.slice(0, -2)}xx`)
    assert.strictEqual(detailOf(false_, "USER_SIGN_IN_REQUIRED"), "invalid")
    for (const token of [undefined, graces.user_token]) {
      refused(await release(adas.device_id, token), 404, "NOT_FOUND")
    }
    // Nor is it had by an activation that finds no free seat, as its explanation says.
    const wanted = { fingerprint: "new", take_seat_of: adas.device_id, user_token: graces.user_token }
    refused(await service.license("activate", key, wanted), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const { take_seat_of, ...binding } = wanted
    const explain = (user_token: string) =>
      service.data("POST", `/api/v1/licenses/${id}/explain`, {
        operation: "activate",
        binding: { ...binding, user_token },
        take_seat_of
      })
    assert.strictEqual((await explain(graces.user_token)).deciding_rule, "activation_limit")
    assert.isTrue((await explain(adas.user_token)).is_allowed)
    const taken = await service.license("activate", key, { ...wanted, take_seat_of: graces.device_id })
    assert.strictEqual(taken.status, 200, taken.text)
    assert.strictEqual((await release(adas.device_id, adas.user_token)).status, 200)
    assert.strictEqual((await release(ofNobody)).status, 200)
    assert.deepStrictEqual(await listed(), [])
    await consistent()
  })

  it("shows each user the receipts of usage on their own devices alone", async () => {
    const { call, key, policy, product, signedIn } = await sharedLicense(service, issuer.issuer, 2, {
      admits: "anyone"
    })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "X", code: "x" })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 10
    })
    const [adas, graces] = [await signedIn(idToken(issuer, ada)), await signedIn(idToken(issuer, { sub: "grace" }))]
    assert.strictEqual((await call("activate", "a", adas)).status, 200)
    const used = await call("consume", "a", adas, { feature_code: "x", event_id: "e1", amount: 1 })
    assert.strictEqual(used.status, 200, used.text)
    const ask = (token?: string) =>
      service.call("GET", "/api/v1/license/receipt?event_id=e1", {
        licenseKey: key,
        ...(token === undefined ? {} : { headers: { "x-user-token": token } })
      })
    assert.strictEqual(detailOf(await ask(), "USER_SIGN_IN_REQUIRED"), "missing")
    assert.strictEqual(detailOf(await ask("csu_none"), "USER_SIGN_IN_REQUIRED"), "invalid")
    refused(await ask(graces), 404, "NOT_FOUND")
    await eventually("a checkpoint covers the use", async () => (await ask(adas)).status === 200)
  })

  it("takes no credential of another license", async () => {
    const [mine, others] = [
      await sharedLicense(service, issuer.issuer, 1, { admits: "anyone" }),
      await sharedLicense(service, issuer.issuer, 1, { admits: "anyone" })
    ]
    const theirs = await others.signedIn(idToken(issuer, ada))
    await mine.signedIn(idToken(issuer, ada))
    assert.strictEqual(detailOf(await mine.call("activate", "a", theirs), "USER_SIGN_IN_REQUIRED"), "invalid")
  })

  it("lets nobody in again who was removed, unless invited anew", async () => {
    const { invited, remove, signIn, users } = await sharedLicense(service, issuer.issuer, 2, { admits: "anyone" })
    await signIn(idToken(issuer, ada))
    await remove((await users())[0]!["id"])
    assert.strictEqual(detailOf(await signIn(idToken(issuer, ada)), "USER_NOT_ALLOWED"), "removed")
    await invited({ email: ada.email })
    assert.strictEqual((await signIn(idToken(issuer, ada))).status, 200)
  })

  it("follows a user to as many devices as the terms allow, and passes a device on", async () => {
    const { call, path, signedIn } = await sharedLicense(service, issuer.issuer, 2, {
      admits: "anyone",
      policy: { max_devices_per_user: 2, max_floating_users: 9 }
    })
    const [adas, graces] = [await signedIn(idToken(issuer, ada)), await signedIn(idToken(issuer, { sub: "grace" }))]
    const all = await Promise.all(["a", "b", "c", "d", "e"].map((fingerprint) => call("activate", fingerprint, adas)))
    assert.deepStrictEqual(all.map(({ status }) => status).toSorted(), [200, 200, 403, 403, 403])
    const over = all.find(({ status }) => status === 403)!
    assert.strictEqual(detailOf(over, "USER_DEVICE_LIMIT_EXCEEDED"), "2 of 2 in use")
    detailOf(await call("floating/checkout", "f", adas), "USER_DEVICE_LIMIT_EXCEEDED")
    const devices: Array<Body> = await service.data("GET", `${path}/devices?status=active`)
    const [first, second] = devices.map(({ fingerprint }) => String(fingerprint))
    // Once more on her own devices takes no other.
    assert.strictEqual((await call("activate", first!, adas)).status, 200)
    assert.strictEqual((await call("activate", first!, graces)).status, 200)
    assert.strictEqual(refused(await call("validate", first!, adas), 404, "DEVICE_NOT_ACTIVATED").detail, "other_user")
    const mine = refused(
      await call("usage/refund", first!, adas, { feature_code: "x", event_id: "e" }),
      404,
      "DEVICE_NOT_ACTIVATED"
    )
    assert.strictEqual(mine.detail, "other_user")
    assert.strictEqual((await call("validate", first!, graces)).status, 200)
    assert.strictEqual((await call("activate", "g", adas)).status, 200)
    assert.strictEqual((await call("deactivate", second!)).status, 200)
    await consistent()
  })

  it("is explained as its calls are answered", async () => {
    const { call, path, remove, signedIn, users } = await sharedLicense(service, issuer.issuer, 1, { admits: "anyone" })
    const sql = await session(service.databaseUrl)
    const instant = async (): Promise<string> =>
      (await sql.query(
        "SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' AS at, pg_sleep(0.003)"
      ))[0].at.toISOString()
    const before = await instant()
    const token = await signedIn(idToken(issuer, ada))
    await call("activate", "a", token)
    const explained = async (binding: object, at?: string): Promise<Body> =>
      service.data("POST", `${path}/explain`, {
        operation: "validate",
        binding: { fingerprint: "a", ...binding },
        ...(at === undefined ? {} : { at })
      })
    assert.strictEqual((await explained({})).deciding_rule, "user_required")
    assert.isTrue((await explained({ user_token: token })).is_allowed)
    // A time that is past is judged by who had a seat then.
    const seated = await instant()
    await remove((await users())[0]!["id"])
    const problems = async (at?: string) =>
      (await explained({ user_token: token }, at)).findings.map(({ detail }: Body) => detail)
    assert.include(await problems(), "removed")
    assert.isTrue((await explained({ user_token: token }, seated)).is_allowed)
    assert.include(await problems(before), "invalid")
  })

  it("is explained of the past as each of its calls was answered then, whoever's its devices are by now", async () => {
    const { call, invited, path, remove, signedIn, users } = await sharedLicense(service, issuer.issuer, 2, {
      admits: "anyone",
      policy: { max_activations: 2, max_devices_per_user: 1, self_service: true, max_floating_users: 1 }
    })
    const sql = await session(service.databaseUrl)
    const tokens = {
      ada: await signedIn(idToken(issuer, ada)),
      grace: await signedIn(idToken(issuer, { sub: "grace" }))
    }
    const { upTo } = chance("calls of users")
    const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(upTo(values.length))]!
    const ids = new Map<string, string>()
    const answered: Array<
      { readonly at: string; readonly asked: object; readonly code: string; readonly says: string }
    > = []
    const calls = 60
    for (let step = 0; step < calls; step++) {
      const [operation, fingerprint, who] = [
        pick(["activate", "activate", "validate", "deactivate", "checkout"]),
        pick(["a", "b", "c"]),
        pick(["ada", "grace"] as const)
      ]
      const takes = operation === "activate" && ids.size > 0 && upTo(2) < 1 ? pick([...ids.values()]) : undefined
      const [row] = await sql.query(
        "SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' AS at, pg_sleep(0.003)"
      )
      const more = takes === undefined ? {} : { take_seat_of: takes }
      const { body } = await call(
        operation === "checkout" ? "floating/checkout" : operation,
        fingerprint,
        tokens[who],
        more
      )
      if (body.data?.device_id !== undefined) ids.set(fingerprint, body.data.device_id)
      answered.push({
        at: row.at.toISOString(),
        asked: { operation, binding: { fingerprint, user_token: tokens[who] }, ...more },
        code: body.error?.code ?? "granted",
        says: `${step}. ${who} ${operation} ${fingerprint} ${takes ?? ""}`
      })
      if (step === calls / 2) {
        const [{ id, subject }] = await users() as [Body]
        await remove(id)
        await invited({ issuer: issuer.issuer, subject })
        tokens.ada = await signedIn(idToken(issuer, ada))
        tokens.grace = await signedIn(idToken(issuer, { sub: "grace" }))
      }
    }
    for (const { asked, at, code, says } of answered) {
      const { findings } = await service.data("POST", `${path}/explain`, { ...asked, at })
      assert.strictEqual(
        findings[0]?.code ?? "granted",
        code,
        `${says}\n${answered.map((one) => `${one.says}: ${one.code}`).join("\n")}`
      )
    }
    assert.isAtLeast(new Set(answered.map(({ code }) => code)).size, 4)
  })

  it("gives seats back by the rules of devices when its policy has fewer", async () => {
    const { id, path, product, signedIn, users } = await sharedLicense(service, issuer.issuer, 3, { admits: "anyone" })
    for (const sub of ["first", "second", "third"]) await signedIn(idToken(issuer, { sub }))
    const small = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Small",
      code: randomUUID(),
      license_type: "subscription",
      max_activations: 9,
      max_users: 1
    })
    const change = (devices?: string) =>
      service.call("POST", `${path}/change-policy`, {
        body: { policy_id: small.id, ...(devices === undefined ? {} : { devices }) },
        headers: { "idempotency-key": randomUUID() }
      })
    const conflict = refused(await change(), 409, "STATE_CONFLICT")
    assert.strictEqual(conflict.detail, "3 seats of users taken, 1 in the policy")
    const answer = await change("reset_newest")
    assert.strictEqual(answer.status, 200, answer.text)
    assert.lengthOf(answer.body.data.changes.filter(({ kind }: Body) => kind === "user"), 2)
    assert.deepStrictEqual((await users("?status=active")).map(({ subject }) => subject), ["first"])
    assert.deepStrictEqual(
      (await users("?status=removed")).map(({ removed_because }) => removed_because),
      ["reduced", "reduced"]
    )
    assert.isDefined(id)
    await consistent()
  })

  it("has no files for machines without a network, and is left without an issuer by a transfer", async () => {
    const { key, path } = await sharedLicense(service, issuer.issuer, 1, {
      license: { customer_id: (await customer()).id }
    })
    const answer = await service.call("POST", `${path}/offline-files`, {
      body: { fingerprint: "plant", license_key: key }
    })
    assert.strictEqual(detailOf(answer, "OFFLINE_NOT_ALLOWED"), "users")
    assert.strictEqual((await service.data("GET", path)).trusted_issuer.admits, "invited")
    await service.data("POST", `${path}/transfer`, { customer_id: (await customer()).id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    assert.notProperty(await service.data("GET", path), "trusted_issuer")
    await consistent()
  })
})

describe("the users of a license, in random histories on two nodes", () => {
  const mostDevices = 2

  it.each([["invited"], ["anyone"]] as const)(
    "follow a model in plain code where the issuer admits %s",
    async (admits) => {
      const seed = Number(process.env["COUNTERSIGN_TEST_SEED"] ?? Date.now() % 2 ** 31)
      const random = makeRandom(seed)
      const provider = await new IdentityForge().open()
      const nodes = [service, await secondNode()]
      const terms = (max_users: number) => ({
        max_activations: 99,
        max_users,
        max_devices_per_user: mostDevices,
        max_transfers: 99
      })
      const model = new UserModel(2)
      const { id, path, product, users, ...issued } = await sharedLicense(service, provider.issuer, model.seats, {
        admits,
        policy: terms(2),
        license: { customer_id: (await customer()).id }
      })
      const policies = await Promise.all(
        [1, 2, 4].map((seats) =>
          service.data("POST", `/api/v1/products/${product.id}/policies`, {
            name: `${seats} seats`,
            code: randomUUID(),
            license_type: "subscription",
            ...terms(seats)
          })
        )
      )
      const keyed = () => ({ headers: { "idempotency-key": randomUUID() } })
      const tokens = new Map<string, string>()
      let key = issued.key
      let owner: string | undefined = (await service.data("GET", path)).customer_id
      let rotations = 0

      const trust = () =>
        service.data("PATCH", path, { trusted_issuer: { issuer: provider.issuer, audience: client.id, admits } })
      const invite = async (subject: string) => {
        const body = random.chance(0.6) ? { email: addressOf(subject) } : { issuer: provider.issuer, subject }
        const answer = await service.call("POST", `${path}/users`, { body })
        if (model.isTaken(body)) return void refused(answer, 409, "CONFLICT")
        assert.strictEqual(answer.status, 201, answer.text)
        model.invited(answer.body.data.id, body)
      }
      const signIn = async (subject: string) => {
        const expected = model.expected(subject, admits === "anyone")
        const token = idToken(provider, { sub: subject, email: addressOf(subject), email_verified: true })
        const answer = await random.pick(nodes).license("users/sign-in", key, { id_token: token })
        if ("refused" in expected) {
          assert.strictEqual(answer.status, 403, answer.text)
          assert.strictEqual(answer.body.error.detail, expected.refused, subject)
          return
        }
        assert.strictEqual(answer.status, 200, `${subject}: ${answer.text}`)
        const { user_id, user_token } = answer.body.data
        if (expected.user === "new") assert.notInclude(model.users.map((user) => user.id), user_id)
        else assert.strictEqual(user_id, expected.user)
        model.signedIn(user_id, subject)
        tokens.set(user_id, user_token)
      }
      const remove = async () => {
        const user = random.pick(model.users)
        await service.data("POST", `${path}/users/${user.id}/remove`, {}, keyed())
        model.removed([user.id], "removed")
      }
      const activate = async () => {
        const [user, token] = random.pick([...tokens])
        const device = `device-${random.below(6)}`
        const answer = await random.pick(nodes).license("activate", key, { fingerprint: device, user_token: token })
        if (model.active.every((one) => one.id !== user)) {
          return void assert.strictEqual(detailOf(answer, "USER_SIGN_IN_REQUIRED"), "removed")
        }
        if (!model.mayActivate(user, device, mostDevices)) {
          return void refused(
            answer,
            403,
            "USER_DEVICE_LIMIT_EXCEEDED"
          )
        }
        assert.strictEqual(answer.status, 200, answer.text)
        model.devices.set(device, user)
      }
      const reseat = async () => {
        const policy = random.pick(policies.filter(({ max_users }) => max_users !== model.seats))
        const choice = random.pick(["keep", "refuse", "reset_newest"] as const)
        const body = { policy_id: policy.id, ...(choice === "refuse" ? {} : { devices: choice }) }
        const answer = await service.call("POST", `${path}/change-policy`, { body, ...keyed() })
        if (model.reseated(policy.max_users, choice)) return void assert.strictEqual(answer.status, 200, answer.text)
        refused(answer, 409, "STATE_CONFLICT")
      }
      const transfer = async () => {
        const { id: next } = await customer()
        await service.data("POST", `${path}/transfer`, { customer_id: next, reset_devices: true }, keyed())
        owner = next
        model.ended("transferred")
        model.devices.clear()
        await trust()
      }
      const erase = async () => {
        if (owner === undefined) return
        await service.data("POST", `/api/v1/customers/${owner}/erase`, {}, keyed())
        model.ended("erased")
        await trust()
      }
      const rotate = async () => {
        // A node asks an issuer five times a minute at most.
        if (++rotations <= 2) provider.rotate()
        else key = (await service.data("POST", `${path}/rotate-key`, {}, keyed())).license_key
      }
      const compare = async () => {
        const found = (await users("?limit=100&order=asc")).map((user) => [
          user["id"],
          user["status"],
          user["removed_because"],
          user["email"],
          user["subject"]
        ])
        const modelled = model.users.toSorted((a, b) => a.id < b.id ? -1 : 1)
          .map((user) => [user.id, user.status, user.removed_because, user.email, user.subject])
        assert.deepStrictEqual(found, modelled)
      }
      try {
        const people = ["ada", "bob", "cleo", "dan", "eve"]
        for (let step = 0; step < 45; step++) {
          const chance = random.below(100)
          if (chance < 25) await invite(random.pick(people))
          else if (chance < 60) await signIn(random.pick(people))
          else if (chance < 75) await (tokens.size > 0 ? activate() : signIn(random.pick(people)))
          else if (chance < 83) await (model.users.length > 0 ? remove() : invite(random.pick(people)))
          else if (chance < 91) await reseat()
          else if (chance < 94) await rotate()
          else if (chance < 97) await transfer()
          else await erase()
          if (step % 10 === 9) await compare()
        }
        const active = (await service.data("GET", `${path}/devices?status=active`)).map((device: Body) => device.id)
        assert.lengthOf(active, model.devices.size)
        await consistent()
      } catch (error) {
        throw new Error(`COUNTERSIGN_TEST_SEED=${seed} repeats it`, { cause: error })
      }
      assert.isDefined(id)
    }
  )
})
