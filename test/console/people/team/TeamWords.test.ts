import { assert, describe, it } from "@effect/vitest"
import { effectOn, limitedTwin, nameFromEmail } from "../../../../src/console/people/team/ApprovalWords.ts"

const role = (id: string, scopes: ReadonlyArray<"license:read" | "ops:read">, product_ids?: Array<string>) => ({
  id,
  name: id,
  scopes: [...scopes],
  is_built_in: false,
  ...(product_ids === undefined ? {} : { product_ids })
})

describe("a person who is invited", () => {
  it.each([
    ["jun.sato@acme.example", "Jun Sato"],
    ["ada@acme.example", "Ada"],
    ["mei-lin_wu+x@acme.example", "Mei Lin Wu X"],
    ["@", ""]
  ])("is by %s called %j", (email, name) => {
    assert.strictEqual(nameFromEmail(email), name)
  })

  it("gets a role that there is with the same rights on the same products", () => {
    const support = role("support", ["license:read"])
    const twin = role("twin", ["license:read"], ["prod_b", "prod_a"])
    const roles = [support, role("other", ["ops:read"], ["prod_a", "prod_b"]), twin]
    assert.strictEqual(limitedTwin(roles, support, ["prod_a", "prod_b"]), twin)
    assert.isUndefined(limitedTwin(roles, support, ["prod_a"]))
  })
})

describe("a change of roles", () => {
  it("says on how many sessions it takes effect", () => {
    assert.include(effectOn("Jun Sato", 2), "on all of Jun’s 2 sessions")
    assert.include(effectOn("Jun Sato", 1), "on Jun’s session: it ends")
    assert.include(effectOn("Jun Sato", 0), "Jun is not signed in")
  })
})
