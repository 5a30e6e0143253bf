import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  listCodesOfFeatures,
  listOwnFeatures,
  listPolicyQuotas,
  listUsesInWindow
} from "../../../../src/services/evidence/rehearsals/QuotaSql.ts"
import {
  findRecordedSince,
  listDecidedCalls,
  listDeviceDigests,
  listHeldLeases,
  listPolicyEvents,
  listRehearsedLicenses,
  listStateEvents,
  listUsersInWindow
} from "../../../../src/services/evidence/rehearsals/RehearsalSql.ts"
import { insertDecidedCalls } from "../../../../src/services/licensing/sightings/SightingSql.ts"
import { placeEvents } from "../../../fixtures/FeedRows.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const hour = (n: number) => new Date(Date.UTC(2026, 0, 1, n))

describe("the statements of rehearsals", () => {
  layer(Workers.layer)((it) => {
    it.effect("licenses of a policy come in the order of IDs, after one, and up to an instant", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const { id: policyId, product_id } = yield* rows.policy()
        const made = [
          yield* rows.license({ policy_id: policyId, product_id, created_at: hour(1) }),
          yield* rows.license({ policy_id: policyId, product_id, created_at: hour(2) }),
          yield* rows.license({ policy_id: policyId, product_id, created_at: hour(9) })
        ].toSorted()
        const all = yield* listRehearsedLicenses(first, { policyId, after: "", until: hour(20), limit: 9 })
        assert.deepStrictEqual(all.map(({ id }) => id), made)
        const rest = yield* listRehearsedLicenses(first, { policyId, after: made[0]!, until: hour(20), limit: 1 })
        assert.deepStrictEqual(rest.map(({ id }) => id), [made[1]])
        assert.lengthOf(yield* listRehearsedLicenses(first, { policyId, after: "", until: hour(5), limit: 9 }), 2)
      }))

    it.effect("leases are those that were held at some time of a window, and end at the earlier of their times", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { id, license_id } = yield* makeRows(first).device()
        const add = (opened: number, expires: number, ended: number | null, reason: string | null) =>
          first`
            INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at, ended_at, end_reason)
            VALUES (${`lease_${opened}`}, ${license_id}, ${id}, ${Buffer.from(`${license_id} ${opened}`)}, now(), ${
            hour(opened)
          }, ${hour(expires)}, ${ended === null ? null : hour(ended)}, ${reason})`
        yield* add(1, 3, 4, "expired")
        yield* add(2, 9, 6, "checked_in")
        yield* add(7, 8, null, null)
        yield* add(12, 13, 14, "expired")
        const found = yield* listHeldLeases(first, { licenseIds: [license_id], from: hour(5), to: hour(10), limit: 9 })
        assert.deepStrictEqual(found.toSorted((a, b) => Number(a.until) - Number(b.until)), [
          { license_id, device_id: id, checked_out_at: hour(2), until: hour(6), end_reason: "checked_in" },
          { license_id, device_id: id, checked_out_at: hour(7), until: hour(8), end_reason: null }
        ])
      }))

    it.effect("users are those who were there at some time of a window", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { license_id } = yield* makeRows(first).device()
        const add = (created: number, joined: number | null, removed: number | null) =>
          first`
            INSERT INTO license_users (id, license_id, status, removed_because, created_at, joined_at, removed_at)
            VALUES (${`usr_${license_id}_${created}`}, ${license_id}, ${
            removed === null ? joined === null ? "invited" : "active" : "removed"
          },
              ${removed === null ? null : "removed"}, ${hour(created)}, ${joined === null ? null : hour(joined)}, ${
            removed === null ? null : hour(removed)
          })`
        yield* add(1, 2, 4)
        yield* add(2, 3, 5)
        yield* add(6, null, null)
        yield* add(10, 10, null)
        const asked = { licenseIds: [license_id], from: hour(5), to: hour(10), limit: 9 }
        const found = yield* listUsersInWindow(first, asked)
        assert.deepStrictEqual(found.toSorted((a, b) => Number(a.created_at) - Number(b.created_at)), [
          {
            license_id,
            id: `usr_${license_id}_2`,
            created_at: hour(2),
            joined_at: hour(3),
            removed_at: hour(5),
            removed_because: "removed"
          },
          {
            license_id,
            id: `usr_${license_id}_6`,
            created_at: hour(6),
            joined_at: null,
            removed_at: null,
            removed_because: null
          }
        ])
        assert.lengthOf(yield* listUsersInWindow(first, { ...asked, limit: 1 }), 1)
      }))

    it.effect("calls are those of a window, and devices have the digests of their bindings", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { id, license_id } = yield* Effect.map(makeRows(first).device(), (device) => device)
        const call = (n: number) => ({
          license_id,
          hour: hour(n).toISOString(),
          device: id,
          operation: "validate" as const,
          result: "granted",
          is_vm: true,
          is_container: false,
          calls: 7,
          first_at: hour(n),
          last_at: hour(n),
          user_id: "user_1",
          feature_code: "export",
          amount: 3,
          remaining: 9,
          shortest_pause: 2,
          longest_pause: 5
        })
        yield* insertDecidedCalls(first, [call(1), call(2), call(3)])
        const found = yield* listDecidedCalls(first, { licenseIds: [license_id], from: hour(2), to: hour(3), limit: 9 })
        const { hour: _hour, ...expected } = call(2)
        assert.deepStrictEqual(found, [expected])
        const [digest] = yield* listDeviceDigests(first, [license_id])
        assert.deepInclude(digest, { id, license_id })
        assert.match(digest!.digest, /^[0-9a-f]{32}$/)
      }))

    it.effect("quotas, uses and what licenses have of their own are read from their events, of the features asked for", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`SET session_replication_role = replica`
        const place = (
          n: number,
          [type, about, at]: readonly [type: string, about: string, at: number],
          data: object
        ) =>
          first.unsafe(placeEvents({
            after: 7_000_000 + n,
            count: 1,
            id: `'evt_quota_${n}'`,
            type: `'${type}'`,
            resourceId: `'${about}'`,
            data: `'${JSON.stringify(data)}'`,
            createdAt: `'${hour(at).toISOString()}'::timestamptz`
          }))
        const f = { feature_id: "feat_q", feature_code: "pages" }
        yield* place(1, ["policy.feature_assigned", "pol_quota", 1], { ...f, max_consumptions: 5, period: "month" })
        yield* place(2, ["policy.feature_assigned", "pol_quota", 2], { ...f, feature_id: "feat_other" })
        yield* place(3, ["policy.feature_removed", "pol_quota", 9], { ...f, rollover: { cap: 1, periods: 1 } })
        yield* place(4, ["feature.created", "feat_q", 1], { code: "pages" })
        yield* place(5, ["feature.updated", "feat_q", 2], { code: "sheets" })
        const use = { ...f, amount: 2, total_consumptions: 9, max_consumptions: 5 }
        const period_start = hour(0).toISOString()
        yield* place(6, ["license.usage_recorded", "lic_quota", 4], { ...use, device_id: "dev_1" })
        yield* place(7, ["license.usage_recorded", "lic_quota", 5], { ...use, period_start, period_consumptions: 4 })
        yield* place(8, ["license.usage_recorded", "lic_quota", 6], { ...use, granted_consumptions: 0 })
        yield* place(9, ["license.usage_recorded", "lic_quota", 6], { ...use, is_late: true })
        yield* place(10, ["license.usage_recorded", "lic_quota", 6], { ...use, feature_id: "feat_other" })
        yield* place(11, ["license.feature_assigned", "lic_quota", 3], { ...f, max_consumptions: 5 })
        yield* place(12, ["license.feature_assigned", "lic_quota", 3], { ...f, max_consumptions: 5, from: "policy" })
        yield* place(13, ["license.usage_reset", "lic_quota", 9], f)
        yield* first`SET session_replication_role = origin`

        const featureIds = ["feat_q"]
        assert.deepStrictEqual(yield* listPolicyQuotas(first, { policyId: "pol_quota", featureIds, until: hour(8) }), [{
          created_at: hour(1),
          ...f,
          is_assigned: true,
          max_consumptions: 5,
          overage: null,
          period: "month",
          is_other: false
        }])
        const all = yield* listPolicyQuotas(first, { policyId: "pol_quota", featureIds, until: hour(10) })
        assert.deepInclude(all[1], { is_assigned: false, is_other: true })
        const codes = yield* listCodesOfFeatures(first, featureIds)
        assert.sameMembers(codes.map(({ feature_code }) => feature_code), ["pages", "sheets"])
        const window = { licenseIds: ["lic_quota"], featureIds, from: hour(4), to: hour(6), limit: 9 }
        const of = { license_id: "lic_quota", feature_id: "feat_q", amount: 2, max_consumptions: 5 }
        assert.deepStrictEqual(yield* listUsesInWindow(first, window), [
          { ...of, created_at: hour(4), device_id: "dev_1", consumed: 9, period_start: null, is_other: false },
          { ...of, created_at: hour(5), device_id: null, consumed: 4, period_start, is_other: false }
        ])
        const later = yield* listUsesInWindow(first, { ...window, from: hour(6), to: hour(7) })
        assert.deepStrictEqual(
          later.map(({ is_other }) => is_other),
          [true],
          "neither late ones, nor of other features"
        )
        assert.lengthOf(yield* listUsesInWindow(first, { ...window, limit: 1 }), 1)
        const own = yield* listOwnFeatures(first, { licenseIds: ["lic_quota"], featureIds, until: hour(8) })
        assert.deepStrictEqual(own.map(({ has_overage, has_quota }) => [has_quota, has_overage]), [
          [true, false],
          [false, false]
        ])
        assert.lengthOf(yield* listOwnFeatures(first, { licenseIds: ["lic_quota"], featureIds, until: hour(10) }), 3)
      }))

    it.effect("a license and a policy without events have no steps, and the clock says since when calls are recorded", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        assert.deepStrictEqual(
          yield* listStateEvents(first, { licenseIds: ["lic_none"], until: hour(1), limit: 9 }),
          []
        )
        assert.deepStrictEqual(yield* listPolicyEvents(first, "pol_none", hour(1)), [])
        const [clock] = yield* findRecordedSince(first)
        assert.isTrue(clock!.since !== null && clock!.since <= clock!.now)
      }))
  })
})
