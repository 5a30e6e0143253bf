import { assert, it } from "@effect/vitest"
import { erasedBody, erasedFacts } from "../../../src/domain/billing/ErasedBody.ts"
import { fold } from "../../../src/domain/purchases/Fold.ts"
import { lives } from "../../fixtures/PurchaseLives.ts"
import { read } from "../../fixtures/ReadInOrders.ts"

it("an erased body keeps what it says of a purchase, and nothing of who somebody is", () => {
  const body = {
    id: "evt_1",
    data: {
      object: {
        id: "sub_1",
        customer: "cus_1",
        customer_email: "ada@example.com",
        customer_details: { email: "ada@example.com", name: "Ada", phone: null, address: { city: "London" } },
        items: { data: [{ id: "si_1", quantity: 5, price: { id: "price_1", nickname: "Pro" } }] },
        billing_details: { address: { line1: "1 Street", postal_code: "N1" }, name: "Ada" },
        user_name: "Ada",
        receipt_ip: "192.0.2.1"
      }
    }
  }
  const left = erasedBody(JSON.stringify(body))
  for (const said of ["ada@example.com", "Ada", "London", "1 Street", "N1"]) assert.notInclude(left, said)
  const { object } = JSON.parse(left).data
  assert.deepStrictEqual(object.items, body.data.object.items)
  assert.strictEqual(object.customer, "cus_1")
})

it("erased facts tell the same of each life, but for who pays", () => {
  for (const { bodies, provider, purchase, title } of lives()) {
    const events = bodies.flatMap((body) => read(provider, body))
    const left = events.map((event) => ({ ...event, facts: erasedFacts(event.facts) }))
    assert.notMatch(JSON.stringify(left), /ada@example|Lovelace/, title)
    const { payer, ...state } = fold(provider, purchase, left)
    const { payer: before, ...as } = fold(provider, purchase, events)
    assert.deepStrictEqual(state, as, title)
    assert.strictEqual(payer.id, before.id, title)
  }
})
