import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  answeredBy,
  claimAt,
  claimedNow,
  emptyClaimsOf,
  followingClaims,
  joinedClaims,
  parseClaimRules
} from "../../../src/domain/people/ClaimRules.ts"
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
    assert.deepStrictEqual(claimedNow(rules, { groups }, []), { given: roles, untold: [], problem: undefined })
  })

  it.each([
    ["missing", {}, /did not send the claim groups: this account has nothing in it, .* or the provider is not set up/],
    ["null", { groups: null }, /did not send the claim groups/],
    ["elsewhere", { _claim_names: { groups: "src1" } }, /too many values/],
    ["said to be there", { hasgroups: true }, /too many values/],
    ["inherited", Object.create({ groups: ["admins"] }), /did not send/]
  ])("tell nothing where the claim is %s, and say so", (_what, claims, words) => {
    const { given, problem, untold } = claimedNow(rules, claims, [])
    assert.deepStrictEqual([given, untold], [[], ["owner", "support"]])
    assert.match(problem!, words)
  })

  it("give no role by a claim that its provider leaves out where it is empty, and say both reasons", () => {
    const { given, problem, untold } = claimedNow(rules, {}, ["groups"])
    assert.deepStrictEqual([given, untold], [[], []])
    assert.match(problem!, /nothing in it.* or the provider is not set up/)
    assert.deepStrictEqual(claimedNow(rules, { hasgroups: "true" }, ["groups"]).untold, ["owner", "support"])
  })

  it("are not told by a word about groups where another claim gives them", () => {
    const roles = read("roles=admins:owner")
    assert.deepStrictEqual(claimedNow(roles, { hasgroups: true }, ["roles"]).untold, [])
    assert.match(claimedNow(roles, { hasgroups: true }, []).problem!, /did not send/)
  })

  it("are judged claim by claim: one that is missing takes nothing of what another gives", () => {
    const both = read("groups=admins:owner,groups=helpdesk:support,department=support:support,department=money:finance")
    const given = (claims: object) => claimedNow(both, { ...claims }, [])
    assert.deepInclude(given({ groups: ["admins"] }), { given: ["owner"], untold: ["support", "finance"] })
    assert.deepInclude(given({ groups: ["helpdesk"] }), { given: ["support"], untold: ["finance"] })
    assert.deepInclude(given({ department: "money" }), { given: ["finance"], untold: ["owner", "support"] })
  })

  it.each([
    ["realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["resource_access.my.client.roles", { resource_access: { "my.client": { roles: ["a"] } } }, ["a"]],
    ["https://example.com/roles", { "https://example.com/roles": "a" }, "a"],
    ["a.b", { "a.b": "own", a: { b: "inner" } }, "own"],
    ["a.b", { a: ["b"] }, undefined],
    ["a.length", { a: "text" }, undefined],
    ["a.constructor", { a: {} }, undefined],
    ["__proto__.polluted", {}, undefined],
    ["a.b", { a: Object.create({ b: "inherited" }) }, undefined]
  ])("find %s in %j", (path, claims, value) => {
    assert.deepStrictEqual(claimAt(claims, path), value)
  })

  it.each([
    [{ email: "ada@example.com", email_verified: true }, true],
    [{ email: "ada@example.com", email_verified: "true" }, true],
    [{ email: "ada@example.com" }, false],
    [{ email: "ada@example.com", email_verified: "false" }, false],
    [{ email: "ada@example.com", email_verified: 1 }, false],
    [{ email: "ada@example.com", email_verified: "TRUE" }, false],
    [{ email: ["ada@example.com"], email_verified: true }, false],
    [{ email: "ada@example.com", email_verified: false }, false]
  ])("take an email address as verified where the provider says so: %j", (claims, isTaken) => {
    const { given } = claimedNow(read("email=ada@example.com:owner"), claims, ["email"])
    assert.deepStrictEqual(given, isTaken ? ["owner"] : [])
  })

  it.each([
    ["https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", true],
    ["https://sts.windows.net/11111111-2222-3333-4444-555555555555/", true],
    ["https://sso.example.com/realms/company", true],
    ["https://sso.example.com/auth/realms/company/", true],
    ["https://company.okta.com", true],
    ["https://company.okta.com/oauth2/default", true],
    ["https://accounts.google.com", false],
    ["https://login.example.com", false],
    ["https://okta.com.evil.example", false],
    ["https://evil.example/?login.microsoftonline.com/", false]
  ])("know by the issuer %s whether a missing claim is an empty one: %s", (issuer, isEmpty) => {
    const both = read("groups=admins:owner,email=ada@example.com:owner")
    assert.deepStrictEqual(emptyClaimsOf(issuer, both), isEmpty ? ["groups"] : [])
  })
})

describe("an ID token and userinfo", () => {
  const verified = { email: "boss@example.com", email_verified: true }

  it.each<readonly [token: object, userinfo: object, email: unknown, isVerified: unknown]>([
    [{ email_verified: true }, { email: "boss@example.com" }, undefined, true],
    [{ email: "eve@example.com" }, { email_verified: true }, "eve@example.com", undefined],
    [{ email: "eve@example.com" }, verified, "boss@example.com", true],
    [{}, verified, "boss@example.com", true],
    [verified, { email: "eve@example.com", email_verified: false }, "boss@example.com", true],
    [{ email: "eve@example.com", email_verified: false }, verified, "eve@example.com", false]
  ])("are never joined to one pair of an address: %j and %j", (token, userinfo, email, isVerified) => {
    const joined = joinedClaims({ ...token }, { ...userinfo, name: "Userinfo", sub: "1" })
    assert.deepStrictEqual([joined["email"], joined["email_verified"]], [email, isVerified])
    assert.strictEqual(joined["name"], "Userinfo")
  })

  it.each(
    [
      ["groups=a:owner", { groups: ["a"], name: "Ada" }, false, "all"],
      ["groups=a:owner", { groups: [] }, true, "all"],
      ["groups=a:owner", { groups: [] }, false, "all but a name"],
      ["groups=a:owner", { name: "Ada" }, true, "not all rules"],
      ["realm_access.roles=a:owner", { realm_access: { roles: [] } }, true, "all"],
      ["email=a@b.example:owner", { email: "a@b.example" }, true, "not all rules"],
      ["email=a@b.example:owner", { email: "a@b.example", email_verified: "true" }, true, "all"],
      ["email=a@b.example:owner", { email: "a@b.example", email_verified: false }, true, "all"]
    ] as const
  )("for the rule %s: %j, known %s, answers %s", (rule, token, isKnown, answered) => {
    assert.strictEqual(answeredBy(read(rule), token, isKnown), answered)
  })

  it("answer all where no claim gives a role", () => assert.strictEqual(answeredBy([], {}, false), "all"))
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
    [{ email: "ada@example.com", email_verified: "true" }, "ada@example.com", "ada@example.com"],
    [{ email: "no address", email_verified: true }, "sub-1", null],
    [{ name: "a".repeat(256), preferred_username: "a\u0000b" }, "sub-1", null]
  ])("of whom the provider says %j has the name %s and the address %s", (claims, name, email) => {
    assert.deepStrictEqual(introducedBy(claims, "sub-1"), { name, email })
  })
})
