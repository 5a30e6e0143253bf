import { assert, describe, it } from "@effect/vitest"
import type { LicenseUser } from "../../../../src/domain/licensing/users/LicenseUser.ts"
import { warningsAboutIssuer } from "../../../../src/domain/licensing/users/UserRules.ts"

const user = (id: string, more: Partial<LicenseUser> = {}): LicenseUser => ({
  id,
  license_id: "lic_1",
  status: "active",
  created_at: "2026-03-29T00:00:00.000Z",
  ...more
} as LicenseUser)

const people = (count: number) => Array.from({ length: count }, (_, index) => user(`usr_${index}`))

/** What is said of whom, in short. */
const warnings = (carried: ReadonlyArray<LicenseUser>, ended: ReadonlyArray<LicenseUser>) =>
  warningsAboutIssuer({ carried, ended }).map(({ code, field, message }) => `${code} ${field}: ${message}`)

const stays = (who: string) =>
  `USERS_CARRIED trusted_issuer: ${
    who.split(": ")[0]
  } of the previous identity provider keep their seats by their addresses, and sign in ` +
  `again: ${who.split(": ")[1]}.`
const goes = (who: string) =>
  `USERS_ENDED trusted_issuer: ${who.split(": ")[0]} of the previous identity provider lose their seats: ${
    who.split(": ")[1]
  }.`

describe("the warnings about another issuer", () => {
  it("name who keeps the seat, and who loses it, and say nothing of nobody", () => {
    assert.deepStrictEqual(warnings([], []), [])
    assert.deepStrictEqual(warnings([user("usr_1")], []), [stays("1 user: usr_1")])
    assert.deepStrictEqual(warnings([], [user("usr_2")]), [goes("1 user: usr_2")])
    assert.deepStrictEqual(warnings(people(2), people(1)), [stays("2 users: usr_0, usr_1"), goes("1 user: usr_0")])
  })

  it("name people by their address, else by their name, else by their ID", () => {
    const whole = user("usr_1", { email: "ada@example.com", name: "Ada" })
    const { email: _email, ...without } = whole
    assert.deepStrictEqual(warnings([], [whole, without, user("usr_3")]), [
      goes("3 users: ada@example.com, Ada, usr_3")
    ])
  })

  it("name twenty, and how many there are beside them", () => {
    const names = people(20).map(({ id }) => id).join(", ")
    assert.deepStrictEqual(warnings([], people(20)), [goes(`20 users: ${names}`)])
    assert.deepStrictEqual(warnings([], people(22)), [goes(`22 users: ${names} and 2 more`)])
  })
})
