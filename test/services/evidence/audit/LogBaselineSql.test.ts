import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteSuperseded,
  insertAnchors,
  insertStates
} from "../../../../src/services/evidence/audit/LogBaselineSql.ts"
import type { Anchor } from "../../../../src/services/evidence/audit/LogBaselineSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const anchor = (resource_id: string, slot: string): Anchor => ({
  resource_id,
  slot,
  place: "1",
  event_type: "license.created",
  metadata: "{}",
  data: "{}",
  created_at: "2026-01-01T00:00:00Z"
})

/** The log is dropped up to event 32. */
const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  yield* first`UPDATE event_archive SET dropped_sequence = 32, dropped_until = now()`
  yield* first`DELETE FROM event_baselines`
  yield* first`DELETE FROM event_anchors`
  return workers
})

describe("the statements about the baseline of a dropped log", () => {
  layer(Workers.layer)((it) => {
    it.effect("of the states of a resource the last one of what was dropped stays", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        for (const upto of [16, 32, 48]) yield* insertStates(first, upto, [["lic_1", `at ${upto}`]])
        yield* insertStates(first, 16, [["lic_2", "at 16"]])
        assert.lengthOf(yield* deleteSuperseded(first, "event_baselines", 100), 2)
        const kept = yield* first<{ readonly root: string; readonly state: string }>`
          SELECT root, state FROM event_baselines ORDER BY root`
        assert.deepStrictEqual(kept.map(({ root, state }) => [root, state]), [["lic_1", "at 32"], ["lic_2", "at 16"]])
      }))

    it.effect("of the last events of a resource each slot keeps its own", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        yield* insertAnchors(first, 16, [anchor("lic_1", "self"), anchor("lic_1", "policy")])
        yield* insertAnchors(first, 32, [anchor("lic_1", "self")])
        yield* insertAnchors(first, 48, [anchor("lic_1", "policy")])
        assert.lengthOf(yield* deleteSuperseded(first, "event_anchors", 1), 1)
        assert.lengthOf(yield* deleteSuperseded(first, "event_anchors", 100), 1)
        const kept = yield* first<{ readonly slot: string; readonly upto: bigint }>`
          SELECT slot, upto FROM event_anchors ORDER BY slot`
        assert.deepStrictEqual(kept.map(({ slot, upto }) => [slot, Number(upto)]), [["policy", 16], ["self", 32]])
      }))

    it.effect("a row that another node is deleting holds up nobody", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* world
        for (const upto of [16, 32]) yield* insertStates(first, upto, [["lic_1", "s"]])
        const [one, other] = yield* passing(
          deleteSuperseded(first, "event_baselines", 100),
          deleteSuperseded(second, "event_baselines", 100)
        )
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))
  })
})
