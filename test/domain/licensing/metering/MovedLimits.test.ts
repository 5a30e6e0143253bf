import { assert, describe, it } from "@effect/vitest"
import { movedLimits } from "../../../../src/domain/licensing/metering/MovedLimits.ts"

type Event = Parameters<typeof movedLimits>[0][number]

const event = (type: Event["type"], more: Partial<Event> = {}): Event => ({
  type,
  resourceId: "lic_1",
  data: {},
  ...more
})

/** What events move, in short: less may be left (falls), or more (rises). */
const moved = (...events: ReadonlyArray<Event>) =>
  movedLimits(events).map(({ fell, id }) => `${id} ${fell ? "falls" : "rises"}`)

const units = (...ids: ReadonlyArray<string>) => ({ grants: ids.map((grant_id) => ({ grant_id, amount: 1 })) })

describe("what can be used of a license", () => {
  it.each<[Event["type"], ReadonlyArray<string>]>([
    ["license.feature_assigned", ["lic_1 falls"]],
    ["license.feature_removed", ["lic_1 falls"]],
    ["license.policy_changed", ["lic_1 falls"]],
    ["license.transferred", ["lic_1 falls"]],
    ["license.reinstated", ["lic_1 falls"]],
    ["license.renewed", ["lic_1 falls"]],
    ["license.usage_reset", ["lic_1 rises"]],
    ["license.grant_given", ["lic_1 rises"]],
    ["license.grant_revoked", ["lic_1 falls"]],
    ["customer.pool_given", ["lic_1 rises"]],
    ["customer.pool_revoked", ["lic_1 falls"]],
    ["customer.updated", ["lic_1 falls"]],
    ["policy.feature_assigned", ["lic_1 falls"]],
    ["policy.feature_removed", ["lic_1 falls"]],
    ["license.suspended", []],
    ["license.created", []]
  ])("is moved by %s: %j", (type, movement) => {
    assert.deepStrictEqual(moved(event(type)), movement)
  })

  it("falls by a grant that takes units away", () => {
    const given = (data: object) => moved(event("license.grant_given", { data }))
    assert.deepStrictEqual(given({ amount: -1 }), ["lic_1 falls"])
    assert.deepStrictEqual(given({ amount: 1 }), ["lic_1 rises"])
    assert.deepStrictEqual(given({ amount: "-1" }), ["lic_1 rises"])
    assert.deepStrictEqual(moved(event("license.usage_reset", { data: { amount: -1 } })), ["lic_1 rises"])
  })

  it("is judged by a use itself, but for what it took of pools, which others share", () => {
    const use = (data: object, metadata?: object) =>
      moved(event("license.usage_recorded", { data, ...(metadata === undefined ? {} : { metadata }) }))
    assert.deepStrictEqual(use({}), [])
    assert.deepStrictEqual(use(units("grant_1", "pool_1", "pool_2")), ["pool_1 falls", "pool_2 falls"])
    // A use that is judged by the terms of another time tells nothing of now.
    assert.deepStrictEqual(use({ ...units("pool_1"), is_late: true }), ["lic_1 falls", "pool_1 falls"])
    assert.deepStrictEqual(use(units("pool_1"), { owner: {} }), ["lic_1 falls", "pool_1 falls"])
    assert.deepStrictEqual(use(units("pool_1"), { dimensions: {} }), ["pool_1 falls"])
  })

  it("rises of pools that a refund gives units back to", () => {
    const refund = event("license.usage_reset", { metadata: units("grant_1", "pool_1") })
    assert.deepStrictEqual(moved(refund), ["lic_1 rises", "pool_1 rises"])
  })

  it("is read of events of any shape", () => {
    for (const data of [{ grants: "pool_1" }, { grants: [null, "pool_1", { grant_id: 7 }, {}] }, { grants: null }]) {
      assert.deepStrictEqual(moved(event("license.usage_recorded", { data })), [])
    }
  })

  it("is named once, and falls where any of the events makes it fall", () => {
    const [rises, falls] = [event("license.usage_reset"), event("license.renewed")]
    assert.deepStrictEqual(moved(rises, falls), ["lic_1 falls"])
    assert.deepStrictEqual(moved(falls, rises), ["lic_1 falls"])
    assert.deepStrictEqual(moved(rises, rises, event("customer.updated", { resourceId: "cus_1" })), [
      "lic_1 rises",
      "cus_1 falls"
    ])
  })
})
