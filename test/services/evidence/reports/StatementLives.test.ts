// Statements of random lives of usage, judged by a second program that was written from the documents.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reports } from "../../../../src/services/evidence/reports/Reports.ts"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { CurrentProducts } from "../../../../src/services/ground/persistence/ProductLimit.ts"
import { frozenClock } from "../../../fixtures/FrozenClock.ts"
import { chance, chanceOf } from "../../../fixtures/Seeded.ts"
import type { Chance } from "../../../fixtures/Seeded.ts"
import { takesAll } from "../../../fixtures/Share.ts"
import { expectedStatement } from "../../../fixtures/StatementJudge.ts"
import type { NamedFeature } from "../../../fixtures/StatementJudge.ts"
import { begunAt, makeLives, makeVendor } from "../../../fixtures/StatementLives.ts"
import { layerStatements } from "../../../fixtures/StatementVendor.ts"

const clock = await frozenClock(begunAt, [
  "event_outbox",
  "event_records",
  "grants",
  "license_features",
  "usage_corrections",
  "usage_records"
])
const layer = layerStatements(clock.databaseUrl)

/** Lives of licenses of a vendor, and what their features are called at their end. */
const lived = Effect.fnUntraced(function*(random: Chance, { days, groups, named: name, others }: {
  readonly days: number
  readonly groups: number
  readonly others: number
  readonly named?: string
}) {
  const vendor = yield* makeVendor(random, clock, groups, name)
  const lives = yield* makeLives(random, clock, vendor)
  for (let index = 0; index < days; index++) yield* lives.live(index === 0, others)
  const sql = yield* Database
  yield* sql`UPDATE features SET code = 'zoom' WHERE id = ${vendor.features.render}`
  const [product_id, other] = vendor.products
  const named = new Map<string, NamedFeature>([
    [vendor.features.render, { product_id, feature_code: "zoom" }],
    [vendor.features.store, { product_id, feature_code: "store", decimals: 2 }],
    [vendor.features.other, { product_id: other, feature_code: "render" }]
  ])
  return { lives, named, random, vendor }
})

/** Compares statements of each license and each customer, in windows that are drawn, with what the second program says. */
const judgeAll = Effect.fnUntraced(
  function*({ lives, named, random, vendor }: Effect.Success<ReturnType<typeof lived>>) {
    const { oracle, products } = vendor
    const reports = yield* Reports
    const times = lives.times()
    const below = (limit: number) => Math.floor(random.upTo(limit))
    const bound = () => times[below(times.length)]! + below(3) - 1
    const judge = Effect.fnUntraced(function*(subject: object, licenses: ReadonlyArray<string>) {
      const bounds = [bound(), bound()].toSorted((a, b) => a - b)
      const [from, to] = [bounds[0]!, bounds[1]! + 1]
      const feature_code = below(5) === 0 ? ["zoom", "store", "render"][below(3)] : undefined
      const limit = below(5) === 0 ? [products[0]] : undefined
      const filters = {
        ...subject,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        group_by: "dimension.model" as const,
        ...feature_code === undefined ? {} : { feature_code }
      }
      const { rows, summary, total_rows } = yield* Effect.provideService(
        reports.read("statement", filters, 200),
        CurrentProducts,
        limit
      )
      const { features, groups, licenses: count, total_groups } = summary
      const expected = expectedStatement(vendor, named, { licenses, from, to, feature_code, products: limit })
      const told: object = { rows, features, groups, count, total_groups, total_rows }
      assert.deepStrictEqual(told, {
        ...expected,
        count: licenses.length,
        total_groups: expected.groups.length,
        total_rows: expected.rows.length
      }, JSON.stringify({ ...filters, limit }))
    })
    const licenses = [...oracle.owners.keys()]
    for (const license of licenses) {
      yield* judge({ license_id: license }, [license])
      yield* judge({ license_id: license }, [license])
    }
    for (const customer of vendor.customers) {
      const own = licenses.filter((id) => oracle.owners.get(id) === customer)
      // A limited key does not know of customers without a license of its products.
      if (own.length > 0) yield* judge({ customer_id: customer }, own)
    }
  }
)

/** The size of a life that tries every kind of thing once, so that many are lived. */
const short = { days: 5, groups: 2, others: 16 }

/** How many lives of them a run has: it begins each at the same instant, of a seed of its own. */
const seeds = takesAll ? 1000 : 20

/**
 * The same lives each day, other ones in the long form: there a life of hundreds still disagrees with the second program (what carried units
 * leave at the turn of a month, beside late uses of a plan that was changed), and which of the two is right is not decided.
 */
const lifeOf = (name: string): Chance => takesAll ? chance(name) : chanceOf(`1001 ${name}`)

describe("a statement", () => {
  it.live("tells of random lives to the unit what the documents say, within every bounds", () =>
    Effect.flatMap(lived(lifeOf("statements"), { days: takesAll ? 12 : 5, groups: 24, others: 40 }), judgeAll)
      .pipe(Effect.provide(layer), Effect.scoped))

  it.live(`does so in the lives of ${seeds} seeds`, () =>
    Effect.forEach(
      Array.from({ length: seeds }, (_, index) => index),
      (index) =>
        Effect.flatMap(
          lived(lifeOf(`statements ${index}`), { ...short, named: `-${index}` }),
          judgeAll
        ),
      { discard: true }
    ).pipe(Effect.provide(layer), Effect.scoped), 3_600_000)
})
