// The reach of sessions of the portal: everything that a customer can do, tried on what is of somebody else.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { randomUUID } from "node:crypto"
import { builtInRoles } from "../../../src/domain/people/Role.ts"
import { licenseActions, portalActions } from "../../../src/http/portal/pages/SignInWords.ts"
import type { LicenseAction, PortalAction } from "../../../src/http/portal/pages/SignInWords.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { cookieOf, PortalBrowser, secretsOf } from "../../fixtures/PortalBrowser.ts"
import type { Owner, Texts } from "../../fixtures/PortalBrowser.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const server = await new MailServer().start()
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_PORTAL: "on",
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
}

let service: Service
let node: Service
let sql: Session
let browser: PortalBrowser

/** A license with a device on it, and another one of the same customer with a person. */
interface Held extends Issued {
  readonly deviceId: string
  readonly people: Issued & { readonly userId: string }
}

let mine: Owner
let theirs: Owner
let held: Readonly<Record<"mine" | "second" | "theirs" | "test", Held>>

const withDevice = async (issued: Issued, of = service): Promise<Held> => {
  const { body } = await of.license("activate", issued.key, { fingerprint: "machine", hostname: "machine" })
  const people = await of.issue({
    policy: { max_activations: 3, max_users: 3, self_service: true },
    license: issued.license.customer_id === undefined ? {} : { customer_id: issued.license.customer_id }
  })
  const user = await of.data("POST", `/api/v1/licenses/${people.license.id}/users`, { email: "held@example.com" })
  return { ...issued, deviceId: body.data.device_id, people: { ...people, userId: user.id } }
}

/** The form of each action on a license: whoever adds an action says here how it is asked for. */
const forms: Readonly<Record<LicenseAction, (of: Held) => { readonly id?: string; readonly form: Texts | FormData }>> =
  {
    releaseDevice: ({ deviceId }) => ({ id: deviceId, form: {} }),
    renameDevice: ({ deviceId }) => ({ id: deviceId, form: { name: "Anna's laptop" } }),
    changeKey: ({ license }) => ({ form: { last4: license.license_key_last4, old_key: "now" } }),
    issueFile: ({ key }) => {
      const form = new FormData()
      for (const [name, value] of [["request", "plant"], ["as", "file"], ["license_key", key]] as const) {
        form.append(name, value)
      }
      return { form }
    },
    cancelTransfer: () => ({ form: {} }),
    // Nobody is offered what is theirs already.
    askTransfer: ({ license }) => ({
      form: { email: license.id === held.second.license.id ? "next@example.com" : mine.email }
    }),
    inviteUser: () => ({ form: { email: "guest@example.com" } }),
    resendInvitation: ({ people }) => ({ id: people.userId, form: {} }),
    removeUser: ({ people }) => ({ id: people.userId, form: {} })
  }

/** The actions that are about people, and so about the license that has some. */
const ofPeople: ReadonlySet<LicenseAction> = new Set(["inviteUser", "removeUser", "resendInvitation"])

const licenseFor = (name: LicenseAction, { license, people }: Held): Issued["license"] =>
  ofPeople.has(name) ? people.license : license

/** The form of each action on no license that takes a session, with what it names of somebody else; `free` take none. */
const freeForms: Readonly<Record<PortalAction, (() => { readonly id?: string; readonly form: Texts }) | "free">> = {
  signIn: "free",
  askLink: "free",
  spendLink: "free",
  enterCode: "free",
  acceptTransfer: "free",
  chooseLanguage: "free",
  signOut: () => ({ form: {} }),
  widen: () => ({ form: {} }),
  choose: () => ({ id: theirs.id, form: {} }),
  setNotices: () => ({ form: { notices: "off" } })
}

const names = Struct.keys(licenseActions)

/** Asks for an action at the license of the path, with the values of another one. */
const act = (name: LicenseAction, headers: Texts, at: Held, of: Held, by = browser) => {
  const { form, id = "" } = forms[name](of)
  return by.ask("POST", `/licenses/${licenseFor(name, at).id}${licenseActions[name].replace(":id", id)}`, headers, form)
}

/** What could have changed. The mail of a link is settled at any moment. */
const contents = () =>
  sql.query(`
    SELECT (SELECT count(*)::int FROM event_records WHERE event_type <> 'customer.portal_link_mailed') AS events, (SELECT count(*)::int FROM offline_files) AS files,
      (SELECT jsonb_agg(to_jsonb(u) ORDER BY id) FROM license_users u) AS users,
      (SELECT jsonb_agg(to_jsonb(d) - 'last_seen_at' ORDER BY id) FROM devices d) AS devices,
      (SELECT jsonb_agg(to_jsonb(k) ORDER BY key_hash) FROM license_keys k) AS keys`)

beforeAll(async () => {
  service = await startService({ environment })
  node = await startService({ databaseUrl: service.databaseUrl, environment })
  sql = await session(service.databaseUrl)
  browser = new PortalBrowser(service, server)
  mine = await browser.owner(2)
  theirs = await browser.owner(1)
  const tried = inTestOf(service, testDatabaseOf(service))
  const [first, second] = mine.issued as [Issued, Issued]
  held = {
    mine: await withDevice(first),
    second: await withDevice(second),
    theirs: await withDevice(theirs.issued[0]!),
    test: await withDevice(await tried.issue({ policy: { max_activations: 3, self_service: true } }), tried)
  }
})

describe("a session of the portal", () => {
  it("finds no license of another customer or environment, nor another one than that of its key", async () => {
    const byKey = await browser.enterByKey(held.mine.key)
    const byLink = await browser.enter(mine.email)
    const before = await contents()
    const beyond = [[byKey, [held.second, held.theirs, held.test]], [byLink, [held.theirs, held.test]]] as const
    for (const [headers, others] of beyond) {
      for (const other of others) {
        assert.strictEqual((await browser.ask("GET", `/licenses/${other.license.id}`, headers)).status, 404)
        for (const name of names) {
          assert.strictEqual((await act(name, headers, other, other)).status, 404, name)
          const path = `/licenses/${licenseFor(name, other).id}${licenseActions[name]}`
          assert.strictEqual((await browser.ask("GET", path, headers)).status, 404, name)
        }
        // At a license of its own, with the values of the other one.
        for (const name of names) {
          if (name === "inviteUser" && headers === byLink) continue
          const { status } = await act(name, headers, held.mine, other)
          assert.isTrue([404, 409, 422].includes(status), `${name}: ${status}`)
        }
      }
    }
    for (const headers of [byKey, byLink]) {
      for (const id of [theirs.id, "cus_0", held.theirs.license.id]) {
        assert.strictEqual((await browser.ask("POST", `/customers/${id}`, headers)).status, 404)
        assert.strictEqual((await browser.ask("GET", `/licenses/${id}`, headers)).status, 404)
      }
    }
    // Everybody who uses a license with people has its key.
    const byTheirKey = await browser.enterByKey(held.mine.people.key)
    for (const name of ofPeople) {
      const answer = await act(name, byTheirKey, held.mine, held.mine)
      assert.strictEqual(answer.status, 404, name)
      assert.include(await answer.text(), "the key alone opens neither")
    }
    const opened = await browser.ask("GET", `/licenses/${held.mine.people.license.id}/users`, byTheirKey)
    assert.strictEqual(opened.status, 404)
    assert.notInclude(await opened.text(), "held@example.com")
    assert.deepStrictEqual(await contents(), before)
  })

  it("does nothing once it has ended, whatever is asked, and works on every node before", async () => {
    const onNode = new PortalBrowser(node, server)
    const ended = await browser.enterByKey(held.mine.key)
    assert.isTrue(await onNode.isOpen(ended))
    assert.strictEqual((await onNode.ask("POST", "/sign-out", ended)).status, 303)
    const expired = await browser.enter(mine.email, 2)
    assert.isTrue(await onNode.isOpen(expired))
    await sql.query("UPDATE portal_sessions SET expires_at = now() - interval '1 second'")
    const before = await contents()
    for (const headers of [ended, expired, {}]) {
      for (const by of [browser, onNode]) {
        assert.strictEqual((await by.ask("GET", `/licenses/${held.mine.license.id}`, headers)).status, 401)
        for (const path of ["/customers", "/purchases"]) {
          assert.strictEqual((await by.ask("GET", path, headers)).status, 401)
        }
        for (const name of names) {
          assert.strictEqual((await act(name, headers, held.mine, held.mine, by)).status, 401, name)
        }
        for (const name of Struct.keys(portalActions)) {
          const form = freeForms[name]
          if (form === "free") continue
          const { form: fields, id = "" } = form()
          const path = portalActions[name].replace(":customer_id", id)
          assert.strictEqual((await by.ask("POST", path, headers, fields)).status, 401, name)
        }
      }
    }
    assert.deepStrictEqual(await contents(), before)
  })

  it("is not there in the test environment: a link into it is refused", async () => {
    const tried = inTestOf(service, testDatabaseOf(service))
    const customer = await tried.data("POST", "/api/v1/customers", {
      code: "tried",
      name: "Tried",
      email: "t@example.com"
    })
    for (const delivery of ["mail", "response"]) {
      const answer = await tried.call("POST", `/api/v1/customers/${customer.id}/portal-links`, { body: { delivery } })
      assert.deepStrictEqual([answer.status, answer.body.error.code], [409, "STATE_CONFLICT"])
    }
    assert.isFalse((await tried.data("GET", "/api/v1/settings/mail")).is_portal_on)
    assert.isTrue((await service.data("GET", "/api/v1/settings/mail")).is_portal_on)
  })

  it("does all of it at a license of its own", async () => {
    const headers = await browser.enter(mine.email, 3)
    // The key is changed after the file that needs it.
    for (const name of names.toReversed()) {
      assert.strictEqual((await act(name, headers, held.second, held.second)).status, 200, name)
    }
  })
})

describe("who has the key of a license with users", () => {
  it("sees it, and neither changes its key, which its owner does, nor gets a file", async () => {
    const owner = await browser.owner(0)
    const policy = { max_activations: 3, max_users: 3, self_service: true, allow_offline_activation: true }
    const terms = { ...policy, offline_grace_days: 30 }
    const issued = await service.issue({ policy: terms, license: { customer_id: owner.id } })
    const of = { ...issued, deviceId: "dev_0", people: { ...issued, userId: "usr_0" } }
    const byKey = await browser.enterByKey(issued.key)
    const page = await browser.page(byKey)
    for (const name of ["changeKey", "issueFile"] as const) {
      assert.notInclude(page, `${issued.license.id}${licenseActions[name]}`)
      assert.strictEqual((await act(name, byKey, of, of)).status, 403, name)
    }
    const byLink = await browser.enter(owner.email)
    assert.strictEqual((await act("changeKey", byLink, of, of)).status, 200)
    // Where nobody is named, who has the key goes on as before, and the log says who it was.
    const alone = await withDevice(await service.issue({ policy: { max_activations: 3, self_service: true } }))
    assert.strictEqual((await act("changeKey", await browser.enterByKey(alone.key), alone, alone)).status, 200)
    const rotated = await service.feed(`&resource_id=${alone.license.id}&event_type=license.key_rotated`)
    assert.deepInclude(rotated[0], { actor_type: "license_holder", actor_id: alone.license.id })
  })
})

describe("a person who needs a second one for license keys", () => {
  const role = async (scopes: ReadonlyArray<string>) =>
    (await service.data("POST", "/api/v1/roles", {
      name: randomUUID(),
      scopes,
      second_look: ["rotate_license_key"]
    })).id

  it("comes to none by the portal, whatever else the roles allow", async () => {
    for (
      const scopes of [...builtInRoles.map((each) => each.scopes), ["customer:write", "license:write", "product:write"]]
    ) {
      const jun = await signInAs(service, "Jun Sato", [await role(scopes)])
      const named = { external_system: "shop", external_id: randomUUID() }
      const owner = await browser.owner(1, named)
      const [issued] = owner.issued as [Issued]
      const { license } = issued
      const own = `${randomUUID()}@example.com`
      const mine = await service.data("POST", "/api/v1/customers", { code: randomUUID(), name: "Own", email: own })
      const orphan = (await service.issue({ policy: { max_activations: 3, self_service: true } })).license
      const doors = [
        ["PATCH", `customers/${owner.id}`, { email: own }],
        ["PUT", `customers-by-external-id/shop/${named.external_id}`, { name: owner.name, email: own }],
        ["POST", `licenses/${license.id}/transfer`, { customer_id: mine.id }],
        ["PATCH", `licenses/${orphan.id}`, { customer_id: mine.id }],
        ["PATCH", `licenses/${license.id}`, { customer_email: own }],
        ["POST", `licenses/${license.id}/rotate-key`, {}]
      ] as const
      const refusals = []
      for (const [method, path, body] of doors) {
        const answer = await service.call(method, `/api/v1/${path}`, {
          token: null,
          headers: { "sec-fetch-site": "same-origin", cookie: jun.cookie, "idempotency-key": randomUUID() },
          body
        })
        assert.strictEqual(answer.status, 403, `${method} ${path}: ${answer.text}`)
        refusals.push(answer.body.error.code)
      }
      assert.isTrue(refusals.every((code) => code === "APPROVAL_REQUIRED" || code === "TOKEN_SCOPE_DENIED"))
      const links = `/api/v1/customers/${owner.id}/portal-links`
      for (const delivery of ["response", "mail"]) {
        const made = await asPerson(service, jun, "POST", links, { delivery })
        if (made.status === 403) continue
        const token = delivery === "response"
          ? new URL(made.body.data.url).searchParams.get("token")!
          : secretsOf((await server.to(owner.email))[0]!).token
        const headers = cookieOf(await browser.spend(token))
        const shown = await browser.ask("GET", `/licenses/${license.id}`, headers)
        assert.strictEqual(shown.status, 200)
        const of = { ...issued, deviceId: "dev_0", people: { ...issued, userId: "usr_0" } }
        for (const name of ["changeKey", "askTransfer"] as const) {
          const { form } = name === "changeKey" ? forms.changeKey(of) : { form: { email: own } }
          const answer = await browser.ask("POST", `/licenses/${license.id}${licenseActions[name]}`, headers, form)
          assert.strictEqual(answer.status, 403, name)
          assert.include(await answer.text(), "The vendor made the link that opened this page.")
        }
        // What needs nobody is done, and says who opened the session.
        const { body } = await service.license("activate", issued.key, { fingerprint: delivery, hostname: delivery })
        const path = `/licenses/${license.id}${licenseActions.releaseDevice.replace(":id", body.data.device_id)}`
        assert.strictEqual((await browser.ask("POST", path, headers, {})).status, 200)
        const reset = (await service.feed(`&resource_id=${body.data.device_id}&event_type=device.reset`)).at(-1)
        assert.deepInclude(reset, { actor_type: "customer", actor_id: owner.id })
        assert.deepInclude(reset.metadata, { opened_by: jun.id, opener_name: "Jun Sato" })
        if (delivery === "mail") {
          await service.call("DELETE", `/api/v1/people/${jun.id}`)
          assert.isFalse(await browser.isOpen(headers), "it ends with the person")
        }
      }
      const keys = await service.feed(`&event_type=license.key_rotated&resource_id=${license.id}`)
      assert.deepStrictEqual(keys, [])
    }
  })
})
