import { assert, it } from "@effect/vitest"
import { PaceRefusals } from "../../../../src/domain/delivery/pacing/LaneRate.ts"

const refuse = (refusals: PaceRefusals, sequence: number, times: number) =>
  Array.from({ length: times }, () => refusals.isOfPace(sequence))

it("a delivery is refused for what it is once it was refused 20 times while another arrived", () => {
  const refusals = new PaceRefusals()
  assert.notInclude(refuse(refusals, 7, 19), false)
  refusals.arrived()
  assert.isFalse(refusals.isOfPace(7))
})

it("a receiver that takes nothing at all is asked for no other pace by any number of refusals", () => {
  const refusals = new PaceRefusals()
  refusals.arrived()
  assert.notInclude(refuse(refusals, 7, 100), false)
})

it("a delivery that ended otherwise, or is sent to another receiver, is counted anew", () => {
  const refusals = new PaceRefusals()
  refuse(refusals, 7, 19)
  refuse(refusals, 8, 19)
  refusals.arrived()
  refusals.forget(7)
  assert.isTrue(refusals.isOfPace(7))
  refusals.clear()
  assert.isTrue(refusals.isOfPace(8))
})

it("the delivery that was refused last is known, so that others may go first", () => {
  const refusals = new PaceRefusals()
  assert.isUndefined(refusals.last)
  refuse(refusals, 7, 1)
  refuse(refusals, 8, 1)
  assert.strictEqual(refusals.last, 8)
})
