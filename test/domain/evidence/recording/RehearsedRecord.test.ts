import { assert, describe, it } from "@effect/vitest"
import { changesSeats, momentsOf, placedSteps } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { LoggedSeat, LoggedStep, RecordedCalls } from "../../../../src/domain/evidence/recording/DecidedUse.ts"

const start = Date.parse("2026-11-21T10:00:00Z")

/** Calls between two seconds of an hour. */
const row = (first: number, last: number, more: Partial<RecordedCalls> = {}): RecordedCalls => ({
  license_id: "lic_1",
  device: "dev_1",
  operation: "activate",
  result: "granted",
  is_vm: false,
  is_container: false,
  calls: first === last ? 1 : 2,
  first_at: new Date(start + first * 1000),
  last_at: new Date(start + last * 1000),
  user_id: null,
  feature_code: null,
  amount: null,
  remaining: null,
  shortest_pause: null,
  longest_pause: null,
  ...more
})

describe("the calls of a record", () => {
  const instants = (calls: number, between: ReadonlyArray<number> = []) =>
    momentsOf(row(0, calls === 1 ? 0 : 60, { calls }), between.map((second) => start + second * 1000)).map((moment) => [
      (moment.at - start) / 1000,
      moment.calls,
      moment.isLast,
      moment.isBetween ?? false
    ])

  it("of a single call are one", () => {
    assert.deepStrictEqual(instants(1), [[0, 1, false, false]])
  })

  it("of several are the first, and the rest at the last", () => {
    assert.deepStrictEqual(instants(2), [[0, 1, false, false], [60, 1, true, false]])
    assert.deepStrictEqual(instants(9), [[0, 1, false, false], [60, 8, true, false]])
  })

  it("of which some between are known are as many as before", () => {
    assert.deepStrictEqual(instants(9, [10, 20]), [
      [0, 1, false, false],
      [10, 1, false, true],
      [20, 1, false, true],
      [60, 6, true, false]
    ])
  })

  it("have the machine and the person of their record", () => {
    const [moment] = momentsOf(row(0, 0, { is_vm: true, is_container: true, user_id: "usr_1" }))
    assert.deepInclude(moment, { isVm: true, kind: "container", userId: "usr_1" })
    const [other] = momentsOf(row(0, 0))
    assert.deepInclude(other, { isVm: false, kind: "hardware", userId: undefined })
  })

  it.each(
    [
      ["activate", true],
      ["deactivate", true],
      ["validate", false],
      ["checkout", false]
    ] as const
  )("to %s change who has a seat: %s", (operation, changes) => {
    assert.strictEqual(changesSeats({ operation }), changes)
  })
})

const step = (millis: number, more: Partial<LoggedSeat> = {}): LoggedStep => ({
  at: start + millis,
  seat: { id: "dev_1", kind: "hardware", isVm: false, status: "active", isActivation: true, ...more }
})

const other = (millis: number): LoggedStep => ({ at: start + millis, isLost: true })

/** Where the steps come to stand, in milliseconds, and which of them are the event of a call, or of one between. */
const placed = (calls: ReadonlyArray<RecordedCalls>, steps: ReadonlyArray<LoggedStep>, from = start) => {
  const found = placedSteps({ policyId: "pol_1", steps, calls, from })
  return {
    at: found.steps.map(({ at }) => at - start),
    called: found.steps.flatMap((each) => found.called.has(each) ? [each.at - start] : []),
    repeated: found.steps.flatMap((each) => found.repeated.has(each) ? [each.at - start] : [])
  }
}

describe("the event of a recorded call", () => {
  it.each([
    ["stands behind the call that it was written before", 9_000, 10_000.5],
    ["stands where it was written, behind the call", 11_000, 11_000],
    ["of the very instant stands behind it", 10_000, 10_000.5],
    ["may be five seconds earlier", 5_000, 10_000.5],
    ["may be five seconds later", 15_000, 15_000]
  ])("%s", (_, written, at) => {
    assert.deepStrictEqual(placed([row(10, 10)], [step(written)]), { at: [at], called: [at], repeated: [] })
  })

  it.each([
    ["that is written more than five seconds before", row(10, 10), step(4_999)],
    ["that is written more than five seconds later", row(10, 10), step(15_001)],
    ["of another device", row(10, 10), step(9_000, { id: "dev_2" })],
    ["of the other operation", row(10, 10, { operation: "deactivate" }), step(9_000)],
    ["that is a change by another hand", row(10, 10), step(9_000, { isActivation: false })],
    ["of a call that was refused", row(10, 10, { result: "DEVICE_LIMIT" }), step(9_000)],
    ["of a call that changes no seat", row(10, 10, { operation: "validate" }), step(9_000)],
    ["that tells of no seat", row(10, 10), other(9_000)]
  ])("is none %s", (_, call, logged) => {
    const at = logged.at - start
    assert.deepStrictEqual(placed([call], [logged]), { at: [at], called: [], repeated: [] })
  })

  it("is looked for up to five seconds before the window", () => {
    const calls = [row(2, 2)]
    assert.deepStrictEqual(placed(calls, [step(-3_000)], start + 2_000).called, [2_000.5])
    assert.deepStrictEqual(placed(calls, [step(-3_000)], start + 2_001).called, [])
  })

  it("of a deactivation is found by the status that it leaves", () => {
    const gone = { status: "deactivated" as const, isActivation: false }
    const call = row(10, 10, { operation: "deactivate" })
    assert.deepStrictEqual(placed([call], [step(9_000, gone)]).called, [10_000.5])
    assert.deepStrictEqual(placed([row(10, 10, { operation: "validate" })], [step(9_000, gone)]).called, [])
  })

  it("is the first's, the last's or one between them, by where it stands among the events of its record", () => {
    const events = [step(9_000), step(30_000), step(40_000), step(59_000)]
    assert.deepStrictEqual(placed([row(10, 60, { calls: 4 })], events), {
      at: [10_000.5, 30_000, 40_000, 60_000.5],
      called: [10_000.5, 60_000.5],
      repeated: [30_000, 40_000]
    })
  })

  it("is one between them, however near it is to the first or the last", () => {
    const events = [step(10_000), step(12_000), step(58_000), step(59_000)]
    assert.deepStrictEqual(placed([row(10, 60, { calls: 4 })], events).repeated, [12_000, 58_000])
  })

  it("that one record has is no event of another", () => {
    const events = [step(9_000), step(30_000), step(59_000)]
    assert.deepStrictEqual(placed([row(10, 60, { calls: 3 }), row(29, 29)], events), {
      at: [10_000.5, 30_000, 60_000.5],
      called: [10_000.5, 60_000.5],
      repeated: [30_000]
    })
  })

  it("may be five seconds from the first call, and no more", () => {
    assert.deepStrictEqual(placed([row(10, 60)], [step(5_000)]).called, [10_000.5])
    assert.deepStrictEqual(placed([row(10, 60)], [step(15_001)]).repeated, [15_001])
  })

  it("may be five seconds from the last call, and no more", () => {
    const events = (last: number) => [step(10_000), step(last)]
    const calls = [row(10, 60)]
    assert.deepStrictEqual(placed(calls, events(55_000)).called, [10_000.5, 60_000.5])
    assert.deepStrictEqual(placed(calls, events(54_999)).repeated, [54_999])
    assert.deepStrictEqual(placed(calls, events(65_000)).called, [10_000.5, 65_000])
    assert.deepStrictEqual(placed(calls, events(65_001)).called, [10_000.5])
  })

  it("belongs to one record: of two that are near, the earlier one takes it, however they are listed", () => {
    const [early, late] = [row(10, 10), row(13, 13)]
    assert.deepStrictEqual(placed([late, early], [step(9_000), step(14_000)]), {
      at: [10_000.5, 14_000],
      called: [10_000.5, 14_000],
      repeated: []
    })
    assert.deepStrictEqual(placed([early, late], [step(12_000)]).called, [12_000])
  })

  it("comes to stand behind what happened between it and its call", () => {
    assert.deepStrictEqual(placed([row(10, 10)], [step(8_000), other(9_000)]).at, [9_000, 10_000.5])
  })
})
