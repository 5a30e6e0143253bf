import { assert, describe, it } from "@effect/vitest"
import { eventMember } from "../../../../src/services/ground/persistence/EventMemberSql.ts"

describe("eventMember", () => {
  it("reads a member of the kinds alone that have it as that type", () => {
    assert.strictEqual(
      eventMember(["license.usage_recorded"], "over_quota", "int8"),
      "CASE WHEN event_type IN ('license.usage_recorded') THEN (data::jsonb ->> 'over_quota')::int8 END"
    )
  })

  it("refuses a member that one of the kinds has as another type, or not at all", () => {
    assert.throws(
      () => eventMember(["license.usage_recorded", "license.usage_reset"], "overage", "int8"),
      /license.usage_reset has overage as String, which cannot be read as int8/
    )
    assert.throws(() => eventMember(["license.usage_reset"], "amount", "int8"), /has amount as nothing/)
  })
})
