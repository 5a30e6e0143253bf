import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DecidedCalls } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import { deleteDecidedCalls } from "../../../../src/services/evidence/retention/PrunerSql.ts"
import { insertDecidedCalls } from "../../../../src/services/licensing/sightings/SightingSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

/** Yesterday: calls that are long past are removed. */
const [day] = new Date(Date.now() - 24 * 3_600_000).toISOString().split("T")
const at = (minute: number) => new Date(Date.parse(`${day}T10:00:00Z`) + minute * 60_000)

const calls = (license_id: string, more: Partial<DecidedCalls> = {}): DecidedCalls => ({
  license_id,
  hour: at(0).toISOString(),
  device: "dev_1",
  operation: "validate",
  result: "granted",
  is_vm: false,
  is_container: false,
  calls: 1,
  first_at: at(10),
  last_at: at(10),
  ...more
})

describe("the statements of decided calls", () => {
  layer(Workers.layer)((it) => {
    it.effect("calls of two nodes add up, and the newest says what runs", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        yield* insertDecidedCalls(first, [calls("lic_a", { calls: 3, app_version: "2.0" })])
        yield* insertDecidedCalls(second, [
          calls("lic_a", {
            first_at: at(5),
            last_at: at(6),
            app_version: "1.0"
          }),
          calls("lic_a", { result: "LICENSE_EXPIRED" })
        ])
        const rows = yield* first`
          SELECT result, calls::int, app_version, last_at - first_at = interval '5 minutes' AS spans FROM decided_calls
          WHERE license_id = 'lic_a' ORDER BY result`
        assert.deepStrictEqual(rows, [
          { result: "LICENSE_EXPIRED", calls: 1, app_version: null, spans: false },
          { result: "granted", calls: 4, app_version: "2.0", spans: true }
        ])
      }))

    it.effect("what decisions read is kept where it was always the same, and of what was left the least", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const use = { operation: "consume" as const, feature_code: "pages", amount: 2, remaining: 9, user_id: "usr_1" }
        yield* insertDecidedCalls(first, [
          calls("lic_c", use),
          calls("lic_d", use),
          calls("lic_e", use),
          calls("lic_f")
        ])
        yield* insertDecidedCalls(first, [
          calls("lic_c", { ...use, amount: 3, remaining: 7 }),
          calls("lic_d", { ...use, feature_code: "export", user_id: "usr_2" }),
          // As a node of the version before writes it.
          calls("lic_e", { operation: "consume" }),
          calls("lic_f")
        ])
        const rows = yield* first`
          SELECT user_id, feature_code, amount::int, remaining::int FROM decided_calls
          WHERE license_id IN ('lic_c', 'lic_d', 'lic_e', 'lic_f') ORDER BY license_id`
        assert.deepStrictEqual(rows, [
          { user_id: "usr_1", feature_code: "pages", amount: 5, remaining: 7 },
          { user_id: "", feature_code: "", amount: 4, remaining: 9 },
          { user_id: "", feature_code: "", amount: null, remaining: 9 },
          { user_id: null, feature_code: null, amount: null, remaining: null }
        ])
      }))

    it.effect("pauses between calls about a floating seat are those of both nodes, and between them", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        const minutes = (from: number, to: number) => ({ first_at: at(from), last_at: at(to) })
        const beats = { operation: "heartbeat" as const, calls: 3 }
        const own = { shortest_pause: 120_000, longest_pause: 300_000 }
        yield* insertDecidedCalls(first, [
          calls("lic_g", { ...beats, ...own, ...minutes(0, 7) }),
          calls("lic_h", { ...beats, ...own, ...minutes(0, 7) }),
          calls("lic_i", { operation: "heartbeat", ...minutes(3, 3) }),
          calls("lic_j", minutes(0, 7))
        ])
        yield* insertDecidedCalls(second, [
          calls("lic_g", { ...beats, ...own, ...minutes(20, 27) }),
          calls("lic_h", { ...beats, ...own, longest_pause: 240_000, ...minutes(5, 11) }),
          calls("lic_i", { operation: "heartbeat", ...minutes(1, 1) }),
          calls("lic_j", minutes(20, 27))
        ])
        const rows = yield* first`
          SELECT shortest_pause::int / 60000 AS shortest, longest_pause::int / 60000 AS longest FROM decided_calls
          WHERE license_id IN ('lic_g', 'lic_h', 'lic_i', 'lic_j') ORDER BY license_id`
        assert.deepStrictEqual(rows, [
          { shortest: 2, longest: 13 },
          { shortest: 0, longest: 5 },
          { shortest: 2, longest: 2 },
          { shortest: null, longest: null }
        ])
      }))

    it.effect("calls past their time go in slices, and their end is marked", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const [made] = yield* first<{ readonly old: Date }>`
          SELECT date_trunc('hour', now() - interval '100 days') AS old`
        const old = made!.old.toISOString()
        yield* insertDecidedCalls(first, [
          calls("lic_b", { hour: old }),
          calls("lic_b", { hour: old, result: "LICENSE_EXPIRED" }),
          calls("lic_b", { hour: new Date(made!.old.getTime() + 60 * 86_400_000).toISOString() })
        ])
        yield* first`DELETE FROM pruned_tables WHERE name = 'decided_calls'`
        assert.lengthOf(yield* deleteDecidedCalls(first, 1), 1)
        assert.lengthOf(yield* deleteDecidedCalls(first, 1000), 1)
        assert.lengthOf(yield* deleteDecidedCalls(first, 1000), 0)
        const [kept] = yield* first`SELECT count(*)::int AS n FROM decided_calls WHERE license_id = 'lic_b'`
        assert.deepStrictEqual(kept, { n: 1 })
        const [marked] = yield* first<{ readonly until: Date }>`
          SELECT until FROM pruned_tables WHERE name = 'decided_calls'`
        assert.strictEqual(marked!.until.getTime(), made!.old.getTime() + 3_600_000)
      }))
  })
})
