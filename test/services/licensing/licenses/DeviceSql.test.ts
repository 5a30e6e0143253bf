import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  updateAllReset,
  updateDeviceCount,
  updateIdle,
  updateRetired
} from "../../../../src/services/licensing/licenses/DeviceSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import type { Members } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

/** Minutes between the validations that the policy asks for, and days that a device may be offline. */
const interval = 10
const offlineDays = 2

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const license_id = yield* rows.license({}, {
    validation_interval_minutes: interval,
    offline_grace_days: offlineDays
  })
  const device = (members: Members = {}) =>
    Effect.map(rows.device({ license_id, floating: false, ...members }), ({ id }) => id)
  /** A container that was last seen so many minutes ago. */
  const container = (minutesAgo: number, members: Members = {}) =>
    device({
      binding_kind: "container",
      is_container: true,
      last_seen_at: first`now() - ${minutesAgo} * interval '1 minute'`,
      ...members
    })
  const ids = (found: ReadonlyArray<object>) => found.map((row) => (row as { readonly id: string }).id).toSorted()
  return { ...workers, container, device, ids, license_id, rows }
})

describe("the statements that retire devices", () => {
  layer(Workers.layer)((it) => {
    it.effect("retire those that are named, of their license alone, and all active ones when it is transferred", () =>
      Effect.gen(function*() {
        const { device, first, ids, license_id, rows } = yield* world
        const [a, b, blocked] = [yield* device(), yield* device(), yield* device({ status: "blacklisted" })]
        const other = (yield* rows.device()).id
        assert.deepStrictEqual(ids(yield* updateRetired(first, license_id, [a, other], "blacklisted")), [a])
        assert.deepStrictEqual(ids(yield* updateAllReset(first, license_id)), [b])
        const left = yield* first`SELECT id, status FROM devices WHERE id = ANY(${[a, b, blocked, other]}::text[])`
        assert.sameDeepMembers(left.map(({ id, status }) => [id, status]), [
          [a, "blacklisted"],
          [b, "reset"],
          [blocked, "blacklisted"],
          [other, "active"]
        ])
      }))

    it.effect("an idle container is one unseen for two intervals, and offline for as long as that may last", () =>
      Effect.gen(function*() {
        const { container, device, first, ids, license_id, rows } = yield* world
        const minutes = 2 * interval
        const day = 1440
        const [idle, second, kept] = [
          yield* container(minutes + 1),
          yield* container(minutes + 1),
          yield* container(minutes + 1)
        ]
        yield* container(minutes - 1)
        yield* device({ last_seen_at: first`now() - interval '9 days'` })
        yield* container(minutes + 1, { floating: true })
        yield* container(minutes + 1, { status: "reset" })
        yield* container(offlineDays * day - 1, { offline_counter: 1 })
        const offline = yield* container(offlineDays * day + 1, { offline_counter: 1 })
        const leased = yield* container(minutes + 1)
        yield* rows.insert("leases", {
          id: `lease_of_${leased}`,
          license_id,
          device_id: leased,
          token_hash: first`sha256(${leased}::text::bytea)`,
          rotated_at: first`now()`,
          checked_out_at: first`now()`,
          expires_at: first`now() + interval '10 minutes'`
        })
        const some = yield* updateIdle(first, license_id, { except: [kept], most: 1 })
        assert.deepStrictEqual(ids(some), [[idle, second, offline].toSorted()[0]])
        const rest = yield* updateIdle(first, license_id, { except: [kept], most: 10 })
        assert.deepStrictEqual([...ids(some), ...ids(rest)].toSorted(), [idle, second, offline].toSorted())
      }))

    it.effect("a license counts the activated devices that it has", () =>
      Effect.gen(function*() {
        const { device, first, license_id } = yield* world
        for (const members of [{}, {}, { floating: true }, { status: "reset" }]) yield* device(members)
        yield* updateDeviceCount(first, license_id)
        const [row] = yield* first`SELECT active_device_count AS n FROM licenses WHERE id = ${license_id}`
        assert.strictEqual(row!["n"], 2)
      }))
  })
})
