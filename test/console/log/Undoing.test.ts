import { assert, describe, it } from "@effect/vitest"
import type { Activity } from "../../../src/client/api/index.ts"
import { undoOf } from "../../../src/console/log/Undoing.ts"

const did = (id: string, action: Activity["action"], result_class: Activity["result_class"] = "success"): Activity => ({
  id,
  action,
  result_class,
  occurred_at: "2026-11-21T10:41:00.000Z",
  source: "management",
  actor_type: "person",
  actor_id: "per_1"
})

describe("what can be undone", () => {
  it("is the last change of whether a license is suspended, by its inverse", () => {
    const [suspended, reinstated] = [did("act_2", "license.suspended"), did("act_1", "license.reinstated")]
    assert.deepStrictEqual(undoOf([suspended, reinstated], { status: "suspended" }), { id: "act_2", by: "reinstate" })
    assert.deepStrictEqual(undoOf([did("act_3", "license.renewed"), reinstated], { status: "active" }), {
      id: "act_1",
      by: "suspend"
    })
  })

  it("is nothing that was refused, is otherwise by now, was a revocation, or is the subscription's", () => {
    const suspended = did("act_2", "license.suspended")
    assert.isUndefined(undoOf([did("act_2", "license.suspended", "refused")], { status: "active" }))
    assert.isUndefined(undoOf([suspended], { status: "active" }))
    assert.isUndefined(undoOf([did("act_3", "license.revoked"), suspended], { status: "revoked" }))
    assert.isUndefined(undoOf([suspended], { status: "suspended", suspended_by: "subscription" }))
  })
})
