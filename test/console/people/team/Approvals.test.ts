// What an approver reads of a request, which others have named: nothing in a name reads as another one.
import { assert, describe, it } from "@effect/vitest"
import type { Approval } from "../../../../src/client/api/index.ts"
import { bodyLines } from "../../../../src/console/people/team/ApprovalWords.ts"
import { person } from "../../../fixtures/ConsoleAnswers.ts"
import { openTab } from "../../../fixtures/ConsoleTab.ts"

const turned = "Jun \u202eotaS\u001b[2K\nApproved by Ada"
const visible = "Jun [U+202E]otaS[U+001B][2K[U+000A]Approved by Ada"

const approval: Approval = {
  id: "apr_06eqpx1trxz3h94vqjm3a6kz7c",
  operation: "createPerson",
  params: {},
  body: { name: turned, roles: ["owner"], metadata: { note: "fine\u2066" } },
  state: "pending",
  reason: "a colleague\u202e",
  requested_by: { type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7d", name: turned, roles: ["Support\u2067"] },
  expires_at: "2099-11-30T12:00:00.000Z",
  created_at: "2026-11-29T12:00:00.000Z"
}

describe("a request that waits for a second person", () => {
  it("has what was sent as lines in which everything is seen", () => {
    assert.deepStrictEqual(bodyLines(approval), [
      ["name", visible],
      ["roles", "[\"owner\"]"],
      ["metadata", "{\"note\":\"fine[U+2066]\"}"]
    ])
  })

  it("names who asked, their roles and the reason so, too", async () => {
    const tab = await openTab("/console/people/approvals", {
      who: person(),
      answers: { approvals: { list: [approval] } }
    })
    await tab.shows(visible)
    const text = tab.text()
    assert.include(text, "Support[U+2067]")
    assert.include(text, "a colleague[U+202E]")
    for (const character of "\u202e\u2067\u001b") assert.notInclude(text, character)
  })
})
