import { assert, describe, it } from "@effect/vitest"
import { clockMoves, clockMoveView } from "../../../../src/console/evidence/operator/ClockMove.ts"
import { clockTarget } from "../../../../src/domain/jobs/clock/ClockStops.ts"

const now = "2027-03-01T09:30:00.000Z"
const view = (by: string, date = "") => clockMoveView({ by, date }, now)

describe("a move of the clock as it is entered", () => {
  it.each(clockMoves.map(([by]) => by).filter((by) => by !== "date"))("by %s is one that the service takes", (by) => {
    assert.deepStrictEqual(view(by), { asksDate: false, request: { advance: by } })
    assert.isNumber(clockTarget(Date.parse(now), view(by).request ?? {}))
  })

  it("to a date is to its first instant in UTC", () =>
    assert.deepStrictEqual(view("date", "2027-03-02"), {
      asksDate: true,
      request: { now: "2027-03-02T00:00:00.000Z" }
    }))

  it("is not ready without a date", () => assert.deepStrictEqual(view("date"), { asksDate: true }))

  it.each(["2027-03-01", "2026-12-31"])("to %s is refused: the clock is there already", (date) => {
    const { request, wrong } = view("date", date)
    assert.isUndefined(request)
    assert.strictEqual(wrong, "Enter a date after the time of the clock")
  })

  it("to the date that a clock at midnight has is refused", () =>
    assert.isDefined(clockMoveView({ by: "date", date: "2027-03-01" }, "2027-03-01T00:00:00.000Z").wrong))
})
