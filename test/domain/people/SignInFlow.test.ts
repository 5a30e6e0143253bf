import { assert, describe, it } from "@effect/vitest"
import { createHmac, timingSafeEqual } from "node:crypto"
import { flowCookie, flowTextIn, readFlow, returnPath, writeFlow } from "../../../src/domain/people/SignInFlow.ts"

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
    assert.strictEqual(
      flowCookie("x", true),
      "__Host-countersign-sign-in=x; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"
    )
    assert.strictEqual(flowTextIn("a=b; __Host-countersign-sign-in=x", true), "x")
    assert.isUndefined(flowTextIn("__Host-countersign-sign-in=x; __Host-countersign-sign-in=y", true))
    assert.isUndefined(flowTextIn("countersign-sign-in=x", true))
    assert.isUndefined(flowTextIn(undefined, false))
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
