// What those have who use a license, briefly: a seat for each person, devices that are given back, and uses that are refunded.
// What each of it is in races, over months and after faults is in test/world/http.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import { idToken, sharedLicense } from "../../fixtures/LicenseUsers.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { mailedLicense, signInSecretsOf } from "../../fixtures/MailUsers.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const server = await new MailServer().start()
const issuer = await new IdentityForge().open()
const service = await startService({
  environment: {
    COUNTERSIGN_PORTAL: "on",
    COUNTERSIGN_SMTP_URL: server.url,
    COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>"
  }
})

/** The kinds of the events about a license, of those that begin so. */
const told = async (licenseId: string, family: string): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${licenseId}`)).map(({ event_type }) => event_type)
    .filter((type: string) => type.startsWith(family))
const detailOf = (answer: Answer, code: string): string => refused(answer, 403, code).detail
const once = () => ({ "idempotency-key": randomUUID() })

describe("a user of a license", () => {
  it("is invited, signs in at the issuer that the license trusts, works, is removed, and is erased", async () => {
    const { call, id, invited, key } = await sharedLicense(service, issuer.issuer, 1)
    const other = await sharedLicense(service, issuer.issuer, 1)
    const headers = { "x-nonce": "n-7f3a9c21d0" }
    const { text } = await service.call("GET", "/api/v1/license/users/issuer", { licenseKey: key, headers })
    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const { data } = await verifyEnvelope({ body: text, publicKeys, expected: { nonce: headers["x-nonce"] } })
    assert.deepInclude(data, { license_id: id, issuer: issuer.issuer, audience: client.id })
    const alone = await service.issue()
    const none = await service.call("GET", "/api/v1/license/users/issuer", { licenseKey: alone.key })
    assert.strictEqual(detailOf(none, "USER_NOT_ALLOWED"), "no_users")

    const { id: userId } = await invited({ email: "ada@example.com" })
    const signIn = (sub: string, email: string) =>
      service.license("users/sign-in", key, { id_token: idToken(issuer, { sub, email, email_verified: true }) })
    assert.strictEqual(detailOf(await signIn("eve", "eve@example.com"), "USER_NOT_ALLOWED"), "not_invited")
    const user = (): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}/users/${userId}`)
    assert.strictEqual((await user()).status, "invited")
    const { user_token } = (await signIn("ada", "ada@example.com")).body.data
    assert.deepInclude(await user(), { status: "active", issuer: issuer.issuer, subject: "ada" })
    assert.strictEqual((await call("activate", "laptop", user_token)).status, 200)

    const remove = `/api/v1/licenses/${other.id}/users/${userId}/remove`
    refused(await service.call("POST", remove, { body: {} }), 404, "NOT_FOUND")
    refused(await service.call("GET", `/api/v1/licenses/${other.id}/users/${userId}`), 404, "NOT_FOUND")
    await service.data("POST", `/api/v1/licenses/${id}/users/${userId}/remove`, {})
    const listed = await service.data("GET", `/api/v1/licenses/${id}/users?status=removed`)
    assert.deepStrictEqual(listed.map((one: Body) => [one.id, one.removed_because]), [[userId, "removed"]])
    assert.strictEqual(detailOf(await call("validate", "laptop", user_token), "USER_SIGN_IN_REQUIRED"), "removed")
    assert.deepStrictEqual(await told(id, "license.user_"), [
      "license.user_invited",
      "license.user_joined",
      "license.user_device_changed",
      "license.user_removed"
    ])

    refused(await service.call("POST", `/api/v1/licenses/${other.id}/users/${userId}/erase`), 404, "NOT_FOUND")
    await service.data("POST", `/api/v1/licenses/${id}/users/${userId}/erase`, {})
    assert.deepInclude(await user(), { status: "removed", removed_because: "erased" })
    assert.doesNotHaveAnyKeys(await user(), ["email", "name", "issuer", "subject"])
    assert.notInclude(JSON.stringify(await service.feed(`&resource_id=${id}`)), "ada@example.com")
  })

  it("signs in by the code of a mail where the license trusts no issuer, and nobody else gets one", async () => {
    const { finish, invite, key, license, users } = await mailedLicense(service, 1)
    await invite({ email: "grace@example.com" })
    const begun = await service.license("users/mail-sign-ins", key, { email: "grace@example.com" })
    const stranger = await service.license("users/mail-sign-ins", key, { email: "eve@example.com" })
    for (const answer of [begun, stranger]) assert.strictEqual(answer.status, 200, answer.text)
    assert.sameMembers(Object.keys(begun.body.data), Object.keys(stranger.body.data), "it does not say who is invited")
    const { code } = signInSecretsOf((await server.to("grace@example.com"))[0]!)
    const { sign_in_token: token } = begun.body.data
    assert.strictEqual(detailOf(await finish(token), "MAILBOX_NOT_PROVEN"), "pending")
    assert.strictEqual(detailOf(await finish(stranger.body.data.sign_in_token, code), "MAILBOX_NOT_PROVEN"), "invalid")
    const answer = await finish(token, code)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepInclude((await users())[0], { status: "active", email: "grace@example.com" })
    assert.isUndefined(server.named.get("eve@example.com"))
    assert.deepStrictEqual(await told(license.id, "license.user_"), ["license.user_invited", "license.user_joined"])
    const trusting = await sharedLicense(service, issuer.issuer, 1)
    const wrong = await service.license("users/mail-sign-ins", trusting.key, { email: "grace@example.com" })
    assert.strictEqual(detailOf(wrong, "USER_NOT_ALLOWED"), "issuer")
  })
})

describe("the own devices of a license", () => {
  it("are listed, and give their seat back, for whoever has its key and no other", async () => {
    const terms = { policy: { max_activations: 1, self_service: true } }
    const [{ key, license }, stranger] = [await service.issue(terms), await service.issue(terms)]
    const { device_id: id } = (await service.license("activate", key, { fingerprint: "a", hostname: "desk" })).body.data
    const list = async (licenseKey: string): Promise<ReadonlyArray<Body>> =>
      (await service.call("GET", "/api/v1/license/devices", { licenseKey })).body.data
    assert.deepStrictEqual((await list(key)).map((one) => [one.id, one.name]), [[id, "desk"]])
    assert.deepStrictEqual(await list(stranger.key), [])
    refused(await service.license("activate", key, { fingerprint: "b" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const release = (licenseKey: string) =>
      service.call("POST", `/api/v1/license/devices/${id}/release`, { licenseKey, headers: once() })
    refused(await release(stranger.key), 404, "NOT_FOUND")
    assert.lengthOf(await list(key), 1)
    assert.strictEqual((await release(key)).body.data.status, "reset")
    assert.deepStrictEqual(await list(key), [])
    assert.strictEqual((await service.license("activate", key, { fingerprint: "b" })).status, 200)
    const [event] = await service.feed(`&event_type=device.reset&resource_id=${id}`)
    assert.deepInclude(event, { actor_type: "license", actor_id: license.id })
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { overrides: { self_service: false } })
    refused(await release(key), 403, "SELF_SERVICE_NOT_ALLOWED")
    refused(
      await service.call("GET", "/api/v1/license/devices", { licenseKey: key }),
      403,
      "SELF_SERVICE_NOT_ALLOWED"
    )
  })
})

describe("a refund of a use", () => {
  it("is the vendor's at any time and the app's where its terms allow it, and gives back no more than was used", async () => {
    const { consume, key, license, path, shown } = await soldUnder(service, [{ max_consumptions: 10 }])
    assert.strictEqual((await consume(6, service, "use")).status, 200)
    assert.deepInclude(await shown(), { remaining: 4 })
    const use = { feature_code: "render", event_id: "use" }
    const refundOwn = (amount: number) =>
      service.license("usage/refund", key, { fingerprint: "a", ...use, amount }, once())
    const refund = (amount: number) =>
      service.call("POST", `/api/v1/licenses/${license.id}/usage/refund`, { body: { ...use, amount } })
    assert.strictEqual(detailOf(await refundOwn(2), "REFUND_NOT_ALLOWED"), "the policy does not allow it")
    assert.deepInclude((await refund(1)).body.data, { amount: 1, refunded: 1 })
    assert.deepInclude(await shown(), { remaining: 5 })
    await service.data("PATCH", path, { overrides: { refund_window_minutes: 60 } })
    assert.deepInclude((await refundOwn(2)).body.data.refund, { amount: 2, refunded: 3 })
    refused(await refund(4), 422, "VALIDATION_ERROR")
    refused(await refundOwn(4), 422, "VALIDATION_ERROR")
    assert.deepInclude((await refund(3)).body.data, { amount: 3, refunded: 6 })
    assert.deepInclude(await shown(), { remaining: 10 })
    assert.strictEqual(refused(await refund(1), 409, "STATE_CONFLICT").detail, "refunded")
    const events = await service.feed(`&event_type=license.usage_reset&resource_id=${license.id}`)
    assert.deepStrictEqual(events.map(({ actor_type }) => actor_type), ["api_key", "license", "api_key"])
  })
})
