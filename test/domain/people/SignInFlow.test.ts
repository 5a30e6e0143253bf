import { assert, describe, it } from "@effect/vitest"
import { createHmac, timingSafeEqual } from "node:crypto"
import {
  flowCookie,
  flowsTooMany,
  flowTextIn,
  hasSignedOut,
  readFlow,
  returnPath,
  writeFlow
} from "../../../src/domain/people/SignInFlow.ts"

const mac = (text: string) => new Uint8Array(createHmac("sha256", "key").update(text).digest())
const verifies = (text: string, given: Uint8Array) => given.length === 32 && timingSafeEqual(mac(text), given)

const flow = {
  seed: new Uint8Array(32).fill(7),
  expiresAt: 1000,
  invitationHash: new Uint8Array(32).fill(9),
  formerHash: new Uint8Array(32).fill(8),
  returnTo: "/console/licenses?q=ä#x"
}
const text = writeFlow(flow, mac)

describe("a sign-in that is under way", () => {
  it("is read as it was written, until it is over", () => {
    assert.deepStrictEqual(readFlow(text, 999, verifies), flow)
    const plain = { ...flow, invitationHash: undefined, formerHash: undefined }
    assert.deepStrictEqual(readFlow(writeFlow(plain, mac), 0, verifies), plain)
    const here = { ...flow, formerHash: undefined }
    assert.deepStrictEqual(readFlow(writeFlow(here, mac), 0, verifies), here)
    assert.isUndefined(readFlow(text, 1000, verifies))
  })

  it("is not read where any of its letters is another, or some are missing", () => {
    for (let at = 0; at < text.length; at++) {
      assert.isUndefined(readFlow(text.slice(0, at), 0, verifies))
      const other = text[at] === "A" ? "B" : "A"
      assert.isUndefined(readFlow(text.slice(0, at) + other + text.slice(at + 1), 0, verifies), `letter ${at}`)
    }
    assert.isUndefined(readFlow(`${text}.`, 0, verifies))
  })

  it("is kept in a cookie that comes back from another site, over https alone", () => {
    const state = "S".repeat(43)
    const name = `__Host-countersign-sign-in-${"S".repeat(16)}`
    assert.strictEqual(
      flowCookie({ flow: "x", state }, true),
      `${name}=x; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure`
    )
    // Without https the name can have no prefix, and the cookie cannot be kept from plain text.
    assert.strictEqual(
      flowCookie({ flow: "x", state }, false),
      `${name.slice(7)}=x; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`
    )
    assert.strictEqual(flowTextIn(`${name.slice(7)}=x`, state, false), "x")
    assert.strictEqual(flowTextIn(`a=b; ${name}=x`, state, true), "x")
    assert.isUndefined(flowTextIn(`${name}=x; ${name}=y`, state, true))
    assert.isUndefined(flowTextIn(`${name.slice(7)}=x`, state, true))
    assert.isUndefined(flowTextIn(undefined, state, false))
    for (const other of [null, "", "S".repeat(16), "T".repeat(43), `${"S".repeat(42)}=`, `${state}S`]) {
      assert.isUndefined(flowTextIn(`${name}=x`, other, true))
    }
  })

  it("is one of eight in a browser at most, of which the oldest go", () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => `countersign-sign-in-${at}`)
    const header = (count: number) => ["a=b", ...named(count).map((name) => `${name}=x`), "countersign=css"].join("; ")
    assert.deepStrictEqual(flowsTooMany(undefined, false), [])
    assert.deepStrictEqual(flowsTooMany(header(7), false), [])
    assert.deepStrictEqual(flowsTooMany(header(9), false), named(2))
    assert.deepStrictEqual(flowsTooMany(header(9), true), [])
  })

  it("is begun in a browser that has signed out, or has not", () => {
    assert.isTrue(hasSignedOut("a=b; countersign-signed-out=1", false))
    assert.isFalse(hasSignedOut("a=b; countersign-signed-out=1", true))
    assert.isFalse(hasSignedOut(undefined, false))
  })
})

describe("the page that a sign-in returns to", () => {
  it.each([
    [undefined, "/console"],
    ["", "/console"],
    ["/console", "/console"],
    ["/console/licenses?status=active#top", "/console/licenses?status=active#top"],
    ["/console/a/../b", "/console/b"]
  ])("of %s is %s", (asked, path) => assert.strictEqual(returnPath(asked), path))

  it.each([
    "https://evil.example/console",
    "//evil.example/console",
    "/\\evil.example/console",
    "\\\\evil.example",
    "javascript:alert(1)",
    "console",
    "/consolex",
    "/",
    "/docs",
    "/console/../docs",
    "/console/%2e%2e/docs",
    "/console/..%2f..%2f/evil.example",
    "/console//evil.example",
    "/console/%5cevil",
    "/console\n",
    " /console",
    "/\t/evil.example",
    "/console@evil.example",
    `/console/${"a".repeat(1024)}`
  ])("is refused as %s", (asked) => assert.isUndefined(returnPath(asked)))
})
