import { assert, describe, it } from "@effect/vitest"
import { formatTransferLink, transferHours } from "../../../src/domain/portal/PortalLanguage.ts"
import {
  askingBrowserIn,
  askingCookie,
  formatAskingBrowser,
  formatPortalCode,
  formatPortalLink,
  linkMinutes,
  mostTries,
  readPortalCode
} from "../../../src/domain/portal/PortalLink.ts"
import { formatPortalToken, isPortalToken, portalCookie, portalTokenIn } from "../../../src/domain/portal/PortalUser.ts"

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(7)

describe("a cookie of the portal", () => {
  it.each([
    [
      "a session over https",
      portalCookie("csp_1", true, 60),
      "__Host-countersign-portal=csp_1; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
    ],
    [
      "a session over http",
      portalCookie("csp_1", false, 0),
      "countersign-portal=csp_1; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
    ],
    [
      "a browser that asks over https",
      askingCookie("cpb_1", true),
      "__Host-countersign-portal-link=cpb_1; Path=/; Max-Age=8100; HttpOnly; SameSite=Strict; Secure"
    ],
    [
      "a browser that asks over http",
      askingCookie("cpb_1", false),
      "countersign-portal-link=cpb_1; Path=/; Max-Age=8100; HttpOnly; SameSite=Strict"
    ]
  ])("of %s is written whole", (_, cookie, written) => {
    assert.strictEqual(cookie, written)
  })

  it.each([true, false])("is read by the name that it was written under, over https: %s", (isSecure) => {
    const header = [askingCookie("cpb_1", isSecure), portalCookie("csp_1", isSecure, 60)].map((text) =>
      text.split(";")[0]
    ).join("; ")
    assert.strictEqual(askingBrowserIn(header, isSecure), "cpb_1")
    assert.strictEqual(portalTokenIn(header, isSecure), "csp_1")
    assert.isUndefined(askingBrowserIn(header, !isSecure))
    assert.isUndefined(portalTokenIn(header, !isSecure))
    assert.isUndefined(portalTokenIn(undefined, isSecure))
  })
})

describe("a secret of the portal", () => {
  it.each([
    ["cpl", formatPortalLink],
    ["cpb", formatAskingBrowser],
    ["csp", formatPortalToken],
    ["clt", formatTransferLink]
  ])("begins with %s and needs 32 random bytes", (kind, format) => {
    assert.match(format(bytes(32)), new RegExp(`^${kind}_[A-Za-z0-9_-]{43}$`))
    assert.throws(() => format(bytes(31)), RangeError)
    assert.throws(() => format(bytes(33)), RangeError)
  })

  it("of a session is told from others by its form", () => {
    assert.isTrue(isPortalToken(formatPortalToken(bytes(32))))
    assert.isFalse(isPortalToken(formatPortalLink(bytes(32))))
    assert.isFalse(isPortalToken(`${formatPortalToken(bytes(32))}A`))
  })

  it("lasts as long as the guide says: a link 15 minutes and 10 tries, an offer 72 hours", () => {
    assert.deepStrictEqual([linkMinutes, mostTries, transferHours], [15, 10, 72])
  })
})

describe("the code of a link", () => {
  it("is eight characters of five random bytes, in two groups", () => {
    assert.match(formatPortalCode(bytes(5)), /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.notStrictEqual(formatPortalCode(bytes(5)), formatPortalCode(new Uint8Array(5)))
  })

  it.each([0, 4, 6])("is not made of %d bytes", (length) => {
    assert.throws(() => formatPortalCode(bytes(length)), RangeError)
  })

  it.each([
    ["0a1b-2c3d", "0A1B-2C3D"],
    [" 0A1B 2C3D\n", "0A1B-2C3D"],
    ["0A1B2C3D", "0A1B-2C3D"],
    ["OAIB\u20142C3l", "0A1B-2C31"],
    ["\uFF10A1B-2C3D", "0A1B-2C3D"]
  ])("is read from %j", (typed, code) => {
    assert.strictEqual(readPortalCode(typed), code)
  })
})
