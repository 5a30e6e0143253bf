import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import { updateUseRefunded } from "../../../../src/services/licensing/metering/RefundSql.ts"
import {
  listCandidates,
  listGrantsThen,
  listPastCounts,
  listRecorded,
  lockUsed
} from "../../../../src/services/licensing/metering/ReportedUseSql.ts"
import { insertReportedUses } from "../../../../src/services/licensing/metering/UsageSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const start = Date.UTC(2026, 9, 1)
const end = Date.UTC(2026, 10, 1)
const day = 86_400_000

let made = 0

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const license_id = yield* rows.license({ policy_id, product_id })
  const feature_id = `feat_reported_${++made}`
  yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: "f", metadata: first`'{}'` })
  const use = Effect.fnUntraced(function*(amount: number, usedAt: number, periodStart: number) {
    const id = `evt_reported_${++made}`
    yield* insertReportedUses(first, [{
      id,
      license_id,
      feature_id,
      feature_code: "f",
      event_id: id,
      amount,
      overage: 0,
      taken: [{ grant_id: "grant_1", amount: 1 }],
      total_consumptions: amount,
      after: { periodStart },
      device_id: undefined,
      request_id: undefined,
      dimensions: undefined,
      measured: undefined,
      reported: {
        usedAt,
        namedAt: undefined,
        actor: { type: "api_key", id: "key_1" },
        isLate: false,
        isOver: false,
        owner: undefined
      }
    }])
    return id
  })
  const correct = (amount: number, at: number, more: object = {}) =>
    rows.insert("usage_corrections", {
      id: `evt_reported_${++made}`,
      action: "license.usage_reset",
      license_id,
      feature_id,
      feature_code: "f",
      amount,
      total_consumptions: 0,
      product_id,
      created_at: new Date(at),
      counted_at: new Date(at),
      ...more
    })
  const read = (found: ReadonlyArray<object>) => found.map((row) => toWire<Readonly<Record<string, unknown>>>(row))
  return { correct, feature_id, first, license_id, policy_id, product_id, read, rows, use }
})

describe("the statements of reported uses", () => {
  layer(Workers.layer)((it) => {
    it.effect("a past period has its uses, less their refunds whenever those were, and its own corrections", () =>
      Effect.gen(function*() {
        const { correct, feature_id, first, license_id, read, use } = yield* world
        const refunded = yield* use(5, start + 1000, start)
        yield* use(4, end - 1000, start)
        yield* use(9, end + 1000, end)
        yield* correct(-2, end + 5000, { refund_of: refunded, grants: first`'[{"grant_id": "grant_1", "amount": 1}]'` })
        yield* updateUseRefunded(first, { licenseId: license_id, featureId: feature_id, eventId: refunded }, 2)
        // Of the next period, counted after all of them.
        yield* correct(-1, Date.now() + day, { settles_from: new Date(end) })
        const period = { license_id, feature_id, start: new Date(start), end: new Date(end) }
        assert.deepInclude(read(yield* listPastCounts(first, [period]))[0], {
          consumed: "7",
          drawn: "1",
          is_pruned: false
        })
        // What was counted before a correction of the period is set by it.
        yield* first`UPDATE usage_records SET counted_at = created_at WHERE license_id = ${license_id}`
        yield* correct(-2, start + 5000, { settles_from: new Date(start), settled_count: 3n })
        assert.deepInclude(read(yield* listPastCounts(first, [period]))[0], { consumed: "7", drawn: "1" })
        yield* correct(-7, end - 1, { settles_from: new Date(start), settled_count: 0n })
        assert.deepInclude(read(yield* listPastCounts(first, [period]))[0], { consumed: "0", drawn: "0" })
      }))

    it.effect("a reported use stands at its time, in the roll-up of its day, and is found again", () =>
      Effect.gen(function*() {
        const { feature_id, first, license_id, read, use } = yield* world
        const event_id = yield* use(5, start + 1000, start)
        const [found] = read(yield* listRecorded(first, [{ license_id, feature_id, event_id }]))
        assert.deepInclude(found, {
          amount: 5,
          used_at: new Date(start + 1000).toISOString(),
          period_start: new Date(start).toISOString()
        })
        const [day] = yield* first<{ readonly day: Date }>`SELECT day FROM usage_days WHERE license_id = ${license_id}`
        assert.deepStrictEqual(day?.day, new Date(start))
      }))

    it.effect("licenses of a customer are candidates where the policy or they themselves have the feature", () =>
      Effect.gen(function*() {
        const { feature_id, first, policy_id, product_id, rows } = yield* world
        const customer_id = `cus_${++made}`
        yield* rows.insert("customers", { id: customer_id, name: "C", code: customer_id, metadata: first`'{}'` })
        const own = yield* rows.license({ policy_id, product_id, customer_id })
        yield* rows.license({ policy_id, product_id, customer_id })
        const assigned = { feature_id, enabled: true, metadata: first`'{}'` }
        yield* rows.insert("license_features", { license_id: own, ...assigned })
        const asked = [{ customer_id, feature_code: "f" }]
        const found = yield* listCandidates(first, asked, undefined)
        assert.deepStrictEqual(found.map(({ license_id }) => license_id), [own])
        assert.lengthOf(yield* listCandidates(first, asked, ["prod_other"]), 0)
        yield* rows.insert("policy_features", { policy_id, ...assigned })
        assert.lengthOf(yield* listCandidates(first, asked, [product_id]), 2)
        assert.lengthOf(yield* lockUsed(first, [own], ["prod_other"]), 0)
      }))

    it.effect("a grant that has ended with units left is found for uses of before", () =>
      Effect.gen(function*() {
        const { feature_id, first, license_id, rows } = yield* world
        const grant = (id: string, more: object) =>
          rows.insert("license_grants", {
            id,
            license_id,
            feature_id,
            amount: 5,
            starts_at: new Date(start),
            priority: 100,
            source: "gift",
            ...more
          })
        const [ended, spent, open, revoked] = Array.from({ length: 4 }, () => `grant_${++made}`) as [
          string,
          string,
          string,
          string
        ]
        yield* grant(ended, { expires_at: new Date(end), used: 2 })
        yield* grant(spent, { expires_at: new Date(end), used: 5, is_open: false })
        yield* grant(open, {})
        yield* grant(revoked, { revoked_at: new Date(end - 1), is_open: false })
        const since = (at: number) =>
          Effect.map(
            listGrantsThen(first, [license_id], [], new Date(at)),
            (rows) => rows.toSorted((a, b) => a.units.id < b.units.id ? -1 : 1)
          )
        const found = yield* since(start)
        assert.deepStrictEqual(found.map(({ units }) => units.id), [ended, open, revoked].toSorted())
        for (const row of found) assert.deepInclude(row, { license_id, customer_id: null })
        const { left, mine, cap } = found.find(({ units }) => units.id === ended)!.units
        assert.deepStrictEqual([left, mine, cap], [3, 0, null])
        assert.deepStrictEqual((yield* since(end)).map(({ units }) => units.id), [open])
      }))

    it.effect("a pool that has ended with units left is found for uses of before, with what each license took of it", () =>
      Effect.gen(function*() {
        const { feature_id, first, license_id, rows } = yield* world
        const customer = (id: string, more: object = {}) =>
          rows.insert("customers", { id, name: "C", code: id, metadata: first`'{}'`, ...more })
        const [group, company, stranger] = [`cus_${++made}`, `cus_${++made}`, `cus_${++made}`]
        yield* customer(group)
        yield* customer(company, { parent_id: group })
        yield* customer(stranger)
        yield* first`UPDATE licenses SET customer_id = ${company} WHERE id = ${license_id}`
        const pool = (id: string, customer_id: string, more: object) =>
          Effect.as(
            rows.insert("pools", {
              id,
              customer_id,
              feature_id,
              amount: 5,
              starts_at: new Date(start),
              priority: 100,
              ...more
            }),
            id
          )
        const revoked = { revoked_at: new Date(end), is_open: false }
        const ended = yield* pool(`pool_${++made}`, group, { expires_at: new Date(end), used: 3, max_per_license: 4 })
        yield* rows.insert("pool_uses", { pool_id: ended, license_id, used: 2 })
        yield* pool(`pool_${++made}`, company, { expires_at: new Date(end), used: 5, is_open: false })
        const open = yield* pool(`pool_${++made}`, company, {})
        const taken = yield* pool(`pool_${++made}`, company, revoked)
        const strange = yield* pool(`pool_${++made}`, stranger, { expires_at: new Date(end) })
        const since = (at: number, before: Parameters<typeof listGrantsThen>[2] = []) =>
          listGrantsThen(first, [license_id], before, new Date(at))
        const found = yield* since(start)
        const idsOf = (pools: typeof found) => pools.map(({ units }) => units.id).toSorted()
        assert.deepStrictEqual(idsOf(found), [ended, open, taken].toSorted())
        const one = found.find(({ units }) => units.id === ended)!
        assert.deepInclude(one, { license_id, customer_id: group })
        assert.deepInclude(one.units, {
          id: ended,
          feature: feature_id,
          priority: 100,
          left: 2,
          cap: 4,
          mine: 2
        })
        assert.deepStrictEqual(idsOf(yield* since(end)), [open])
        // Another license has those of who had it before, and nobody else has.
        const both = yield* since(start, [{ license_id: "lic_other", customer_id: stranger }])
        const idsOfLicense = (id: string) => idsOf(both.filter((one) => one.license_id === id))
        assert.deepStrictEqual([idsOfLicense(license_id), idsOfLicense("lic_other")], [idsOf(found), [strange]])
      }))
  })
})
