import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  findRecordedSince,
  listDecidedCalls,
  listDeviceDigests,
  listPolicyEvents,
  listRehearsedLicenses,
  listStateEvents
} from "../../../src/services/rehearsals/RehearsalSql.ts"
import { insertDecidedCalls } from "../../../src/services/sightings/DecidedCallSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

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
          remaining: 9
        })
        yield* insertDecidedCalls(first, [call(1), call(2), call(3)])
        const found = yield* listDecidedCalls(first, { licenseIds: [license_id], from: hour(2), to: hour(3), limit: 9 })
        const { hour: _hour, ...expected } = call(2)
        assert.deepStrictEqual(found, [expected])
        const [digest] = yield* listDeviceDigests(first, [license_id])
        assert.deepInclude(digest, { id, license_id })
        assert.match(digest!.digest, /^[0-9a-f]{32}$/)
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
