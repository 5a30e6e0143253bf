// The people of a team in the console: invited, given roles, signed out, removed; and the roles in words.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { confirm, deskOrPhone, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"
import { countHands, secondsOf } from "../../fixtures/Walk.ts"

takeTurns()

let browser: Browser
let service: Service

const path = "/console/people"

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path, ...options })
  onTestFinished(() => visitor.close())
  await visitor.settle()
  return visitor
}

const dialogOf = ({ page }: Visitor) => page.getByRole("dialog")
const personOf = (id: string): Promise<Body> => service.data("GET", `/api/v1/people/${id}`)

/** Spends the invitation of the link that the dialog shows. */
const join = async (visitor: Visitor, name: string): Promise<Body> => {
  const link = await dialogOf(visitor).getByLabel(`Link for ${name}`).innerText()
  const [start, invitation] = link.split("#")
  assert.strictEqual(start, `${service.url}/console/join`)
  const answer = await service.call("POST", "/api/v1/sign-in", {
    token: null,
    headers: { "sec-fetch-site": "same-origin" },
    body: { invitation }
  })
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data
}

describe.each(deskOrPhone("people"))("at the %s", (name, look) => {
  it("a colleague is given access with four clicks and an address, by a link that is shown once", async () => {
    const email = name === "desk" ? "jun.sato@acme.example" : "mei.lin@acme.example"
    const called = name === "desk" ? "Jun Sato" : "Mei Lin"
    const visitor = await opened({ look })
    const { page } = visitor
    const hands = await countHands(page)
    await page.getByRole("button", { name: "Invite" }).click()
    await page.keyboard.type(email)
    const dialog = dialogOf(visitor)
    assert.include(await dialog.innerText(), "gets a link that works once, for an hour")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "Invite" }).click()
    await dialog.getByText("The link works once, for an hour").waitFor()
    await dialog.getByRole("button", { name: "Copy", exact: true }).click()
    const joined = await join(visitor, called)
    await dialog.getByRole("button", { name: "I saved it" }).click()
    const walked = await hands()
    assert.deepStrictEqual(walked, { clicks: 4, keys: email.length })
    assert.isBelow(secondsOf(walked, 3), 120, "somebody who never saw it gives access within two minutes")
    await visitor.settle()
    assert.deepInclude(await personOf(joined.person_id), { name: called, email, roles: ["support"] })
    await page.getByRole("link", { name: called }).waitFor()
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("an invitation", () => {
  it("to one product gives a role that is limited to it, which the next one takes too", async () => {
    const product = await makeProduct(service)
    const inviteTo = async (email: string): Promise<string> => {
      const visitor = await opened()
      await visitor.page.getByRole("button", { name: "Invite" }).click()
      const dialog = dialogOf(visitor)
      await dialog.getByLabel("Email").fill(email)
      await dialog.getByText("Only these").click()
      await dialog.getByRole("checkbox", { name: product.name }).click()
      await dialog.getByRole("button", { name: "Invite" }).click()
      await dialog.getByText("The link works once, for an hour").waitFor()
      const [person] = await service.data("GET", `/api/v1/people?q=${encodeURIComponent(email)}`)
      return person.roles.join(" ")
    }
    const first = await inviteTo("limited.one@acme.example")
    const role = await service.data("GET", `/api/v1/roles/${first}`)
    assert.deepInclude(role, { name: `Support · ${product.name}`, product_ids: [product.id] })
    assert.strictEqual(await inviteTo("limited.two@acme.example"), first)
  })

  it("offers no role with more rights than one has, and says why", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "lead",
      scopes: [
        "people:write",
        "product:write",
        "license:write",
        "customer:write",
        "device:write",
        "event:read",
        "report:read"
      ]
    })
    const visitor = await opened({ token })
    await visitor.page.getByRole("button", { name: "Invite" }).click()
    const dialog = dialogOf(visitor)
    assert.isFalse(await dialog.getByRole("radio", { name: /^Owner/ }).isEnabled())
    assert.isTrue(await dialog.getByRole("radio", { name: /^Support see/ }).isEnabled())
    assert.include(await dialog.innerText(), "You cannot give what you do not have.")
  })
})

describe("a person", () => {
  it("gets another role, which ends the sessions that the dialog counts", async () => {
    const bo = await signInAs(service, "Bo Berg", ["support"])
    const visitor = await opened({ path: `${path}/${bo.id}` })
    const { page } = visitor
    await visitor.shows("Sessions")
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "Change roles" }).click()
    const dialog = dialogOf(visitor)
    assert.include(await dialog.innerText(), "Takes effect at once, on Bo’s session")
    await dialog.getByRole("checkbox", { name: /^Support see/ }).click()
    await dialog.getByRole("checkbox", { name: /^Finance/ }).click()
    await confirm(visitor, "Change roles")
    assert.deepStrictEqual((await personOf(bo.id)).roles, ["finance"])
    assert.strictEqual((await asPerson(service, bo, "GET", "/api/v1/whoami")).status, 401)
    await visitor.shows("Not signed in")
  })

  it("is changed by nobody who has not seen the last change", async () => {
    const cy = await signInAs(service, "Cy Young", ["support"])
    const visitor = await opened({ path: `${path}/${cy.id}` })
    await visitor.page.getByRole("button", { name: "Change roles" }).click()
    await service.data("PATCH", `/api/v1/people/${cy.id}`, { roles: ["auditor"] })
    const dialog = dialogOf(visitor)
    await dialog.getByRole("checkbox", { name: /^Finance/ }).click()
    await dialog.getByRole("button", { name: "Change roles" }).click()
    await dialog.getByText("The resource was changed since you read it.").waitFor()
    assert.deepStrictEqual((await personOf(cy.id)).roles, ["auditor"])
  })

  it("is removed with the keys that the person made, or without", async () => {
    const keyOf = async (name: string) => {
      const person = await signInAs(service, name, ["owner"])
      const made = await asPerson(service, person, "POST", "/api/v1/api-keys", {
        name: `of ${name}`,
        scopes: ["ops:read"]
      })
      assert.strictEqual(made.status, 201, made.text)
      return { id: person.id, token: made.body.data.token }
    }
    const [kept, revoked] = [await keyOf("Di Keep"), await keyOf("Ed Revoke")]
    for (const [{ id }, choice] of [[kept, "Keep"], [revoked, "Revoke"]] as const) {
      const visitor = await opened({ path: `${path}/${id}` })
      await visitor.page.getByRole("button", { name: "Remove", exact: true }).click()
      const dialog = dialogOf(visitor)
      assert.include(await dialog.innerText(), "Leaves 1 API key that work")
      await dialog.getByRole("radio", { name: new RegExp(`^${choice}`) }).click()
      await confirm(visitor, "Remove")
      assert.strictEqual((await personOf(id)).status, "removed")
    }
    const statuses = await Promise.all(
      [kept, revoked].map(({ token }) => service.call("GET", "/api/v1/whoami", { token }))
    )
    assert.deepStrictEqual(statuses.map(({ status }) => status), [200, 401])
  })

  it("who is the last owner cannot go, and the dialog says what to do", async () => {
    const alone = await startService()
    const identities = [{ issuer: "https://login.example.com", subject: randomUUID() }]
    const { id } = await alone.data("POST", "/api/v1/people", { name: "Ada", roles: ["owner"], identities })
    await alone.data("POST", "/api/v1/people", { name: "Invited", roles: ["owner"] })
    const visitor = await visit(browser, alone, { path: `${path}/${id}` })
    onTestFinished(() => visitor.close())
    await visitor.page.getByRole("button", { name: "Remove", exact: true }).click()
    await visitor.shows("Make another person an owner first.")
    assert.isFalse(await dialogOf(visitor).getByRole("button", { name: "Remove", exact: true }).isEnabled())
  })
})

describe("a role", () => {
  it("says what it lets people do, and not; one of your own is made, changed and deleted by area", async () => {
    const visitor = await opened({ path: `${path}/roles` })
    const { page } = visitor
    const auditor = page.getByRole("region", { name: "Auditor" })
    assert.match(
      await auditor.innerText(),
      /Can\s+see products and purchases[^]*Cannot\s+[^]*issue and change licenses/
    )
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "New role" }).click()
    const dialog = dialogOf(visitor)
    await dialog.getByLabel("Name").fill("Night shift")
    await dialog.getByRole("radiogroup", { name: "Licenses" }).getByLabel("Change").click()
    await confirm(visitor, "New role")
    const own = page.getByRole("region", { name: "Night shift" })
    await own.getByRole("button", { name: "Edit" }).click()
    await dialog.getByRole("radiogroup", { name: "Licenses" }).getByLabel("See").click()
    await confirm(visitor, "Edit")
    const role = (await service.data("GET", "/api/v1/roles?order=asc&limit=200"))
      .find(({ name }: Body) => name === "Night shift")
    assert.deepStrictEqual(role.scopes, ["license:read"])
    await own.getByRole("button", { name: "Delete" }).click()
    await confirm(visitor, "Delete")
    assert.strictEqual(await own.count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("an edited role", () => {
  it("keeps what a colleague changed after its dialog was opened, and says so", async () => {
    const { id } = await service.data("POST", "/api/v1/roles", { name: "Shared", scopes: ["license:read"] })
    const visitor = await opened({ path: `${path}/roles` })
    const dialog = dialogOf(visitor)
    const edit = async (name: string) => {
      await visitor.page.getByRole("region", { name: "Shared" }).getByRole("button", { name: "Edit" }).click()
      await dialog.getByLabel("Name").fill(name)
    }
    // A change from before the dialog was opened is in it, though the page does not show it.
    await service.data("PATCH", `/api/v1/roles/${id}`, { scopes: ["license:read", "ops:read"] })
    await edit("Shared by two")
    await confirm(visitor, "Edit")
    const role = await service.data("GET", `/api/v1/roles/${id}`)
    assert.deepInclude(role, { name: "Shared by two", scopes: ["license:read", "ops:read"] })
    await edit("Shared by three")
    await service.data("PATCH", `/api/v1/roles/${id}`, { scopes: ["license:read"] })
    await dialog.getByRole("button", { name: "Edit" }).click()
    await dialog.getByText("The resource was changed since you read it.").waitFor()
    assert.deepInclude(await service.data("GET", `/api/v1/roles/${id}`), {
      name: "Shared by two",
      scopes: ["license:read"]
    })
  })
})

describe("a person who is signed in", () => {
  it("is signed out everywhere, also where a session was opened or ended since the page was", async () => {
    const fay = await signInAs(service, "Fay Wray", ["support"])
    const enter = async () => {
      const { invitation } = await service.data("POST", `/api/v1/people/${fay.id}/invite`)
      const body = { invitation }
      const headers = { "sec-fetch-site": "same-origin" }
      return (await service.call("POST", "/api/v1/sign-in", { token: null, headers, body })).body.data.id
    }
    const ended = await enter()
    const visitor = await opened({ path: `${path}/${fay.id}` })
    await visitor.shows("Sessions")
    await service.call("DELETE", `/api/v1/sessions/${ended}`)
    await enter()
    await visitor.page.getByRole("button", { name: "End sessions" }).click()
    assert.include(await confirm(visitor, "End sessions"), "2 sessions ended.")
    assert.deepStrictEqual(await service.data("GET", `/api/v1/sessions?person_id=${fay.id}`), [])
  })

  it("has passkeys on the page, which a colleague removes", async () => {
    const { id } = await signInAs(service, "Gus Pass", ["support"])
    const sql = await session(service.databaseUrl)
    await sql.query(
      `INSERT INTO passkeys (id, credential_id, person_id, name, public_key, counter, transports, is_synced)
        VALUES ($1, '\\x01', $2, 'Laptop', '\\x02', 0, '{}', false)`,
      ["pky_06eqpx1trxz3h94vqjm3a6kz7c", id]
    )
    const visitor = await opened()
    await visitor.shows("1 passkey")
    await visitor.goto(`${path}/${id}`)
    await visitor.page.getByRole("button", { name: "Remove passkey" }).click()
    await confirm(visitor, "Remove passkey")
    await visitor.shows("An invitation link only, so far.")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the pages of people", () => {
  it("are in the bar only for who may see people, and refused in words otherwise", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "ops", scopes: ["ops:read"] })
    const visitor = await opened({ token, path: "/console/operations" })
    assert.strictEqual(await visitor.page.getByRole("link", { name: "People" }).count(), 0)
    for (const each of [path, `${path}/roles`, `${path}/invitations`]) {
      await visitor.goto(each)
      await visitor.shows("does not have the required scope")
    }
  })
})

describe("who lacks a right", () => {
  it("reads which one, and the names of those who can give it, at an address that is not for them", async () => {
    const role = await service.data("POST", "/api/v1/roles", {
      name: randomUUID(),
      scopes: ["people:write", "webhook:write"]
    })
    const vi = await signInAs(service, "Vi Asks", ["support"])
    await signInAs(service, "Ann Owner", ["owner"])
    await signInAs(service, "Oz Ops", [role.id])
    const visitor = await opened({ person: vi, path: "/console/keys", look: looks.phoneAtNight })
    await visitor.shows("You need admin for this. ")
    const text = await visitor.shows("Ann Owner")
    assert.notInclude(text, "Oz Ops")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await visitor.goto("/console/webhooks")
    await visitor.shows("You need webhook:write for this. ")
    await visitor.shows(/Ann Owner.*Oz Ops.* can give it to you\./)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
