import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookEndpoints, WebhookPurge } from "../../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = WebhookPurge.layer.pipe(Layer.provideMerge(layerNode), Layer.provide(layerTarget))

const input = { name: "Billing", url: "https://billing.example.com/hooks" }

describe("WebhookPurge", () => {
  it.effect("removes endpoints that were deleted a while ago, and secrets that ran out; nothing else", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const endpoints = yield* WebhookEndpoints
      const { step } = yield* WebhookPurge
      const create = Effect.map(endpoints.create(input), ({ webhook }) => webhook.id)
      const [live, deleted, longDeleted] = yield* Effect.all([create, create, create])
      yield* endpoints.update(live, { rotate_secret: true })
      yield* endpoints.remove(deleted)
      yield* endpoints.remove(longDeleted)
      const secrets = sql<{ readonly n: number }>`
        SELECT count(*)::int AS n FROM webhook_secrets WHERE endpoint_id = ${live}`.pipe(Effect.map(([row]) => row!.n))
      const there = sql<{ readonly id: string }>`SELECT id FROM webhook_endpoints`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      )
      yield* step
      assert.sameMembers(yield* there, [live, deleted, longDeleted])
      assert.strictEqual(yield* secrets, 2, "both sign while they overlap")
      yield* sql`UPDATE webhook_endpoints SET deleted_at = now() - interval '11 minutes' WHERE id = ${longDeleted}`
      yield* sql`UPDATE webhook_secrets SET expires_at = now() - interval '1 second'
        WHERE endpoint_id = ${live} AND expires_at IS NOT NULL`
      yield* step
      assert.sameMembers(yield* there, [live, deleted])
      assert.strictEqual(yield* secrets, 1)
    }).pipe(Effect.provide(layer)))

  it.effect("removes many a batch at a time, and passes by what is locked", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { step } = yield* WebhookPurge
      yield* sql`
        INSERT INTO webhook_endpoints (id, name, url, event_types, is_active, deleted_at)
        SELECT 'whep_' || n, 'n', 'https://example.com', '{}', false, now() - interval '1 hour'
        FROM generate_series(1, 1200) n`
      yield* sql`CREATE TABLE removals (xid xid8 DEFAULT pg_current_xact_id())`
      yield* sql`
        CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN INSERT INTO removals DEFAULT VALUES; RETURN OLD; END'`
      yield* sql`
        CREATE TRIGGER note BEFORE DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION note_removal()`
      const left = Effect.map(sql`SELECT id FROM webhook_endpoints`, (rows) => rows.length)
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT 1 FROM webhook_endpoints WHERE id = 'whep_7' FOR KEY SHARE`
        yield* step
        assert.strictEqual(yield* left, 1)
      }))
      yield* step
      assert.strictEqual(yield* left, 0)
      const steps = yield* sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM removals GROUP BY xid`
      assert.isAtMost(Math.max(...steps.map(({ n }) => n)), 500)
    }).pipe(Effect.provide(layer)))
})
