// What random lives do not have (StatementLives.test.ts): events that wait for their place in the feed.
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  countOwned,
  listFeatureSums,
  listGroups,
  statementRows
} from "../../../../src/services/evidence/reports/StatementSql.ts"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import type { FeedPlace } from "../../../../src/services/log/FeedPosition.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const january = Date.UTC(2027, 0, 1)
const february = Date.UTC(2027, 1, 1)
const day = 86_400_000
const window = { from: new Date(january).toISOString(), to: new Date(february).toISOString() }

let made = 0

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const license_id = yield* rows.license({ policy_id, product_id })
  const feature_id = `feat_stated_${++made}`
  yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: "f", metadata: first`'{}'` })
  const device = yield* rows.device({ license_id })
  const of = { license_id, feature_id, feature_code: "f", product_id, total_consumptions: 0 }
  const use = Effect.fnUntraced(function*(amount: number, at: number, taken: ReadonlyArray<object> = []) {
    const id = `evt_stated_${++made}`
    yield* rows.insert("usage_records", {
      ...of,
      id,
      event_id: id,
      amount,
      device_id: device.id,
      created_at: new Date(at),
      ...taken.length === 0 ? {} : { grants: first`${JSON.stringify(taken)}::text::jsonb` }
    })
    return id
  })
  const correct = Effect.fnUntraced(function*(amount: number, at: number, taken: ReadonlyArray<object> = []) {
    const id = `evt_stated_${++made}`
    yield* rows.insert("usage_corrections", {
      ...of,
      id,
      action: "license.usage_reset",
      amount,
      created_at: new Date(at),
      ...taken.length === 0 ? {} : { grants: first`${JSON.stringify(taken)}::text::jsonb` }
    })
    return id
  })
  const give = Effect.fnUntraced(function*(at: number, members: object = {}) {
    const id = `grant_stated_${++made}`
    yield* rows.insert("license_grants", {
      id,
      license_id,
      feature_id,
      amount: 10,
      starts_at: new Date(at),
      created_at: new Date(at),
      priority: 100,
      source: "purchase",
      ...members
    })
    return id
  })
  /** An event that waits for its place. */
  const wait = Effect.fnUntraced(function*(id: string, event_type: string, data: object = {}) {
    const [row] = yield* first<{ readonly ordinal: bigint }>`INSERT INTO event_pending DEFAULT VALUES RETURNING ordinal`
    yield* rows.insert("event_records", {
      id,
      ordinal: row!.ordinal,
      event_type,
      actor_type: "system",
      actor_id: "system",
      resource_id: license_id,
      metadata: "{}",
      data: JSON.stringify(data)
    })
  })
  const figures = Effect.fnUntraced(function*(place?: FeedPlace, more: object = {}) {
    const found = yield* first<object>`SELECT * FROM ${
      statementRows(first, { filters: { license_id, ...window, ...more }, limit: undefined, place })
    } r`
    return found.map((row) => toWire<Readonly<Record<string, unknown>>>(row))
  })
  return ({
    correct,
    feature_id,
    figures,
    first,
    give,
    license_id,
    product_id,
    rows,
    use,
    wait
  })
})

const waiting = (since: number): FeedPlace => ({
  lastSequence: 0,
  waitingSince: new Date(since),
  readAt: new Date(february)
})

describe("the statements of statements", () => {
  layer(Workers.layer)((it) => {
    it.effect("uses, corrections and the units that they moved are left out while their events wait", () =>
      Effect.gen(function*() {
        const { correct, figures, give, use, wait } = yield* world
        const at = january + 5 * day
        const grant = yield* give(january - day, { used: 6 })
        const units = (amount: number) => [{ grant_id: grant, amount }]
        yield* use(4, at, units(4))
        const waits = yield* use(5, at + day, units(3))
        const corrected = yield* correct(-1, at + day, units(1))
        yield* wait(waits, "license.usage_recorded")
        yield* wait(corrected, "license.usage_reset")
        const all = { opening: 10, used: 7, refunded: 1, closing: 4, uses: 2, amount: 9, within_quota: 2, adjusted: -1 }
        assert.deepInclude((yield* figures())[0], all)
        assert.deepInclude((yield* figures(waiting(at + day)))[0], {
          opening: 10,
          used: 4,
          refunded: 0,
          closing: 6,
          uses: 1,
          amount: 4,
          within_quota: 0,
          adjusted: 0
        })
        // Whatever is older than each that waits is not looked up.
        assert.deepInclude((yield* figures(waiting(at + 2 * day)))[0], all)
      }))

    it.effect("a use of before the window that waits has taken nothing yet of what was left", () =>
      Effect.gen(function*() {
        const { figures, give, use, wait } = yield* world
        const grant = yield* give(january - 3 * day, { used: 4 })
        const waits = yield* use(4, january - day, [{ grant_id: grant, amount: 4 }])
        assert.deepInclude((yield* figures())[0], { opening: 6, closing: 6, uses: 0 })
        yield* wait(waits, "license.usage_recorded")
        assert.deepInclude((yield* figures(waiting(january - day)))[0], { opening: 10, closing: 10, uses: 0 })
      }))

    it.effect("a grant whose gift waits is not there, and one whose revocation waits is not revoked", () =>
      Effect.gen(function*() {
        const { figures, give, wait } = yield* world
        const at = january + 5 * day
        const revoked = yield* give(at, { revoked_at: new Date(at + day), is_open: false })
        const given = yield* give(at)
        assert.deepInclude((yield* figures())[0], { given: 20, revoked: 10, ended: 0, closing: 10 })
        yield* wait(`evt_stated_${++made}`, "license.grant_revoked", { id: revoked })
        assert.deepInclude((yield* figures(waiting(at)))[0], { given: 20, revoked: 0, closing: 20 })
        yield* wait(`evt_stated_${++made}`, "license.grant_given", { id: given })
        assert.deepInclude((yield* figures(waiting(at)))[0], { given: 10, revoked: 0, closing: 10 })
        assert.deepInclude((yield* figures())[0], { given: 20, revoked: 10, closing: 10 })
      }))

    it.effect("a feature of which nothing happened and nothing is left has no row, and others are not mixed in", () =>
      Effect.gen(function*() {
        const { correct, figures, first, give, license_id, product_id, use } = yield* world
        yield* give(january - 9 * day, { expires_at: new Date(january) })
        yield* correct(0, january + day)
        yield* use(3, february)
        assert.deepStrictEqual(yield* figures(), [])
        yield* use(3, january)
        assert.lengthOf(yield* figures(), 1)
        assert.lengthOf(yield* figures(undefined, { feature_code: "other" }), 0)
        const scope = (limit: ReadonlyArray<string> | undefined) => ({
          filters: {
            license_id,
            ...window
          },
          limit,
          place: undefined
        })
        const counts = Effect.fnUntraced(function*(limit: ReadonlyArray<string> | undefined) {
          const [owned] = yield* countOwned(first, scope(limit))
          const sums = yield* listFeatureSums(first, scope(limit))
          const groups = yield* listGroups(first, scope(limit), "model")
          return [Number(owned!.count), sums.length, groups.length]
        })
        assert.deepStrictEqual(yield* counts(undefined), [1, 1, 1])
        assert.deepStrictEqual(yield* counts([product_id]), [1, 1, 1])
        assert.deepStrictEqual(yield* counts(["prod_other"]), [0, 0, 0])
      }))

    it.effect("usage by a dimension leaves out what waits, and has the highest amounts first", () =>
      Effect.gen(function*() {
        const { first, license_id, use, wait } = yield* world
        const at = january + day
        const large = yield* use(5, at)
        const small = yield* use(9, at + day)
        yield* first`UPDATE usage_records SET dimensions = '{"model": "large"}' WHERE id = ${large}`
        yield* first`UPDATE usage_records SET dimensions = '{"model": "small"}' WHERE id = ${small}`
        const groups = (place: FeedPlace | undefined) =>
          Effect.map(
            listGroups(first, { filters: { license_id, ...window }, limit: undefined, place }, "model"),
            (found) => found.map((row) => toWire<{ readonly group?: string }>(row).group)
          )
        assert.deepStrictEqual(yield* groups(undefined), ["small", "large"])
        yield* wait(small, "license.usage_recorded")
        assert.deepStrictEqual(yield* groups(waiting(at)), ["large"])
      }))
  })
})
