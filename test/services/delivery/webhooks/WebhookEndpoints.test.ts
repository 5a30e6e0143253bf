import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { addressNotAllowed } from "../../../../src/domain/ground/admission/Address.ts"
import { countEvents, WebhookEndpoints } from "../../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "../../../../src/services/delivery/webhooks/WebhookSecrets.ts"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = layerNode.pipe(Layer.provide(layerTarget))

const input = { name: "Billing", url: "https://billing.example.com/hooks" }

const kindsIn = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly event_type: string }>`SELECT event_type FROM event_outbox ORDER BY xid, ordinal`
).pipe(
  Effect.map((rows) => rows.map(({ event_type }) => event_type))
)

const fields = (effect: Effect.Effect<unknown, unknown, WebhookEndpoints>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => (error as { error: { fields?: ReadonlyArray<{ path: string; message: string }> } }).error.fields
  )

describe("WebhookEndpoints", () => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    it.effect("counts a backlog that is longer than one statement counts", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        yield* sql`
          INSERT INTO event_places (sequence, ordinal, id, event_type, actor_type, previous_hash, hash)
          SELECT n, n, 'evt_' || n, CASE WHEN n % 2 = 1 THEN 'license.created' ELSE 'product.created' END, 'system', '', ''
          FROM unnest(ARRAY[1, 1000000, 1000001, 2000000, 2000001, 2500000]) AS n`
        const counted = (from: number, to: number, ...types: ReadonlyArray<string>) => countEvents(sql, types, from, to)
        assert.strictEqual(yield* counted(0, 2_500_000), 6)
        assert.strictEqual(yield* counted(0, 2_500_000, "license.*"), 3)
        assert.strictEqual(yield* counted(1, 2_000_001), 4)
        assert.strictEqual(yield* counted(1_000_000, 2_000_000), 2)
        assert.strictEqual(yield* counted(7, 7), 0)
        assert.strictEqual(yield* counted(9, 7), 0)
        yield* sql`DELETE FROM event_places`
      }))

    it.effect("creates, shows, lists, changes and deletes, with an event for each change", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const { secret, webhook } = yield* endpoints.create({ ...input, event_types: ["license.*", "license.*"] })
        assert.match(webhook.id, /^whk_/)
        assert.match(secret, /^whsec_/)
        assert.isTrue(secret.startsWith(webhook.secret_prefix))
        assert.deepStrictEqual(webhook.event_types, ["license.*"])
        assert.strictEqual(webhook.status, "active")
        assert.notProperty(webhook, "disabled_reason")
        assert.deepStrictEqual(yield* endpoints.get(webhook.id), webhook)
        const changed = yield* endpoints.update(webhook.id, { name: "Ledger", event_types: [] })
        assert.include(changed, { name: "Ledger", is_active: true })
        assert.include(yield* endpoints.update(webhook.id, { is_active: false }), { status: "paused" })
        const other = yield* endpoints.create({ ...input, is_active: false })
        const page = yield* endpoints.list({ limit: 1, cursor: undefined })
        assert.deepStrictEqual(page.items.map(({ id }) => id), [other.webhook.id])
        const rest = yield* endpoints.list({ limit: 1, cursor: page.page_info.next_cursor! })
        assert.deepStrictEqual(rest.items.map(({ id }) => id), [webhook.id])
        yield* endpoints.remove(webhook.id)
        assert.strictEqual((yield* Effect.flip(endpoints.get(webhook.id)))._tag, "NOT_FOUND")
        assert.strictEqual((yield* Effect.flip(endpoints.remove(webhook.id)))._tag, "NOT_FOUND")
        assert.strictEqual((yield* Effect.flip(endpoints.update(webhook.id, {})))._tag, "NOT_FOUND")
        assert.deepStrictEqual(yield* kindsIn, [
          "webhook.created",
          "webhook.updated",
          "webhook.updated",
          "webhook.created",
          "webhook.deleted"
        ])
      }))

    it.effect("refuses addresses that are not public, whatever way they are written", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        for (const url of ["https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/"]) {
          assert.deepInclude((yield* fields(endpoints.create({ ...input, url })))![0], {
            path: "url",
            message: addressNotAllowed
          })
        }
        const plain = yield* fields(endpoints.create({ ...input, url: "http://example.com/" }))
        assert.strictEqual(plain![0]!.path, "url")
        const { webhook } = yield* endpoints.create(input)
        assert.isDefined(yield* fields(endpoints.update(webhook.id, { url: "https://user:word@example.com/" })))
      }))

    it.effect("rotates secrets with an overlap, keeps five at most, and forgets compromised ones at once", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const secrets = yield* WebhookSecrets
        const { secret, webhook } = yield* endpoints.create(input)
        const live = Effect.map(secrets.live(webhook.id), (all) => all.map(({ secret }) => secret))
        const rotated = yield* endpoints.update(webhook.id, { rotate_secret: true })
        assert.property(rotated, "secret")
        const second = (rotated as { secret: string }).secret
        assert.deepStrictEqual(yield* live, [second, secret])
        const given = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
        assert.include(yield* endpoints.update(webhook.id, { secret: given }), { secret: given })
        for (let index = 0; index < 4; index++) yield* endpoints.update(webhook.id, { rotate_secret: true })
        assert.strictEqual((yield* live).length, 5)
        assert.notInclude(yield* live, secret)
        const last = yield* endpoints.update(webhook.id, { rotate_secret: true, secret_overlap_seconds: 0 })
        assert.deepStrictEqual(yield* live, [(last as { secret: string }).secret])
        const both = yield* fields(endpoints.update(webhook.id, { secret: given, rotate_secret: true }))
        assert.strictEqual(both![0]!.path, "rotate_secret")
        assert.include(yield* kindsIn, "webhook.secret_rotated")
      }))

    it.effect("goes on signing with a secret that no new one may be like, and takes it again", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const secrets = yield* WebhookSecrets
        const { webhook } = yield* endpoints.create(input)
        const stored = `whsec_${Buffer.alloc(32, 0xfb).toString("base64url")}`
        yield* secrets.add(webhook.id, stored, 0)
        assert.deepStrictEqual((yield* secrets.live(webhook.id)).map(({ secret }) => secret), [stored])
        assert.include(yield* endpoints.update(webhook.id, { secret: stored, name: "Ledger" }), { secret: stored })
        const refused = yield* fields(endpoints.update(webhook.id, { secret: stored.replace("whsec_-", "whsec_A-") }))
        assert.deepStrictEqual(refused!.map(({ path }) => path), ["secret"])
      }))

    it.effect("keeps no secret in clear", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const sql = yield* SqlClient.SqlClient
        const { secret, webhook } = yield* endpoints.create(input)
        const [row] = yield* sql<{ readonly secret: Uint8Array }>`
          SELECT secret FROM webhook_secrets WHERE endpoint_id = ${webhook.id}`
        assert.notInclude(Buffer.from(row!.secret).toString("latin1"), secret.slice(6, 20))
        const [found] = yield* sql<{ readonly count: number }>`
          SELECT count(*)::int AS count FROM event_outbox WHERE data LIKE ${`%${secret}%`}`
        assert.strictEqual(found!.count, 0)
      }))

    it.effect("starts at the head of the feed", () =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE event_chain SET last_sequence = 41`
        const { webhook } = yield* endpoints.create(input)
        const [lane] = yield* sql`SELECT cursor_seq::int AS cursor FROM webhook_lanes WHERE endpoint_id = ${webhook.id}`
        assert.deepStrictEqual(lane, { cursor: 41 })
      }))
  })
})
