import { assert, describe, it } from "@effect/vitest"
import {
  formatProven,
  formatUserToken,
  readProven,
  readUserToken,
  userTokenLength
} from "../../../../src/domain/licensing/users/UserToken.ts"

const said = {
  licenseId: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
  userId: "usr_06eqpx1trxz3h94vqjm3a6kz7d",
  expiresAt: 1_800_000_000
}

/** A keyed hash whose key is none: the last byte tells texts apart. */
const mac = (text: string) => new Uint8Array(32).fill(7).with(31, text.length)

const token = formatUserToken(said, mac)
const text = `${said.licenseId}.${said.userId}.${said.expiresAt}`

const of = (claims: string, kind: "csr" | "csu" = "csu") => formatProven(kind, claims, mac)

describe("the credential of a user", () => {
  it("says what it was made of, with the text and the hash that prove it", () => {
    assert.deepStrictEqual(readUserToken(token), { ...said, text, mac: mac(text) })
    assert.match(token, /^csu_/)
  })

  it.each<[string, string]>([
    ["nothing", ""],
    ["a renewal", of(text, "csr")],
    ["another kind", token.replace("csu_", "csx_")],
    ["one without a hash", token.split(".")[0]!],
    ["one with a shorter hash", token.slice(0, -1)],
    ["one with a longer hash", `${token}A`],
    ["one with another letter", token.replace(".", ".+").slice(0, -1)],
    ["one that decodes otherwise", `${token.slice(0, -1)}B`],
    ["one whose claims are no base64url", token.replace(/_([^.]*)\./, (_, body) => `_${body}=.`)],
    ["one whose claims decode otherwise", token.replace(/_([^.]*)\./, (_, body) => `_${body}A.`)],
    ["one that begins later", ` ${token}`],
    ["one that goes on", `${token}\n`],
    ["one without a license", of(`${said.userId}.${said.expiresAt}`)],
    ["one of a license alone", of(`${said.licenseId}.${said.expiresAt}`)],
    ["one without an end", of(`${said.licenseId}.${said.userId}`)],
    ["one with more", of(`${text}.x`)],
    ["one whose end is no number", of(`${said.licenseId}.${said.userId}.soon`)],
    ["one whose end is too far", of(`${said.licenseId}.${said.userId}.1234567890123`)],
    ["a shorter license", of(text.replace(said.licenseId, said.licenseId.slice(0, -1)))],
    ["another resource", of(text.replace("usr_", "dev_"))]
  ])("is not %s", (_, other) => {
    assert.isUndefined(readUserToken(other))
  })
})

describe("a text that is proven", () => {
  it("is read as the kind that it was written as, and as no other", () => {
    assert.deepStrictEqual(readProven("csr", of("x", "csr")), { text: "x", mac: mac("x") })
    assert.isUndefined(readProven("csu", of("x", "csr")))
    assert.isUndefined(readProven("csr", of("x", "csu")))
  })

  it("has one spelling alone, of the text and of the hash", () => {
    const [body, hash] = of("xy").slice("csu_".length).split(".") as [string, string]
    assert.strictEqual(readProven("csu", `csu_${body}.${hash}`)?.text, "xy")
    // The last letter of each has bits that stand for nothing.
    assert.isUndefined(readProven("csu", `csu_${body.slice(0, -1)}l.${hash}`))
    assert.isUndefined(readProven("csu", `csu_${body}.${hash.slice(0, -1)}${hash.endsWith("B") ? "C" : "B"}`))
    assert.isUndefined(readProven("csu", `csu_${body}AA.${hash}`))
  })

  it("is at most as long as what callers may send", () => {
    // Four letters for the kind, one point, and 43 letters of the hash.
    const longest = "x".repeat(Math.floor((userTokenLength - 48) / 4) * 3 + 2)
    assert.strictEqual(of(longest).length, userTokenLength)
    assert.strictEqual(readProven("csu", of(longest))?.text, longest)
    assert.isUndefined(readProven("csu", of(`${longest}x`)))
  })
})
