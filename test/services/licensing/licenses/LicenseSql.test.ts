import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { DerivedChange } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { runningDevices } from "../../../../src/services/ground/persistence/RunningDeviceSql.ts"
import { toLicense } from "../../../../src/services/licensing/licenses/LicenseSearch.ts"
import {
  findLicense,
  findLicenseUnderPolicy,
  firstExpiring,
  listLicensesById,
  lockLicense,
  updateAllDeactivated,
  updateLicense
} from "../../../../src/services/licensing/licenses/LicenseSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  const { id: policy_id, product_id } = yield* rows.policy({ grace_period_days: 3 })
  return { ...workers, policy_id, rows, id: yield* rows.license({ policy_id, product_id }) }
})

const suspended: DerivedChange = { state: "suspended", announced: "nothing", entitlement_version: 2 }

const planOf = (sql: Database, query: Statement.Fragment) =>
  Effect.map(
    sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${query}`,
    (lines) => lines.map((line) => line["QUERY PLAN"]).join("\n")
  )

const runningCases = [
  // One range, and not the whole index with a filter.
  [
    { app_version: "1.x", os: undefined },
    /devices_by_version[\s\S]*Index Cond: .*app_version >= '1'.*app_version < '1\/'/
  ],
  [{ app_version: "1.9.2", os: undefined }, /devices_by_version/],
  // Without reading the devices themselves.
  [{ app_version: undefined, os: "Windows" }, /Index Only Scan using devices_by_system/],
  [{ app_version: "1.x", os: "windows" }, /devices_by_(version|system)/]
] as const

describe("the statements about a license", () => {
  layer(Workers.layer)((it) => {
    it.effect("licenses that expire before an instant are found in the index of both, without those that do not", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        // Tables without rows are read whole, unless that is ruled out.
        yield* sql`SELECT set_config(name, 'off', false) FROM unnest(${[
          "enable_seqscan",
          "enable_bitmapscan"
        ]}::text[]) AS s (name)`
        const window = { before: "2030-01-01T00:00:00Z", after: undefined }
        const clauses = {
          where: sql`WHERE l.expires_at < ${window.before}::text::timestamptz`,
          orderBy: sql`ORDER BY l.id DESC`
        }
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`
          EXPLAIN ${firstExpiring(sql, { ...clauses, limit: sql`LIMIT 101` }, window)}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(text, /Index Only Scan Backward using licenses_by_bin_of_expiry/)
        assert.notMatch(text, /Seq Scan|licenses_pkey/)
        yield* sql`RESET ALL`
      }))

    it.effect("licenses are found in the indexes of what their devices run", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        yield* sql`SELECT set_config(name, 'off', false) FROM unnest(${[
          "enable_seqscan",
          "enable_bitmapscan"
        ]}::text[]) name`
        for (const [filters, index] of runningCases) {
          const devices = runningDevices(sql, filters)!
          assert.match(yield* planOf(sql, sql`SELECT license_id AS id FROM ${devices}`), index)
        }
        yield* sql`RESET ALL`
      }))

    it.effect("each license that expires before an instant is found once, also in the bin in which the instant is", () =>
      Effect.gen(function*() {
        const { first: sql, policy_id, rows } = yield* world
        const expiring = (expires_at: string) => rows.license({ policy_id, expires_at })
        const earlier = yield* expiring("2031-06-01T00:00:00Z")
        // 2031-07-17 begins a bin of 16 days.
        const inBin = [yield* expiring("2031-07-18T00:00:00Z"), yield* expiring("2031-07-19T00:00:00Z")]
        yield* expiring("2031-07-21T00:00:00Z")
        const window = { before: "2031-07-20T00:00:00Z", after: "2031-05-01T00:00:00Z" }
        const clauses = {
          where: sql`WHERE l.expires_at >= ${window.after}::text::timestamptz
            AND l.expires_at < ${window.before}::text::timestamptz`,
          orderBy: sql`ORDER BY l.id DESC`
        }
        const found = yield* sql<{ readonly id: string }>`${
          firstExpiring(sql, { ...clauses, limit: sql`LIMIT 3` }, window)
        }`
        assert.deepStrictEqual(found.map(({ id }) => id), [earlier, ...inBin].toSorted().toReversed())
      }))

    it.effect("changes of a license wait for each other, and each sees what the one before left", () =>
      Effect.gen(function*() {
        const { first, id, policy_id, second, waiting } = yield* world
        const held = Effect.andThen(lockLicense(first, id), updateLicense(first, id, policy_id, suspended))
        const [, [row]] = yield* waiting(held, Effect.andThen(lockLicense(second, id), findLicense(second, id)))
        assert.strictEqual(toLicense(row!).status, "suspended")
        assert.deepStrictEqual(yield* lockLicense(first, "lic_none"), [])
      }))

    it.effect("a lock keeps nobody from referring to the license", () =>
      Effect.gen(function*() {
        const { first, id, passing, second } = yield* world
        const rows = makeRows(second)
        const [, device] = yield* passing(lockLicense(first, id), rows.device({ license_id: id }))
        assert.strictEqual(device.license_id, id)
      }))

    it.effect("a change is of one license, is returned as it is left, and keeps what it does not name", () =>
      Effect.gen(function*() {
        const { first, id, policy_id, rows } = yield* world
        const other = yield* rows.license()
        const [written] = yield* updateLicense(first, id, policy_id, {
          customer_name: "N",
          expires_at: "2030-01-01T00:00:00.000Z",
          overrides: { grace_period_days: 5 },
          metadata: { a: 1 },
          announced: "expiring",
          entitlement_version: 7
        })
        const license = toLicense(written!)
        assert.deepInclude(license, {
          customer_name: "N",
          expires_at: "2030-01-01T00:00:00.000Z",
          overrides: { grace_period_days: 5 },
          metadata: { a: 1 },
          entitlement_version: 7
        })
        const both = yield* listLicensesById(first, [other, id, "lic_none"])
        assert.deepStrictEqual(
          both.map((row) => [row.id, toLicense(row).entitlement_version]).toSorted(),
          [[id, 7], [other, 1]].toSorted()
        )
        const [cleared] = yield* updateLicense(first, id, policy_id, {
          customer_name: null,
          announced: "nothing",
          entitlement_version: 8
        })
        const { customer_name: _name, updated_at: _before, ...rest } = license
        const { updated_at: _after, ...left } = toLicense(cleared!)
        assert.deepStrictEqual(left, { ...rest, entitlement_version: 8 })
      }))

    it.effect("a license is shown with its policy, and with names where they are asked for", () =>
      Effect.gen(function*() {
        const { first, id, policy_id } = yield* world
        const [row] = yield* findLicenseUnderPolicy(first, id)
        assert.deepInclude(row!.policy, { id: policy_id, grace_period_days: 3 })
        assert.strictEqual(row!.announced, "nothing")
        assert.notProperty(row, "names")
        const [named] = yield* findLicenseUnderPolicy(first, id, true)
        assert.deepStrictEqual((named as { readonly names?: unknown }).names, { product: "P", policy: "P" })
      }))

    it.effect("a revocation frees the seats in use, and unblocks no device", () =>
      Effect.gen(function*() {
        const { first, id, rows } = yield* world
        const active = yield* rows.device({ license_id: id })
        const blocked = yield* rows.device({ license_id: id, status: "blacklisted" })
        const other = yield* rows.device()
        yield* updateAllDeactivated(first, id)
        const found = yield* first`
          SELECT id, status FROM devices WHERE id = ANY(${[active.id, blocked.id, other.id]}::text[])`
        assert.sameDeepMembers(found.map((row) => [row["id"], row["status"]]), [
          [active.id, "deactivated"],
          [blocked.id, "blacklisted"],
          [other.id, "active"]
        ])
      }))
  })
})
