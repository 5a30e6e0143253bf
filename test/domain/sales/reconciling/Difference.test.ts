import { assert, describe, it } from "@effect/vitest"
import type { PurchaseState, Slot } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { differences, isOwed } from "../../../../src/domain/sales/reconciling/Difference.ts"

const since = "2026-01-01T00:00:00.000000000Z"

const slot = (more: Partial<Slot> = {}): Slot => ({
  slot: 0,
  position: 0,
  since,
  sold_since: since,
  price: "p",
  quantity: 5,
  ...more
})

const state = (more: Partial<PurchaseState> = {}): PurchaseState => ({
  provider: "stripe",
  purchase: "subscription/s",
  kind: "subscription",
  state: "active",
  slots: [slot()],
  payer: { id: "c", email: "ada@example.com" },
  origin: {},
  refund: "none",
  dispute: "none",
  source_updated_at: since,
  ambiguous: false,
  notes: [],
  ...more
})

describe("the differences of a purchase", () => {
  it.each<readonly [Partial<PurchaseState>, Partial<PurchaseState>, ReadonlyArray<string>]>([
    [{}, {}, []],
    // What is no fact about the purchase makes no difference.
    [{}, { source_updated_at: "2027", said: "Active", notes: [{ note: "n", at: since, event_id: "e" }] }, []],
    [{}, { state: "canceled", ended_at: since }, ["state", "ended_at"]],
    [{}, { slots: [slot({ quantity: 8 })] }, ["items"]],
    [{}, { slots: [slot({ period_end: since })] }, ["period_end"]],
    [{}, { slots: [slot(), slot({ slot: 1, dropped_at: since })] }, []],
    [{}, { paid_through: since, cancel_at: since, trial_end: since }, ["trial_end", "paid_through", "cancel_at"]],
    [{}, { collection_paused: {}, refund: "full", dispute: "open" }, ["collection_paused", "refund", "dispute"]],
    // A name that is spelled otherwise is none, and an address that was not known is one.
    [{}, { payer: { id: "c", email: "lovelace@example.com" } }, []],
    [{ payer: { id: "c" } }, {}, ["payer"]],
    [{}, { payer: { id: "c" } }, []],
    [{ ambiguous: true }, {}, ["is_ambiguous"]],
    [{}, { ambiguous: true }, []]
  ])("from %j to %j are %j", (before, after, members) => {
    assert.deepStrictEqual(differences(state(before), state(after)), members)
  })

  it.each<readonly [Partial<PurchaseState>, boolean]>([
    [{}, true],
    [{ state: "past_due" }, true],
    [{ state: "incomplete" }, true],
    [{ state: "paid" }, true],
    [{ state: "paid", refund: "partial" }, true],
    [{ state: "paid", refund: "full" }, false],
    [{ state: "canceled" }, false],
    [{ state: "incomplete_expired" }, false],
    [{ state: "failed" }, false],
    [{ state: undefined }, false]
  ])("something is owed for %j: %s", (more, owed) => assert.strictEqual(isOwed(state(more)), owed))
})
