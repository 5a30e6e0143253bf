import { assert, describe, it } from "@effect/vitest"
import {
  elsewhereText,
  formatInvitation,
  formatSessionToken,
  isInvitation,
  isSameOrigin,
  isSessionToken,
  sessionCookie,
  sessionTokenIn
} from "../../../src/domain/people/SessionCookie.ts"

const token = formatSessionToken(new Uint8Array(32))

describe("the cookie of a session", () => {
  it("is of this host alone over https", () => {
    const expected = `__Host-countersign=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`
    assert.strictEqual(sessionCookie(token, true, 60), expected)
    assert.strictEqual(
      sessionCookie(token, false, 60),
      `countersign=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`
    )
  })

  it.each([
    ["alone", `countersign=${token}`, token],
    ["among others", `a=b; countersign=${token};c=d`, token],
    ["twice", `countersign=${token}; countersign=${token}`, undefined],
    ["under the name of https", `__Host-countersign=${token}`, undefined],
    ["not at all", "a=b", undefined]
  ])("is found %s", (_title, header, expected) => {
    assert.strictEqual(sessionTokenIn(header, false), expected)
  })

  it("has a secret of a shape of its own", () => {
    assert.isTrue(isSessionToken(token))
    assert.isFalse(isInvitation(token))
    assert.isTrue(isInvitation(formatInvitation(new Uint8Array(32))))
    assert.throws(() => formatSessionToken(new Uint8Array(31)), RangeError)
  })
})

describe("isSameOrigin", () => {
  const published = "https://licenses.example.com"
  const host = "licenses.example.com"
  it.each([
    ["the browser's word", { site: "same-origin", origin: undefined, host }, true],
    ["the word and the origin", { site: "same-origin", origin: published, host }, true],
    ["the word under another name of the service", {
      site: "same-origin",
      origin: "http://10.0.0.7:8080",
      host: "10.0.0.7:8080"
    }, true],
    ["the published origin where a proxy passes on a Host without its port", {
      site: "same-origin",
      origin: published,
      host: "10.0.0.7"
    }, true],
    ["the published origin where a proxy writes its default port", {
      site: "same-origin",
      origin: published,
      host: "licenses.example.com:443"
    }, true],
    [
      "the published origin that another site's page would have",
      { site: "cross-site", origin: published, host },
      false
    ],
    ["the word against the origin", { site: "same-origin", origin: "https://evil.example", host }, false],
    ["a sibling", { site: "same-site", origin: published, host }, false],
    ["another site", { site: "cross-site", origin: published, host }, false],
    ["the address bar", { site: "none", origin: undefined, host }, false],
    ["the origin of an old browser", { site: undefined, origin: published, host }, true],
    ["an origin with another port", { site: undefined, origin: `${published}:8443`, host }, false],
    ["an origin over http", { site: undefined, origin: "http://licenses.example.com", host }, false],
    ["an origin that begins alike", { site: undefined, origin: `${published}.evil.example`, host }, false],
    ["an opaque origin", { site: undefined, origin: "null", host }, false],
    ["an opaque origin with the word", { site: "same-origin", origin: "null", host }, false],
    ["nothing", { site: undefined, origin: undefined, host }, false]
  ])("judges %s", (_title, site, expected) => {
    assert.strictEqual(isSameOrigin(site, published), expected)
  })
})

describe("elsewhereText", () => {
  it("names the published address, and the one that the request came from", () => {
    const site = { site: "same-origin", origin: "https://licenses.example.com:8443", host: "licenses.example.com" }
    const text = elsewhereText(site, "https://licenses.example.com/base")
    assert.include(text, "published at https://licenses.example.com (COUNTERSIGN_PUBLIC_URL)")
    assert.include(text, "a page of https://licenses.example.com:8443 with Host licenses.example.com.")
  })

  it("repeats no more than a line of what a stranger wrote", () => {
    const long = `https://${"a".repeat(5000)}.example`
    assert.isBelow(
      elsewhereText({ site: undefined, origin: long, host: "b".repeat(5000) }, "https://a.example").length,
      900
    )
  })
})
