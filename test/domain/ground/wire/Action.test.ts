import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { PlainName, Reason } from "../../../../src/domain/ground/wire/Action.ts"
import { ManagementKeyCreate } from "../../../../src/domain/keys/security/ManagementKey.ts"
import { PublishableKeyCreate } from "../../../../src/domain/keys/security/SigningKey.ts"
import { PasskeyUpdate } from "../../../../src/domain/people/Passkey.ts"
import { introducedBy, PersonCreate, PersonUpdate } from "../../../../src/domain/people/Person.ts"
import { RoleCreate, RoleUpdate } from "../../../../src/domain/people/Role.ts"

/** Characters by which a name reads as another one, or as more than a name, to whoever decides. */
const unruly = [..."\n\r\t\u001b\u0007\u009b\u0085\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]

/** Of these, those that no line has. */
const breaking = (mark: string) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(mark)

const takes = (schema: Schema.Top, value: unknown): boolean =>
  Schema.decodeUnknownExit(schema as Schema.Codec<unknown>)(value)._tag === "Success"

describe("the name of whom or what people decide about", () => {
  const schemas: ReadonlyArray<readonly [string, Schema.Top, object]> = [
    ["a new person", PersonCreate, {}],
    ["a person", PersonUpdate, {}],
    ["a new role", RoleCreate, { scopes: ["license:read"] }],
    ["a role", RoleUpdate, {}],
    ["an API key", ManagementKeyCreate, {}],
    ["a publishable key", PublishableKeyCreate, { policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c" }],
    ["a passkey", PasskeyUpdate, {}]
  ]
  it.each(schemas)("of %s is one line that turns nothing", (_title, schema, more) => {
    for (const name of ["Ada", "Zoë O’Brien", "אדה", "‏آدا", "日本語", "👩‍💻 Ada"]) {
      assert.isTrue(takes(schema, { ...more, name }), name)
    }
    for (const mark of unruly) {
      assert.isFalse(takes(schema, { ...more, name: `Ada${mark}(owner)` }), JSON.stringify(mark))
    }
  })

  it("is documented by a pattern of ASCII that refuses no name which is taken, and no less than control characters", () => {
    const { pattern } = Schema.toJsonSchemaDocument(PlainName).schema as { readonly pattern?: string }
    const all = JSON.stringify(Schema.toJsonSchemaDocument(PlainName))
    const text = pattern ?? JSON.parse(`"${/"pattern":"((?:[^"\\\\]|\\\\.)*)"/.exec(all)?.[1] ?? assert.fail(all)}"`)
    const documented = new RegExp(text)
    assert.match(text, /^[ -~]+$/, "generators of clients take it")
    for (const mark of unruly) if (/\p{Cc}/u.test(mark)) assert.notMatch(`Ada${mark}`, documented)
    for (const name of ["Ada", " Zoë", "日本", "אדה", "👩‍💻 Ada"]) assert.match(name, documented)
    for (const name of ["", "  "]) assert.notMatch(name, documented)
  })

  it("is no name of an account that its provider says with such characters: the next one is taken", () => {
    const claims = {
      name: "Ada\u202e",
      preferred_username: "ada\u001b[2J",
      email: "ada@example.com",
      email_verified: true
    }
    assert.strictEqual(introducedBy(claims, "4711").name, "ada@example.com")
  })
})

describe("a reason", () => {
  it("is one line, with the marks that its writer used, which are shown", () => {
    assert.isTrue(takes(Reason, "chargeback of order 4711"))
    for (const mark of unruly) assert.strictEqual(takes(Reason, `fine${mark}`), !breaking(mark), JSON.stringify(mark))
  })
})
