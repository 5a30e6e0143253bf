import { assert, describe, it } from "@effect/vitest"
import {
  offlineFileName,
  warningsAboutFile,
  warningsAboutOutstanding
} from "../../../../src/domain/licensing/offline/OfflineFile.ts"

const license_key = "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"

const codesWarned = (product_code: string | undefined, former_codes: ReadonlyArray<string> | null | undefined) =>
  warningsAboutFile(
    { fingerprint: "ab", license_key, ...(product_code === undefined ? {} : { product_code }) },
    { code: "studio", former_codes }
  ).map(({ code, field }) => `${code} ${field}`)

describe("an offline file", () => {
  it.each([
    ["no product, of a product that had other codes", undefined, ["st", "draw"], ["FORMER_CODES_UNNAMED product_code"]],
    ["no product, of one that never had another code", undefined, null, []],
    ["no product, of one whose codes were never asked for", undefined, undefined, []],
    ["the code of today", "studio", ["st"], []],
    ["a former code", "st", ["st"], []],
    ["the code of a product that never had another", "studio", null, []]
  ])("that names %s is issued with the warnings that fit", (_, named, former, warned) => {
    assert.deepStrictEqual(codesWarned(named, former), warned)
  })

  it("names the code of today and the former ones in its warning", () => {
    const [warning] = warningsAboutFile({ fingerprint: "ab", license_key }, {
      code: "now",
      former_codes: ["st", "draw"]
    })
    assert.match(warning?.message ?? "", /product now\. .* with st or draw needs/)
  })

  it("of machines without a seat is warned of, with how many and until when", () => {
    const until = "2028-11-29T00:00:00.000Z"
    assert.deepStrictEqual(warningsAboutOutstanding({ machines: 0, until: undefined }), [])
    const messages = [1, 5].map((machines) => warningsAboutOutstanding({ machines, until })[0]!.message)
    assert.match(messages[0]!, /^A machine without a seat .* until 2028-11-29/)
    assert.match(messages[1]!, /^5 machines without a seat /)
  })

  it.each([
    ["studio", "studio-ofl_1.lic"],
    ["Acme Studio/2", "Acme-Studio-2-ofl_1.lic"],
    ["a.b_c-d", "a.b_c-d-ofl_1.lic"],
    ["../..", "..-..-ofl_1.lic"]
  ])("of the product %s is called %s", (code, name) => {
    assert.strictEqual(offlineFileName(code, "ofl_1"), name)
  })
})
