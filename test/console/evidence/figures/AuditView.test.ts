import { assert, describe, it } from "@effect/vitest"
import type { LicenseAuditReport } from "../../../../src/client/api/index.ts"
import { auditView } from "../../../../src/console/evidence/figures/AuditView.ts"
import { noFeatures } from "../../../../src/console/evidence/figures/NamedFeatures.ts"

const later = Date.parse("2026-12-01T00:00:00Z")

const activity = (occurred_at: string, result_class = "success") => ({ occurred_at, result_class })

/** A report of two days in Berlin, with what is given. */
const report = (
  { actions = [], features = [], rows = [], to = "2026-10-02T22:00:00Z", truncated = false }: {
    readonly rows?: ReadonlyArray<ReturnType<typeof activity>>
    readonly actions?: ReadonlyArray<unknown>
    readonly features?: ReadonlyArray<unknown>
    readonly to?: string
    readonly truncated?: boolean
  }
) => ({
  filters: { from: "2026-09-30T22:00:00Z", to },
  rows,
  truncated,
  summary: { actions, features }
} as unknown as LicenseAuditReport)

const view = (given: Parameters<typeof report>[0], now = later) =>
  auditView(report(given), "Europe/Berlin", noFeatures, now)

describe("the days of an audit", () => {
  it("count activities by the day of the zone, the first and the last instant of the period too", () => {
    const { days } = view({
      rows: [
        activity("2026-09-30T22:00:00Z"),
        activity("2026-10-01T21:59:59Z", "refused"),
        activity("2026-10-01T22:00:00Z"),
        activity("2026-10-02T21:59:59Z", "failed"),
        activity("2026-10-02T21:59:59Z")
      ]
    })
    assert.deepStrictEqual(days, {
      instants: ["2026-10-01T00:00:00", "2026-10-02T00:00:00"],
      series: [{ name: "done", values: [1, 2] }, { name: "refused or failed", values: [1, 1] }]
    })
  })

  it("have no series of refusals where nothing was refused", () => {
    assert.deepStrictEqual(view({ rows: [activity("2026-10-01T10:00:00Z")] }).days?.series, [
      { name: "done", values: [1, 0] }
    ])
  })

  it("end with the day that it is", () => {
    const { days } = view({ rows: [activity("2026-10-01T10:00:00Z")] }, Date.parse("2026-10-01T12:00:00Z"))
    assert.deepStrictEqual(days?.instants, ["2026-10-01T00:00:00"])
  })

  it("are each there once where clocks change", () => {
    const { days } = view({ rows: [activity("2026-10-01T10:00:00Z")], to: "2026-10-31T23:00:00Z" })
    assert.lengthOf(days?.instants ?? [], 31)
    assert.strictEqual(days?.instants.at(-1), "2026-10-31T00:00:00")
  })

  it("are not drawn where activities are missing, where there are none, or over more than 366 days", () => {
    const rows = [activity("2026-10-01T10:00:00Z")]
    assert.isUndefined(view({ rows, truncated: true }).days)
    assert.isUndefined(view({}).days)
    assert.isDefined(view({ rows, to: "2027-10-01T22:00:00Z" }).days)
    assert.isUndefined(view({ rows, to: "2027-10-01T22:00:01Z" }).days)
  })
})

describe("the figures of an audit", () => {
  const actions = [
    { action: "license.checked", result_class: "success", count: 1 },
    { action: "license.validated", result_class: "success", count: 10 },
    { action: "license.validated", result_class: "refused", count: 4 },
    { action: "license.activated", result_class: "failed", count: 2 }
  ]

  it("count what was refused or failed, and list the most frequent actions first", () => {
    const { actionTotal, actions: listed, refused } = view({ actions })
    assert.strictEqual(refused, 6)
    assert.strictEqual(actionTotal, 17)
    assert.deepStrictEqual(listed.map(({ count }) => count), [10, 4, 2, 1])
  })

  it("total the usage of several features, and not of one", () => {
    const feature = (feature_code: string, overage?: number) => ({ feature_code, uses: 2, amount: 3, overage })
    const one = view({ features: [feature("a")] })
    assert.deepStrictEqual(one.usageTotals, [])
    assert.isFalse(one.hasOverage)
    const two = view({ features: [feature("a"), feature("b", 0)] })
    assert.deepStrictEqual(two.usageTotals, [{ name: "Total", uses: 4 }])
    assert.isTrue(two.hasOverage)
  })
})
