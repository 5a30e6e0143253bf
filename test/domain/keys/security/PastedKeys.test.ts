import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isMeantAsOurs, parseLicenseKey, readLicenseKey } from "../../../../src/domain/keys/security/Credential.ts"
import {
  asMeant,
  headerText,
  trimmedOf,
  withoutQuotationMarks
} from "../../../../src/domain/keys/security/PastedText.ts"
import { keyCases, text } from "../../../vectors/makeKeys.ts"

describe("a license key as it is pasted", () => {
  it.each(keyCases)("$name", ({ fault, key, pasted }) => {
    assert.deepStrictEqual(readLicenseKey(pasted), key === undefined ? { fault } : { key })
  })

  it("is published as it is made", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../../vectors/keys.json"), "utf8"), text)
  })

  it("is read the same when it is read again", () => {
    for (const { key } of keyCases) if (key !== undefined) assert.strictEqual(parseLicenseKey(key), key)
  })

  it("is told from what a company is called", () => {
    assert.isFalse(isMeantAsOurs("CS Computer Services"))
    assert.isTrue(isMeantAsOurs("CS 000G4 0R40M 30E20 9185G R38E"))
  })
})

describe("text of visible ASCII characters", () => {
  it("stays as it is", () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
    assert.strictEqual(asMeant(visible), visible)
    assert.strictEqual(headerText(visible), visible)
  })
})

describe("what stands around a text", () => {
  it("is dropped in linear time", () => {
    const inner = `a${" ".repeat(3_000_000)}b`
    assert.strictEqual(withoutQuotationMarks(` \u201c${inner}\u201d `), inner)
    assert.strictEqual(trimmedOf(`..${inner}!`, /[^0-9A-Za-z]/), inner)
  })
})

describe("a header", () => {
  it("is read as UTF-8 where its bytes are that", () => {
    const text = "License CS\u2013\u00e9\u{1f511}"
    assert.strictEqual(headerText(Buffer.from(text, "utf8").toString("latin1")), text)
    assert.strictEqual(headerText("caf\u00e9 \u00a0"), "caf\u00e9 \u00a0")
    assert.strictEqual(headerText(text), text)
  })
})
