import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { columnsOf, licenseTransfer } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"
import type { LicenseTransfer } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"

const {
  customer_email: _email,
  customer_id: _id,
  customer_name: _name,
  ...unowned
} = (Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>)[0]!

const license = (more: Partial<License> = {}): License => ({
  ...unowned,
  status: "active",
  times_transferred: 1,
  ...more
})
const owner = { customer_id: "cus_a", customer_email: "a@example.com", customer_name: "Ann" }

/** A transfer; `address` is that of the customer whom the request names. */
const transferred = (before: Partial<License>, input: LicenseTransfer, max_transfers = 5, address?: string) =>
  licenseTransfer({ license: license(before), rules: { max_transfers }, address }, input)

const known = { customer_email: "a@example.com" }

describe("a transfer of a license", () => {
  it.each<readonly [string, Partial<License>, LicenseTransfer, boolean, boolean]>([
    ["to the first owner", {}, { customer_id: "cus_b" }, false, false],
    ["to another customer", owner, { customer_id: "cus_b" }, true, true],
    ["to the same customer", owner, { customer_id: "cus_a" }, false, false],
    ["to the same customer under another name", owner, { customer_id: "cus_a", customer_name: "Bea" }, false, false],
    ["to nobody", owner, { customer_id: "" }, true, true],
    ["to another address", owner, { customer_email: "b@example.com" }, true, false],
    ["to the same address", owner, { customer_email: "a@example.com" }, false, false],
    [
      "to an address, where only a name was known",
      { customer_name: "Ann" },
      { customer_email: "b@x.de" },
      false,
      false
    ],
    ["to a customer, where only a name was known", { customer_name: "Ann" }, { customer_id: "cus_b" }, false, false],
    ["to whoever gets the freed seats", {}, { reset_devices: true }, true, false],
    ["of an address to another one", known, { customer_email: "b@example.com" }, true, true],
    ["of an address to the same in capitals", known, { customer_email: "A@Example.com" }, true, false],
    ["of an address to nobody", known, { customer_email: "" }, true, true],
    ["of an address to a customer of whom none is known", known, { customer_id: "cus_none" }, false, false],
    ["of an address to its customer", known, { customer_id: "cus_a" }, false, false],
    ["of an address to the customer of another one", known, { customer_id: "cus_b" }, true, true],
    [
      "of an address to the customer of another one, who gets mails there",
      known,
      { customer_id: "cus_b", customer_email: "a@example.com" },
      false,
      false
    ]
  ])("%s counts as what it is", (_, before, input, counts, leaves) => {
    const addresses: Readonly<Record<string, string>> = { cus_a: "a@example.com", cus_b: "b@example.com" }
    const result = Result.getOrThrow(transferred(before, input, 5, addresses[input.customer_id ?? ""]))
    assert.deepStrictEqual([result.counts, result.leaves], [counts, leaves])
    assert.strictEqual(result.change.times_transferred, counts ? 2 : 1)
    assert.strictEqual("trusted_issuer" in result.change, leaves)
    if (leaves) assert.strictEqual(result.change.customer_email, input.customer_email || null, "no mail to who had it")
  })

  it.each<readonly [string, LicenseTransfer, ReadonlyArray<string | null | undefined>]>([
    ["nothing of the former owner", { customer_id: "cus_b" }, ["cus_b", null, null]],
    ["what is given of the new owner", { customer_id: "cus_b", customer_name: "Bea" }, ["cus_b", null, "Bea"]],
    ["what is not named, where the owner stays", { customer_name: "Bea" }, ["cus_a", "a@example.com", "Bea"]],
    ["nothing of what is cleared", { customer_email: "", customer_name: "" }, ["cus_a", null, null]],
    ["nobody, where the owner is cleared", { customer_id: "" }, [null, null, null]]
  ])("leaves %s", (_, input, left) => {
    const { change } = Result.getOrThrow(transferred(owner, input))
    const { customer_email, customer_id, customer_name } = change
    assert.deepStrictEqual<ReadonlyArray<unknown>>([customer_id, customer_email, customer_name], left)
  })

  it("is refused of a revoked license", () => {
    const refused = transferred({ ...owner, status: "revoked" }, { customer_id: "cus_b" })
    assert.match(Result.getOrThrow(Result.flip(refused)).error.message, /revoked license cannot be transferred/)
  })

  it("is refused beyond the transfers that the policy allows, unless it does not count", () => {
    assert.isTrue(Result.isSuccess(transferred(owner, { customer_id: "cus_b" }, 2)))
    assert.isTrue(Result.isFailure(transferred(owner, { customer_id: "cus_b" }, 1)))
    assert.isTrue(Result.isFailure(transferred(owner, { customer_id: "cus_b" }, 0)))
    assert.isTrue(Result.isSuccess(transferred(owner, { customer_id: "cus_a" }, 0)))
  })
})

describe("the columns of a license", () => {
  it.each(
    [
      ["active", "active"],
      ["grace_period", "active"],
      ["expired", "active"],
      ["suspended", "suspended"],
      ["revoked", "revoked"]
    ] as const
  )("have a license that is %s as %s: what follows from the time is not written", (status, state) => {
    assert.strictEqual(columnsOf(license({ status })).state, state)
  })

  it("have what the license says, and null where it says nothing", () => {
    const said = { ...owner, product_ids: ["prd_1"], term_anchor: "2026-01-01T00:00:00.000Z", tags: ["a"] }
    assert.deepInclude(columnsOf(license(said)), said)
    const { product_ids: _products, tags: _tags, term_anchor: _anchor, ...silent } = license()
    assert.deepInclude(columnsOf(silent), {
      customer_id: null,
      customer_email: null,
      customer_name: null,
      product_ids: null,
      term_anchor: null,
      tags: null
    })
  })
})
