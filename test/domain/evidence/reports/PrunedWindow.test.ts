import { assert, describe, it } from "@effect/vitest"
import { reportKinds } from "../../../../src/domain/evidence/reports/Report.ts"
import type { ReportFilters, ReportKind } from "../../../../src/domain/evidence/reports/Report.ts"
import { prunedFindings, usageParts } from "../../../../src/domain/evidence/reports/UsageParts.ts"

const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 0, day, hour))
const window = (from: Date, to: Date) => ({ from: from.toISOString(), to: to.toISOString() })

describe("usageParts", () => {
  const parts = (from: Date, to: Date, options: Parameters<typeof usageParts>[1] = {}) => {
    const { days, records } = usageParts(window(from, to), options)
    const named = (span: readonly [number, number] | undefined) => span?.map((end) => new Date(end))
    return { days: named(days), records: records.map(named) }
  }

  it("reads full days as days, and what is left at the ends as uses", () => {
    assert.deepStrictEqual(parts(at(1), at(5)), { days: [at(1), at(5)], records: [] })
    assert.deepStrictEqual(parts(at(1, 1), at(5, 2)), {
      days: [at(2), at(5)],
      records: [[at(1, 1), at(2)], [at(5), at(5, 2)]]
    })
    assert.deepStrictEqual(parts(at(1, 1), at(2, 23)), { days: undefined, records: [[at(1, 1), at(2, 23)]] })
    assert.deepStrictEqual(parts(at(1), at(5), { bucket: "1h" }), { days: undefined, records: [[at(1), at(5)]] })
  })

  it("reads uses from the day on on which an event waits for its place", () => {
    const waitingSince = at(3, 7)
    assert.deepStrictEqual(parts(at(1), at(5), { waitingSince }), { days: [at(1), at(3)], records: [[at(3), at(5)]] })
    assert.deepStrictEqual(parts(at(3), at(5), { waitingSince }), { days: undefined, records: [[at(3), at(5)]] })
  })
})

describe("prunedFindings", () => {
  const messages = (
    kind: ReportKind,
    filters: ReportFilters & { readonly from: string; readonly to: string },
    pruned: { readonly activities?: Date; readonly uses?: Date },
    waitingSince?: Date
  ) =>
    prunedFindings(kind, filters, { activities: undefined, uses: undefined, ...pruned }, waitingSince)
      .map(({ code, message, path }) => `${path} ${code} ${message}`)
  const from = (day: Date, why: string) => `from pruned must be ${day.toISOString()} or later: ${why}`

  it("has nothing against any report where nothing was pruned", () => {
    for (const kind of reportKinds) assert.deepStrictEqual(messages(kind, window(at(1, 1), at(2, 1)), {}), [])
  })

  it("refuses a dimension and a statement from the pruned uses on, of which sums of days know nothing", () => {
    const uses = { uses: at(5) }
    const refused = [from(at(5), "earlier uses were deleted")]
    assert.deepStrictEqual(messages("usage-summary", window(at(1), at(20)), uses), [])
    assert.deepStrictEqual(
      messages("usage-summary", { group_by: "dimension.model", ...window(at(1), at(20)) }, uses),
      refused
    )
    assert.deepStrictEqual(messages("statement", { license_id: "lic_1", ...window(at(1), at(20)) }, uses), refused)
    assert.deepStrictEqual(messages("statement", { license_id: "lic_1", ...window(at(5), at(20)) }, uses), [])
  })

  it("refuses an audit from the later of both times on", () => {
    const audit = (pruned: Parameters<typeof messages>[2]) =>
      messages("license-audit", { license_id: "lic_1", ...window(at(1), at(20)) }, pruned)
    const [activities, uses] = ["earlier activities were deleted", "earlier uses were deleted"]
    assert.deepStrictEqual(audit({ activities: at(5) }), [from(at(5), activities)])
    assert.deepStrictEqual(audit({ uses: at(5) }), [from(at(5), uses)])
    assert.deepStrictEqual(audit({ activities: at(5), uses: at(9) }), [from(at(9), uses)])
    assert.deepStrictEqual(audit({ activities: at(9), uses: at(5) }), [from(at(9), activities)])
    assert.deepStrictEqual(audit({ activities: at(1), uses: at(1) }), [])
  })

  it("refuses a settlement for its activities, and for uses only where it needs single ones", () => {
    const settlement = (start: Date, pruned: Parameters<typeof messages>[2]) =>
      messages("subscription-settlement", { order_id: "ord_1", ...window(start, at(20)) }, pruned)
    assert.deepStrictEqual(settlement(at(1), { uses: at(9) }), [])
    assert.deepStrictEqual(settlement(at(1), { activities: at(5), uses: at(9) }), [
      from(at(5), "earlier activities were deleted")
    ])
    assert.deepStrictEqual(settlement(at(1, 1), { activities: at(5), uses: at(9) }), [
      from(at(9), "of earlier uses only the sums of full days of UTC are kept")
    ])
  })

  it("has nothing against a report of purchases, which counts neither", () => {
    assert.deepStrictEqual(messages("purchases", window(at(1, 1), at(20)), { activities: at(5), uses: at(9) }), [])
  })

  it("refuses uses that are left out because their events wait, where their days are gone", () => {
    const summary = (waitingSince: Date | undefined) =>
      messages("usage-summary", window(at(1), at(20)), { uses: at(9) }, waitingSince)
    assert.deepStrictEqual(summary(undefined), [])
    assert.deepStrictEqual(summary(at(9)), [])
    assert.deepStrictEqual(summary(at(8, 23)), [
      from(at(9), "of earlier uses only the sums of full days of UTC are kept")
    ])
  })

  it("refuses a ledger of uses, and no ledger of corrections", () => {
    const ledger = (filters: object) =>
      messages("usage-ledger", { ...window(at(1), at(20)), ...filters }, { activities: at(5), uses: at(9) })
    assert.deepStrictEqual(ledger({}), [from(at(9), "earlier uses were deleted")])
    assert.deepStrictEqual(ledger({ action: "license.usage_recorded" }), ledger({}))
    assert.deepStrictEqual(ledger({ action: "license.usage_reset" }), [])
    assert.deepStrictEqual(ledger({ action: "license.feature_removed" }), [])
  })
})
