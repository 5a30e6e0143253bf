import { assert, describe, it } from "@effect/vitest"
import type {
  CustomerSummaryReport,
  PurchasesReport,
  SubscriptionSettlementReport,
  UsageLedgerEntry,
  UsageSummaryReport
} from "../../../../src/client/api/index.ts"
import { billingDays, correctionText, settlementView } from "../../../../src/console/evidence/figures/AuditView.ts"
import { candidatesOf } from "../../../../src/console/evidence/figures/Candidates.ts"
import {
  featureAmount,
  featureName,
  namedFeatures,
  noFeatures
} from "../../../../src/console/evidence/figures/NamedFeatures.ts"
import { amountText, statesText } from "../../../../src/console/evidence/figures/PurchasesView.ts"
import { bucketText, summaryView } from "../../../../src/console/evidence/figures/SummaryView.ts"
import { customerView, ledgerView } from "../../../../src/console/evidence/figures/Totals.ts"
import { dimensionIn, isDimension } from "../../../../src/console/ground/period/Kinds.ts"

describe("the view of a usage summary", () => {
  const rows = [
    { group: "a", bucket: "2026-11", uses: 1, amount: 10 },
    { group: "a", bucket: "2026-10", uses: 1, amount: 20 },
    { group: "b", bucket: "2026-10", uses: 3, amount: 30 }
  ]
  const features = namedFeatures([{ code: "a", name: "A", decimals: 2 }, { code: "b", name: "B" }])
  const view = (filters: object, overage?: number) =>
    summaryView({ filters, rows, summary: { overage } } as unknown as UsageSummaryReport, features)

  it("has the rows by time, and the most used first in each step", () => {
    assert.deepStrictEqual(view({}).rows.map(({ amount }) => amount), [30, 20, 10])
  })

  it("totals each feature by name, whether rows are grouped by feature or filtered by one", () => {
    const lines = (filters: object) => view(filters).totals.map(({ amount, name }) => [name, amount])
    assert.deepStrictEqual(lines({}), [["Total of A", 30], ["Total of B", 30], ["Total", undefined]])
    assert.deepStrictEqual(lines({ group_by: "license_id", feature_code: "x" }), [["Total", 60]])
    assert.deepStrictEqual(lines({ group_by: "license_id" }), [["Total", undefined]])
  })

  it("says the decimal places of each feature, in its total too, and none where a row is of several", () => {
    const { decimalsOf, totals } = view({})
    assert.deepStrictEqual(rows.map(decimalsOf), [2, 2, 0])
    assert.deepStrictEqual(totals.map(({ decimals }) => decimals), [2, undefined, undefined])
    assert.deepStrictEqual(rows.map(view({ group_by: "license_id", feature_code: "a" }).decimalsOf), [2, 2, 2])
    assert.deepStrictEqual(rows.map(view({ group_by: "license_id" }).decimalsOf), [0, 0, 0])
  })

  it("is grouped by a dimension, whose values are no features", () => {
    const { decimalsOf, groupBy, hasAmounts, totals } = view({ group_by: "dimension.model" })
    assert.strictEqual(groupBy, "dimension.model")
    assert.strictEqual(dimensionIn(groupBy), "model")
    assert.isFalse(hasAmounts)
    assert.deepStrictEqual(rows.map(decimalsOf), [0, 0, 0])
    assert.deepStrictEqual(totals, [{ name: "Total", uses: 5 }])
    assert.strictEqual(view({ group_by: "model" }).groupBy, "feature_code")
  })

  it.each([["model", true], ["a_b-1", true], ["", false], ["Model", false], ["a b", false], ["m".repeat(33), false]])(
    "takes %j as the name of a dimension: %s",
    (name, isOne) => assert.strictEqual(isDimension(name), isOne)
  )

  it("has amounts only where each row is of one feature", () => {
    assert.isTrue(view({}).hasAmounts)
    assert.isTrue(view({ group_by: "license_id", feature_code: "x" }).hasAmounts)
    assert.isFalse(view({ group_by: "license_id" }).hasAmounts)
  })

  it("has overage where the report has it, be it none", () => {
    assert.isTrue(view({}, 0).hasOverage)
    assert.isFalse(view({}).hasOverage)
  })

  it.each([["2026-10-05T00:00:00Z", "1mo", "October 2026"], ["2026-10-05T00:00:00Z", "1w", "5 Oct 2026"]] as const)(
    "calls a step at %s of %s %s",
    (bucket, of, text) => assert.strictEqual(bucketText(bucket, of), text)
  )
})

describe("features as figures show them", () => {
  it("have their name and decimal places, and neither where products differ in them", () => {
    const features = namedFeatures([
      { code: "hours", name: "Hours", decimals: 2 },
      { code: "hours", name: "Hours", decimals: 2 },
      { code: "mixed", name: "Tokens", decimals: 2 },
      { code: "mixed", name: "Words" },
      { code: "mixed", name: "Tokens", decimals: 2 }
    ])
    assert.strictEqual(featureName(features, "hours"), "Hours")
    assert.strictEqual(featureAmount(features, "hours", 1234), "12.34")
    assert.strictEqual(featureName(features, "mixed"), "mixed")
    assert.strictEqual(featureAmount(features, "mixed", 1234), "1,234")
    assert.strictEqual(featureAmount(noFeatures, "other", 1234), "1,234")
  })
})

describe("the view of a usage ledger", () => {
  const entry = (occurred_at: string, more = {}) => ({ occurred_at, ...more }) as UsageLedgerEntry
  const rows = [entry("2026-10-02T00:00:00.000Z"), entry("2026-10-01T00:00:00.000Z")]

  it("is about the time from the oldest entry to just after the newest", () => {
    assert.deepStrictEqual(ledgerView(rows), {
      window: { from: "2026-10-01T00:00:00.000Z", to: "2026-10-02T00:00:00.001Z" },
      hasEvent: false,
      hasDimensions: false,
      hasMeasured: false,
      hasOverage: false
    })
    assert.deepStrictEqual(ledgerView([]).window, {})
  })

  it("has the columns that any entry has", () => {
    const { hasEvent, hasMeasured, hasOverage } = ledgerView([
      ...rows,
      entry("2026-09-01T00:00:00Z", { overage: 0, event_id: "e", measured: 5 })
    ])
    assert.isTrue(hasMeasured)
    assert.isTrue(hasEvent)
    assert.isTrue(hasOverage)
  })
})

describe("the view of a settlement", () => {
  const row = (group: string, uses: number) => ({ group, uses, amount: uses * 10, adjusted: -3 })
  const view = (
    { overage, rows = [row("a", 1), row("b", 2)], ...more }: {
      readonly overage?: number
      readonly rows?: ReadonlyArray<unknown>
      readonly filters?: object
      readonly truncated?: boolean
    } = {}
  ) => settlementView({ filters: {}, truncated: false, rows, summary: { overage }, ...more } as never, noFeatures)

  it("has the most used rows first, and their totals", () => {
    const { correction, hasOverage, isByFeature, rows, totals } = view()
    assert.deepStrictEqual(rows.map(({ uses }) => uses), [2, 1])
    assert.deepStrictEqual(totals, [{ name: "Total", uses: 3 }])
    assert.isTrue(isByFeature)
    assert.isFalse(hasOverage)
    assert.isTrue(view({ overage: 0 }).hasOverage)
    assert.isUndefined(correction)
  })

  it("has no totals where rows are missing", () => assert.deepStrictEqual(view({ truncated: true }).totals, []))

  it("totals the correction and the amount of a single feature, and not of a license", () => {
    const one = view({ rows: [row("a", 1)] })
    assert.strictEqual(one.correction, -3)
    assert.deepStrictEqual(one.totals, [{ name: "Total", uses: 1, amount: 10, overage: 0 }])
    const license = view({ rows: [row("a", 1)], filters: { group_by: "license_id" } })
    assert.isUndefined(license.correction)
    assert.deepStrictEqual(license.totals, [{ name: "Total", uses: 1 }])
  })

  it.each([[3000, "+3,000"], [0, "0"], [-1234, "−1,234"]])(
    "says a correction by %i as %s",
    (amount, text) => assert.strictEqual(correctionText(amount), text)
  )

  it("says a correction with the decimal places of its feature", () =>
    assert.strictEqual(correctionText(-150, 2), "−1.50"))

  it("says the days of a billing period in the zone, the last one included", () => {
    const days = (period_start?: string, period_end?: string) =>
      billingDays(
        { period_start, period_end } as SubscriptionSettlementReport["summary"]["subject"],
        "Europe/Berlin"
      )
    assert.strictEqual(days("2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"), "1 Oct 2026 to 31 Oct 2026")
    assert.isUndefined(days("2026-09-30T22:00:00Z"))
    assert.isUndefined(days(undefined, "2026-09-30T22:00:00Z"))
  })
})

describe("the view of purchases", () => {
  it.each(
    [
      ["4900", "eur", "stripe", "49.00 EUR"],
      ["4900", "jpy", "stripe", "4900 JPY"],
      ["4900", "KWD", "paddle", "4.900 KWD"],
      ["49.9", "EUR", "fastspring", "49.90 EUR"],
      ["4900", "no currency", "stripe", "49.00 NO CURRENCY"],
      ["4900", undefined, "chargebee", "49.00"],
      [undefined, "eur", "stripe", ""]
    ] as const
  )("says an amount of %s %s of %s as %s", (amount, currency, provider, text) => {
    assert.strictEqual(amountText(amount, currency === undefined ? { provider } : { currency, provider }), text)
  })

  it("counts the purchases by state in words", () => {
    const states = [{ state: "past_due", count: 1200 }, { count: 1 }]
    assert.strictEqual(
      statesText({ states } as unknown as PurchasesReport["summary"]),
      "1,200 past due, 1 not known yet"
    )
  })
})

describe("the view of a customer", () => {
  const view = (truncated: boolean) =>
    customerView({
      truncated,
      rows: [{ uses: 2, amount: 1, active_device_count: 3 }, { uses: 5, amount: 1, active_device_count: 4 }],
      summary: { license_statuses: [{ status: "active", count: 1200 }, { status: "grace_period", count: 1 }] }
    } as unknown as CustomerSummaryReport)

  it("counts the licenses by status in words", () => {
    assert.strictEqual(view(false).statuses, "1,200 active, 1 grace period")
  })

  it("totals devices and uses where all rows are there", () => {
    assert.strictEqual(view(false).devices, 7)
    assert.deepStrictEqual(view(false).totals, [{ name: "Total", uses: 7 }])
    assert.isUndefined(view(true).devices)
    assert.deepStrictEqual(view(true).totals, [])
  })
})

describe("the subjects that a report can be about", () => {
  const report = {
    rows: [
      { group: "lic_1", label: "Ada", uses: 1 },
      { group: "lic_2", label: "Bob", uses: 3 },
      { uses: 9 },
      { group: "lic_3", uses: 2 }
    ]
  } as unknown as UsageSummaryReport
  const ids = (text: string, found: ReadonlyArray<string> = []) =>
    candidatesOf(report, text, found.map((id) => ({ id, name: id })), /^lic_\d$/).map(({ id }) => id)

  it("are those with usage, the most active first, until something is typed", () => {
    assert.deepStrictEqual(ids(""), ["lic_2", "lic_3", "lic_1"])
  })

  it("match a text by name or by the whole id", () => {
    assert.deepStrictEqual(ids("aDA"), ["lic_1"])
    assert.deepStrictEqual(ids("lic_2"), ["lic_2"])
    assert.deepStrictEqual(ids("lic_"), [])
  })

  it("are followed by what the service found, and by the id that was typed, each once", () => {
    assert.deepStrictEqual(ids("ad", ["lic_1", "lic_8"]), ["lic_1", "lic_8"])
    assert.deepStrictEqual(ids("lic_9", ["lic_9"]), ["lic_9"])
    assert.deepStrictEqual(ids("lic_9"), ["lic_9"])
  })

  it("found for an earlier, longer text are not offered", () => assert.deepStrictEqual(ids("a", ["lic_8"]), ["lic_1"]))

  it("are 50 at the most", () => {
    assert.lengthOf(ids("lic", Array.from({ length: 60 }, (_, index) => `lic_x${index}`)), 50)
  })
})
