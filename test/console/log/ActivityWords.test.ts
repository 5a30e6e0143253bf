import { assert, describe, it } from "@effect/vitest"
import type { Activity } from "../../../src/client/api/index.ts"
import { csvOf } from "../../../src/console/log/ActivityCsv.ts"
import { actions, filtersOf } from "../../../src/console/log/ActivityFilter.ts"
import { aboutOf, actorOf, doingOf, hrefOf, sentenceOf, valueOf } from "../../../src/console/log/ActivityWords.ts"
import { MailFailure } from "../../../src/domain/mail/Mail.ts"

const activity = (more: Partial<Activity> = {}): Activity => ({
  id: "act_1",
  occurred_at: "2026-11-21T10:41:00.000Z",
  action: "license.suspended",
  source: "management",
  actor_type: "person",
  actor_id: "per_1",
  result_class: "success",
  ...more
})

describe("an activity in words", () => {
  it("is a sentence of its own for each action", () => {
    const sentences = actions.flatMap(([action]) => action === "" ? [] : [[doingOf(action), action] as const])
    for (const [sentence, action] of sentences) assert.match(sentence, /^[a-z]+ ?[A-Za-z ]*$/, action)
    assert.strictEqual(doingOf("license.suspended"), "suspended a license")
    assert.strictEqual(doingOf("api_key.created"), "created an API key")
    assert.strictEqual(doingOf("order.updated"), "changed an order")
  })

  it("names who it was, and never by an ID", () => {
    const named = { actor_name: "Jun Sato", actor_roles: ["Support"] }
    assert.deepStrictEqual(actorOf(activity(named)), { name: "Jun Sato", kind: "support" })
    assert.deepStrictEqual(actorOf(activity({ actor_type: "api_key", actor_name: "Web shop" })), {
      name: "Web shop",
      kind: "API key"
    })
    assert.strictEqual(actorOf(activity({ actor_type: "api_key", actor_id: "bootstrap" })).name, "Admin token")
    for (const actor_type of ["person", "api_key", "license", "system"] as const) {
      assert.notInclude(actorOf(activity({ actor_type })).name, "per_1")
    }
  })

  it("says how it ended, and what it is about", () => {
    assert.strictEqual(sentenceOf(activity({ result_class: "refused" })), "was refused: License suspended")
    assert.strictEqual(
      sentenceOf(activity({ actor_type: "system", action: "license.expired" })),
      "noted: License expired"
    )
    assert.deepStrictEqual(aboutOf(activity({ names: { product: "Acme", policy: "Team", customer: "Ada" } })), [
      "Ada",
      "Team",
      "Acme"
    ])
    assert.strictEqual(hrefOf(activity({ license_id: "lic_1", customer_id: "cus_1" })), "/console/licenses/lic_1")
    assert.isUndefined(hrefOf(activity()))
  })
})

describe("a value of a field", () => {
  it("is in words where it is a code of a mail: each reason of one that was not sent has its own", () => {
    for (const action of ["mail.failed", "customer.portal_link_failed"] as const) {
      const words = MailFailure.literals.map((reason) => valueOf({ action }, "reason", reason))
      assert.lengthOf(new Set(words), MailFailure.literals.length)
      assert.strictEqual(words[0], "Refused by the mail server")
      for (const [at, word] of words.entries()) {
        assert.notStrictEqual(word.toLowerCase(), MailFailure.literals[at]!.replaceAll("_", " "))
      }
    }
    assert.strictEqual(valueOf({ action: "mail.sent" }, "kind", "payment_failed"), "Payment failed")
    assert.strictEqual(valueOf({ action: "mail_suppression.created" }, "reason", "bounced"), "Mailbox refused")
    // What people wrote stays as it is, and so do other fields.
    assert.strictEqual(valueOf({ action: "license.suspended" }, "reason", "bounced"), "bounced")
    assert.strictEqual(valueOf({ action: "mail.failed" }, "recipient", "ada@example.com"), "ada@example.com")
    assert.strictEqual(valueOf({ action: "mail.failed" }, "attempts", 2), "2")
    assert.strictEqual(valueOf({ action: "mail.failed" }, "reply", undefined), "–")
  })
})

describe("the filters of an address", () => {
  it("are those of the API, with days of the time zone", () => {
    const days = { first: "2026-03-29", last: "2026-03-29", zone: "Europe/Berlin" }
    assert.deepStrictEqual(filtersOf({ who: "person", outcome: "refused", by: "per_1", on: " cus_1 ", ...days }), {
      actor_type: "person",
      actor_id: "per_1",
      result_class: "refused",
      customer_id: "cus_1",
      from: "2026-03-28T23:00:00.000Z",
      to: "2026-03-29T22:00:00.000Z"
    })
    assert.deepStrictEqual(filtersOf({ on: "pol_1", action: "license.suspended" }), {
      action: "license.suspended",
      resource_id: "pol_1"
    })
  })

  it("that are unknown are left out", () => {
    assert.deepStrictEqual(filtersOf({ who: "robot", action: "x", outcome: "y", first: "soon" }), {})
  })
})

describe("the file of a list", () => {
  it("keeps strangers' texts in their cells, and calculates none of them", () => {
    const reason = "=1+1, \"quoted\"\nsecond line"
    const [head, ...rows] = csvOf([activity({ reason, actor_name: "Ada, Countess" })]).split("\r\n")
    assert.include(head, "occurred_at,actor,actor_roles")
    assert.isTrue(head!.startsWith("\uFEFF"))
    assert.include(rows.join("\r\n"), "\"'=1+1, \"\"quoted\"\"\nsecond line\"")
    // A separator of another language does not begin a formula either.
    assert.include(csvOf([activity({ reason: "a;=1+1" })]), "a;'=1+1")
    assert.include(rows[0], "\"Ada, Countess\"")
  })
})
