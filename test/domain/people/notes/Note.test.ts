import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { NoteInEvent, NoteInput } from "../../../../src/domain/people/notes/Note.ts"

const takes = (text: string): boolean => Exit.isSuccess(Schema.decodeUnknownExit(NoteInput)({ text }))

describe("the text of a note", () => {
  it.each([
    { title: "nothing", text: "", is: false },
    { title: "blanks", text: " \t\n", is: false },
    { title: "a no-break space", text: "\u00a0", is: false },
    { title: "a soft hyphen", text: "\u00ad", is: false },
    { title: "a letter between blanks", text: " a ", is: true },
    { title: "a character beyond the first plane", text: "\u{1f600}", is: true },
    { title: "a zero byte", text: "a\u0000b", is: false },
    { title: "half a character", text: "a\ud800", is: false },
    { title: "as much as there may be", text: "x".repeat(2000), is: true },
    { title: "one more than there may be", text: "x".repeat(2001), is: false }
  ])("may be $title: $is", ({ is, text }) => {
    assert.strictEqual(takes(text), is)
  })
})

it("events tell that a note is there, and neither what it says nor who wrote it", () => {
  assert.deepStrictEqual(Object.keys(NoteInEvent.fields).toSorted(), [
    "created_at",
    "customer_id",
    "id",
    "license_id",
    "updated_at"
  ])
  assert.isTrue(Exit.isSuccess(Schema.decodeUnknownExit(NoteInEvent)(exampleOf(NoteInEvent))))
})
