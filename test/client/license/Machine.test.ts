import { assert, describe, it } from "@effect/vitest"
import type { AppEvent, Reason } from "../../../src/client/app/index.ts"
import { appStates, initial, next, reasons, transitions } from "../../../src/client/app/index.ts"
import { runningStates } from "../../../src/client/license/States.ts"
import { appStatesTable, eventFrom, everyEvent, everyLimits, rowFor, situation } from "../../fixtures/AppStates.ts"

const everyReason = Object.keys(reasons) as ReadonlyArray<Reason>

describe("the machine of the license in an app", () => {
  it("has the states, the reasons and the rows of the published table", () => {
    assert.deepStrictEqual<unknown>(appStates, appStatesTable.states)
    assert.deepStrictEqual(runningStates, appStatesTable.running)
    assert.deepStrictEqual(Object.entries(reasons), Object.entries(appStatesTable.reasons))
    const isAny = (from: ReadonlyArray<string>) => from.length === appStates.length
    assert.deepStrictEqual<unknown>(
      transitions.map(({ event, from, to, when }) => ({ event, from: isAny(from) ? ["any"] : from, when, to })),
      appStatesTable.transitions.map(({ event, from, to, when }) => ({ event, from, when, to }))
    )
  })

  it("does in every situation what the first row that holds says, and every row of the table is the first in one", () => {
    const used = new Set<unknown>()
    for (const reason of everyReason) {
      for (const limits of everyLimits) {
        for (const event of everyEvent) {
          const { after, before, now } = situation(reason, limits, event)
          const row = rowFor(before, event, after, now)
          if (row === undefined) assert.fail(`no row for ${JSON.stringify({ reason, limits, event })}`)
          used.add(row)
          const given = eventFrom(event.type === "confirmed" ? { ...event, limits } : event)
          const standing = next(before, given, now)
          const expected = row.to === "same" ? reason : row.to
          if (standing.reason !== expected || standing.state !== reasons[expected].state) {
            assert.fail(`${standing.reason} instead of ${expected}: ${JSON.stringify({ reason, limits, event })}`)
          }
        }
      }
    }
    assert.deepStrictEqual(appStatesTable.transitions.filter((row) => !used.has(row)), [], "rows that never count")
  })

  it.each(appStatesTable.histories)("goes through: $name", ({ steps }) => {
    let standing = initial
    for (const { event, now, then } of steps) {
      standing = next(standing, eventFrom(event), now)
      const { error, reason, state, until } = standing
      assert.deepStrictEqual({ reason, until, error: error?.code }, { until: undefined, error: undefined, ...then })
      assert.strictEqual(state, reasons[reason].state)
    }
  })

  it("never lets run what the service refused, until it confirms", () => {
    const refusals = transitions.filter(({ event, to }) => event === "refused" && to !== "same")
    const limits = { validUntil: 1, graceUntil: 1, offlineUntil: 1 }
    const later: ReadonlyArray<AppEvent> = [
      { type: "unsigned", error: { code: "LICENSE_EXPIRED", message: "" } },
      { type: "unreachable", error: { code: "NETWORK_ERROR", message: "" } },
      { type: "ticked" }
    ]
    for (const { to } of refusals) {
      const reason = to as Reason
      for (const event of later) {
        const { state } = next({ state: reasons[reason].state, reason, limits }, event, 1)
        assert.notInclude(runningStates, state, `${reason}, ${event.type}`)
      }
    }
  })

  it("goes on after a refusal that nobody signed as in silence, whatever it says", () => {
    const refusals = everyEvent.filter(({ type }) => type === "refused")
    for (const reason of everyReason) {
      for (const limits of everyLimits) {
        const { before, now } = situation(reason, limits, { type: "unreachable" })
        const silence = next(before, { type: "unreachable", error: { code: "NETWORK_ERROR", message: "" } }, now)
        for (const refusal of refusals) {
          const standing = next(before, eventFrom({ ...refusal, type: "unsigned" }), now)
          if (standing.reason !== silence.reason) assert.fail(JSON.stringify({ reason, limits, refusal }))
        }
      }
    }
  })
})
