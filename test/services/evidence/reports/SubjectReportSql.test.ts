import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import * as Sql from "../../../../src/services/evidence/reports/SubjectReportSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const window = { from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z" }

/** A customer with an order of one product and licenses of two. */
const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const customer = `cust_${yield* rows.product()}`
  yield* rows.insert("customers", { id: customer, name: "Ada", code: customer, metadata: first`'{}'` })
  const [product, other] = [yield* rows.product(), yield* rows.product()]
  const bought = {
    product_id: product,
    customer_id: customer,
    external_system: "shop",
    external_id: customer,
    metadata: first`'{}'`
  }
  const [order, subscription] = [`ord_${customer}`, `sub_${customer}`]
  yield* rows.insert("orders", { id: order, status: "paid", ...bought })
  yield* rows.insert("subscriptions", {
    id: subscription,
    status: "active",
    current_period_start: first`now()`,
    current_period_end: first`now() + interval '1 day'`,
    cancel_at_period_end: false,
    ...bought
  })
  const one = yield* rows.license({ customer_id: customer, order_id: order }, { product_id: product })
  yield* rows.license({ customer_id: customer, state: "suspended", active_device_count: 2 }, { product_id: other })
  return { first, rows, customer, order, other, product, subscription, one }
})

const statusOf = (sql: Database, id: string) =>
  Effect.map(
    Sql.findAudited(sql, id, undefined),
    ([row]) => row !== undefined && "status" in row ? row.status : undefined
  )

describe("the statements of reports about one subject", () => {
  layer(Workers.layer)((it) => {
    it.effect("a license has the status that callers see: first what management decided, then the clock", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const ago = (hours: number) => ({ expires_at: first`now() - ${hours} * interval '1 hour'` })
        const status = (members: object, terms: object = {}) =>
          Effect.flatMap(rows.license({ ...members }, { ...terms }), (id) => statusOf(first, id))
        assert.strictEqual(yield* status({}), "active")
        assert.strictEqual(yield* status(ago(-1)), "active")
        assert.strictEqual(yield* status(ago(1)), "expired")
        assert.strictEqual(yield* status(ago(23), { grace_period_days: 1 }), "grace_period")
        assert.strictEqual(yield* status(ago(25), { grace_period_days: 1 }), "expired")
        assert.strictEqual(yield* status({ ...ago(1), state: "suspended" }), "suspended")
      }))

    it.effect("a key that is limited to products finds what is of these alone", () =>
      Effect.gen(function*() {
        const { customer, first, one, order, other, product, subscription } = yield* world
        const counts = (limit: ReadonlyArray<string> | undefined) =>
          Effect.all([
            Sql.findAudited(first, one, limit),
            Sql.findSummarized(first, customer, limit),
            Sql.findSettledOrder(first, order, limit),
            Sql.findSettledSubscription(first, subscription, limit),
            Sql.countStatuses(first, customer, limit)
          ]).pipe(Effect.map((found) => found.map(({ length }) => length)))
        assert.deepStrictEqual(yield* counts(undefined), [1, 1, 1, 1, 2])
        assert.deepStrictEqual(yield* counts([product]), [1, 1, 1, 1, 1])
        assert.deepStrictEqual((yield* counts([other])).toSpliced(1, 1), [0, 0, 0, 1])
        assert.deepStrictEqual(yield* counts([]), [0, 0, 0, 0, 0])
      }))

    it.effect("what a customer holds is counted, as far as the products go", () =>
      Effect.gen(function*() {
        const { customer, first, other } = yield* world
        const holdings = (limit: ReadonlyArray<string> | undefined) =>
          Effect.map(Sql.countHoldings(first, customer, limit), ([row]) =>
            Object.fromEntries(Object.entries(row!).map(([name, count]) => [name, Number(count)])))
        assert.deepStrictEqual(yield* holdings(undefined), {
          licenses: 2,
          active_devices: 2,
          orders: 1,
          subscriptions: 1
        })
        assert.deepStrictEqual(yield* holdings([other]), {
          licenses: 1,
          active_devices: 2,
          orders: 0,
          subscriptions: 0
        })
      }))

    it.effect("the total names the feature where all usage and all corrections are of one", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        const cell = (feature: string) =>
          first`SELECT ${feature}::text AS feature_code, 2::numeric AS uses, 5::numeric AS amount,
          NULL::numeric AS overage, now() AS first_at, now() AS last_at`
        const one = cell("a")
        const none = first`SELECT * FROM (${one}) c WHERE false`
        const several = first`${one} UNION ALL ${one} UNION ALL ${cell("b")}`
        const corrected = (feature: string | undefined) =>
          first`FROM (SELECT ${feature ?? ""}::text AS feature_code) c WHERE ${feature !== undefined}`
        const featureOf = (...of: [Statement.Fragment, Statement.Fragment?]) =>
          Effect.map(
            Sql.findUsageTotal(first, ...of),
            ([row]) => row !== undefined && "feature_code" in row && row.feature_code
          )
        assert.strictEqual(yield* featureOf(one), "a")
        assert.isNull(yield* featureOf(several))
        assert.isNull(yield* featureOf(none))
        assert.strictEqual(yield* featureOf(one, corrected("a")), "a")
        assert.strictEqual(yield* featureOf(one, corrected(undefined)), "a")
        assert.strictEqual(yield* featureOf(none, corrected("a")), "a")
        assert.isNull(yield* featureOf(one, corrected("b")))
        assert.isNull(yield* featureOf(none, corrected(undefined)))
      }))

    it.effect("a license without usage is listed with none, and one of another owner as former", () =>
      Effect.gen(function*() {
        const { customer, first, one, rows } = yield* world
        const former = yield* rows.license()
        const cells = first`SELECT ${former}::text AS license_id, 2::numeric AS uses, 5::numeric AS amount,
          NULL::numeric AS overage, now() AS first_at, now() AS last_at`
        const listed = yield* first<
          {
            readonly license_id: string
            readonly ownership: string
            readonly uses: unknown
            readonly total_rows: unknown
          }
        >`${Sql.holdingRows(first, customer, cells, undefined)}`
        const of = (id: string) => listed.find(({ license_id }) => license_id === id)
        assert.deepInclude(of(one), { ownership: "current" })
        assert.strictEqual(Number(of(one)!.uses), 0)
        assert.deepInclude(of(former), { ownership: "former" })
        assert.strictEqual(Number(of(former)!.uses), 2)
        assert.lengthOf(listed, 3)
        for (const { total_rows } of listed) assert.strictEqual(Number(total_rows), 3)
      }))

    it.effect("a settlement counts renewals that succeeded inside its window, of its own order", () =>
      Effect.gen(function*() {
        const { first, one, order, product, rows } = yield* world
        let made = 0
        const activity = (occurred_at: string, members: object = {}) =>
          rows.insert("activities", {
            id: `act_${order}_${++made}`,
            occurred_at: first`${occurred_at}::text::timestamptz`,
            action: "license.renewed",
            source: "management",
            actor_type: "management_key",
            actor_id: "key_1",
            result_class: "success",
            product_id: product,
            license_id: one,
            order_id: order,
            ...members
          })
        yield* activity(window.from)
        yield* activity("2026-03-31T23:59:59Z")
        yield* activity(window.to)
        yield* activity("2026-03-02T00:00:00Z", { result_class: "refused", status_code: 409, code: "CONFLICT" })
        yield* activity("2026-03-02T00:00:00Z", { order_id: null })
        const settled = { column: "order_id", id: order, window, limit: undefined, place: undefined } as const
        const [counts] = yield* Sql.countSettled(first, settled)
        assert.deepInclude(counts, { licenses: 1n, renewals: 2n })
        const actions = yield* Sql.countActions(first, { license_id: one, ...window }, undefined, undefined)
        assert.deepStrictEqual(actions, [
          { action: "license.renewed", result_class: "refused", count: 1n },
          { action: "license.renewed", result_class: "success", count: 3n }
        ])
      }))
  })
})
