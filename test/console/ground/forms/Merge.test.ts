import { assert, describe, it } from "@effect/vitest"
import { changedOf, conflictsOf, merged } from "../../../../src/console/ground/forms/Merge.ts"

const base = { name: "Ada", email: "ada@example.com", note: "" }

describe("what is entered over a record that others change", () => {
  it("is written where it differs by value alone", () => {
    const merge = { base, theirs: base, entered: { name: "Ada", email: "a@example.com" } }
    assert.deepStrictEqual(changedOf(merge), ["email"])
    assert.deepStrictEqual(merged(merge), { ...base, email: "a@example.com" })
    assert.deepStrictEqual(conflictsOf(merge), [])
  })

  it("reverts nothing that was not entered, and shows base, theirs and mine", () => {
    const theirs = { name: "Ada L.", email: "lovelace@example.com", note: "Key account" }
    const merge = { base, theirs, entered: { email: "a@example.com", note: "Key account" } }
    assert.deepStrictEqual(changedOf(merge), ["email"])
    assert.strictEqual(merged(merge).name, "Ada L.")
    assert.deepStrictEqual(conflictsOf(merge), [
      { name: "name", base: "Ada", theirs: "Ada L.", mine: undefined },
      { name: "email", base: "ada@example.com", theirs: "lovelace@example.com", mine: "a@example.com" },
      { name: "note", base: "", theirs: "Key account", mine: undefined }
    ])
  })
})
