import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Scope } from "../../../src/domain/keys/security/ManagementKey.ts"
import {
  beyondGranter,
  countedOwner,
  isOwner,
  lackingOn,
  mayEnter,
  neededToIdentify,
  ownersBeside,
  rightsFor,
  scopesOfRoles,
  statusWith,
  takesLastOwner
} from "../../../src/domain/people/Rights.ts"
import type { Grant, Granter } from "../../../src/domain/people/Rights.ts"
import { builtInRole, builtInRoles } from "../../../src/domain/people/Role.ts"

const granter = (scopes: ReadonlyArray<Scope>, more: Partial<Granter> = {}): Granter => ({
  scopes,
  allowed_cidrs: [],
  ...more
})

const until = "2999-01-01T00:00:00.000Z"

describe("beyondGranter", () => {
  it.each<[string, Granter, ReadonlyArray<Scope>, boolean, ReadonlyArray<string>]>([
    ["admin gives admin", granter(["admin"]), ["admin"], true, []],
    ["admin gives all", granter(["admin"]), ["license:write", "people:write"], true, []],
    ["people:write alone gives no license:read", granter(["people:write"]), ["license:read"], true, ["license:read"]],
    ["a writer gives reading", granter(["people:write", "license:write"]), ["license:read"], true, []],
    ["a reader gives no writing", granter(["people:write", "license:read"]), ["license:write"], true, [
      "license:write"
    ]],
    ["all scopes but admin do not give admin", granter(["people:write", "license:write"]), ["admin"], true, ["admin"]],
    ["nor take it", granter(["people:write"]), ["admin"], false, ["admin"]],
    ["one named twice is said once", granter(["people:write"]), ["ops:read", "ops:read"], true, ["ops:read"]],
    ["no right needs none", granter(["people:write"], { expires_at: until }), [], true, []],
    [
      "rights for a time give none that last",
      granter(["admin"], { expires_at: until }),
      ["license:read"],
      true,
      [`the caller ends at ${until}, and a person does not`]
    ],
    ["but take some", granter(["admin"], { expires_at: until }), ["license:read"], false, []],
    [
      "rights of some addresses give none of all",
      granter(["admin"], { allowed_cidrs: ["10.0.0.0/8"] }),
      ["license:read"],
      true,
      ["the caller has allowed_cidrs, and a person may act from anywhere"]
    ]
  ])("%s", (_title, who, scopes, isGiven, expected) => {
    assert.deepStrictEqual(beyondGranter(who, { scopes, isGiven }), expected)
  })
})

describe("takesLastOwner", () => {
  const owner = { roles: ["support", "owner"], status: "active" } as const
  it.each(
    [
      ["loses the role", owner, { roles: ["support"], status: "active" }, 0, true],
      ["is removed", owner, { roles: [], status: "removed" }, 0, true],
      ["loses the way to sign in", owner, { roles: ["owner"], status: "invited" }, 0, true],
      ["keeps both", owner, { roles: ["owner"], status: "active" }, 0, false],
      ["loses the role, and another one stays", owner, { roles: [], status: "active" }, 1, false],
      ["was only invited", { roles: ["owner"], status: "invited" }, { roles: [], status: "invited" }, 0, false],
      ["was none", { roles: ["support"], status: "active" }, { roles: [], status: "removed" }, 0, false]
    ] as const
  )("of one who %s", (_title, before, after, others, expected) => {
    assert.strictEqual(takesLastOwner(before, after, others), expected)
  })
})

it("an owner is who has the role and a way to sign in", () => {
  assert.isTrue(isOwner({ roles: ["owner"], status: "active" }))
  assert.isFalse(isOwner({ roles: ["owner"], status: "invited" }))
  assert.isFalse(isOwner({ roles: ["developer"], status: "active" }))
  assert.strictEqual(statusWith(0), "invited")
  assert.strictEqual(statusWith(1), "active")
})

it("the scopes of roles are each named once", () => {
  const roles = [builtInRole("support")!, builtInRole("finance")!]
  const scopes = scopesOfRoles(roles)
  assert.strictEqual(new Set(scopes).size, scopes.length)
  for (const role of roles) assert.includeMembers([...scopes], [...role.scopes])
})

describe("rightsFor", () => {
  const all: Grant = { scopes: ["license:write", "product:read"] }
  const onA: Grant = { scopes: ["product:write"], products: ["prod_a"] }
  const onB: Grant = { scopes: ["product:write", "ops:read"], products: ["prod_b"] }

  it.each<[string, ReadonlyArray<Grant>, ReadonlyArray<Scope>, object | ReadonlyArray<Scope>]>([
    ["nothing is given", [], ["ops:read"], ["ops:read"]],
    ["nothing is given nor needed", [], [], { scopes: [] }],
    ["it is given on all", [all, onA], ["license:read"], { scopes: ["license:write", "product:read"] }],
    ["reading on all, writing on one", [all, onA], ["product:read"], { scopes: ["license:write", "product:read"] }],
    [
      "writing on one",
      [all, onA],
      ["product:write"],
      { scopes: ["license:write", "product:read", "product:write"], products: ["prod_a"] }
    ],
    [
      "two on one each come to both, and what is on one alone is left out",
      [onA, onB],
      ["product:write"],
      { scopes: ["product:write"], products: ["prod_a", "prod_b"] }
    ],
    ["two that are on different products", [onA, { scopes: ["license:write"], products: ["prod_b"] }], [
      "product:write",
      "license:write"
    ], ["product:write", "license:write"]],
    ["one of two is lacking", [onA], ["product:write", "license:write"], ["license:write"]],
    [
      "none is needed, and a role is limited",
      [onB],
      [],
      { scopes: ["product:write", "ops:read"], products: ["prod_b"] }
    ],
    ["none is needed, and one of two roles is limited", [all, onB], [], { scopes: ["license:write", "product:read"] }],
    ["admin on one product", [{ scopes: ["admin"], products: ["prod_a"] }], ["people:write"], {
      scopes: ["admin"],
      products: ["prod_a"]
    }]
  ])("where %s", (_title, grants, needed, expected) => {
    const found = rightsFor(grants, needed)
    assert.deepStrictEqual<unknown>(Result.isSuccess(found) ? found.success : found.failure, expected)
  })
})

describe("lackingOn", () => {
  const grants: ReadonlyArray<Grant> = [
    { scopes: ["license:write"], products: ["prod_a", "prod_b"] },
    { scopes: ["customer:write"], products: ["prod_b", "prod_c"] },
    { scopes: ["ops:read"] }
  ]

  it.each<[string, ReadonlyArray<Scope>]>([
    ["prod_a", ["customer:read"]],
    ["prod_b", []],
    ["prod_c", ["license:write"]],
    ["prod_d", ["license:write", "customer:read"]]
  ])("judges each product by the roles that reach it: %s", (product, lacking) => {
    assert.deepStrictEqual(lackingOn(grants, ["license:write", "customer:read", "ops:read"], product), lacking)
  })
})

it("who was not removed, and has a role, is let in", () => {
  const may = (status: "active" | "invited" | "removed", ...roles: ReadonlyArray<string>) => mayEnter({ status, roles })
  assert.deepStrictEqual([may("active", "support"), may("invited", "support"), may("removed", "support")], [
    true,
    true,
    false
  ])
  assert.deepStrictEqual([may("active"), may("active", "support", "owner")], [false, true])
})

it("a built-in role is found by its ID, and named after it", () => {
  for (const { id } of builtInRoles) assert.strictEqual(builtInRole(id)?.id, id)
  assert.strictEqual(builtInRole("owner")?.name, "Owner")
  assert.isUndefined(builtInRole("role_06eqpx1trxz3h94vqjm3a6kz7c"))
})

it("who adds an account to a person needs admin, and who leaves or takes one does not", () => {
  const [a, b] = ["1", "2"].map((subject) => ({ issuer: "https://login.example.com", subject }))
  assert.deepStrictEqual(neededToIdentify([], []), [])
  assert.deepStrictEqual(neededToIdentify([], [a!]), ["admin"])
  assert.deepStrictEqual(neededToIdentify([a!], [a!, b!]), ["admin"])
  assert.deepStrictEqual(neededToIdentify([a!, b!], [b!]), [])
  assert.deepStrictEqual(neededToIdentify([a!], [{ ...a!, issuer: "https://other.example.com" }]), ["admin"])
})

describe("an owner counts", () => {
  const owner = { id: "per_a", roles: ["owner"], status: "active" as const }
  const login = "https://login.example.com"

  it.each<
    readonly [what: string, issuers: ReadonlyArray<string>, passkeys: number, at: string | undefined, is: boolean]
  >([
    ["with an account at the issuer", [login], 0, login, true],
    ["with an account at the issuer, whose slash is another", [`${login}/`], 0, login, true],
    ["with an account at another issuer alone", ["https://old.example.com"], 0, login, false],
    ["with a passkey beside it", ["https://old.example.com"], 1, login, true],
    ["with an account, while no issuer is configured", ["https://old.example.com"], 0, undefined, true]
  ])("%s", (_what, issuers, passkeys, configured, counts) => {
    assert.strictEqual(isOwner(countedOwner(owner, { issuers, passkeys }, configured)), counts)
    assert.strictEqual(ownersBeside([{ ...owner, issuers, passkeys }], "per_b", configured), counts ? 1 : 0)
    assert.strictEqual(ownersBeside([{ ...owner, issuers, passkeys }], "per_a", configured), 0)
  })
})
