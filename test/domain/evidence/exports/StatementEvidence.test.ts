import { assert, describe, it } from "@effect/vitest"
import type { StatedEvent, StatedKind } from "../../../../src/domain/evidence/exports/StatementEvidence.ts"
import { evidentSequences } from "../../../../src/domain/evidence/exports/StatementEvidence.ts"

const event = (sequence: number, at: number, more: Partial<StatedEvent> = {}): StatedEvent => ({
  sequence,
  at,
  kind: "license.usage_recorded",
  licenseId: "lic_1",
  featureId: "feat_1",
  movesGrants: false,
  ...more
})

const given: { readonly kind: StatedKind } = { kind: "license.grant_given" }

describe("the events that a statement needs", () => {
  it("are the usage of the window with a neighbour on each side, and all that moves grants", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<StatedEvent>, ReadonlyArray<number>]> = [
      ["none", [], []],
      ["usage outside the window alone", [event(1, 0), event(2, 99)], []],
      ["neighbours", [event(1, 0), event(2, 5), event(3, 12), event(4, 15), event(5, 20), event(6, 30)], [2, 3, 4, 5]],
      ["late usage between", [event(1, 12), event(2, 5), event(3, 13)], [1, 2, 3]],
      ["grants of any time", [event(1, 0, given), event(2, 1, { movesGrants: true }), event(3, 2)], [1, 2]],
      ["each feature for itself", [event(1, 0), event(2, 1, { featureId: "feat_2" }), event(3, 12)], [1, 3]],
      ["each license for itself", [event(1, 0), event(2, 1, { licenseId: "lic_2" }), event(3, 12)], [1, 3]]
    ]
    for (const [name, events, expected] of cases) {
      assert.deepStrictEqual(evidentSequences(events, 10, 20), expected, name)
    }
  })
})
