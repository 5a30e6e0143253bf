import { assert, describe, it } from "@effect/vitest"
import { openTextSetter } from "countersign-pdf"
import { linesDocument, textOf } from "./documentOf.ts"

/** Without spaces, which a reader finds by its own rules. */
const letters = (text: string): string => text.normalize("NFC").replaceAll(/\s/g, "")

describe("a line of text", () => {
  it.each([
    ["Latin with marks", "Łódź Çırağan Ñandú"],
    ["Greek and Cyrillic", "Αθήνα Москва"],
    ["Arabic", "شركة النور"],
    ["Arabic with Latin and digits", "شركة ACME 42"],
    ["Hebrew", "חברה בעמ"],
    ["Devanagari and Bengali", "কোম্পানি"],
    ["Tamil", "நிறுவனம்"],
    ["Thai, whose marks stand on one another", "บริษัท ที่นี่"],
    ["Khmer", "ក្រុមហ៊ុន"],
    ["Japanese, Chinese and Korean", "株式会社 有限公司 주식회사"],
    ["a family that is one emoji", "👩‍👩‍👧"]
  ])("in %s is read back as it was written", async (_, text) => {
    assert.include(letters(await textOf(await linesDocument([text]))), letters(text))
  })

  it("names a character that no font has", async () => {
    assert.include(await textOf(await linesDocument(["a\u{10ffff}b"])), "a[U+10FFFF]b")
  })

  it("is as wide as its characters are, and wider in bold", async () => {
    const setter = await openTextSetter()
    const width = (text: string) => setter.line(text).width
    assert.strictEqual(width("abc"), width("a") + width("b") + width("c"))
    assert.isAbove(setter.line("abc", 700).width, width("abc"))
  })

  it("shows what the caller makes of a text", async () => {
    const setter = await openTextSetter((text) => text.replaceAll("\u200b", "?"))
    const width = (text: string) => setter.line(text).width
    assert.strictEqual(width("é\u200b"), width("é?"))
  })
})

describe("lines", () => {
  /** Breaks a text where about so many digits have room. */
  const wrap = async (text: string, digits: number) => {
    const setter = await openTextSetter()
    await setter.prepare(text)
    return setter.wrap(text, setter.line("0".repeat(digits)).width)
  }

  it.each([
    ["after a space, which is left out", "one two three", 7, ["one two", "three"]],
    ["after a hyphen, which stays", "prefix-suffix", 8, ["prefix-", "suffix"]],
    ["inside of a word that has no room alone", "aaaaaaaaaa", 4, ["aaaa", "aaaa", "aa"]],
    ["not where there is room", "short", 20, ["short"]],
    ["between characters of a script without spaces", "株式会社東京", 4, ["株式", "会社", "東京"]],
    [
      "never between a letter and its marks",
      "é́é́é́é́".normalize("NFD"),
      2,
      ["é́é́", "é́é́"].map((line) => line.normalize("NFD"))
    ]
  ])("end %s", async (_, text, digits, expected) => {
    assert.deepStrictEqual(await wrap(text, digits), expected)
  })

  it("keep every character, and none is wider than asked, in any script", async () => {
    const setter = await openTextSetter()
    const words = ["Lizenz", "株式会社", "ที่นี่", "license-key_1", "Αθήνα", "éé"]
    for (const text of words.flatMap((word) => words.map((other) => `${word} ${other} ${word}`))) {
      await setter.prepare(text)
      for (const width of [1500, 3000, 6000]) {
        const lines = setter.wrap(text, width)
        assert.strictEqual(letters(lines.join("")), letters(text))
        for (const line of lines) {
          assert.isTrue([...line].length <= 2 || setter.line(line.trimEnd()).width <= width, line)
        }
      }
    }
  })
})
