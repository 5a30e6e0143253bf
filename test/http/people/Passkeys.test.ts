// Passkeys: who gets one, who gets in by it, and every way that must not lead in.
import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync } from "node:crypto"
import { flag } from "../../fixtures/Authenticator.ts"
import type { Otherwise } from "../../fixtures/Authenticator.ts"
import { PasskeyTab } from "../../fixtures/PasskeyTab.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { fromElsewhere, startSecond } from "../../fixtures/SignIns.ts"
import { testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const environment = { HOST: "localhost", COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8,::1/128" }
const service = await startService({ environment })
const other = await startSecond(service, environment)
testDatabaseOf(service)
const sql = await session(service.databaseUrl)

const people = "/api/v1/people"
const signIn = "/api/v1/sign-in"
const admin = "/api/v1/sign-in/admin-token"
const begin = "/api/v1/sign-in/passkey"
const finish = "/api/v1/sign-in/passkey/finish"
const show = "/api/v1/sign-in/invitation"
const join = "/api/v1/sign-in/invitation/passkey"
const passkeys = "/api/v1/passkeys"

const add = (members: object = {}): Promise<Body> =>
  service.data("POST", people, { name: "Ada", roles: ["support"], ...members })
const get = (id: string): Promise<Body> => service.data("GET", `${people}/${id}`)
const invite = async (id: string): Promise<string> => (await service.data("POST", `${people}/${id}/invite`)).invitation

const opened = (answer: Answer): Body => {
  assert.strictEqual(answer.status, 201, answer.text)
  assert.match(String(answer.headers["set-cookie"]), /^countersign=css_.*HttpOnly; SameSite=Strict$/)
  return answer.body.data
}

const staysOut = (answer: Answer, status: number, code: string): void => {
  refused(answer, status, code)
  assert.notMatch(String(answer.headers["set-cookie"] ?? ""), /css_/)
}

/** A person who joined with a passkey, in a browser of this person. */
const joined = async (members: object = {}): Promise<{ readonly id: string; readonly tab: PasskeyTab }> => {
  const { id } = await add(members)
  const tab = new PasskeyTab(service)
  opened(await tab.join(await invite(id)))
  return { id, tab }
}

const held = async (id: string): Promise<ReadonlyArray<Body>> =>
  service.data("GET", `${passkeys}?person_id=${id}`) as Promise<never>

/** The name of the cookie of the challenge that a browser got last. */
const flowNameIn = ({ cookies }: PasskeyTab): string =>
  [...cookies.keys()].findLast((name) => name.startsWith("countersign-passkey-")) ?? assert.fail("no challenge is kept")

/** Counts what somebody who gets in makes more of. */
const insiders = async (): Promise<unknown> => [
  (await sql.query("SELECT id FROM person_sessions")).length,
  (await sql.query("SELECT id FROM passkeys")).length,
  (await sql.query("SELECT token_hash FROM person_invitations")).length
]

const kindsOf = async (id: string): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)

describe("the ways to sign in", () => {
  it("are told with passkeys where they work, and why they do not elsewhere", async () => {
    assert.deepStrictEqual(await service.data("GET", signIn), { passkeys: true, admin_token: true })
    assert.deepStrictEqual((await service.call("GET", `/test${signIn}`, { token: null })).body.data, {
      passkeys: false,
      passkeys_problem: "People sign in to the live environment.",
      admin_token: true
    })
    const plain = await startService({ databaseUrl: service.databaseUrl })
    assert.deepStrictEqual((await plain.call("GET", signIn)).body.data, {
      passkeys: false,
      passkeys_problem: "Passkeys need https, or localhost. Ask the operator of this service.",
      admin_token: true
    })
    const asked = await plain.call("POST", begin, { token: null, headers: { "sec-fetch-site": "same-origin" } })
    refused(asked, 409, "STATE_CONFLICT")
    assert.include(asked.text, "Passkeys need https")
    const inTest = await service.call("POST", `/test${begin}`, {
      token: null,
      headers: { "sec-fetch-site": "same-origin" }
    })
    refused(inTest, 409, "STATE_CONFLICT")
  })
})

describe("a person", () => {
  it("joins by an invitation with a passkey, and signs in with it from then on, on any node", async () => {
    const boss = await joined({ name: "Grace", roles: ["owner"] })
    const { id } = await add({ email: "ada@example.com" })
    const tab = new PasskeyTab(service)
    const { invitation } = (await boss.tab.ask("POST", `${people}/${id}/invite`)).body.data
    const shown = (await tab.ask("POST", show, { invitation })).body.data
    assert.deepInclude(shown, { person_name: "Ada", invited_by: "Grace", roles: ["Support"], links_account: true })
    assert.deepInclude(shown.passkey, {
      rp_id: "localhost",
      user_name: "ada@example.com",
      user_display_name: "Ada",
      user_id: Buffer.from(id).toString("base64url"),
      exclude: []
    })
    const data = opened(await tab.ask("POST", join, tab.authenticator.create(shown.passkey)))
    assert.deepInclude(data, { person_id: id, sign_in_method: "passkey" })
    assert.deepInclude(await get(id), { status: "active", identities: [] })
    assert.deepInclude((await tab.whoami(other)).body.data, { kind: "person", id })
    for (const at of [service, other]) {
      tab.cookies.clear()
      tab.authenticator.held.at(-1)!.counter += 1
      opened(await tab.signIn({}, at))
      assert.deepInclude((await tab.whoami()).body.data, { kind: "person", id })
    }
    const [passkey] = await held(id)
    assert.deepInclude(passkey!, { name: "Laptop", is_synced: true, person_id: id })
    assert.isString(passkey!.last_used_at)
    assert.include(await kindsOf(id), "person.updated")
    const [told] = await service.feed(`&resource_id=${passkey!.id}`)
    assert.deepInclude(told!, { event_type: "passkey.created", actor_type: "person", actor_id: id })
  })

  it("who is signed in is told so by the ways, in this browser and on no other page, until this ends", async () => {
    const { tab } = await joined()
    const told = async (headers = {}) => (await tab.ask("GET", signIn, undefined, { headers })).body.data.signed_in
    assert.isTrue(await told())
    assert.isUndefined(await told({ "sec-fetch-site": "cross-site" }))
    assert.isUndefined((await new PasskeyTab(service).ask("GET", signIn)).body.data.signed_in)
    assert.strictEqual((await tab.ask("DELETE", "/api/v1/sessions/current")).status, 204)
    assert.isUndefined(await told())
    refused(await service.call("DELETE", "/api/v1/sessions/current"), 404, "NOT_FOUND")
  })

  it("adds, names and removes passkeys, and sees no others", async () => {
    const { id, tab } = await joined()
    const second = await tab.add()
    assert.strictEqual(second.status, 201, second.text)
    const passkeyId = second.body.data.id
    const again = await tab.ask("POST", `${passkeys}/begin`)
    assert.lengthOf(again.body.data.exclude, 2)
    const renamed = await tab.ask("POST", `${passkeys}/${passkeyId}/rename`, { name: "Phone" })
    assert.deepInclude(renamed.body.data, { name: "Phone" })
    const eve = await joined()
    assert.deepStrictEqual((await tab.ask("GET", passkeys)).body.data.map(({ name }: Body) => name), [
      "Phone",
      "Laptop"
    ])
    const [theirs] = await held(eve.id)
    refused(await tab.ask("POST", `${passkeys}/${theirs!.id}/rename`, { name: "Mine" }), 404, "NOT_FOUND")
    refused(await tab.ask("DELETE", `${passkeys}/${theirs!.id}`), 404, "NOT_FOUND")
    assert.deepStrictEqual((await tab.ask("GET", `${passkeys}?person_id=${eve.id}`)).body.data, [])
    assert.strictEqual((await tab.ask("DELETE", `${passkeys}/${passkeyId}`)).status, 204)
    refused(await tab.ask("DELETE", `${passkeys}/${passkeyId}`), 404, "NOT_FOUND")
    assert.deepStrictEqual(await kindsOf(passkeyId), ["passkey.created", "passkey.updated", "passkey.deleted"])
    staysOut(await tab.copy().signIn(), 401, "UNAUTHENTICATED")
    assert.strictEqual((await tab.whoami()).status, 200)
    assert.deepInclude(await get(id), { status: "active" })
  })

  it("who removes the last way in is only invited, and what it opened has ended", async () => {
    const { id, tab } = await joined()
    const elsewhere = tab.copy()
    elsewhere.cookies.clear()
    opened(await elsewhere.signIn())
    const [passkey] = await held(id)
    assert.strictEqual((await tab.ask("DELETE", `${passkeys}/${passkey!.id}`)).status, 204)
    assert.deepInclude(await get(id), { status: "invited" })
    refused(await elsewhere.whoami(other), 401, "UNAUTHENTICATED")
    assert.strictEqual((await tab.whoami()).status, 200)
    staysOut(await elsewhere.signIn(), 401, "UNAUTHENTICATED")
  })

  it("who lost a passkey is invited again by an owner, who removes the lost one", async () => {
    const boss = await joined({ roles: ["owner"] })
    const { id, tab } = await joined()
    const [lost] = await held(id)
    assert.strictEqual((await boss.tab.ask("DELETE", `${passkeys}/${lost!.id}`)).status, 204)
    refused(await tab.whoami(), 401, "UNAUTHENTICATED")
    const fresh = new PasskeyTab(service)
    const { invitation } = (await boss.tab.ask("POST", `${people}/${id}/invite`)).body.data
    const { passkey } = (await fresh.ask("POST", show, { invitation })).body.data
    opened(await fresh.ask("POST", join, fresh.authenticator.create(passkey)))
    assert.deepStrictEqual(await kindsOf(lost!.id), ["passkey.created", "passkey.deleted"])
  })

  it("of more rights keeps a passkey from one of fewer", async () => {
    const boss = await joined({ roles: ["owner"] })
    const role = await service.data("POST", "/api/v1/roles", { name: "Staff", scopes: ["people:write"] })
    const clerk = await joined({ roles: [role.id] })
    const [passkey] = await held(boss.id)
    refused(await clerk.tab.ask("DELETE", `${passkeys}/${passkey!.id}`), 403, "TOKEN_SCOPE_DENIED")
    assert.lengthOf(await held(boss.id), 1)
  })

  it("who is the last owner keeps the last way in", async () => {
    const { id, tab } = await joined({ roles: ["owner"] })
    for (const each of (await service.call("GET", `${people}?limit=200`)).body.data) {
      if (each.id !== id && each.roles.includes("owner")) await service.call("DELETE", `${people}/${each.id}`)
    }
    const [passkey] = await held(id)
    refused(await tab.ask("DELETE", `${passkeys}/${passkey!.id}`), 409, "STATE_CONFLICT")
    refused(await service.call("DELETE", `${passkeys}/${passkey!.id}`), 409, "STATE_CONFLICT")
    assert.deepInclude(await get(id), { status: "active" })
    opened(await tab.signIn())
  })

  it.each(
    [["removed", "DELETE", undefined, 401, "UNAUTHENTICATED"], [
      "without a role",
      "PATCH",
      { roles: [] },
      403,
      "TOKEN_SCOPE_DENIED"
    ]] as const
  )(
    "%s is not let in by a passkey",
    async (_what, method, body, status, code) => {
      const { id, tab } = await joined()
      await service.call(method, `${people}/${id}`, body === undefined ? {} : { body })
      const before = await insiders()
      staysOut(await tab.signIn(), status, code)
      assert.deepStrictEqual(await insiders(), before)
      refused(await tab.whoami(), 401, "UNAUTHENTICATED")
    }
  )

  it("keeps a passkey when accounts are taken, and comes in again after a reinstatement", async () => {
    const { id, tab } = await joined()
    await service.data("PATCH", `${people}/${id}`, { identities: [] })
    assert.deepInclude(await get(id), { status: "active" })
    await service.call("DELETE", `${people}/${id}`)
    assert.deepInclude(await service.data("POST", `${people}/${id}/reinstate`), { status: "active", roles: [] })
    staysOut(await tab.signIn(), 403, "TOKEN_SCOPE_DENIED")
    await service.data("PATCH", `${people}/${id}`, { roles: ["support"] })
    opened(await tab.signIn())
  })

  it("who is removed has no session and no invitation left, and with the passkeys gone, nothing of a name", async () => {
    const { id, tab } = await joined({ name: "Ruth Removed", email: "ruth@removed.example" })
    const waiting = await add()
    const invitation = await invite(waiting.id)
    for (const each of [id, waiting.id]) {
      assert.strictEqual((await service.call("DELETE", `${people}/${each}`)).status, 204)
    }
    refused(await tab.whoami(other), 401, "UNAUTHENTICATED")
    staysOut(await tab.signIn(), 401, "UNAUTHENTICATED")
    staysOut(await new PasskeyTab(service).ask("POST", signIn, { invitation }), 401, "UNAUTHENTICATED")
    const stored = async (...tables: ReadonlyArray<string>): Promise<string> =>
      JSON.stringify(await Promise.all(tables.map((table) => sql.query(`SELECT t::text FROM ${table} t`))))
    for (const each of [id, waiting.id]) {
      assert.notInclude(await stored("person_sessions", "person_invitations"), each)
    }

    await service.data("POST", `${people}/${id}/reinstate`)
    await service.data("PATCH", `${people}/${id}`, { name: "Former colleague", email: "", identities: [] })
    for (const passkey of await held(id)) await service.call("DELETE", `${passkeys}/${passkey.id}`)
    assert.strictEqual((await service.call("DELETE", `${people}/${id}`)).status, 204)
    assert.strictEqual((await get(id)).status, "removed")
    assert.notInclude(await stored("passkeys", "person_identities"), id)
    assert.notMatch(await stored("people", "passkeys", "person_identities", "person_sessions"), /ruth/i)
  })

  it("whose session has ended, or whose roles were taken, adds none that was begun before", async () => {
    const { id, tab } = await joined()
    const body = tab.authenticator.create(await tab.begin())
    const elsewhere = tab.copy()
    assert.strictEqual((await elsewhere.ask("DELETE", "/api/v1/sessions/current")).status, 204)
    refused(await tab.ask("POST", passkeys, body), 401, "UNAUTHENTICATED")
    assert.lengthOf(await held(id), 1)
  })

  it("whose roles come from the identity provider signs in there alone", async () => {
    const { id, tab } = await joined()
    // As a sign-in at the provider would write it.
    await sql.query("UPDATE people SET claimed_roles = roles WHERE id = $1", [id])
    staysOut(await tab.signIn(), 403, "TOKEN_SCOPE_DENIED")
    const invited = await add()
    await sql.query("UPDATE people SET claimed_roles = roles WHERE id = $1", [invited.id])
    const shown = await new PasskeyTab(service).ask("POST", show, { invitation: await invite(invited.id) })
    assert.notProperty(shown.body.data, "passkey")
    await sql.query("UPDATE people SET claimed_roles = '{}' WHERE id = ANY($1)", [[id, invited.id]])
    // The log learns of it with the next change.
    for (const each of [id, invited.id]) await service.data("PATCH", `${people}/${each}`, { name: "Ada Lovelace" })
    opened(await tab.signIn())
  })

  it("has at most 20", async () => {
    const { tab } = await joined()
    for (let count = 1; count < 20; count++) assert.strictEqual((await tab.add()).status, 201)
    refused(await tab.add(), 409, "STATE_CONFLICT")
  })
})

const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey

/** What must not be believed, of an answer that signs in and of one that makes a passkey. */
const forged: Readonly<Record<string, Otherwise>> = {
  "from another origin": { origin: "https://evil.example" },
  "from the same host at another port": { origin: "http://localhost:1" },
  "from the same host over https": { origin: service.url.replace("http:", "https:") },
  "for another relying party": { rpId: "evil.example" },
  "from a page within another": { crossOrigin: true },
  "to another challenge": { challenge: Buffer.alloc(32, 7).toString("base64url") },
  "to an empty challenge": { challenge: "" },
  "to no challenge but for a payment": { type: "payment.get" },
  "without user verification": { flags: flag.present | flag.syncs },
  "without anybody there": { flags: flag.verified | flag.syncs }
}

describe("a sign-in", () => {
  const cases: Readonly<Record<string, Otherwise>> = {
    ...forged,
    "that made a passkey": { type: "webauthn.create" },
    "signed by another key": { by: stranger },
    "by a passkey that nobody has": { credentialId: Buffer.alloc(16, 1).toString("base64url") },
    "by the handle of nobody": { userHandle: Buffer.from("per_none").toString("base64url") }
  }
  it.each(Object.keys(cases))("%s lets nobody in", async (what) => {
    const { tab } = await joined({ roles: ["owner"] })
    const before = await insiders()
    staysOut(await tab.signIn(cases[what]), 401, "UNAUTHENTICATED")
    assert.deepStrictEqual(await insiders(), before)
  })

  it("by the passkey of one person for another lets nobody in", async () => {
    const [ada, eve] = [await joined({ roles: ["owner"] }), await joined()]
    const before = await insiders()
    const handle = ada.tab.authenticator.held[0]!.userHandle
    staysOut(await eve.tab.signIn({ userHandle: handle }), 401, "UNAUTHENTICATED")
    staysOut(
      await eve.tab.signIn({ credentialId: ada.tab.authenticator.held[0]!.id, userHandle: handle }),
      401,
      "UNAUTHENTICATED"
    )
    assert.deepStrictEqual(await insiders(), before)
  })

  it("whose counter goes back, or stays, is a copy's, and the one that goes on is let in", async () => {
    const { id } = await add()
    const tab = new PasskeyTab(service)
    const flags = flag.present | flag.verified | flag.hasCredential
    const made = tab.authenticator.create(await tab.invited(await invite(id)) as never, { flags })
    opened(await tab.ask("POST", join, made))
    opened(await tab.signIn({ counter: 5 }))
    await sql.query("UPDATE passkeys SET last_used_at = now() - interval '1 minute' WHERE person_id = $1", [id])
    for (const counter of [5, 4, 0]) {
      const answer = await tab.signIn({ counter })
      staysOut(answer, 401, "UNAUTHENTICATED")
      assert.include(answer.text, "there may be a copy")
    }
    opened(await tab.signIn({ counter: 6 }))
  })

  it("whose counter falls to 0 in a synced store is let in, and one that falls to anything else is not", async () => {
    const { id, tab } = await joined()
    opened(await tab.signIn({ counter: 5 }))
    await sql.query("UPDATE passkeys SET last_used_at = now() - interval '1 minute' WHERE person_id = $1", [id])
    staysOut(await tab.signIn({ counter: 4 }), 401, "UNAUTHENTICATED")
    opened(await tab.signIn({ counter: 0 }))
    opened(await tab.signIn({ counter: 0 }))
    opened(await tab.signIn({ counter: 7 }))
  })

  it("that was begun before another one and finished after it is to be begun again, and tells of no copy", async () => {
    const { tab } = await joined()
    const first = tab.copy()
    const older = await first.challenge()
    const newer = await tab.challenge()
    opened(await tab.ask("POST", finish, tab.authenticator.sign(newer, { counter: 8 })))
    const answer = await first.ask("POST", finish, first.authenticator.sign(older as never, { counter: 7 }))
    staysOut(answer, 401, "UNAUTHENTICATED")
    assert.include(answer.text, "Begin again")
    assert.notInclude(answer.text, "copy")
  })

  it("with an empty handle, or without one, is that of the credential's person", async () => {
    const { id, tab } = await joined()
    assert.deepInclude(opened(await tab.signIn({ userHandle: "" })), { person_id: id })
    const { user_handle: _, ...bare } = tab.authenticator.sign(await tab.challenge())
    assert.deepInclude(opened(await tab.ask("POST", finish, bare)), { person_id: id })
  })

  it("is finished once, on one node or on two at the same moment", async () => {
    const { tab } = await joined()
    const answer = tab.authenticator.sign(await tab.challenge(), { counter: 1 })
    const outcomes = await Promise.all(
      [service, other, service, other].map((at) => tab.copy().ask("POST", finish, answer, { at }))
    )
    assert.deepStrictEqual(outcomes.map(({ status }) => status).toSorted(), [201, 401, 401, 401])
    staysOut(await tab.ask("POST", finish, answer), 401, "UNAUTHENTICATED")
    const free = tab.authenticator.sign(await tab.challenge(), { counter: 2 })
    opened(await tab.ask("POST", finish, free, { at: other }))
    staysOut(await tab.ask("POST", finish, free), 401, "UNAUTHENTICATED")
  })

  it("is finished in the browser that began it, in its time, and for nothing else", async () => {
    const { tab } = await joined()
    const answer = () => tab.challenge().then((challenge) => tab.authenticator.sign(challenge))
    const body = await answer()
    staysOut(await new PasskeyTab(service).ask("POST", finish, body), 401, "UNAUTHENTICATED")
    const eve = new PasskeyTab(service)
    await eve.challenge()
    staysOut(await eve.ask("POST", finish, body), 401, "UNAUTHENTICATED")
    const name = flowNameIn(tab)
    const kept = tab.cookies.get(name)!
    const parts = kept.split(".")
    const changed = (at: number, to: string) => parts.map((part, index) => index === at ? to : part).join(".")
    for (const text of [changed(0, "add"), changed(2, "9999999999"), changed(3, "per_x"), "", kept.slice(1)]) {
      tab.cookies.set(name, text)
      staysOut(await tab.ask("POST", finish, body), 401, "UNAUTHENTICATED")
    }
    tab.cookies.set(name, kept)
    staysOut(
      await tab.ask("POST", finish, body, { headers: { "sec-fetch-site": "cross-site" } }),
      401,
      "UNAUTHENTICATED"
    )
    opened(await tab.ask("POST", finish, body))
    // What was begun to add a passkey signs nobody in.
    const begun = await tab.ask("POST", `${passkeys}/begin`)
    staysOut(await tab.ask("POST", finish, tab.authenticator.sign(begun.body.data)), 401, "UNAUTHENTICATED")
  })

  it.each(["first", "second"])("is finished in two tabs of a browser, the %s one first", async (which) => {
    const { tab } = await joined()
    const [one, two] = [await tab.challenge(), await tab.challenge()]
    const answers = [one, two].map((challenge) => tab.authenticator.sign(challenge))
    for (const answer of which === "first" ? answers : answers.toReversed()) {
      opened(await tab.ask("POST", finish, answer))
    }
    // Each is good once.
    for (const answer of answers) staysOut(await tab.ask("POST", finish, answer), 401, "UNAUTHENTICATED")
  })

  it("is kept for eight tabs of a browser, and the ninth takes the place of the first", async () => {
    const { tab } = await joined()
    const answers: Array<object> = []
    for (let count = 0; count < 9; count++) answers.push(tab.authenticator.sign(await tab.challenge()))
    const flows = [...tab.cookies.keys()].filter((name) => name.startsWith("countersign-passkey-"))
    assert.lengthOf(flows, 8)
    staysOut(await tab.ask("POST", finish, answers[0]!), 401, "UNAUTHENTICATED")
    opened(await tab.ask("POST", finish, answers[8]!))
  })

  it("is begun at most so often by one address, and elsewhere goes on", async () => {
    const tab = new PasskeyTab(service)
    const headers = { "x-forwarded-for": "203.0.113.78" }
    const statuses = new Set<number>()
    for (let count = 0; count < 75; count++) {
      statuses.add((await tab.ask("POST", begin, undefined, { headers })).status)
    }
    assert.sameMembers([...statuses], [201, 429])
    // One is given back each second, however slow the machine is.
    const shown = new Set<number>()
    for (let count = 0; count < 20; count++) {
      shown.add((await tab.ask("POST", show, { invitation: "csi_none" }, { headers })).status)
    }
    assert.include([...shown], 429)
    assert.strictEqual((await tab.ask("POST", begin)).status, 201)
  })

  it("is begun by others, and finished, while twenty-one networks begin as many as they may", async () => {
    const { tab } = await joined()
    const flood = async (network: number) => {
      const from = new PasskeyTab(service)
      const headers = { "x-forwarded-for": `192.0.2.${network}` }
      const statuses = Array.from(
        { length: 61 },
        async () => (await from.ask("POST", begin, undefined, { headers })).status
      )
      return (await Promise.all(statuses)).filter((status) => status === 201).length
    }
    const begun: Array<number> = []
    for (let network = 0; network < 21; network++) begun.push(await flood(network))
    // All that the limit of one address lets through.
    assert.isAtLeast(begun.reduce((sum, count) => sum + count, 0), 21 * 60)
    opened(await tab.signIn())
  })

  it("that is begun writes nothing down", async () => {
    const rows = async () => (await sql.query("SELECT seed_hash FROM spent_sign_ins")).length
    const before = await rows()
    const { tab } = await joined()
    const after = await rows()
    assert.strictEqual(after, before + 1)
    await tab.challenge()
    staysOut(await tab.signIn({ by: stranger }), 401, "UNAUTHENTICATED")
    assert.strictEqual(await rows(), after)
  })
})

/** Statements as the standard has them, whose certificates nobody asked for; Firefox on Windows sends those of Windows Hello. */
const certified: Readonly<Record<string, Otherwise>> = {
  packed: {
    format: "packed",
    statement: new Map<string, unknown>([["alg", -7], ["sig", new Uint8Array(70)], ["x5c", [new Uint8Array(64)]]])
  },
  tpm: {
    format: "tpm",
    statement: new Map<string, unknown>([
      ["ver", "2.0"],
      ["alg", -65535],
      ["x5c", [new Uint8Array(64), new Uint8Array(64)]],
      ["sig", new Uint8Array(256)],
      ["certInfo", new Uint8Array(160)],
      ["pubArea", new Uint8Array(310)]
    ])
  },
  "android-key": {
    format: "android-key",
    statement: new Map<string, unknown>([["alg", -7], ["sig", new Uint8Array(70)], ["x5c", [new Uint8Array(64)]]])
  },
  apple: { format: "apple", statement: new Map<string, unknown>([["x5c", [new Uint8Array(64)]]]) }
}

describe("a passkey with certificates that nobody asked for", () => {
  it.each(Object.keys(certified))("in the format %s is taken as one without, and signs in", async (format) => {
    const { id } = await add()
    const tab = new PasskeyTab(service)
    const asked = await tab.invited(await invite(id))
    opened(await tab.ask("POST", join, tab.authenticator.create(asked as never, certified[format])))
    assert.strictEqual((await tab.add(certified[format])).status, 201)
    opened(await tab.signIn())
  })

  it("of another challenge, page or relying party is nobody's all the same", async () => {
    const { tab } = await joined()
    for (const otherwise of [{ rpId: "evil.example" }, { origin: "https://evil.example" }, { crossOrigin: true }]) {
      refused(await tab.add({ ...certified["packed"], ...otherwise }), 401, "UNAUTHENTICATED")
    }
  })
})

describe("a passkey that is made", () => {
  const cases: Readonly<Record<string, Otherwise>> = {
    ...forged,
    "as a sign-in": { type: "webauthn.get" },
    "with a statement that none has": { statement: new Map([["sig", new Uint8Array(8)]]) },
    "with a format that there is not": { format: "forged" },
    "with a format that was not asked for": { format: "fido-u2f", statement: new Map([["sig", new Uint8Array(8)]]) },
    "with certificates of a format that there is not": {
      format: "forged",
      statement: new Map<string, unknown>([["alg", -7], ["sig", new Uint8Array(70)], ["x5c", [new Uint8Array(64)]]])
    },
    "with a signature of its own that is wrong": {
      format: "packed",
      statement: new Map<string, unknown>([["alg", -7], ["sig", new Uint8Array(70)]])
    },
    "for an algorithm that was not offered": { algorithm: -35 },
    "under the ID of another": { credentialId: Buffer.alloc(16, 3).toString("base64url") }
  }
  it.each(Object.keys(cases))("%s is nobody's", async (what) => {
    const { tab } = await joined()
    const { id } = await add()
    const fresh = new PasskeyTab(service)
    const { passkey } = (await fresh.ask("POST", show, { invitation: await invite(id) })).body.data
    const before = await insiders()
    const flags = cases[what]!.flags
    const otherwise = flags === undefined ? cases[what]! : { ...cases[what]!, flags: flags | flag.hasCredential }
    staysOut(await fresh.ask("POST", join, fresh.authenticator.create(passkey, otherwise)), 401, "UNAUTHENTICATED")
    refused(await tab.add(otherwise), 401, "UNAUTHENTICATED")
    assert.deepStrictEqual(await insiders(), before)
    // The invitation is not spent by it.
    const again = (await fresh.ask("POST", show, { invitation: await invite(id) })).body.data
    opened(await fresh.ask("POST", join, fresh.authenticator.create(again.passkey)))
  })

  it("is of one person, and made once", async () => {
    const { tab } = await joined()
    const begun = await tab.ask("POST", `${passkeys}/begin`)
    const body = tab.authenticator.create(begun.body.data)
    const outcomes = await Promise.all([service, other].map((at) => tab.copy().ask("POST", passkeys, body, { at })))
    assert.deepStrictEqual(outcomes.map(({ status }) => status).toSorted(), [201, 401])
    const eve = await joined()
    const theirs = await eve.tab.ask("POST", `${passkeys}/begin`)
    // The cookie of the one and the session of the other.
    const mixed = eve.tab.copy()
    const name = flowNameIn(tab)
    mixed.cookies.set(name, tab.cookies.get(name)!)
    refused(await mixed.ask("POST", passkeys, tab.authenticator.create(begun.body.data)), 401, "UNAUTHENTICATED")
    assert.strictEqual(theirs.status, 201)
  })

  it("is added by no API key, and by no session that an invitation alone has opened", async () => {
    refused(await service.call("POST", `${passkeys}/begin`), 409, "STATE_CONFLICT")
    const { id } = await add()
    const tab = new PasskeyTab(service)
    opened(await tab.ask("POST", signIn, { invitation: await invite(id) }))
    refused(await tab.ask("POST", `${passkeys}/begin`), 409, "STATE_CONFLICT")
  })
})

describe("an invitation", () => {
  it("is spent once, by two passkeys at the same moment on two nodes", async () => {
    const { id } = await add()
    const invitation = await invite(id)
    const tabs = [new PasskeyTab(service), new PasskeyTab(service)]
    const bodies = await Promise.all(tabs.map(async (tab) => {
      const { passkey } = (await tab.ask("POST", show, { invitation })).body.data
      return tab.authenticator.create(passkey)
    }))
    const outcomes = await Promise.all(
      tabs.map((tab, index) => tab.ask("POST", join, bodies[index], { at: index === 0 ? service : other }))
    )
    assert.deepStrictEqual(outcomes.map(({ status }) => status).toSorted(), [201, 401])
    assert.lengthOf(await held(id), 1)
    refused(await new PasskeyTab(service).ask("POST", show, { invitation }), 401, "UNAUTHENTICATED")
  })

  it("is spent and its person changed at the same moment, without a deadlock", async () => {
    for (let times = 0; times < 5; times++) {
      const { id } = await add()
      const tab = new PasskeyTab(service)
      const { passkey } = (await tab.ask("POST", show, { invitation: await invite(id) })).body.data
      const [entered, changed] = await Promise.all([
        tab.ask("POST", join, tab.authenticator.create(passkey), { at: other }),
        service.call("PATCH", `${people}/${id}`, { body: { roles: ["finance"] } })
      ])
      assert.strictEqual(changed.status, 200, changed.text)
      assert.include([201, 401], entered.status, entered.text)
      // Whoever came first, no session has the rights from before.
      const { data } = (await tab.whoami()).body
      if (data !== undefined) assert.include(data.scopes, "report:export")
    }
  })

  it("that has expired is kept until the next one is made, or somebody signs in, whosever it was", async () => {
    const { id } = await add()
    const kept = async () => (await sql.query("SELECT FROM person_invitations WHERE person_id = $1", [id])).length
    const expire = () =>
      sql.query("UPDATE person_invitations SET expires_at = now() - interval '1 second' WHERE person_id = $1", [id])
    await invite(id)
    await expire()
    assert.strictEqual(await kept(), 1)
    await invite((await add()).id)
    assert.strictEqual(await kept(), 0)
    await invite(id)
    await expire()
    await joined()
    assert.strictEqual(await kept(), 0)
  })

  it("is shown without being spent, and to pages of the service alone", async () => {
    const { id } = await add()
    const invitation = await invite(id)
    for (let times = 0; times < 3; times++) {
      assert.strictEqual((await new PasskeyTab(service).ask("POST", show, { invitation })).status, 200)
    }
    const elsewhere = { headers: { "sec-fetch-site": "cross-site" } }
    refused(await new PasskeyTab(service).ask("POST", show, { invitation }, elsewhere), 401, "UNAUTHENTICATED")
    opened(await new PasskeyTab(service).ask("POST", signIn, { invitation }))
  })

  it.each(["csi_none", "css_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt"])("such as %s is none", async (invitation) => {
    refused(await new PasskeyTab(service).ask("POST", show, { invitation }), 401, "UNAUTHENTICATED")
  })

  it("whose maker lacks admin adds no passkey", async () => {
    const scopes = [
      "people:write",
      "product:read",
      "license:write",
      "customer:write",
      "device:write",
      "event:read",
      "report:read"
    ]
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes })
    const { id } = await add()
    const { invitation } = await service.data("POST", `${people}/${id}/invite`, undefined, { token })
    const tab = new PasskeyTab(service)
    const shown = (await tab.ask("POST", show, { invitation })).body.data
    assert.isFalse(shown.links_account)
    assert.notProperty(shown, "passkey")
    const stolen = (await tab.ask("POST", show, { invitation: await invite((await add()).id) })).body.data.passkey
    // The other invitation takes the place of the first in the browser, and only it is spent.
    opened(await tab.ask("POST", join, tab.authenticator.create(stolen)))
    assert.lengthOf(await held(id), 0)
  })

  it("whose maker lacks admin adds no passkey, made on one node while one of an owner is spent on the other", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "k",
      scopes: ["people:write", "license:write"]
    })
    const role = await service.data("POST", "/api/v1/roles", { name: "Keepers", scopes: ["license:write"] })
    for (let times = 0; times < 8; times++) {
      const { id } = await add({ roles: [role.id] })
      const [tab, eve] = [new PasskeyTab(service), new PasskeyTab(service)]
      const { passkey } = (await tab.ask("POST", show, { invitation: await invite(id) })).body.data
      // The browser of Eve has the options of the owner's invitation, too.
      for (const [name, value] of tab.cookies) eve.cookies.set(name, value)
      const planted = eve.authenticator.create(passkey)
      const [entered, made] = await Promise.all([
        tab.ask("POST", join, tab.authenticator.create(passkey), { at: other }),
        service.call("POST", `${people}/${id}/invite`, { token })
      ])
      if (entered.status === 201) {
        // Who came in first is active, and nobody else signs in for this person.
        refused(made, 409, "STATE_CONFLICT")
        staysOut(await eve.ask("POST", join, planted), 401, "UNAUTHENTICATED")
        assert.lengthOf(await held(id), 1)
        continue
      }
      staysOut(entered, 401, "UNAUTHENTICATED")
      const spent = Promise.all([
        eve.ask("POST", join, planted),
        eve.ask("POST", signIn, { invitation: made.body.data.invitation }, { at: other })
      ])
      staysOut((await spent)[0], 401, "UNAUTHENTICATED")
      opened((await spent)[1])
      refused(await eve.ask("POST", `${passkeys}/begin`), 409, "STATE_CONFLICT")
      refused(await eve.ask("POST", passkeys, planted), 409, "STATE_CONFLICT")
      assert.lengthOf(await held(id), 0)
    }
  })

  it("that was replaced, or whose person was removed meanwhile, lets nobody in", async () => {
    const { id } = await add()
    const tab = new PasskeyTab(service)
    const { passkey } = (await tab.ask("POST", show, { invitation: await invite(id) })).body.data
    await invite(id)
    staysOut(await tab.ask("POST", join, tab.authenticator.create(passkey)), 401, "UNAUTHENTICATED")
    const later = (await tab.ask("POST", show, { invitation: await invite(id) })).body.data
    await service.call("DELETE", `${people}/${id}`)
    staysOut(await tab.ask("POST", join, tab.authenticator.create(later.passkey)), 401, "UNAUTHENTICATED")
  })

  it("lets nobody in without a role, and none is good after its role was changed", async () => {
    const roleless = await add({ roles: [] })
    const invitation = await invite(roleless.id)
    staysOut(await new PasskeyTab(service).ask("POST", signIn, { invitation }), 401, "UNAUTHENTICATED")
    assert.notProperty((await new PasskeyTab(service).ask("POST", show, { invitation })).body.data, "passkey")
    const role = await service.data("POST", "/api/v1/roles", { name: "Desk", scopes: ["license:read"] })
    const [waiting, entered] = [await add({ roles: [role.id] }), await add({ roles: [role.id] })]
    const open = await invite(waiting.id)
    const tab = new PasskeyTab(service)
    opened(await tab.ask("POST", signIn, { invitation: await invite(entered.id) }))
    await service.data("PATCH", `/api/v1/roles/${role.id}`, { scopes: ["license:read", "license:write"] })
    refused(await tab.whoami(), 401, "UNAUTHENTICATED")
    staysOut(await new PasskeyTab(service).ask("POST", signIn, { invitation: open }), 401, "UNAUTHENTICATED")
  })

  it("in the test environment shows nothing of live", async () => {
    const { id } = await add()
    const invitation = await invite(id)
    const answer = await service.call("POST", `/test${show}`, {
      token: null,
      headers: { "sec-fetch-site": "same-origin", ...fromElsewhere() },
      body: { invitation }
    })
    refused(answer, 401, "UNAUTHENTICATED")
    const { tab } = await joined()
    const body = tab.authenticator.sign(await tab.challenge())
    refused(await tab.ask("POST", `/test${finish}`, body), 401, "UNAUTHENTICATED")
  })
})

describe("a sign-in with the admin token", () => {
  it("is written down for everybody, and no other is", async () => {
    assert.strictEqual((await service.call("POST", admin)).status, 204)
    const told = (await service.feed()).findLast(({ event_type }) => event_type === "api_key.signed_in")!
    assert.deepInclude(told, { actor_type: "api_key", actor_id: "bootstrap", resource_id: "bootstrap" })
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["admin"] })
    refused(await service.call("POST", admin, { token }), 409, "STATE_CONFLICT")
  })
})
