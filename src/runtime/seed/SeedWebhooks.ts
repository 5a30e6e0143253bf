import { Effect } from "effect"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { formatWebhookSecret, webhookSecretPrefix } from "../../domain/security/WebhookSecret.ts"
import { bootstrapActor } from "../../services/events/Provenance.ts"
import { Database } from "../../services/persistence/Database.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import type { TransportError } from "../../services/platform/Transport.ts"
import { Vault } from "../../services/security/Vault.ts"
import { webhookSecretPurpose } from "../../services/webhooks/WebhookSecrets.ts"
import type { Chance } from "./Chance.ts"
import { idAt, instant, unit } from "./Telling.ts"
import type { Told } from "./Telling.ts"

/** An endpoint of the story. */
interface SeedEndpoint {
  readonly name: string
  readonly url: string
  readonly types: ReadonlyArray<EventKind>
  readonly is_active: boolean
  /** How many of its latest deliveries have failed so far, and are to be repeated. */
  readonly failing: number
}

// Names that never lead anywhere (RFC 6761): nothing of a demonstration reaches anybody.
const endpoints: ReadonlyArray<SeedEndpoint> = [
  {
    name: "Billing",
    url: "https://billing.lumen.example/webhooks/countersign",
    types: ["license.renewed", "subscription.updated"],
    is_active: true,
    failing: 0
  },
  {
    name: "Analytics",
    url: "https://hooks.analytics.invalid/countersign",
    types: ["license.revoked", "license.suspended", "device.reset"],
    is_active: true,
    failing: 24
  },
  {
    name: "CRM (paused while it moves)",
    url: "https://crm.lumen.example/hooks",
    types: ["customer.created", "license.created"],
    is_active: false,
    failing: 0
  }
]

/** The record of the sender about a host without an address. */
const unresolved: TransportError = "dns"

/**
 * Prepares the endpoints: their events are told at the beginning. `write` writes them, which nothing is delivered to
 * until `stand` has them stand at a sequence of the feed, behind the whole story.
 */
export const makeSeedWebhooks = Effect.fnUntraced(function*(chance: Chance, told: Told, from: number) {
  const sql = yield* Database
  const vault = yield* Vault
  const { randomBytes } = yield* Cryptography
  const made = endpoints.map((endpoint, index) => {
    const at = from + (index + 1) * unit * 1_000_000
    const secret = formatWebhookSecret(randomBytes(32))
    const { failing: _, types, ...shown } = endpoint
    const id = idAt(chance, "whk", at)
    told.events.push({
      id: idAt(chance, "evt", at),
      at,
      account: 0,
      type: "webhook.created",
      resourceId: id,
      data: {
        id,
        ...shown,
        event_types: types,
        secret_prefix: webhookSecretPrefix(secret),
        status: endpoint.is_active ? "active" : "paused",
        created_at: instant(at),
        updated_at: instant(at)
      },
      actor: bootstrapActor,
      origin: { requestId: idAt(chance, "req", at), ipAddress: "192.0.2.10", traceparent: undefined }
    })
    return { endpoint, id, at: instant(at), secret }
  })

  const write = Effect.forEach(
    made,
    ({ at, endpoint: { is_active, name, types, url }, id, secret }) =>
      Effect.gen(function*() {
        yield* sql`
        INSERT INTO webhook_endpoints (id, name, url, event_types, is_active, created_at, updated_at)
        VALUES (${id}, ${name}, ${url}, ${types}::text[], ${is_active}, ${at}::text::timestamptz, ${at}::text::timestamptz)`
        yield* sql`
        INSERT INTO webhook_secrets (endpoint_id, secret, prefix, created_at)
        VALUES (${id}, ${vault.seal(webhookSecretPurpose(id), new TextEncoder().encode(secret))},
          ${webhookSecretPrefix(secret)}, ${at}::text::timestamptz)`
      }),
    { discard: true }
  )

  const stand = (sequence: number) =>
    Effect.forEach(
      made,
      ({ endpoint: { failing, is_active, types }, id }) =>
        Effect.gen(function*() {
          const [sent] = yield* sql<{ readonly count: bigint; readonly latest: Date | null }>`
          SELECT count(*) AS count, max(r.created_at) AS latest
          FROM event_places p JOIN event_records r USING (ordinal) WHERE p.event_type = ANY(${types}::text[])`
          const delivered = Math.max(0, Number(sent!.count) - failing)
          yield* sql`
          INSERT INTO webhook_lanes (endpoint_id, cursor_seq, delivered_total, last_attempt_at, last_success_at)
          VALUES (${id}, ${sequence}, ${is_active ? delivered : 0}, ${is_active ? sent!.latest : null}::timestamptz,
            ${is_active ? sent!.latest : null}::timestamptz)`
          if (failing === 0) return
          const retries = yield* sql`
          INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, first_at, last_at, last_outcome)
          SELECT ${id}, sequence, 2 + (sequence % 4), now() + (sequence % 240) * interval '1 second',
            now() - interval '5 hours', now() - (sequence % 30) * interval '1 minute', ${unresolved}
          FROM event_places WHERE event_type = ANY(${types}::text[]) ORDER BY sequence DESC LIMIT ${failing}
          RETURNING attempt`
          if (retries.length === 0) return
          yield* sql`
          UPDATE webhook_lanes SET breaker = 'open', probe_at = now() + interval '20 seconds', probe_count = 6,
            consecutive_failures = ${retries.length}, failing_since = now() - interval '5 hours',
            failing_deliveries = ${retries.length}, last_attempt_at = now(), last_success_at = now() - interval '5 hours',
            failed_total = (SELECT sum(attempt) FROM webhook_retries WHERE endpoint_id = ${id})
          WHERE endpoint_id = ${id}`
        }),
      { discard: true }
    )

  return { endpoints: made.length, write, stand }
})
