import { assert, describe, it } from "@effect/vitest"
import type { ManagementKeyCreate } from "../../../../src/domain/keys/security/ManagementKey.ts"
import { beyondMaker } from "../../../../src/services/people/access/ManagementKeys.ts"

const until = "2030-01-01T00:00:00.000Z"
const maker = {
  scopes: ["license:write"],
  allowed_cidrs: ["10.0.0.0/8"],
  expires_at: until,
  product_ids: ["prod_a", "prod_b"]
} as const
const name = "k"
const scopes = ["license:read"] as const
const allowed_cidrs = ["10.1.0.0/16"]
const product_ids = ["prod_a"]
const expires_at = until
const within = { name, scopes, allowed_cidrs, expires_at, product_ids }

const cases: ReadonlyArray<readonly [title: string, asked: ManagementKeyCreate, beyond: ReadonlyArray<string>]> = [
  ["lies within it", within, []],
  ["has other scopes", { ...within, scopes: ["license:read", "ops:read"] }, ["ops:read"]],
  ["has no scopes, which is admin", { name, allowed_cidrs, expires_at, product_ids }, ["admin"]],
  ["may be used from elsewhere", { ...within, allowed_cidrs: ["10.1.0.0/16", "11.0.0.0/8"] }, ["10.0.0.0/8"]],
  ["may be used from anywhere", { name, scopes, expires_at, product_ids }, ["10.0.0.0/8"]],
  ["ends later", { ...within, expires_at: "2030-01-01T00:00:00.001Z" }, [until]],
  ["does not end", { name, scopes, allowed_cidrs, product_ids }, [until]],
  ["has another product", { ...within, product_ids: ["prod_a", "prod_c"] }, ["prod_a, prod_b"]],
  ["has all products", { ...within, product_ids: null }, ["prod_a, prod_b"]]
]

describe("a key that another one makes", () => {
  it.each(cases)("is told what is beyond its maker where it %s", (_title, asked, beyond) => {
    const found = beyondMaker(maker, asked)
    assert.lengthOf(found, beyond.length)
    for (const [index, part] of beyond.entries()) assert.include(found[index], part)
  })

  it("has no bounds where its maker has none", () => {
    assert.deepStrictEqual(beyondMaker({ scopes: ["admin"], allowed_cidrs: [] }, { name: "k" }), [])
  })
})
