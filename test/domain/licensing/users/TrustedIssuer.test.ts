import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { notAnIssuer, storedIssuer, TrustedIssuerInput } from "../../../../src/domain/licensing/users/LicenseUser.ts"

const [noUrl, notSafe, tooMuch] = [
  "must be an absolute URL",
  "must begin with https://",
  "must have no user name, password, query or fragment"
]

describe("the address of an issuer", () => {
  it.each<[string, string | undefined]>([
    ["https://login.example.com", undefined],
    ["https://login.example.com/", undefined],
    ["https://login.example.com:8443/tenants/1", undefined],
    ["login.example.com", noUrl],
    ["/login", noUrl],
    ["", noUrl],
    [" https://login.example.com", noUrl],
    ["https://login.example.com ", noUrl],
    ["https://login.example.com/\ud800", noUrl],
    ["http://login.example.com", notSafe],
    ["ftp://localhost", notSafe],
    // This machine needs no encryption, and no other one is it.
    ["http://localhost:9000", undefined],
    ["http://127.0.0.1", undefined],
    ["http://127.8.9.10:80/x", undefined],
    ["http://[::1]:9000", undefined],
    ["http://localhost.example.com", notSafe],
    ["http://my-localhost", notSafe],
    ["http://128.0.0.1", notSafe],
    ["https://ada@login.example.com", tooMuch],
    ["https://:secret@login.example.com", tooMuch],
    ["https://login.example.com?tenant=1", tooMuch],
    ["https://login.example.com#tenant", tooMuch],
    // A mark without anything behind it is one all the same: issuers are compared as texts.
    ["https://login.example.com?", tooMuch],
    ["https://login.example.com#", tooMuch]
  ])("%j", (address, finding) => {
    assert.strictEqual(notAnIssuer(address), finding)
  })

  it("is at most as long as the accounts that are known by it", () => {
    const isTaken = (length: number) =>
      Schema.decodeUnknownExit(TrustedIssuerInput)({
        issuer: "https://login.example.com/".padEnd(length, "x"),
        audience: "studio"
      })._tag === "Success"
    assert.deepStrictEqual([512, 513].map(isTaken), [true, false])
  })

  it("admits people who are invited, unless it is to admit anyone", () => {
    const input = { issuer: "https://login.example.com", audience: "studio" }
    assert.deepStrictEqual(storedIssuer(input), { ...input, admits: "invited" })
    assert.deepStrictEqual(storedIssuer({ ...input, admits: "anyone" }), { ...input, admits: "anyone" })
  })
})
