import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { deleteLongDeleted, updateSettings } from "../../../../src/services/delivery/webhooks/WebhookEndpointSql.ts"
import { deleteLongExpired, insertLane, updateSkipped } from "../../../../src/services/delivery/webhooks/WebhookSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const endpoint = (sql: Database, id: string) =>
  sql`
    INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
    VALUES (${id}, 'Billing', 'https://billing.example.com', '{}', true)`

describe("the statements of webhook endpoints, their lanes and secrets", () => {
  layer(Workers.layer)((it) => {
    it.effect("the purge passes by an endpoint that is locked, and removes it later", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        for (const id of ["whk_1", "whk_2"]) yield* endpoint(first, id)
        yield* first`UPDATE webhook_endpoints SET is_active = false, deleted_at = now() - interval '1 hour'`
        const held = first`SELECT 1 FROM webhook_endpoints WHERE id = 'whk_1' FOR KEY SHARE`
        const [, removed] = yield* passing(held, deleteLongDeleted(second, 10))
        assert.lengthOf(removed, 1)
        assert.lengthOf(yield* deleteLongDeleted(second, 10), 1)
      }))

    it.effect("the purge passes by a secret that is locked, and removes it later", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        yield* endpoint(first, "whk_3")
        yield* first`
          INSERT INTO webhook_secrets (endpoint_id, secret, prefix, expires_at)
          SELECT 'whk_3', decode('02', 'hex'), 'whsec_' || n, now() - interval '1 second' FROM generate_series(1, 2) n`
        const held = first`SELECT 1 FROM webhook_secrets WHERE prefix = 'whsec_1' FOR UPDATE`
        const [, removed] = yield* passing(held, deleteLongExpired(second, 10))
        assert.lengthOf(removed, 1)
        assert.lengthOf(yield* deleteLongExpired(second, 10), 1)
      }))

    it.effect("a change of an endpoint has a lane that waits try at once, and leaves one that does not as it is", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        for (const id of ["whk_5", "whk_6"]) {
          yield* endpoint(first, id)
          yield* insertLane(first, id)
        }
        yield* first`UPDATE webhook_lanes SET breaker = 'open', probe_at = now() + interval '1 hour', probe_count = 4
          WHERE endpoint_id = 'whk_5'`
        const lane = (id: string) =>
          Effect.map(
            first`SELECT probe_at <= now() AS due, probe_count::int AS probes, breaker FROM webhook_lanes
              WHERE endpoint_id = ${id}`,
            ([row]) => row
          )
        yield* updateSettings(first, "whk_5", { url: "https://other.example.com" })
        assert.deepStrictEqual(yield* lane("whk_5"), { due: true, probes: 0, breaker: "open" })
        yield* updateSettings(first, "whk_6", { url: "https://other.example.com" })
        assert.deepStrictEqual(yield* lane("whk_6"), { due: null, probes: 0, breaker: "closed" })
      }))

    it.effect("a skip moves no cursor back that another node moved on meanwhile", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* endpoint(first, "whk_4")
        yield* insertLane(first, "whk_4")
        const moved = first`UPDATE webhook_lanes SET cursor_seq = 20 WHERE endpoint_id = 'whk_4'`
        yield* waiting(moved, updateSkipped(second, "whk_4", 10))
        const [lane] = yield* first<{ readonly cursor: number }>`
          SELECT cursor_seq::int AS cursor FROM webhook_lanes WHERE endpoint_id = 'whk_4'`
        assert.strictEqual(lane!.cursor, 20)
      }))
  })
})
