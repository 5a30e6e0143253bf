import { assert, describe, it } from "@effect/vitest"
import type { Owner } from "../../../../src/domain/licensing/owners/Owner.ts"
import {
  hasNewReader,
  isNobody,
  leavesOwner,
  otherOwner,
  sameOwner
} from "../../../../src/domain/licensing/owners/Owner.ts"

const ada = { customer_id: "cus_a", customer_email: "ada@example.com" }
const adasId = { customer_id: "cus_a" }
const adasAddress = { customer_email: "Ada@Example.com" }
const bob = { customer_id: "cus_b", customer_email: "bob@example.com" }
const bobsId = { customer_id: "cus_b" }
const bobsAddress = { customer_email: "bob@example.com" }
const nobody = {}
const cleared = { customer_id: null, customer_email: "" }

/** Whether two are the same owner, and whether a license that goes from the first to the second leaves its owner. */
type Case = readonly [one: Owner, other: Owner, relation: "same" | "other" | "unknown", leaves: boolean]

const cases: ReadonlyArray<Case> = [
  [ada, ada, "same", false],
  [ada, { ...ada, customer_email: "new@example.com" }, "same", false],
  [ada, adasId, "same", false],
  [ada, bob, "other", true],
  [adasId, bobsId, "other", true],
  [adasAddress, bobsAddress, "other", true],
  [adasAddress, ada, "same", false],
  [adasAddress, { customer_email: " ada@example.com " }, "same", false],
  [adasAddress, bob, "other", true],
  [adasAddress, bobsId, "unknown", false],
  [adasId, bobsAddress, "unknown", true],
  [ada, bobsAddress, "other", true],
  // A customer who has a license no more, although the address is the same, is not its owner.
  [ada, adasAddress, "same", true],
  [ada, nobody, "unknown", true],
  [adasAddress, cleared, "unknown", true],
  [nobody, ada, "unknown", false],
  [cleared, adasAddress, "unknown", false],
  [nobody, cleared, "unknown", false]
]

describe("an owner", () => {
  it.each(cases)("%j and %j are %s", (one, other, relation, leaves) => {
    for (const [a, b] of [[one, other], [other, one]] as const) {
      assert.strictEqual(sameOwner(a, b), relation === "same")
      assert.strictEqual(otherOwner(a, b), relation === "other")
    }
    assert.strictEqual(leavesOwner(one, other), leaves)
  })

  it("has a new reader where a customer or an address comes that was not there, and nowhere else", () => {
    const readers = (one: Owner, other: Owner) => [hasNewReader(one, other), hasNewReader(other, one)]
    assert.deepStrictEqual(readers(ada, { ...ada, customer_email: "new@example.com" }), [true, true])
    assert.deepStrictEqual(readers(ada, bob), [true, true])
    assert.deepStrictEqual(readers(nobody, bobsId), [true, false])
    assert.deepStrictEqual(readers(adasAddress, cleared), [false, true])
    assert.deepStrictEqual(readers(ada, { ...ada, ...adasAddress }), [false, false])
  })

  it("is nobody by a name alone", () => {
    assert.deepStrictEqual([nobody, cleared, adasId, adasAddress].map(isNobody), [true, true, false, false])
  })
})
