import { assert, describe, it } from "@effect/vitest"
import type { Activity } from "../../../../src/client/api/index.ts"
import { urlAtProvider } from "../../../../src/console/sales/purchases/Providers.ts"
import { storyOf } from "../../../../src/console/sales/purchases/Story.ts"

const event = (id: string, occurred: string, received = occurred) => ({
  id,
  type: `type.${id}`,
  occurred_at: `2026-11-21T${occurred}:00.000Z`,
  received_at: `2026-11-21T${received}:00.000Z`
})

const activity = (more: Partial<Activity>): Activity => ({
  id: "act_1",
  action: "license.created",
  actor_id: "system",
  actor_type: "system",
  occurred_at: "2026-11-21T10:01:00.000Z",
  result_class: "success",
  source: "system",
  ...more
} as Activity)

describe("the story of a purchase", () => {
  it("has both sides in the order of time, without what apps did", () => {
    const story = storyOf({ events: [event("b", "10:02"), event("a", "10:01")], notes: [] }, [
      activity({}),
      activity({ id: "act_2", actor_type: "license", action: "license.validated" })
    ])
    assert.deepStrictEqual(story.map(({ key, side, title }) => [key, side, title]), [
      ["a", "provider", "type.a"],
      ["act_1", "service", "License issued"],
      ["b", "provider", "type.b"]
    ])
  })

  it("shows as quiet what came too late and what changes nothing, each with why", () => {
    const late = event("late", "10:01", "10:09")
    const notes = [
      { note: "trial_ends_soon", at: "", event_id: "info" },
      { note: "partial_refund", at: "", event_id: "refund", detail: "EUR 5" },
      { note: "something_new", at: "", event_id: "new" }
    ]
    const story = storyOf({
      events: [late, event("first", "10:02"), event("info", "10:03"), event("refund", "10:04"), event("new", "10:05")],
      notes
    }, [])
    assert.deepStrictEqual(story.map(({ isQuiet, key, why }) => [key, isQuiet, why.join("; ")]), [
      ["late", true, "Arrived late: newer events came first, and remain valid"],
      ["first", false, ""],
      ["info", true, "Information only: the trial ends soon"],
      ["refund", false, "Partial refund (EUR 5)"],
      ["new", false, "Something new"]
    ])
  })

  it("says of what was refused that it was, and why a person did something", () => {
    const [refused, byPerson] = storyOf({ events: [], notes: [] }, [
      activity({ result_class: "refused" }),
      activity({ id: "act_2", actor_type: "api_key", reason: "Chargeback" })
    ])
    assert.deepInclude(refused, { isRefused: true, why: ["refused"] })
    assert.deepInclude(byPerson, { isRefused: false, why: ["API key", "Reason: Chargeback"] })
  })
})

describe("an ID of a provider", () => {
  it.each(
    [
      ["stripe", "subscription", "sub_1", false, "https://dashboard.stripe.com/subscriptions/sub_1"],
      ["stripe", "subscription", "sub_1", true, "https://dashboard.stripe.com/test/subscriptions/sub_1"],
      ["stripe", undefined, "evt_1", false, "https://dashboard.stripe.com/events/evt_1"],
      ["stripe", "order", "cs_1", false, undefined],
      ["paddle", "subscription", "sub_01", true, "https://sandbox-vendors.paddle.com/subscriptions-v2/sub_01"],
      ["paddle", undefined, "evt_01", false, undefined],
      ["lemon_squeezy", "order", "42", false, "https://app.lemonsqueezy.com/orders/42"],
      ["chargebee", "subscription", "abc", false, undefined],
      ["stripe", "subscription", "sub_1/../../evil", false, undefined]
    ] as const
  )("leads to it where its address is known: %s %s %s", (provider, kind, id, isTest, url) => {
    assert.strictEqual(urlAtProvider(provider, kind, id, isTest), url)
  })
})
