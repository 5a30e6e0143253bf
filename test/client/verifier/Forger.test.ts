// What a forger does to a file of each kind, judged by the command and by the page in memory. test/world/languages has Python and a
// browser judge the same.
import { assert, describe, it } from "@effect/vitest"
import { afterEach, vi } from "vitest"
import { commandOver, forgedFiles, zipOf } from "../../fixtures/ForgedFiles.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { signingKey } from "../../fixtures/SignedFeed.ts"
import { openVerifyPage } from "../../fixtures/VerifyPage.ts"

const kinds = await forgedFiles()

/** The parts into which forgeries are divided: a run tries one, by its seed, and test/world/languages all of them. */
const parts = 24
const part = Math.floor(chance("forger").upTo(parts))

const given = (files: Readonly<Record<string, Uint8Array>>) =>
  Object.entries(files).map(([name, bytes]) => ({ name, bytes }))

afterEach(() => void vi.useRealTimers())

describe("a forger", () => {
  for (const file of kinds) {
    it(`passes with no ${file.name}, by the command or on the page`, async () => {
      const { beside = {}, isBeside, isNeverProven = false, name } = file
      vi.useFakeTimers({ now: Date.parse(file.now), toFake: ["Date"] })
      const command = commandOver(file)
      const page = openVerifyPage(Date.parse(file.now), file)
      const onPage = async (bytes: Uint8Array) => {
        const shown = await page.choose(given({ [name]: bytes, ...beside }))
        return shown.every(({ verdict }) => verdict === "proven")
      }
      const genuine = await command(file.bytes)
      assert.strictEqual(genuine.status, isNeverProven ? 3 : 0, genuine.out)
      assert.strictEqual(await onPage(file.bytes), !isNeverProven)
      const passed: Array<string> = []
      let tried = 0
      for (const [how, bytes] of file.forgeries()) {
        tried += 1
        if (tried % parts !== part) continue
        const { out, status } = await command(bytes)
        if (status === 0) passed.push(how)
        assert.strictEqual(await onPage(bytes), status === 0, `${how}: ${out}`)
      }
      assert.isAbove(tried, 40)
      assert.deepStrictEqual(passed.filter((how) => !isBeside(how)), [])
    })
  }

  it("proves nothing with no key, or with one that a thief lists under the name of the vendor's", async () => {
    for (const file of kinds) {
      vi.useFakeTimers({ now: Date.parse(file.now), toFake: ["Date"] })
      const command = commandOver(file)
      const { data }: { readonly data: ReadonlyArray<{ readonly kid: string }> } = JSON.parse(file.keys)
      const { public_key } = signingKey(66).published
      for (const keys of [[], data.map(({ kid }) => ({ kid, algorithm: "Ed25519", public_key }))]) {
        const { out, status } = await command(file.bytes, { "keys.json": JSON.stringify({ data: keys, revoked: [] }) })
        assert.notStrictEqual(status, 0, out)
      }
    }
  })

  it("gives the page no keys with the files that they signed, also in an archive", async () => {
    const receipt = kinds.find(({ name }) => name === "receipt.json")!
    const keys = new TextEncoder().encode(receipt.keys)
    const page = openVerifyPage(Date.parse(receipt.now))
    const files = { "receipt.json": receipt.bytes, "keys.json": keys }
    for (const sent of [files, { "sent.zip": zipOf(files) }, { "sent.zip": zipOf(files), "keys.json": keys }]) {
      const shown = await page.choose(given(sent))
      assert.notInclude(shown.map(({ verdict }) => verdict), "proven")
    }
    assert.include(page.text(), "Keys that come with files are their sender's, and were not taken")
    await page.choose(given({ "keys.json": keys }))
    assert.notInclude(page.text(), "were not taken")
    assert.deepStrictEqual(
      (await page.choose(given({ "receipt.json": receipt.bytes }))).map(({ verdict }) => verdict),
      ["proven"]
    )
  })
})
