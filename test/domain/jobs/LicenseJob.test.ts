import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import {
  JobAction,
  jobReasons,
  LicenseJobCreate,
  LicenseViewInput,
  selectionLimit,
  singleOperations
} from "../../../src/domain/jobs/LicenseJob.ts"

const accepts = (schema: Schema.Decoder<unknown>) => (value: unknown): boolean =>
  Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))

const takes = accepts(LicenseJobCreate)
const all = { filter: {} }
const named = (count: number) => ({ ids: Array.from({ length: count }, (_, index) => `lic_${index}`) })

/** By action: the member that it needs, where it needs one. */
const members = {
  suspend: {},
  reinstate: {},
  revoke: {},
  renew: {},
  change_policy: { change_policy: { policy_id: "pol_1" } },
  tag: { tags: ["vip"] },
  untag: { tags: ["vip"] }
} as const satisfies Record<JobAction, object>

/** The members that belong to some action, each with a value that is right. */
const own = { renew: { extend_by_days: 365 }, change_policy: { policy_id: "pol_1" }, tags: ["vip"] } as const

const memberOf = (action: JobAction): keyof typeof own | undefined =>
  action === "renew" || action === "change_policy" ? action : action.endsWith("tag") ? "tags" : undefined

describe("a job", () => {
  it.each(JobAction.literals)("to %s takes what the action needs, and nothing of another", (action) => {
    const asked = { action, selection: all, ...members[action] }
    assert.isTrue(takes(asked))
    for (const [name, value] of Object.entries(own)) {
      assert.strictEqual(takes({ ...asked, [name]: value }), name === memberOf(action), name)
    }
  })

  it.each(["change_policy", "tag", "untag"] as const)("to %s is refused without its member", (action) => {
    assert.isFalse(takes({ action, selection: all }))
  })

  it("renews by a further term of its own where it is not told how far", () => {
    assert.isTrue(takes({ action: "renew", selection: all }))
  })

  it.each([
    { title: "no licenses", selection: {}, is: false },
    { title: "licenses and a filter", selection: { ids: ["lic_1"], filter: {} }, is: false },
    { title: "an empty list", selection: { ids: [] }, is: false },
    { title: "a license twice", selection: { ids: ["lic_1", "lic_1"] }, is: false },
    { title: "as many as may be named", selection: named(selectionLimit.ids), is: true },
    { title: "one more than may be named", selection: named(selectionLimit.ids + 1), is: false },
    { title: "all", selection: all, is: true },
    { title: "a filter that is none", selection: { filter: { status: "asleep" } }, is: false }
  ])("of $title: $is", ({ is, selection }) => {
    assert.strictEqual(takes({ action: "suspend", selection }), is)
  })

  it("does to each license what an operation on one does, and asks for that one's reason", () => {
    const known = new Map(operations.map(({ operationId, path }) => [operationId, path]))
    for (const action of JobAction.literals) {
      assert.match(known.get(singleOperations[action]) ?? "", /^\/api\/v1\/licenses\/:id/, action)
    }
    assert.deepStrictEqual(
      JobAction.literals.filter((action) => jobReasons[action] === undefined),
      ["tag", "untag"]
    )
  })
})

describe("a view", () => {
  const saves = accepts(LicenseViewInput)

  it.each([
    { title: "a name alone", view: {}, is: true },
    { title: "days", view: { expires_within_days: 30 }, is: true },
    { title: "no day", view: { expires_within_days: 0 }, is: false },
    { title: "ten years", view: { expires_within_days: 3650 }, is: true },
    { title: "more than ten years", view: { expires_within_days: 3651 }, is: false },
    { title: "days and a filter", view: { expires_within_days: 30, filter: { status: "active" } }, is: true },
    {
      title: "days and an end before",
      view: { expires_within_days: 30, filter: { expires_before: "2026-12-01T00:00:00Z" } },
      is: false
    },
    {
      title: "days and an end after",
      view: { expires_within_days: 30, filter: { expires_after: "2026-12-01T00:00:00Z" } },
      is: false
    },
    { title: "no columns", view: { columns: [] }, is: false },
    { title: "a column twice", view: { columns: ["owner", "owner"] }, is: false },
    { title: "a column with another name", view: { columns: ["Owner"] }, is: false }
  ])("with $title: $is", ({ is, view }) => {
    assert.strictEqual(saves({ name: "VIP", ...view }), is)
  })
})
