// Mails to the users of licenses: invitations, and sign-ins by a mail where a license trusts no identity provider.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { examine } from "../fixtures/Doctor.ts"
import { MailServer } from "../fixtures/MailServer.ts"
import type { ReceivedMail } from "../fixtures/MailServer.ts"
import { PortalBrowser } from "../fixtures/PortalBrowser.ts"
import type { Texts } from "../fixtures/PortalBrowser.ts"
import type { Answer, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"
import type { Body, Session } from "../fixtures/Session.ts"
import { eventually, session } from "../fixtures/Session.ts"

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

const secretsOf = ({ raw }: ReceivedMail) => {
  const text = raw.replaceAll("=\r\n", "").replaceAll("=3D", "=")
  const [, link = ""] = /\/user-sign-in\?token=(cml_[\w-]{43})/.exec(text) ?? []
  const [code = ""] = /\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/.exec(text.replaceAll(link, "")) ?? []
  return { link, code, text }
}

const shared = async (max_users: number, policy: object = {}, license: object = {}) => {
  const issued = await service.issue({ policy: { max_activations: 9, max_users, ...policy }, license })
  const path = `/api/v1/licenses/${issued.license.id}`
  const ask = (operation: string, body: object, at = service) => at.license(operation, issued.key, body)
  return {
    ...issued,
    path,
    invite: (body: object): Promise<Answer> => service.call("POST", `${path}/users`, { body }),
    users: (): Promise<Array<Body>> => service.data("GET", `${path}/users`),
    remove: (id: string): Promise<Body> => service.data("POST", `${path}/users/${id}/remove`, {}),
    begin: (email: string) => ask("users/mail-sign-ins", { email }),
    finish: (mail_sign_in_token: string, mail_code?: string, at = service) =>
      ask("users/sign-in", {
        mail_sign_in_token,
        fingerprint: "laptop",
        ...(mail_code === undefined ? {} : { mail_code })
      }, at),
    renew: (renewal_token: string, fingerprint = "laptop") => ask("users/sign-in", { renewal_token, fingerprint }),
    activate: (user_token: string, fingerprint = "laptop") => ask("activate", { user_token, fingerprint })
  }
}

const detailOf = (answer: Answer, code: string): string => refused(answer, 403, code).detail
const consistent = async () => assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

const page = (method: string, path: string, form?: Record<string, string>) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { "sec-fetch-site": "same-origin", "x-forwarded-for": "198.51.100.7" },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) })
  })

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
    for (let at = 0; at < 9; at++) assert.strictEqual((await begin("guess@example.com")).status, 200)
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

describe("a customer in the portal", () => {
  let owners = 0

  /** A customer who is signed in by a link, and a license of theirs that people use. */
  const administered = async (max_users: number, policy: object = {}) => {
    const email = `owner${++owners}@example.com`
    const { id } = await service.data("POST", "/api/v1/customers", { name: "Beispiel", code: `owner${owners}`, email })
    const found = await shared(max_users, { self_service: true, ...policy }, { customer_id: id })
    const browser = new PortalBrowser(service, server)
    const headers = await browser.enter(email)
    const at = `/licenses/${found.license.id}/users`
    const post = async (path: string, form: Texts = {}) => {
      const answer = await browser.ask("POST", at + path, headers, form)
      return { status: answer.status, html: await answer.text() }
    }
    /** A colleague who has signed in and activated a machine. */
    const joined = async (address: string) => {
      const { sign_in_token } = (await found.begin(address)).body.data
      const mails = await server.to(address, 2)
      const { user_token } = (await found.finish(sign_in_token, secretsOf(mails[1]!).code)).body.data
      return user_token as string
    }
    const events = async (type: string) =>
      (await service.feed(`&event_type=${type}`)).filter(({ data }) => data.license_id === found.license.id)
    return { ...found, customerId: id, browser, headers, post, joined, events, page: () => browser.page(headers, at) }
  }

  const unlisted = (html: string, ...texts: ReadonlyArray<string>) => {
    for (const text of texts) assert.notInclude(html, text)
  }

  it("invites, sees and removes the people of a license, who are mailed, and whose devices stop with them", async () => {
    const { activate, customerId, events, joined, key, page, post, users } = await administered(2, {
      max_self_service_resets: 1
    })
    assert.include(await page(), "0 of 2 seats")
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
      const text of ["1 of 2 seats", "anna@example.com", "desk", "&lt;i&gt;tablet", "Invited, and not signed in yet."]
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
    unlisted(html, "closed@example.com", "<input")
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
