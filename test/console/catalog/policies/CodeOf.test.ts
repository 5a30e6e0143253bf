import { assert, describe, it } from "@effect/vitest"
import { codeOf } from "../../../../src/console/catalog/policies/CodeOf.ts"

describe("the code of a name", () => {
  it.each([
    ["Acme Draft", "acme-draft"],
    ["  Team, yearly (5) ", "team-yearly-5"],
    ["Dvořák Éditeur", "dvorak-editeur"],
    ["--", ""],
    ["山田", ""],
    ["A".repeat(300), "a".repeat(64)],
    [`${"a".repeat(63)} b`, "a".repeat(63)]
  ])("%s", (name, code) => assert.strictEqual(codeOf(name), code))
})
