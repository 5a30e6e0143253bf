import { assert, describe, it } from "@effect/vitest"
import { approvalReach } from "../../../../src/domain/people/approvals/ApprovalReach.ts"
import type { OperationScopes } from "../../../../src/domain/people/approvals/ApprovalReach.ts"
import type { Grant } from "../../../../src/domain/people/Rights.ts"

const scopes: OperationScopes = new Map([
  ["revokeLicense", ["license:write"]],
  ["rotateSigningKey", ["admin"]],
  ["updatePerson", ["people:write"]]
])

const every = [
  { operation: "revokeLicense" },
  { operation: "rotateSigningKey" },
  { operation: "updatePerson" }
] as const

/** What somebody with some grants decides and sees. */
const reach = (...grants: ReadonlyArray<Grant>) => {
  const { decides, id, sees } = approvalReach("per_a", grants, scopes)
  assert.strictEqual(id, "per_a")
  return { decides, sees }
}

describe("the requests that somebody reaches", () => {
  it("are those of the operations that he or she may do, to decide and to see", () => {
    const revokes = [{ operation: "revokeLicense" }] as const
    assert.deepStrictEqual(reach({ scopes: ["license:write"] }), { decides: revokes, sees: revokes })
    assert.deepStrictEqual(reach(), { decides: [], sees: [] })
    assert.deepStrictEqual(reach({ scopes: ["admin"] }), { decides: every, sees: every })
  })

  it("are of the products of the right", () => {
    const limited = [{ operation: "revokeLicense", products: ["prod_a"] }] as const
    assert.deepStrictEqual(reach({ scopes: ["license:write"], products: ["prod_a"] }), {
      decides: limited,
      sees: limited
    })
  })

  it("are all to see, and none more to decide, for who reads people of all products", () => {
    assert.deepStrictEqual(reach({ scopes: ["people:read"] }), { decides: [], sees: every })
    assert.deepStrictEqual(reach({ scopes: ["people:read"], products: ["prod_a"] }), { decides: [], sees: [] })
  })
})
