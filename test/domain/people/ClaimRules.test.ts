import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { claimedRoles, followingClaims, parseClaimRules } from "../../../src/domain/people/ClaimRules.ts"
import { introducedBy } from "../../../src/domain/people/Person.ts"

const read = (text: string) => Result.getOrThrow(parseClaimRules(text))
const own = "role_06eqpx1trxz3h94vqjm3a6kz7c"

describe("rules of claims", () => {
  it.each([
    ["groups=admins:owner", [["groups", "admins", "owner"]]],
    [" groups = admins : owner , groups=help desk:support", [
      ["groups", "admins", "owner"],
      ["groups", "help desk", "support"]
    ]],
    [`https://example.com/roles=urn:a=b:c:${own}`, [["https://example.com/roles", "urn:a=b:c", own]]]
  ])("are read from %s", (text, expected) => {
    assert.deepStrictEqual(read(text).map(({ claim, role, value }) => [claim, value, role]), expected)
  })

  it.each([
    "",
    ",",
    "groups",
    "groups=admins",
    "groups:owner",
    "=admins:owner",
    "groups=:owner",
    "groups=admins:",
    "groups=admins:Owner",
    "groups=admins:admin",
    "groups=admins:role_1",
    "a:owner=b"
  ])("are refused in words where they are %s", (text) => {
    const rules = parseClaimRules(text)
    if (Result.isSuccess(rules)) return assert.fail(text)
    assert.match(rules.failure, /^must be claim=value:role/)
  })

  const rules = read("groups=admins:owner,groups=helpdesk:support,groups=helpers:support")

  it.each([
    [["admins"], ["owner"]],
    [["helpdesk", "helpers", "others"], ["support"]],
    ["admins", ["owner"]],
    [[], []],
    [["Admins", "admins "], []],
    [{ admins: true }, []],
    [7, []]
  ])("give for the claim %j the roles %j", (groups, roles) => {
    assert.deepStrictEqual(claimedRoles(rules, { groups }), Result.succeed(roles))
  })

  it.each([
    ["missing", {}, /did not send the claim groups\. /],
    ["null", { groups: null }, /did not send the claim groups\. /],
    ["elsewhere", { _claim_names: { groups: "src1" } }, /too many values/],
    ["elsewhere, and an empty list", { groups: [], _claim_names: { groups: "src1" } }, /too many values/],
    ["said to be there", { hasgroups: true }, /too many values/],
    ["inherited", Object.create({ groups: ["admins"] }), /did not send/]
  ])("tell nothing where the claim is %s, and say so", (_what, claims, words) => {
    const given = claimedRoles(rules, claims)
    if (Result.isSuccess(given)) return assert.fail("told")
    assert.match(given.failure, words)
  })

  it.each([
    [{ email: "ada@example.com", email_verified: true }, true],
    [{ email: "ada@example.com" }, false],
    [{ email: "ada@example.com", email_verified: "true" }, false],
    [{ email: "ada@example.com", email_verified: false }, false]
  ])("take an email address as verified where the provider says so: %j", (claims, isTaken) => {
    assert.strictEqual(Result.isSuccess(claimedRoles(read("email=ada@example.com:owner"), claims)), isTaken)
  })
})

describe("roles that came by claims", () => {
  it.each([
    { roles: [], claimed: [], given: ["owner"], after: [["owner"], ["owner"]] },
    { roles: ["owner"], claimed: ["owner"], given: [], after: [[], []] },
    {
      roles: ["finance", "owner"],
      claimed: ["owner"],
      given: ["support"],
      after: [["finance", "support"], ["support"]]
    },
    { roles: ["owner"], claimed: [], given: [], after: [["owner"], []] },
    { roles: ["owner"], claimed: [], given: ["owner"], after: [["owner"], []] }
  ])("follow the claims, and those given by hand stay: $roles, of which $claimed, given $given", (row) => {
    const { claimed, roles } = followingClaims(row, row.given)
    assert.deepStrictEqual([roles, claimed], row.after)
  })
})

describe("somebody new", () => {
  it.each([
    [{ name: " Ada Lovelace ", preferred_username: "ada" }, "Ada Lovelace", null],
    [{ name: "", preferred_username: "ada" }, "ada", null],
    [{ name: 7, email: "ada@example.com", email_verified: true }, "ada@example.com", "ada@example.com"],
    [{ email: "ada@example.com" }, "sub-1", null],
    [{ email: "ada@example.com", email_verified: "true" }, "sub-1", null],
    [{ email: "no address", email_verified: true }, "sub-1", null],
    [{ name: "a".repeat(256), preferred_username: "a\u0000b" }, "sub-1", null]
  ])("of whom the provider says %j has the name %s and the address %s", (claims, name, email) => {
    assert.deepStrictEqual(introducedBy(claims, "sub-1"), { name, email })
  })
})
