// Many licenses at once in the console: 37 of a filter, counted first, changed by a job, and its page.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { deskOrPhone, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

let browser: Browser
let service: Service
let issued: Issued

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  issued = await service.issue()
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const issue = async (many: number, tag: string): Promise<ReadonlyArray<string>> => {
  const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
    defaults: {
      product_id: issued.product.id,
      policy_id: issued.policy.id,
      tags: [tag],
      customer_name: "Ada Lovelace"
    },
    licenses: Array.from({ length: many }, () => ({}))
  })
  return results.map(({ license }: Body) => license.id)
}

const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole("button", { name, exact: true })
const jobOf = ({ page }: Visitor): string => new URL(page.url()).pathname.split("/").at(-1)!

describe.each(deskOrPhone("bulk"))(
  "37 licenses of a filter, at the %s",
  (name, look) => {
    it("are suspended in at most 6 clicks and 14 keys, counted first, and each outcome is kept", async () => {
      const tag = `pay-${name}`
      const ids = await issue(37, tag)
      await service.data("POST", `/api/v1/licenses/${ids[0]}/suspend`)
      await service.data("POST", `/api/v1/licenses/${ids[1]}/suspend`)
      const visitor = await opened({ look })
      const { page } = visitor
      let [clicks, keys] = [0, 0]
      const click = async (what: { click: () => Promise<unknown> }) => {
        clicks += 1
        await what.click()
      }
      await visitor.goto("/console/licenses")
      await click(page.getByLabel("Tag", { exact: true }))
      await page.keyboard.type(tag)
      keys += tag.length
      await visitor.shows("37 match")
      if (name === "phone") {
        await click(button(visitor, "Select"))
        // The head of the table is for those who hear it; here rows are ticked.
        await click(page.getByLabel("Select all that are shown"))
      } else await click(page.getByLabel("Select all rows on this page"))
      await visitor.shows("37 selected.")
      assert.deepStrictEqual(await visitor.axe(), [])
      await click(button(visitor, "Suspend"))
      await visitor.shows("37 match. 35 will be suspended.")
      await visitor.shows("2 licenses: The license is suspended already.")
      assert.deepStrictEqual(await visitor.axe(), [])
      await click(page.getByRole("dialog").getByRole("button", { name: "Suspend", exact: true }))
      await visitor.shows(/37 of 37: 35 suspended, 2 skipped/)
      assert.isAtMost(clicks, 6)
      assert.isAtMost(keys, 14)
      assert.deepStrictEqual(await visitor.axe(), [])
      assert.deepStrictEqual((await visitor.look()).outside, [])
      const job = await service.data("GET", `/api/v1/jobs/${jobOf(visitor)}`)
      assert.deepInclude(job, { state: "done", done: 35, skipped: 2 })
      await page.getByLabel("Outcome").selectOption("skipped")
      await eventually("the skipped ones are shown", async () => await page.locator("table a.lead").count() === 2)
      await visitor.shows("The license is suspended already.")
      assert.deepStrictEqual(visitor.wrong, [])
    })
  }
)

describe("a selection", () => {
  it("says its scope in words: a page, or all that match, of which the service has the number", async () => {
    await issue(60, "wide")
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto("/console/licenses?tag=wide")
    await page.getByLabel("Select all rows on this page").click()
    await visitor.shows("50 on this page selected.")
    await button(visitor, "Select all that match").click()
    await visitor.shows("All licenses that match are selected, also those not shown.")
    await button(visitor, "Add tag").click()
    await page.getByRole("dialog").getByLabel("Tag", { exact: true }).fill("Spring")
    // The selection is given back with the dialog over it.
    await page.reload()
    await visitor.shows("All licenses that match are selected, also those not shown.")
    assert.strictEqual(await page.getByRole("dialog").getByLabel("Tag", { exact: true }).inputValue(), "Spring")
    await page.getByRole("dialog").getByRole("button", { name: "Add tag", exact: true }).click()
    await visitor.shows(/60 of 60: 60 tagged/)
    const [license] = await service.data("GET", "/api/v1/licenses?tag=spring&limit=1")
    assert.deepStrictEqual(license.tags, ["wide", "spring"])
    await page.goBack()
    await visitor.settle()
    assert.strictEqual(await page.locator(".selection").count(), 0)
  })

  it("asks for the number before a revocation", async () => {
    await issue(3, "end")
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto("/console/licenses?tag=end")
    await page.getByLabel("Select all rows on this page").click()
    await button(visitor, "Revoke").click()
    await visitor.shows("3 match. 3 will be revoked.")
    const dialog = page.getByRole("dialog")
    assert.isFalse(await dialog.getByRole("button", { name: "Revoke", exact: true }).isEnabled())
    await dialog.getByLabel("Type 3 to confirm").fill("3")
    await dialog.getByRole("button", { name: "Revoke", exact: true }).click()
    await visitor.shows(/3 of 3: 3 revoked/)
  })
})

describe("notes and tags", () => {
  it("are written, changed and deleted on the page of a license, by name", async () => {
    const [id] = await issue(1, "first")
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${id}`)
    await page.getByLabel("Write a note for your team").fill("Called, moves to a new Mac")
    await button(visitor, "Add note").click()
    await visitor.shows("Called, moves to a new Mac")
    await visitor.shows("Admin token")
    await button(visitor, "Edit").click()
    await page.getByRole("dialog").getByLabel("Note", { exact: true }).fill("Moved")
    await page.getByRole("dialog").getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).click()
    await visitor.shows("Moved")
    await page.getByLabel("New tag").fill("Vip")
    await page.reload()
    await visitor.settle()
    assert.strictEqual(await page.getByLabel("New tag").inputValue(), "Vip")
    await button(visitor, "Add tag").click()
    await eventually(
      "the tag is there",
      async () => (await service.data("GET", `/api/v1/licenses/${id}`)).tags?.join() === "first,vip"
    )
    await visitor.settle()
    await button(visitor, "Remove tag first").click()
    await eventually(
      "the other tag is gone",
      async () => (await service.data("GET", `/api/v1/licenses/${id}`)).tags?.join() === "vip"
    )
    assert.deepStrictEqual(await visitor.axe(), [])
    const notes = await service.data("GET", `/api/v1/licenses/${id}/notes`)
    assert.deepStrictEqual(notes.map(({ text }: Body) => text), ["Moved"])
  })

  it("are read, and not offered to be changed, by who may only read", async () => {
    const [id] = await issue(1, "read")
    await service.data("POST", `/api/v1/licenses/${id}/notes`, { text: "For readers, too" })
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "r", scopes: ["license:read"] })
    const visitor = await opened({ token })
    await visitor.goto(`/console/licenses/${id}`)
    await visitor.shows("For readers, too")
    assert.strictEqual(await visitor.page.getByLabel("Write a note for your team").count(), 0)
    assert.strictEqual(await button(visitor, "Add tag").count(), 0)
    await visitor.goto("/console/licenses")
    assert.strictEqual(await visitor.page.locator("td.tick").count(), 0)
  })
})

/** Puts licenses into the list at the speed of SQL, and takes them out again once the test has finished. */
const insertLicenses = async (many: number, product: string, policy: string): Promise<void> => {
  const sql = await session(service.databaseUrl)
  onTestFinished(async () => {
    await sql.query("DELETE FROM licenses WHERE product_id = $1", [product])
    await sql.close()
  })
  await sql.query(
    `INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, customer_name, metadata)
     SELECT 'lic_2' || lpad(n::text, 25, '0'), $1, $2, 'CS-00000', lpad((n % 10000)::text, 4, '0'), 'Owner ' || n, '{}'
     FROM generate_series(1, $3::int) n`,
    [product, policy, many]
  )
}

describe("the list of licenses", () => {
  it("is saved as one whole file by an export of the service where it has more than 10,000 rows", async () => {
    const product: Body = await service.data("POST", "/api/v1/products", { name: "Many", code: "many" })
    const policies = `/api/v1/products/${product.id}/policies`
    const policy: Body = await service.data("POST", policies, { name: "P", code: "p", license_type: "perpetual" })
    await insertLicenses(10_001, product.id, policy.id)
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses?product_id=${product.id}`)
    await visitor.shows("1,000+ match")
    const downloads = page.waitForEvent("download")
    await button(visitor, "Save as CSV").click()
    const file = await downloads
    assert.match(file.suggestedFilename(), /\.csv$/)
    const [head = "", ...lines] = (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/)
    assert.include(head, "status")
    const owners = new Set(lines.flatMap((line) => /Owner \d+/.exec(line) ?? []))
    assert.strictEqual(owners.size, 10_001, "each license once, and none left out")
    assert.lengthOf(lines, 10_001)
    const [made] = await service.data("GET", "/api/v1/reports/exports?limit=1")
    assert.deepInclude(made, { report_kind: "licenses", status: "ready", format: "csv" })
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is sorted by a heading, the other way around by a second press, and says how many match", async () => {
    for (const customer_name of ["Zoë", "mei", "Ada"]) {
      await service.data("POST", "/api/v1/licenses", {
        product_id: issued.product.id,
        policy_id: issued.policy.id,
        customer_name,
        tags: ["sorted"]
      })
    }
    await service.data("POST", "/api/v1/customers", { name: "Ada", code: "ada" })
    const visitor = await opened({ path: "/console/licenses?tag=sorted" })
    await visitor.shows("3 match")
    const owners = () =>
      visitor.page.evaluate<ReadonlyArray<string>>(
        "[...document.querySelectorAll('table a.lead .strong')].map((owner) => owner.textContent)"
      )
    const order = (names: ReadonlyArray<string>) =>
      eventually(`the order is ${names.join()}`, async () => String(await owners()) === String(names))
    await order(["Ada", "mei", "Zoë"])
    await button(visitor, "Owner").click()
    await button(visitor, "Owner").click()
    await order(["Zoë", "mei", "Ada"])
    await visitor.page.locator("th[aria-sort=descending]").waitFor()
    assert.include(visitor.page.url(), "order=owner_desc")
    assert.deepStrictEqual(await visitor.axe(), [])
    // Back undoes a choice.
    await visitor.page.goBack()
    await order(["Ada", "mei", "Zoë"])
    await service.data("POST", "/api/v1/customers", { name: "Sorted", code: "sorted" })
    await visitor.goto("/console/customers?order=name_asc")
    await visitor.page.locator("th[aria-sort=ascending]").waitFor()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is saved as a view with its columns, which a colleague sees once it is shared", async () => {
    const visitor = await opened({ path: "/console/licenses?tag=sorted&order=owner_asc" })
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await button(visitor, "Columns").click()
    await dialog.getByLabel("Key").setChecked(false)
    await dialog.getByLabel("Policy").setChecked(true)
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByRole("columnheader", { name: "Policy" }).waitFor()
    await button(visitor, "Save view").click()
    await dialog.getByLabel("Name").fill("Sorted ones")
    await dialog.getByLabel("Share with all colleagues").setChecked(true)
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "Save view", exact: true }).click()
    await visitor.shows("Sorted ones saved.")
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.locator("nav[aria-label=Views] a[aria-current=page]").filter({ hasText: "Sorted ones" }).waitFor()
    assert.deepStrictEqual((await visitor.look()).outside, [])

    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "colleague", scopes: ["license:read"] })
    const colleague = await opened({ path: "/console/licenses", token, look: looks.phoneAtNight })
    await colleague.page.getByRole("link", { name: "Sorted ones" }).click()
    await colleague.shows("3 match")
    await colleague.page.locator("table a.lead .strong").first().filter({ hasText: "Ada" }).waitFor()
    assert.strictEqual(await colleague.page.getByRole("button", { name: "Change view" }).count(), 0)
    assert.deepStrictEqual(await colleague.axe(), [])
    assert.deepStrictEqual((await colleague.look()).outside, [])

    await button(visitor, "Delete view").click()
    await dialog.getByRole("button", { name: "Delete view", exact: true }).click()
    await visitor.shows("Sorted ones deleted.")
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.locator("nav[aria-label=Views] a[aria-current=page]").filter({ hasText: "All" }).waitFor()
    // The list of views is read anew after the address has changed.
    await page.getByRole("link", { name: "Sorted ones" }).waitFor({ state: "detached" })
    assert.deepStrictEqual([...visitor.wrong, ...colleague.wrong], [])
  })
})
