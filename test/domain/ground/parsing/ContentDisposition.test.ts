import { assert, describe, it } from "@effect/vitest"
import { attachedName, attachment } from "../../../../src/domain/ground/parsing/ContentDisposition.ts"

describe("attachment", () => {
  it("quotes a plain name, and gives any other in both forms (RFC 8187)", () => {
    assert.strictEqual(attachment("a b.csv"), "attachment; filename=\"a b.csv\"")
    assert.strictEqual(
      attachment("Müller's \"x\".pdf"),
      "attachment; filename=\"M_ller's _x_.pdf\"; filename*=UTF-8''M%C3%BCller%27s%20%22x%22.pdf"
    )
    assert.strictEqual(attachedName(attachment("a b.csv")), "a b.csv")
    assert.strictEqual(attachedName(null), "download")
  })
})
