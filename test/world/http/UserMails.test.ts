// Mails to the users of licenses: invitations, and sign-ins by a mail where a license trusts no identity provider.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { examine } from "../../fixtures/Doctor.ts"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import { idToken } from "../../fixtures/LicenseUsers.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { playMailUsers } from "../../fixtures/MailUserHistory.ts"
import { administeredLicense, mailedLicense, mailPage, signInSecretsOf as secretsOf } from "../../fixtures/MailUsers.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const server = await new MailServer().start()
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_PORTAL: "on",
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>"
}

let service: Service
let node: Service
let sql: Session

beforeAll(async () => {
  service = await startService({ environment })
  node = await startService({ databaseUrl: service.databaseUrl, environment })
  sql = await session(service.databaseUrl)
})

const shared = (max_users: number, policy: object = {}, license: object = {}) =>
  mailedLicense(service, max_users, policy, license)

const detailOf = (answer: Answer, code: string): string => refused(answer, 403, code).detail
const consistent = async () => assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

const page = (method: string, path: string, form?: Record<string, string>) => mailPage(service, method, path, form)

describe("an invitation", () => {
  it("is mailed where it is asked for, or where the policy says so", async () => {
    const { invite } = await shared(2)
    assert.strictEqual((await invite({ email: "quiet@example.com" })).status, 201)
    assert.strictEqual((await invite({ email: "ada@example.com", delivery: "mail" })).status, 201)
    refused(
      await invite({ issuer: "https://login.example.com", subject: "1", delivery: "mail" }),
      422,
      "VALIDATION_ERROR"
    )
    const named = await shared(2, { mails: ["user_invited"] })
    await named.invite({ email: "grace@example.com" })
    await named.invite({ email: "still@example.com", delivery: "none" })
    for (const email of ["ada@example.com", "grace@example.com"]) {
      assert.include((await server.to(email))[0]!.raw, "sign in with this")
    }
    for (const email of ["quiet@example.com", "still@example.com"]) assert.isUndefined(server.named.get(email))
    await consistent()
  })
})

describe("a sign-in by mail", () => {
  it("takes the seat of an invitation by the code, which works in the app that asked alone", async () => {
    const { activate, begin, finish, invite, renew, remove, users } = await shared(1)
    await invite({ email: "Code@example.com" })
    const [begun, other] = [await begin("code@example.com"), await begin("nobody@example.com")]
    assert.strictEqual(begun.status, 200, begun.text)
    assert.deepStrictEqual(Object.keys(begun.body.data), Object.keys(other.body.data))
    const { code, text } = secretsOf((await server.to("code@example.com"))[0]!)
    const { reference, sign_in_token: token } = begun.body.data
    assert.include(text, reference)
    const unproven = [
      [await finish(token), "pending"],
      [await finish(other.body.data.sign_in_token), "pending"],
      [await finish(other.body.data.sign_in_token, code), "invalid"],
      [await finish(token, "0000-0000"), "invalid"]
    ] as const
    for (const [answer, detail] of unproven) assert.strictEqual(detailOf(answer, "MAILBOX_NOT_PROVEN"), detail)
    const answer = await finish(token, code.toLowerCase().replace("-", " "), node)
    assert.strictEqual(answer.status, 200, answer.text)
    const { renewal_token, user_token } = answer.body.data
    assert.strictEqual((await activate(user_token)).status, 200)
    // An answer that was lost is asked for again.
    assert.strictEqual((await finish(token)).status, 200)
    const renewed = await renew(renewal_token)
    assert.strictEqual(renewed.body.data.renewal_token, renewal_token, renewed.text)
    assert.strictEqual(detailOf(await renew(renewal_token, "other"), "USER_SIGN_IN_REQUIRED"), "invalid")
    assert.strictEqual(detailOf(await renew(`${renewal_token}x`), "USER_SIGN_IN_REQUIRED"), "invalid")
    const [user] = await users()
    assert.deepInclude(user, { status: "active", email: "code@example.com" })
    assert.notProperty(user, "subject")
    await remove(user!["id"])
    assert.strictEqual(detailOf(await renew(renewal_token), "USER_SIGN_IN_REQUIRED"), "removed")
    assert.strictEqual(detailOf(await finish(token), "USER_NOT_ALLOWED"), "removed")
    assert.isUndefined(server.named.get("nobody@example.com"))
    await eventually("nothing of it is kept", async () => (await sql.query("SELECT 1 FROM mails")).length === 0)
    await consistent()
  })

  it("is finished by the button of its page, which programs that look into mails do not press: a link confirms once", async () => {
    const { begin, finish, invite } = await shared(1)
    await invite({ email: "link@example.com" })
    const { reference, sign_in_token: token } = (await begin("link@example.com")).body.data
    const { link } = secretsOf((await server.to("link@example.com"))[0]!)
    const path = `/user-sign-in?token=${link}`
    for (const method of ["GET", "HEAD", "GET"]) assert.strictEqual((await page(method, path)).status, 200)
    const html = await (await page("GET", path)).text()
    for (const part of [reference, "link@example.com"]) assert.include(html, part)
    assert.strictEqual(detailOf(await finish(token), "MAILBOX_NOT_PROVEN"), "pending")
    const posted = await Promise.all([1, 2].map(() => page("POST", "/user-sign-in", { token: link })))
    assert.deepStrictEqual(posted.map(({ status }) => status).toSorted(), [200, 404], "a link confirms once")
    assert.strictEqual((await finish(token)).status, 200)
    assert.strictEqual((await page("GET", path)).status, 404)
    await consistent()
  })

  it("is found by no guessing, and no more codes of a mail are tried at once than in a row", async () => {
    const { begin, finish, invite } = await shared(1)
    await invite({ email: "guess@example.com" })
    const { sign_in_token: token } = (await begin("guess@example.com")).body.data
    const { code } = secretsOf((await server.to("guess@example.com"))[0]!)
    await Promise.all(Array.from({ length: 15 }, (_, at) => finish(token, `0000-00${String(at).padStart(2, "0")}`)))
    assert.strictEqual(detailOf(await finish(token, code), "MAILBOX_NOT_PROVEN"), "invalid")
    // They are counted by the mailbox, whatever the address is called.
    for (let at = 0; at < 9; at++) assert.strictEqual((await begin(`Guess+${at}@example.com`)).status, 200)
    refused(await begin("guess@example.com"), 429, "RATE_LIMITED")
  })

  it("is for licenses that trust no identity provider", async () => {
    const { begin } = await shared(1, {}, {
      trusted_issuer: { issuer: "https://login.example.com", audience: "acme" }
    })
    assert.strictEqual(detailOf(await begin("ada@example.com"), "USER_NOT_ALLOWED"), "issuer")
    const none = await service.issue()
    const answer = await service.license("users/mail-sign-ins", none.key, { email: "ada@example.com" })
    assert.strictEqual(detailOf(answer, "USER_NOT_ALLOWED"), "no_users")
  })
})

describe("a user who is known by a mailbox", () => {
  it("is known by the account from the first sign-in at an issuer on, if the issuer has verified the address", async () => {
    const issuer = await new IdentityForge().open()
    const { activate, begin, finish, invite, path, renew, ask, users } = await shared(1)
    await invite({ email: "bound@example.com" })
    const { sign_in_token } = (await begin("bound@example.com")).body.data
    const { code } = secretsOf((await server.to("bound@example.com"))[0]!)
    const { renewal_token, user_id, user_token } = (await finish(sign_in_token, code)).body.data
    assert.strictEqual((await activate(user_token)).status, 200)
    await service.data("PATCH", path, {
      trusted_issuer: { issuer: issuer.issuer, audience: client.id, admits: "invited" }
    })
    assert.strictEqual((await activate(user_token)).status, 200, "who is signed in stays so")
    assert.strictEqual(detailOf(await renew(renewal_token), "USER_NOT_ALLOWED"), "issuer")
    const signIn = (payload: Readonly<Record<string, unknown>>) =>
      ask("users/sign-in", { id_token: idToken(issuer, payload) })
    const account = { sub: "bound", email: "Bound@example.com" }
    assert.strictEqual(
      detailOf(await signIn({ ...account, email_verified: false }), "USER_NOT_ALLOWED"),
      "email_not_verified"
    )
    const others = { sub: "other", email: "other@example.com", email_verified: true }
    assert.strictEqual(detailOf(await signIn(others), "USER_NOT_ALLOWED"), "not_invited")
    const bound = await signIn({ ...account, email_verified: true })
    assert.strictEqual(bound.body.data.user_id, user_id, bound.text)
    const found = await users()
    assert.lengthOf(found, 1)
    assert.deepInclude(found[0], { status: "active", subject: "bound", issuer: issuer.issuer })
    // The address is nobody's now: whoever is given it is somebody else.
    const heir = { sub: "heir", email: "bound@example.com", email_verified: true }
    assert.strictEqual(detailOf(await signIn(heir), "USER_NOT_ALLOWED"), "not_invited")
    // The user goes on by the address that the issuer had verified, unless the change ends its accounts.
    await service.data("PATCH", path, { trusted_issuer: null })
    assert.strictEqual((await renew(renewal_token)).body.data.user_id, user_id)
    await consistent()
  })

  it("follows a model in plain code through random histories on two nodes", async () => {
    const seed = Number(process.env["COUNTERSIGN_TEST_SEED"] ?? Date.now() % 2 ** 31)
    try {
      await playMailUsers([service, node], server, seed)
      await consistent()
    } catch (error) {
      throw new Error(`COUNTERSIGN_TEST_SEED=${seed} repeats it`, { cause: error })
    }
  })
})

describe("a customer in the portal", () => {
  const administered = (max_users: number, policy: object = {}) =>
    administeredLicense(service, server, max_users, policy)

  const unlisted = (html: string, ...texts: ReadonlyArray<string>) => {
    for (const text of texts) assert.notInclude(html, text)
  }

  it("invites, sees and removes the people of a license, who are mailed, and whose devices stop with them", async () => {
    const { activate, customerId, events, joined, key, page, post, users } = await administered(2, {
      max_self_service_resets: 1
    })
    assert.include(await page(), "Seats for people in use: 0 of 2.")
    assert.strictEqual((await post("", { email: "no address" })).status, 422)
    assert.strictEqual((await post("", { email: "Anna@example.com" })).status, 200)
    assert.include((await server.to("anna@example.com"))[0]!.raw, "sign in with this")
    assert.strictEqual((await post("", { email: "anna@EXAMPLE.com" })).status, 409)
    assert.strictEqual((await post("", { email: "greta@example.com" })).status, 200)
    const full = await post("", { email: "mary@example.com" })
    assert.strictEqual(full.status, 403)
    assert.include(full.html, "Every seat is taken or promised.")
    const token = await joined("anna@example.com")
    for (const fingerprint of ["laptop", "desk", "<i>tablet"]) {
      const body = { user_token: token, fingerprint, hostname: fingerprint }
      assert.strictEqual((await service.license("activate", key, body)).status, 200)
    }
    const html = await page()
    for (
      const text of [
        "Seats for people in use: 1 of 2.",
        "anna@example.com",
        "desk",
        "&lt;i&gt;tablet",
        "Invited, and not signed in yet."
      ]
    ) {
      assert.include(html, text)
    }
    unlisted(html, "<i>tablet", "mary@example.com")
    const [greta, anna] = (await users()).map((user) => user["id"]) as [string, string]
    assert.strictEqual((await post(`/${anna}/invitation`)).status, 409, "it was taken up")
    assert.strictEqual((await post(`/${greta}/invitation`)).status, 200)
    assert.lengthOf(await server.to("greta@example.com", 2), 2)
    for (const path of ["/usr_0/invitation", "/usr_0/remove"]) assert.strictEqual((await post(path)).status, 404)
    const answers = await Promise.all([1, 2].map(() => post(`/${anna}/remove`)))
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200])
    assert.strictEqual(detailOf(await activate(token), "USER_SIGN_IN_REQUIRED"), "removed")
    unlisted(await page(), "anna@example.com", "desk")
    assert.lengthOf(await events("license.user_invited"), 3, "two invitations, and one of them again")
    const removed = await events("license.user_removed")
    for (const event of [...removed, ...await events("license.user_invited")]) {
      assert.deepInclude(event, { actor_type: "customer", actor_id: customerId })
    }
    assert.lengthOf(removed, 1)
    // The devices were one release, which is all that the terms have.
    await post("", { email: "eve@example.com" })
    const eve = await joined("eve@example.com")
    assert.strictEqual((await activate(eve, "desk")).status, 200)
    const last = (await users()).find(({ email }) => email === "eve@example.com")
    const limited = await post(`/${last!["id"]}/remove`)
    assert.strictEqual(limited.status, 403)
    assert.include(limited.html, "People with a device cannot be removed at present.")
    assert.strictEqual((await activate(eve, "desk")).status, 200, "all of it or nothing")
    assert.strictEqual((await post(`/${greta}/remove`)).status, 200, "an invitation holds no seat")
    await consistent()
  })

  it("names and releases the devices of all, of which whoever has the key sees and reaches none", async () => {
    const { activate, browser, headers, invite, joined, key, license } = await administered(2)
    for (const name of ["one", "two"]) await invite({ email: `${name}@example.com`, delivery: "mail" })
    const [one, two] = [await joined("one@example.com"), await joined("two@example.com")]
    const id = (await activate(one, "ones")).body.data.device_id
    const at = `/licenses/${license.id}`
    const byKey = await browser.enterByKey(key)
    unlisted(await browser.page(byKey, at), id, "one@example.com", "two@example.com")
    // A holder of the key names nothing, and frees no device of somebody else.
    for (const [act, status] of [["name", 403], ["release", 404]] as const) {
      const answer = await browser.ask("POST", `${at}/devices/${id}/${act}`, byKey, { name: "Mine" })
      assert.strictEqual(answer.status, status, act)
    }
    assert.strictEqual((await browser.ask("POST", `${at}/devices/${id}/name`, headers, { name: "Ones" })).status, 200)
    const seenBy = async (token: string) => {
      const answer = await service.call("GET", "/api/v1/license/devices", {
        licenseKey: key,
        headers: { "x-user-token": token }
      })
      return (answer.body.data as Array<{ readonly name: string }>).map(({ name }) => name)
    }
    assert.deepStrictEqual([await seenBy(one), await seenBy(two)], [["Ones"], []])
  })

  it("takes no more seats than there are, however many are invited at once, and floods no mailbox", async () => {
    const { post, users } = await administered(3)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => post("", { email: `many${at}@example.com` }))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 3)
    assert.lengthOf(await users(), 3)
    // To one mailbox five go in an hour, whatever it is called and whichever license they are about.
    const others = [await administered(9), await administered(9)]
    const statuses: Array<number> = []
    for (let at = 0; at < 7; at++) {
      statuses.push((await others[at % 2]!.post("", { email: `victim+${at}@example.com` })).status)
    }
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
    const [again] = await others[0]!.users()
    const resent = await others[0]!.post(`/${again!["id"]}/invitation`)
    assert.strictEqual(resent.status, 429)
    assert.include(resent.html, "There were too many invitations.")
    assert.lengthOf(await others[0]!.users(), 3, "what was not mailed was not invited")
    await consistent()
  })

  it("is told why nothing can be changed: no self-service, a license without people, a suspended one", async () => {
    const closed = await administered(2, { self_service: false })
    const { id } = (await closed.invite({ email: "closed@example.com" })).body.data
    const html = await closed.page()
    assert.include(html, "Ask the vendor to invite or to remove people.")
    unlisted(html, "closed@example.com", `type="email"`, `action="/portal/licenses/`)
    for (const [path, form] of [["", { email: "x@example.com" }], [`/${id}/invitation`], [`/${id}/remove`]] as const) {
      assert.strictEqual((await closed.post(path, form)).status, 403)
    }
    const open = await administered(2)
    await service.data("POST", `${open.path}/suspend`, {})
    assert.strictEqual((await open.post("", { email: "x@example.com" })).status, 403)
    const none = await service.issue({
      policy: { max_activations: 3, self_service: true },
      license: { customer_id: open.customerId }
    })
    const path = `/licenses/${none.license.id}`
    unlisted(await open.browser.page(open.headers, path), `${path}/users`)
    for (const method of ["GET", "POST"]) {
      assert.strictEqual((await open.browser.ask(method, `${path}/users`, open.headers)).status, 404)
    }
  })
})
