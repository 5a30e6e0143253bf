import { assert, describe, it } from "@effect/vitest"
import {
  asPolicy,
  isValid,
  overridable,
  overridesDraft,
  overridesRequest,
  ownTerms
} from "../../../../src/console/licensing/changes/OverridesDraft.ts"
import { LicenseOverridesInput } from "../../../../src/domain/catalog/terms/Rules.ts"

describe("the terms of one license as they are entered", () => {
  it("are those that the contract lets a license have", () => {
    assert.sameMembers([...overridable], Object.keys(LicenseOverridesInput.fields))
  })

  it("begin with its own, and all others are those of the policy", () => {
    const draft = overridesDraft({ max_activations: 0, allow_vm: false })
    assert.deepStrictEqual(ownTerms(draft), ["max_activations", "allow_vm"])
    assert.strictEqual(draft["max_transfers"], asPolicy)
  })

  it("are sent as values, 0 among them, and null for what the policy says again", () => {
    assert.deepStrictEqual(
      overridesRequest({ max_activations: "0", allow_vm: "true", duration: "P1Y", max_transfers: asPolicy }),
      { max_activations: 0, allow_vm: true, duration: "P1Y", max_transfers: null }
    )
  })

  it("are not sent while one of them has no value", () => {
    assert.isFalse(isValid({ ...overridesDraft({}), max_activations: "" }))
    assert.isTrue(isValid({ ...overridesDraft({}), max_activations: "0" }))
  })
})
