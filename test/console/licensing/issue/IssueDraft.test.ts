import { assert, describe, it } from "@effect/vitest"
import {
  durationInWords,
  issueView,
  noDraft,
  termsInWords
} from "../../../../src/console/licensing/issue/IssueDraft.ts"
import type { IssueDraft } from "../../../../src/console/licensing/issue/IssueDraft.ts"

const now = Date.parse("2026-11-26T00:00:00Z")
const yearly = { max_activations: 5, duration: "P1Y" }
const chosen = { ...noDraft, productId: "prod_1", policyId: "pol_1" }
const ada = { kind: "known", id: "cus_1", name: "Ada" } as const

const view = (changes: Partial<IssueDraft>, policy: Parameters<typeof issueView>[1] = yearly) =>
  issueView({ ...chosen, ...changes }, policy, now)

describe("a license as it is entered", () => {
  it.each<readonly [Partial<IssueDraft>, string]>([
    [{ productId: "" }, "Choose a product."],
    [{ policyId: "" }, "Choose a policy."],
    [{ customer: { kind: "new", name: " ", email: "a@b.example" } }, "Enter the name of the new customer."],
    [{ customer: { kind: "new", name: "Ada", email: "ada" } }, "Enter the email address of the new customer."],
    [{ devices: "0" }, "Correct the device limit."],
    [{ devices: "many" }, "Correct the device limit."],
    [{ ends: "2026-11-26" }, "Choose a day in the future."]
  ])("%o is not sent: %s", (changes, says) => {
    assert.deepInclude(view(changes), { says, isReady: false })
  })

  it.each<readonly [Partial<IssueDraft>, Parameters<typeof issueView>[1], string]>([
    [{ customer: ada }, yearly, "Ada gets 5 devices for 1 year."],
    [{ customer: ada, devices: "1" }, yearly, "Ada gets 1 device for 1 year."],
    [{ customer: ada, devices: "25", ends: "2027-11-25" }, yearly, "Ada gets 25 devices until 25 Nov 2027."],
    [{}, { max_activations: 1 }, "The license has no customer. It allows 1 device without an end."],
    [
      { customer: ada },
      { ...yearly, duration: "P14D", expiry_basis: "first_activation" },
      "Ada gets 5 devices for 14 days from the first activation."
    ]
  ])("%o of %o says: %s", (changes, policy, says) => {
    assert.deepInclude(view(changes, policy), { says, isReady: true })
  })

  it("is sent with what was entered alone, without spaces around it", () => {
    const ids = { product_id: "prod_1", policy_id: "pol_1" }
    assert.deepStrictEqual(view({}).request, ids)
    assert.deepStrictEqual(view({ customer: ada }).request, { ...ids, customer_id: "cus_1" })
    assert.deepStrictEqual(
      view({
        customer: { kind: "new", name: " Ada ", email: " a@b.example " },
        devices: " 7 ",
        ends: "2027-01-01",
        reference: " in_77 "
      }).request,
      {
        ...ids,
        customer: { name: "Ada", email: "a@b.example" },
        expires_at: "2027-01-01T00:00:00.000Z",
        overrides: { max_activations: 7 },
        metadata: { reference: "in_77" }
      }
    )
  })
})

describe("a policy in words", () => {
  it.each([
    ["P1Y", "1 year"],
    ["P2Y6M", "2 years and 6 months"],
    ["P1M", "1 month"],
    ["P2W", "2 weeks"],
    ["P1D", "1 day"],
    ["PT12H", "PT12H"],
    ["P1DT12H", "P1DT12H"]
  ])("a duration of %s is %s", (duration, words) => {
    assert.strictEqual(durationInWords(duration), words)
  })

  it("is its device limit and its duration", () => {
    assert.strictEqual(termsInWords(yearly), "5 devices · 1 year")
    assert.strictEqual(termsInWords({ max_activations: 1 }), "1 device · no end")
  })
})
