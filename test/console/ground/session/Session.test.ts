// The session of a tab, rendered in memory: how it begins, how it goes on after the service has ended it, and whose page it is then.
import { assert, describe, it } from "@effect/vitest"
import { within } from "@testing-library/dom"
import type { License, TokenIdentity } from "../../../../src/client/api/index.ts"
import { addressIn } from "../../../../src/console/ground/addresses/Address.ts"
import { anyone, person, Refused, unreachable } from "../../../fixtures/ConsoleAnswers.ts"
import type { Answers, Asked } from "../../../fixtures/ConsoleAnswers.ts"
import { openTab, read } from "../../../fixtures/ConsoleTab.ts"
import type { Tab } from "../../../fixtures/ConsoleTab.ts"
import { customer, explanation, license } from "../../../fixtures/ConsoleVendor.ts"

const path = `/console/licenses/${license.id}`
const suspended: License = { ...license, status: "suspended" }
const page: NonNullable<Answers["licenses"]> = { explain: () => explanation(), get: () => license, suspend: suspended }

const bearer = ({ headers }: Asked): string | undefined => headers["authorization"]

const signIn = async (tab: Tab, token: string) => {
  await tab.fill("Token", token)
  await tab.press("Sign in")
}

/** A service at which each token is somebody, and every other one nobody. */
const tokens = (known: Readonly<Record<string, TokenIdentity>>): NonNullable<Answers["apiKeys"]> => ({
  whoami: ({ headers }) =>
    known[headers["authorization"]?.replace("Bearer ", "") ?? ""] ?? new Refused("UNAUTHENTICATED")
})

const limited: TokenIdentity = {
  ...anyone,
  id: "key_2",
  name: "Support key",
  scopes: ["license:read", "license:write"]
}

describe("somebody who signs in with a token", () => {
  it("is told what is wrong with it, keeps what was typed, and gets the page of the address", async () => {
    const tab = await openTab("/console/customers", {
      who: null,
      answers: { apiKeys: tokens({ csk_good: anyone }), customers: { list: [customer] } }
    })
    await tab.shows("Sign in with a token")
    await signIn(tab, "csk_bad")
    await tab.shows("UNAUTHENTICATED")
    assert.include(tab.text(), "Check the token, or sign in another way.")
    assert.deepInclude(tab.getByLabelText("Token"), { value: "csk_bad", type: "password" })
    await signIn(tab, " csk_good ")
    await tab.shows("ada@customer.example")
    assert.strictEqual(tab.address(), "/console/customers")
    assert.deepInclude(tab.kept(), { "countersign.token.live": "csk_good" })
    assert.isEmpty(tab.service.of("sessions.noteAdmin"), "a key is told nobody")
  })

  it("has everybody told before anything is shown where it is the admin token", async () => {
    const tab = await openTab("/console/customers", {
      who: null,
      answers: { apiKeys: tokens({ csa_admin: { ...anyone, kind: "bootstrap", id: "bootstrap" } }) }
    })
    await signIn(tab, "csa_admin")
    await tab.role("heading", "Customers")
    const names = tab.service.asked.map(({ operation }) => operation)
    assert.isBelow(names.indexOf("sessions.noteAdmin"), names.indexOf("customers.list"))
    assert.isAbove(names.indexOf("sessions.noteAdmin"), -1)
  })

  it("is not shown the environment of another token than the address wants", async () => {
    const tab = await openTab(addressIn("test", "/console/customers"), {
      who: null,
      answers: { apiKeys: tokens({ csk_good: anyone }) }
    })
    await tab.shows("Enter a token of the test environment.")
    await signIn(tab, "csk_good")
    await tab.shows("This token belongs to the live environment. Enter a token of the test environment.")
    assert.notProperty(tab.kept(), "countersign.token.live")
    assert.isEmpty(tab.service.of("customers.list"))
  })
})

describe("a tab that is opened anew", () => {
  it("forgets a token that is no longer good, and says why once", async () => {
    const tab = await openTab("/console/customers", { answers: { apiKeys: { whoami: new Refused("TOKEN_REVOKED") } } })
    await tab.shows("You were signed out")
    assert.deepStrictEqual(Object.keys(tab.kept()), ["countersign.ended.live"])
    const again = await tab.reload()
    await again.shows("You were signed out")
  })

  it("keeps the token where the service cannot be reached, and asks again when it is told to", async () => {
    let isThere = false
    const tab = await openTab("/console/customers", {
      answers: { apiKeys: { whoami: () => isThere ? anyone : unreachable }, customers: { list: [customer] } }
    })
    await tab.shows("Cannot reach the service.")
    assert.property(tab.kept(), "countersign.token.live")
    isThere = true
    await tab.press("Try again")
    await tab.shows("ada@customer.example")
  })
})

describe("a session that the service ends while a page is shown", () => {
  const ended = async (known: Readonly<Record<string, TokenIdentity>>) => {
    let isOver = false
    const tab = await openTab(path, {
      who: anyone,
      answers: {
        apiKeys: tokens({ cmk_of_a_test: anyone, ...known }),
        licenses: {
          ...page,
          suspend: (asked) =>
            isOver && bearer(asked) === "Bearer cmk_of_a_test" ? new Refused("TOKEN_EXPIRED") : suspended
        }
      }
    })
    await tab.press("Suspend")
    await tab.fill("Reason (optional)", "Prank call", await tab.dialog("Suspend"))
    isOver = true
    await tab.press("Suspend", "button", await tab.dialog("Suspend"))
    await tab.shows("The page and your input are kept.")
    return tab
  }

  it("goes on for who signs in again, with the same request and its key", async () => {
    const tab = await ended({ csk_next: anyone })
    assert.notProperty(tab.kept(), "countersign.token.live")
    await signIn(tab, "csk_next")
    await tab.shows("License suspended.")
    const [first, second, ...more] = tab.service.of("licenses.suspend")
    assert.isEmpty(more)
    assert.deepStrictEqual([bearer(first!), bearer(second!)], ["Bearer cmk_of_a_test", "Bearer csk_next"])
    assert.strictEqual(first!.headers["idempotency-key"], second!.headers["idempotency-key"])
    assert.deepStrictEqual(second!.body, { reason: "Prank call" })
  })

  it("sends nothing of one token with another before somebody has said whose the page is", async () => {
    const tab = await ended({ csk_other: limited })
    await signIn(tab, "csk_other")
    await tab.shows(/This page was opened with another token: Test key.*You signed in with\s*Support key/s)
    assert.lengthOf(tab.service.of("licenses.suspend"), 1)
    await tab.press("Start over")
    await tab.until("the page is a new one", () => tab.queryAllByRole("dialog").length === 0)
    await tab.until("it is loaded anew", () => tab.service.of("licenses.explain").length > 1)
    assert.lengthOf(tab.service.of("licenses.suspend"), 1, "what waited is never sent")
    assert.notInclude(JSON.stringify(tab.kept()), "Prank call")
  })

  it("sends it with the other token once it is said to be the same page", async () => {
    const tab = await ended({ csk_other: limited })
    await signIn(tab, "csk_other")
    await tab.press("Continue")
    await tab.shows("License suspended.")
    assert.strictEqual(bearer(tab.service.of("licenses.suspend").at(-1)!), "Bearer csk_other")
  })

  it("ends with the page where somebody leaves it", async () => {
    const tab = await ended({})
    await tab.press("Leave page")
    await tab.shows("Sign in with a token")
    assert.lengthOf(tab.service.of("licenses.suspend"), 1)
    assert.notInclude(JSON.stringify(tab.kept()), "Prank call")
  })
})

describe("a browser in which somebody else has signed in", () => {
  it("sends whose page it is with each request, and shows nobody's data to the other", async () => {
    const tab = await openTab(path, {
      who: person(),
      answers: { licenses: { ...page, suspend: new Refused("PERSON_MISMATCH", { detail: "Jun Sato" }) } }
    })
    await tab.press("Suspend")
    await tab.press("Suspend", "button", await tab.dialog("Suspend"))
    await tab.shows(/Jun Sato/)
    const [sent] = tab.service.of("licenses.suspend")
    assert.strictEqual(sent?.headers["countersign-person"], person().id)
    assert.notProperty(sent?.headers, "authorization", "the session is a cookie that no script reads")
  })
})

describe("what a token may see", () => {
  const places = async (who: TokenIdentity) => {
    const tab = await openTab("/console/customers", { who })
    const menu = await tab.role("navigation", "Console")
    return within(menu).getAllByRole("link").map(read)
  }

  it("is what stands in the navigation", async () => {
    assert.includeMembers(await places(anyone), ["Webhooks", "Operations"])
    const few = (await places({ ...anyone, scopes: ["license:read", "customer:read"] })).join("\n")
    for (const name of ["Products", "Activity", "Reports", "Webhooks", "Operations", "People", "API keys"]) {
      assert.notInclude(few, name)
    }
    assert.include(few, "Licenses")
    const ofProducts = (await places({ ...anyone, product_ids: [license.product_id] })).join("\n")
    assert.notInclude(ofProducts, "Operations", "what concerns all products is not for a limited token")
  })

  it("is told by the scope at an address that it may not see, and whom a person can ask", async () => {
    const tab = await openTab("/console/activity", { who: { ...anyone, scopes: ["license:read"] } })
    await tab.shows(/Sign in with one that has\s*report:read/)
    const people: ReadonlyArray<readonly [{ names: Array<string>; has_more: boolean }, string]> = [
      [{ names: ["Ada", "Jun"], has_more: false }, "Ada and Jun can give it to you."],
      [{ names: ["Ada", "Jun"], has_more: true }, "Ada, Jun and others can give it to you."],
      [{ names: [], has_more: false }, "Ask the operator of this service."]
    ]
    for (const [granters, says] of people) {
      const asked = await openTab("/console/activity", {
        who: person({ scopes: ["license:read"] }),
        answers: { people: { granters: { scope: "report:read", ...granters } } }
      })
      await asked.shows(says)
      assert.include(asked.text(), "You need report:read for this.")
      assert.deepStrictEqual(asked.service.of("people.granters")[0]?.query, { scope: "report:read" })
    }
  })

  it("leads from the start to the first page of it, and says where there is none", async () => {
    const tab = await openTab("/console", { who: { ...anyone, scopes: ["license:read"] } })
    await tab.role("heading", "Licenses")
    assert.strictEqual(tab.address(), "/console/licenses")
    const nothing = await openTab("/console", { who: { ...anyone, scopes: [] } })
    await nothing.shows("This token has no access to the console")
    const nowhere = await openTab("/console/licences", {})
    await nowhere.shows("No console page has this URL.")
  })
})

describe("signing out", () => {
  it("forgets the token, the data and what was entered", async () => {
    const tab = await openTab(path, { answers: { licenses: page } })
    await tab.press("Suspend")
    await tab.fill("Reason (optional)", "Prank call", await tab.dialog("Suspend"))
    tab.key("Escape")
    await tab.press("Sign out")
    await tab.shows("Sign in with a token")
    assert.notInclude(tab.text(), "You were signed out")
    assert.deepStrictEqual(tab.kept(), {})
    assert.notInclude(tab.document.documentElement.outerHTML, customer.name)
  })
})
