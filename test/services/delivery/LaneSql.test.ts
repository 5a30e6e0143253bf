import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { LaneChange } from "../../../src/domain/delivery/LaneChange.ts"
import { freeRate } from "../../../src/domain/delivery/pacing/LaneRate.ts"
import {
  disableEndpoint,
  findLane,
  listExhaustedEvents,
  lockFreeLanes,
  readExhausted,
  readLane,
  updateLanes
} from "../../../src/services/delivery/LaneSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

/** What a lane has to write after it has delivered everything up to `cursor`. */
const delivered = (endpointId: string, cursor: number, members: Partial<LaneChange> = {}): LaneChange => ({
  endpointId,
  cursor,
  delivered: 1,
  failed: 0,
  dropped: 0,
  attempted: true,
  succeeded: true,
  failing: false,
  failingDeliveries: 0,
  breaker: { state: "closed", consecutiveFailures: 0, probeCount: 0, probeAt: 0 },
  rate: freeRate,
  last: undefined,
  retries: [],
  settled: [],
  exhausted: [],
  ...members
})

/** What it has to write after a delivery has failed. */
const failed = (endpointId: string, cursor: number, sequence: number, attempt: number): LaneChange =>
  delivered(endpointId, cursor, {
    delivered: 0,
    failed: 1,
    succeeded: false,
    failing: true,
    failingDeliveries: 1,
    retries: [{ sequence, attempt, delay: 60_000, outcome: "500" }]
  })

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first, second } = workers
  const rows = makeRows(first)
  const lane = (id: string) => Effect.map(findLane(first, id), ([row]) => readLane(row!))
  const attempts = (id: string) =>
    Effect.map(
      first<{ readonly attempt: number }>`SELECT attempt FROM webhook_retries WHERE endpoint_id = ${id} ORDER BY seq`,
      (found) => found.map(({ attempt }) => attempt)
    )
  const totals = (id: string) =>
    Effect.map(
      first<{ readonly delivered: number; readonly failed: number }>`
        SELECT delivered_total::int AS delivered, failed_total::int AS failed FROM webhook_lanes WHERE endpoint_id = ${id}`,
      ([row]) => row!
    )
  return { ...workers, attempts, first, lane, rows, second, totals }
})

describe("the statements of lanes", () => {
  layer(Workers.layer)((it) => {
    it.effect("a cursor only moves forward: an owner that has lost its lane takes nothing back", () =>
      Effect.gen(function*() {
        const { first, lane, rows, second, totals, waiting } = yield* world
        const id = yield* rows.lane({ cursor_seq: 3 })
        // The new owner is further, and the old one writes what it still holds while that is being written.
        yield* waiting(updateLanes(first, [delivered(id, 90)]), updateLanes(second, [delivered(id, 40)]))
        assert.strictEqual((yield* lane(id)).cursor_seq, 90)
        assert.deepStrictEqual(yield* totals(id), { delivered: 2, failed: 0 })
        yield* updateLanes(second, [delivered(id, 41)])
        assert.strictEqual((yield* lane(id)).cursor_seq, 90)
      }))

    it.effect("attempts only grow: an owner that has lost its lane makes no attempt be made again", () =>
      Effect.gen(function*() {
        const { attempts, first, rows, second, waiting } = yield* world
        const id = yield* rows.lane()
        yield* waiting(updateLanes(first, [failed(id, 5, 4, 7)]), updateLanes(second, [failed(id, 5, 4, 2)]))
        assert.deepStrictEqual(yield* attempts(id), [7])
        yield* updateLanes(second, [failed(id, 5, 4, 8)])
        assert.deepStrictEqual(yield* attempts(id), [8])
      }))

    it.effect("a deleted endpoint gets no retry, and keeps nobody else's from being written", () =>
      Effect.gen(function*() {
        const { attempts, first, rows, second, waiting } = yield* world
        const gone = yield* rows.lane()
        const stays = yield* rows.lane()
        const [, written] = yield* waiting(
          first`DELETE FROM webhook_endpoints WHERE id = ${gone}`,
          updateLanes(second, [failed(gone, 5, 4, 1)])
        )
        assert.deepStrictEqual(written, [])
        const later = yield* updateLanes(second, [failed(gone, 5, 4, 1), failed(stays, 5, 4, 1)])
        assert.deepStrictEqual(later, [{ endpoint_id: stays, hopeless: false }])
        assert.deepStrictEqual(yield* attempts(gone), [])
        assert.deepStrictEqual(yield* attempts(stays), [1])
      }))

    it.effect("what is settled or given up leaves the retries, and other lanes keep theirs", () =>
      Effect.gen(function*() {
        const { attempts, first, rows } = yield* world
        const [a, b] = [yield* rows.lane(), yield* rows.lane()]
        const two = [{ sequence: 1, attempt: 1, delay: 1, outcome: "500" }, {
          sequence: 2,
          attempt: 2,
          delay: 1,
          outcome: "500"
        }, { sequence: 3, attempt: 3, delay: 1, outcome: "500" }]
        yield* updateLanes(first, [delivered(a, 3, { retries: two }), delivered(b, 3, { retries: two })])
        yield* updateLanes(first, [
          delivered(a, 3, { settled: [1], exhausted: [{ sequence: 3, attempts: 9, outcome: "500" }] })
        ])
        assert.deepStrictEqual(yield* attempts(a), [2])
        assert.deepStrictEqual(yield* attempts(b), [1, 2, 3])
      }))

    it.effect("lanes are written together whatever their numbers are: whole or broken, small or large", () =>
      Effect.gen(function*() {
        const { first, lane, rows } = yield* world
        const [a, b] = [yield* rows.lane(), yield* rows.lane()]
        const open = { state: "open", consecutiveFailures: 10, probeCount: 1, probeAt: 4_123.456 } as const
        yield* updateLanes(first, [
          delivered(a, 5),
          delivered(b, 5_000_000_000, {
            breaker: open,
            rate: { restUntil: 7_000.5, perSecond: 1.6, refusals: 2 },
            last: { class: "throttled", status: 429, location: undefined }
          })
        ])
        const [free, throttled] = [yield* lane(a), yield* lane(b)]
        assert.notProperty(free, "rest_in")
        assert.deepInclude(throttled, { cursor_seq: 5_000_000_000, breaker: "open", rate_per_second: 1.6, refusals: 2 })
        assert.isAbove(throttled.rest_in!, 6_000)
      }))

    it.effect("an endpoint is hopeless only after five days of failures of ten deliveries", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const hopeless = Effect.fnUntraced(function*(hours: number, deliveries: number) {
          const id = yield* rows.lane({
            failing_since: first`now() - ${hours} * interval '1 hour'`,
            failing_deliveries: deliveries
          })
          const [written] = yield* updateLanes(first, [failed(id, 5, 4, 1)])
          return written!.hopeless
        })
        assert.isTrue(yield* hopeless(120, 10))
        assert.isFalse(yield* hopeless(119, 10))
        assert.isFalse(yield* hopeless(120, 9))
      }))

    it.effect("a success ends what was failing, and a failure does not begin it anew", () =>
      Effect.gen(function*() {
        const { first, lane, rows } = yield* world
        const id = yield* rows.lane({ failing_since: first`now() - interval '120 hours'`, failing_deliveries: 10 })
        const [still] = yield* updateLanes(first, [failed(id, 5, 4, 1)])
        assert.isTrue(still!.hopeless)
        yield* updateLanes(first, [delivered(id, 5)])
        const { failing, failing_deliveries } = yield* lane(id)
        assert.deepStrictEqual({ failing, failing_deliveries }, { failing: false, failing_deliveries: 0 })
        const [again] = yield* updateLanes(first, [delivered(id, 5, { failing: true, failingDeliveries: 1 })])
        assert.isFalse(again!.hopeless)
      }))

    it.effect("an exhausted webhook event feeds no other", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const kinds = ["license.activated", "webhook.delivery_exhausted", "webhook.disabled", "webhooks_are.fine"]
        for (const [index, event_type] of kinds.entries()) yield* rows.event(index + 1, { event_type })
        const found = yield* listExhaustedEvents(first, [1, 2, 3, 4])
        assert.deepStrictEqual(
          found.map((row) => readExhausted(row).event_type).toSorted(),
          ["license.activated", "webhooks_are.fine"]
        )
      }))

    it.effect("a locked lane holds up no other", () =>
      Effect.gen(function*() {
        const { first, passing, rows, second } = yield* world
        const [lane, endpoint, free] = [yield* rows.lane(), yield* rows.lane(), yield* rows.lane()]
        const held = Effect.andThen(
          first`SELECT 1 FROM webhook_lanes WHERE endpoint_id = ${lane} FOR UPDATE`,
          first`SELECT 1 FROM webhook_endpoints WHERE id = ${endpoint} FOR UPDATE`
        )
        const [, locked] = yield* passing(held, lockFreeLanes(second, [lane, endpoint, free]))
        assert.deepStrictEqual(locked.map(({ endpoint_id }) => endpoint_id).toSorted(), [lane, endpoint].toSorted())
      }))

    it.effect("an endpoint is disabled once, however many lanes give it up at the same time", () =>
      Effect.gen(function*() {
        const { first, rows, second, waiting } = yield* world
        const id = yield* rows.lane()
        const [won, lost] = yield* waiting(disableEndpoint(first, id, "gone"), disableEndpoint(second, id, "failing"))
        assert.lengthOf(won, 1)
        assert.lengthOf(lost, 0)
        const paused = yield* rows.lane({}, { is_active: false })
        assert.lengthOf(yield* disableEndpoint(first, paused, "gone"), 0)
      }))
  })
})
