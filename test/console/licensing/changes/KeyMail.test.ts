import { assert, describe, it } from "@effect/vitest"
import { mailOf } from "../../../../src/console/licensing/changes/KeyMail.ts"

describe("a key in a mail", () => {
  it("greets by name where there is one, and has the key on a line of its own", () => {
    assert.match(mailOf({ key: "CS-1", name: "Ada", product: "Draft" }), /^Hello Ada,\n\n.*Draft:\n\nCS-1\n\n/)
    assert.match(mailOf({ key: "CS-1", name: undefined, product: "Draft" }), /^Hello,\n/)
  })
})
