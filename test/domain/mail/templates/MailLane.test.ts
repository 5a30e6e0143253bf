import { assert, describe, it } from "@effect/vitest"
import { kindsIn, sessionsOf } from "../../../../src/domain/mail/templates/MailTemplates.ts"

describe("the lane of a mail", () => {
  it("is of its own for what somebody waits for: keys, links, codes, offers and invitations", () => {
    assert.sameMembers([...kindsIn("awaited")], [
      "license_issued",
      "key_changed",
      "user_invited",
      "portal_link",
      "user_sign_in",
      "license_transfer",
      "license_continued"
    ])
    assert.sameMembers([...kindsIn("notices")], [
      "license_expiring",
      "license_expired",
      "quota_threshold",
      "device_added",
      "payment_failed"
    ])
  })

  it("has no more sessions together than large relays take from a sender", () => {
    assert.isAtMost(sessionsOf.awaited + sessionsOf.notices, 3)
  })
})
