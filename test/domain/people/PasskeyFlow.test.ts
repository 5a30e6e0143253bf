import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import {
  passkeyCookie,
  passkeysTooMany,
  passkeyTextIn,
  readPasskeyFlow,
  relyingPartyOf,
  writePasskeyFlow
} from "../../../src/domain/people/PasskeyFlow.ts"

const mac = (text: string) => new Uint8Array(createHmac("sha256", "key").update(text).digest())
const verifies = (text: string, given: Uint8Array) => given.length === 32 && timingSafeEqual(mac(text), given)

const flow = {
  purpose: "join",
  seed: new Uint8Array(32).fill(7),
  expiresAt: 1000,
  personId: "per_06eqpx1trxz3h94vqjm3a6kz7c",
  invitationHash: new Uint8Array(32).fill(9)
} as const
const text = writePasskeyFlow(flow, mac)

describe("a challenge that waits for its answer", () => {
  it("is read as it was written, for what it was made, until it is over", () => {
    assert.deepStrictEqual(readPasskeyFlow(text, "join", 999, verifies), flow)
    assert.isUndefined(readPasskeyFlow(text, "add", 999, verifies))
    assert.isUndefined(readPasskeyFlow(text, "sign-in", 999, verifies))
    assert.isUndefined(readPasskeyFlow(text, "join", 1000, verifies))
    const plain = { ...flow, purpose: "sign-in", personId: "", invitationHash: undefined } as const
    assert.deepStrictEqual(readPasskeyFlow(writePasskeyFlow(plain, mac), "sign-in", 0, verifies), plain)
  })

  it("is not read where any of its letters is another, or some are missing", () => {
    for (let at = 0; at < text.length; at++) {
      assert.isUndefined(readPasskeyFlow(text.slice(0, at), "join", 0, verifies))
      const other = text[at] === "A" ? "B" : "A"
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      assert.isUndefined(readPasskeyFlow(changed, "join", 0, verifies), `letter ${at}`)
    }
    assert.isUndefined(readPasskeyFlow(`${text}.`, "join", 0, verifies))
  })

  const challenge = "c".repeat(43)
  const clientData = (about: object) => Buffer.from(JSON.stringify(about)).toString("base64url")

  it("is kept in a cookie that no other site sends, over https alone", () => {
    assert.strictEqual(
      passkeyCookie({ text: "x", challenge }, true),
      "__Host-countersign-passkey-cccccccccccccccc=x; Path=/; Max-Age=300; HttpOnly; SameSite=Strict; Secure"
    )
    const name = "__Host-countersign-passkey-cccccccccccccccc"
    const answer = clientData({ type: "webauthn.get", challenge })
    assert.strictEqual(passkeyTextIn(`a=b; ${name}=x`, answer, true), "x")
    assert.strictEqual(passkeyTextIn(`${name}=x; ${name.slice(0, -1)}d=y`, answer, true), "x")
    assert.isUndefined(passkeyTextIn(`${name}=x; ${name}=y`, answer, true))
    assert.isUndefined(passkeyTextIn("countersign-passkey-cccccccccccccccc=x", answer, true))
  })

  it.each([
    ["of another challenge", clientData({ challenge: "d".repeat(43) })],
    ["of a shorter one", clientData({ challenge: "c".repeat(16) })],
    ["of none", clientData({})],
    ["of one that is no text", clientData({ challenge: [challenge] })],
    ["of what would end the name", clientData({ challenge: `${"c".repeat(15)}=${"c".repeat(27)}` })],
    ["that are no JSON", Buffer.from("{").toString("base64url")],
    ["that are no base64url", "%"],
    ["that are nothing", ""]
  ])("is not found by data %s", (_what, answer) => {
    assert.isUndefined(passkeyTextIn("__Host-countersign-passkey-cccccccccccccccc=x", answer, true))
  })

  it("makes way for a ninth", () => {
    const names = Array.from({ length: 9 }, (_, at) => `countersign-passkey-${at}`)
    const header = ["countersign=css", ...names.map((name) => `${name}=x`)].join("; ")
    assert.deepStrictEqual(passkeysTooMany(header, false), names.slice(0, 2))
    assert.deepStrictEqual(passkeysTooMany(undefined, false), [])
  })
})

describe("the relying party", () => {
  it.each([
    ["https://licenses.example.com", "licenses.example.com", "https://licenses.example.com"],
    ["https://licenses.example.com:8443/x", "licenses.example.com", "https://licenses.example.com:8443"],
    ["http://localhost:3000", "localhost", "http://localhost:3000"],
    ["http://app.localhost:3000", "app.localhost", "http://app.localhost:3000"]
  ])("of %s is %s", (url, id, origin) => assert.deepStrictEqual(relyingPartyOf(url), Result.succeed({ id, origin })))

  it.each([
    ["http://licenses.example.com", "need https"],
    ["http://127.0.0.1:3000", "need https"],
    ["http://localhost.example.com", "need https"],
    ["https://192.0.2.7", "need a host name"],
    ["https://[2001:db8::1]:8443", "need a host name"]
  ])("of %s is none: passkeys %s", (url, words) => {
    const party = relyingPartyOf(url)
    assert.include(Result.isFailure(party) ? party.failure : "", words)
  })
})
