import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeCustomer } from "../../fixtures/Commerce.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()

const update = (id: string, body: object) =>
  service.call("PATCH", `/api/v1/licenses/${id}`, { body, headers: { "idempotency-key": randomUUID() } })

/** One valid value for each member that an edit may have. */
const members = {
  customer_email: "b@c.example",
  customer_name: "B",
  starts_at: inDays(-20),
  expires_at: inDays(20),
  maintenance_expires_at: null,
  product_ids: null,
  follows_subscription: false,
  overrides: { grace_period_days: 40 },
  metadata: { seats: "studio" }
}

const announced = async (id: string): Promise<unknown> =>
  (await database.query("SELECT announced FROM licenses WHERE id = $1", [id]))[0]["announced"]

describe("updateLicense", () => {
  it("takes every pair of its members, in each order", async () => {
    const { license } = await service.issue()
    for (const [one, first] of Object.entries(members)) {
      for (const [other, second] of Object.entries(members)) {
        if (one === other) continue
        const answer = await update(license.id, { [one]: first, [other]: second })
        assert.strictEqual(answer.status, 200, `${one}, ${other}: ${answer.text}`)
      }
    }
    assert.strictEqual((await update(license.id, members)).status, 200)
  })

  it("announces a new end anew when the grace changes with it", async () => {
    const { license } = await service.issue({
      policy: { grace_period_days: 0 },
      license: { expires_at: inDays(-30) }
    })
    await database.query("UPDATE licenses SET announced = 'expired' WHERE id = $1", [license.id])
    await update(license.id, { overrides: { grace_period_days: 40 } })
    assert.strictEqual(await announced(license.id), "grace_period")
    await database.query("UPDATE licenses SET announced = 'expired' WHERE id = $1", [license.id])
    const answer = await update(license.id, { overrides: { grace_period_days: 60 }, expires_at: inDays(200) })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(await announced(license.id), "nothing")
    assert.strictEqual(answer.body.data.entitlement_version, license.entitlement_version + 2)
  })

  it("names what is wrong with several members at once", async () => {
    const { license } = await service.issue({ policy: { license_type: "time_limited" } })
    const answer = await update(license.id, {
      maintenance_expires_at: inDays(9),
      starts_at: inDays(3),
      expires_at: inDays(2),
      product_ids: ["prod_none"]
    })
    assert.strictEqual(answer.status, 422, answer.text)
    assert.deepStrictEqual(
      answer.body.error.fields.map(({ path }: { readonly path: string }) => path),
      ["maintenance_expires_at", "expires_at", "product_ids"]
    )
  })

  it("names the first customer, and leaves another to a transfer", async () => {
    const [ada, grace] = [await makeCustomer(service), await makeCustomer(service)]
    const { license } = await service.issue({ policy: { max_transfers: 0 } })
    refused(await update(license.id, { customer_id: "cus_none" }), 404, "NOT_FOUND")
    const answers = await Promise.all([ada, grace].map(({ id }) => update(license.id, { customer_id: id })))
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    const first = answers.find(({ status }) => status === 200)!.body.data
    assert.deepInclude(first, { times_transferred: 0, entitlement_version: license.entitlement_version + 1 })
    const error = refused(answers.find(({ status }) => status === 409)!, 409, "STATE_CONFLICT")
    assert.include(error.message, "/transfer")
    assert.strictEqual(error.detail, "other_customer")
    // The same again changes nothing, and with it everything else may be changed.
    const again = await update(license.id, { customer_id: first.customer_id, customer_name: "B" })
    assert.deepInclude(again.body.data, { customer_id: first.customer_id, customer_name: "B" })
    // Beside another customer nothing else is changed either.
    const other = first.customer_id === ada.id ? grace : ada
    refused(await update(license.id, { customer_id: other.id, customer_name: "C" }), 409, "STATE_CONFLICT")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).customer_name, "B")
  })
})
