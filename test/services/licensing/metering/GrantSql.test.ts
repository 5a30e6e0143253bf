import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TakenUnits } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import { listGrantsAt } from "../../../../src/services/catalog/terms/OpenGrantSql.ts"
import { listOwnTerms } from "../../../../src/services/catalog/terms/TermsSql.ts"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import {
  countOpen,
  findGrant,
  findReferred,
  insertGrant,
  takenBy,
  updateRevoked,
  updateTaken
} from "../../../../src/services/licensing/metering/GrantSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const ofLicense = (id: string) => ({ column: "license_id", id }) as const

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const licenseId = yield* rows.license({ policy_id, product_id })
  const featureId = `feat_${++made}`
  yield* rows.insert("features", { id: featureId, product_id, name: "F", code: featureId, metadata: first`'{}'` })
  const give = Effect.fnUntraced(function*(more: { readonly amount?: number; readonly expires_at?: number } = {}) {
    const id = `grant_${++made}`
    const issued = {
      amount: 10,
      max_per_license: undefined,
      starts_at: Date.now() - 1000,
      expires_at: undefined,
      priority: 100,
      source: "purchase" as const,
      reference: id,
      ...more
    }
    yield* insertGrant(first, { id, owner: ofLicense(licenseId), featureId }, issued)
    return id
  })
  const shown = (id: string) =>
    Effect.map(
      findGrant(first, ofLicense(licenseId), id),
      ([row]) => row && toWire<Readonly<Record<string, unknown>>>(row)
    )
  const isOpen = (id: string) =>
    Effect.map(
      first<{ readonly is_open: boolean }>`SELECT is_open FROM license_grants WHERE id = ${id}`,
      ([row]) => row!.is_open
    )
  const take = (taken: ReadonlyArray<TakenUnits>) => updateTaken(first, takenBy(licenseId, taken))
  return { ...workers, featureId, give, isOpen, licenseId, rows, shown, take }
})

describe("the statements of grants", () => {
  layer(Workers.layer)((it) => {
    it.effect("the first grant of a feature begins its counter, and a further one leaves what was counted", () =>
      Effect.gen(function*() {
        const { featureId, first, give, licenseId } = yield* world
        const counter = Effect.map(
          first`SELECT is_counter, total_consumptions, granted_consumptions FROM license_features
            WHERE license_id = ${licenseId} AND feature_id = ${featureId}`,
          ([row]) => row
        )
        yield* give()
        assert.deepStrictEqual(yield* counter, { is_counter: true, total_consumptions: 0n, granted_consumptions: 0n })
        yield* first`UPDATE license_features SET granted_consumptions = 3 WHERE license_id = ${licenseId}`
        yield* give()
        assert.deepInclude(yield* counter, { granted_consumptions: 3n })
      }))

    it.effect("units are taken of several grants at once, and what is spent is not open", () =>
      Effect.gen(function*() {
        const { featureId, first, give, isOpen, licenseId, shown, take } = yield* world
        const [a, b] = [yield* give(), yield* give()]
        const use = (grant_id: string, amount: number) => ({ grant_id, amount })
        yield* take([use(a, 4), use(b, 10), use(a, 1)])
        assert.deepInclude(yield* shown(a), { used: 5, remaining: 5 })
        assert.deepInclude(yield* shown(b), { used: 10, remaining: 0 })
        assert.deepStrictEqual([yield* isOpen(a), yield* isOpen(b)], [true, false])
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), featureId))[0], { open: 1 })
      }))

    it.effect("what has ended has nothing left and is not counted, and what is revoked stays as it was used", () =>
      Effect.gen(function*() {
        const { featureId, first, give, isOpen, licenseId, shown } = yield* world
        const ended = yield* give({ expires_at: Date.now() - 1 })
        const taken = yield* give({ amount: -3 })
        assert.deepInclude(yield* shown(ended), { amount: 10, used: 0, remaining: 0 })
        assert.deepInclude(yield* shown(taken), { amount: -3, remaining: 0 })
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), featureId))[0], { open: 1 })
        assert.lengthOf(yield* updateRevoked(first, ofLicense(licenseId), taken), 1)
        assert.lengthOf(yield* updateRevoked(first, ofLicense(licenseId), taken), 0)
        assert.lengthOf(yield* updateRevoked(first, ofLicense("lic_other"), ended), 0)
        assert.isFalse(yield* isOpen(taken))
      }))

    it.effect("what was left of a revoked grant is gone, and a use that takes of it or gives back does not open it again", () =>
      Effect.gen(function*() {
        const { featureId, first, give, isOpen, licenseId, shown, take } = yield* world
        const id = yield* give()
        yield* take([{ grant_id: id, amount: 3 }])
        const [revoked] = yield* updateRevoked(first, ofLicense(licenseId), id)
        assert.deepInclude(toWire<object>(revoked!), { amount: 10, used: 3, remaining: 0 })
        assert.deepInclude(yield* shown(id), { amount: 10, used: 3, remaining: 0 })
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), featureId))[0], { open: 0 })
        yield* take([{ grant_id: id, amount: 1 }])
        assert.isFalse(yield* isOpen(id))
        yield* take([{ grant_id: id, amount: -4 }])
        assert.isFalse(yield* isOpen(id))
        assert.deepInclude(yield* shown(id), { used: 0, remaining: 0 })
      }))

    it.effect("units that are given back open a grant that was spent, and grants are counted of their feature alone", () =>
      Effect.gen(function*() {
        const { featureId, first, give, isOpen, licenseId, shown, take } = yield* world
        const [id, other] = [yield* give(), yield* give()]
        yield* take([{ grant_id: id, amount: 10 }])
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), featureId))[0], { open: 1 })
        yield* take([{ grant_id: id, amount: -1 }])
        assert.isTrue(yield* isOpen(id))
        assert.deepInclude(yield* shown(id), { used: 9, remaining: 1 })
        assert.deepInclude(yield* shown(other), { used: 0, remaining: 10 })
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), featureId))[0], { open: 2 })
        assert.deepInclude((yield* countOpen(first, ofLicense(licenseId), "feat_other"))[0], { open: 0 })
        assert.deepInclude((yield* countOpen(first, ofLicense("lic_other"), featureId))[0], { open: 0 })
        assert.lengthOf(yield* findGrant(first, ofLicense("lic_other"), id), 0)
      }))

    it.effect("what has ended is passed over, however much of it there is", () =>
      Effect.gen(function*() {
        const { featureId, first, give, licenseId } = yield* world
        const id = yield* give()
        yield* first`
          INSERT INTO license_grants (id, license_id, feature_id, amount, starts_at, expires_at, priority, source)
          SELECT ${id}::text || '_' || n, ${licenseId}, ${featureId}, 10, now() - interval '2 days', now() - interval '1 day', 100,
            'purchase' FROM generate_series(1, 1000) n`
        const [row] = yield* listOwnTerms(first, licenseId)
        const { grants } = toWire<{ readonly grants: ReadonlyArray<{ readonly id: string }> }>(row!)
        assert.deepStrictEqual(grants.map(({ id }) => id), [id])
        // In a table this small the others cost as little.
        yield* first`DROP INDEX license_grants_by_feature, license_grants_by_license`
        yield* first`SET enable_seqscan = off`
        const plan = yield* first<{ readonly "QUERY PLAN": string }>`EXPLAIN ${listOwnTerms(first, licenseId)}`
        yield* first`RESET ALL`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(text, /license_grants_open[\s\S]*Index Cond: .*COALESCE\((g\.)?expires_at/)
      }))

    it.effect("a reference names one grant of a license", () =>
      Effect.gen(function*() {
        const { first, give, licenseId } = yield* world
        const id = yield* give()
        const [row] = yield* findReferred(first, ofLicense(licenseId), id)
        assert.strictEqual(toWire<{ readonly id: string }>(row!).id, id)
        assert.lengthOf(yield* findReferred(first, ofLicense("lic_other"), id), 0)
      }))

    it.effect("what was left of a grant at a past instant counts what was taken since, and no later grant", () =>
      Effect.gen(function*() {
        const { featureId, first, give, licenseId, rows } = yield* world
        const id = yield* give()
        yield* first`UPDATE license_grants SET created_at = now() - interval '1 hour', used = 7 WHERE id = ${id}`
        const device = yield* rows.device({ license_id: licenseId })
        const parts = JSON.stringify([{ grant_id: id, amount: 5 }])
        yield* first`
          INSERT INTO usage_records (id, license_id, feature_id, feature_code, event_id, amount, total_consumptions, product_id,
            device_id, grants, created_at)
          SELECT 'evt_' || ${id}::text, ${licenseId}, ${featureId}, 'f', 'e', 5, 5, product_id, ${device.id}, ${parts}::text::jsonb,
            now() - interval '1 minute' FROM licenses WHERE id = ${licenseId}`
        yield* give()
        const at = (millis: number) =>
          listGrantsAt(first, { licenseId, customerIds: [], featureId, at: new Date(Date.now() - millis) })
        const left = (rows: ReadonlyArray<object>) => rows.map((row) => toWire<{ readonly left: number }>(row).left)
        assert.deepStrictEqual(left(yield* at(600_000)), [8])
        assert.deepStrictEqual(left(yield* at(1000)), [3])
        assert.deepStrictEqual(left(yield* at(7_200_000)), [])
      }))
  })
})
