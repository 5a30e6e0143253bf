// The delivery of a node as the service composes it, alone on its database, without the API around it. An event is
// appended in a transaction of its own, of the kind that uses are committed in, and the rest is the sequencer's, the
// dispatcher's and the lanes'.
import { Effect, Layer, Logger, ManagedRuntime, Redacted, References } from "effect"
import { kinds } from "../../src/domain/log/EventKind.ts"
import { sequencer } from "../../src/runtime/Actors.ts"
import { clusterLayer } from "../../src/runtime/Cluster.ts"
import * as FeedNotifications from "../../src/runtime/node/FeedNotifications.ts"
import * as NodeCryptography from "../../src/runtime/node/NodeCryptography.ts"
import * as UndiciTransport from "../../src/runtime/node/UndiciTransport.ts"
import { DatabaseTarget, layerTarget } from "../../src/runtime/postgres/Database.ts"
import * as Migrations from "../../src/runtime/postgres/Migrations.ts"
import * as Delivery from "../../src/services/delivery/DeliveryLayer.ts"
import { WebhookEndpoints } from "../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "../../src/services/delivery/webhooks/WebhookSecrets.ts"
import { Agenda } from "../../src/services/ground/agenda/Agenda.ts"
import { GroupTransactions } from "../../src/services/ground/persistence/GroupCommit.ts"
import { Identifiers } from "../../src/services/ground/persistence/Identifiers.ts"
import { Settings } from "../../src/services/ground/platform/Settings.ts"
import { Vault } from "../../src/services/keys/security/Vault.ts"
import { Events } from "../../src/services/log/Events.ts"
import { FeedSignal } from "../../src/services/log/FeedPosition.ts"
import { licenseActor } from "../../src/services/log/Provenance.ts"
import { SequencerSignal } from "../../src/services/log/Sequencer.ts"
import { serveSender } from "./DeliverySender.ts"

/**
 * The kinds of the events, first the one that comes in volume. Webhooks' own are not for endpoints of a benchmark that
 * makes endpoints.
 */
const subjects = [
  "license.usage_recorded",
  ...kinds.filter((kind) => kind !== "license.usage_recorded" && !kind.startsWith("webhook."))
] as const

/** What is used, and who says so: uses are by their licenses. */
const license = "lic_01k6f3q8zve8rbkm1v4t2c9dxa"

const settings = Layer.succeed(Settings, {
  publicUrl: "http://127.0.0.1",
  environments: ["live"],
  webhookAllowedCidrs: ["127.0.0.0/8"],
  trustedProxies: [],
  masterKey: Redacted.make(new Uint8Array(32).fill(7)),
  adminToken: Redacted.make("bench-token-0123456789abcdefghij"),
  exportRetentionDays: 90,
  sessionHours: 12,
  sessionIdleMinutes: 60,
  retainActivityDays: 3660,
  retainBillingBodyDays: 90,
  retainLeaseDays: 0,
  retainUsageDays: 0,
  rates: { failuresPerMinute: 60, address: 0, key: 0, token: 0, trialsPerHour: 0 },
  maximumStoredAnswers: 1_000_000,
  version: "0.0.0-bench"
})

const node = (databaseUrl: string) =>
  Layer.mergeAll(sequencer, FeedNotifications.layer).pipe(
    Layer.provideMerge(Delivery.layer),
    Layer.provideMerge(WebhookEndpoints.layer),
    Layer.provideMerge(UndiciTransport.layer),
    Layer.provideMerge(clusterLayer({ mode: "alone", host: "127.0.0.1", port: 0 })),
    Layer.provideMerge(Events.layer),
    Layer.provideMerge(WebhookSecrets.layer),
    // Its keys are read when it is made, so that their table must be there.
    Layer.provideMerge(Vault.layer),
    Layer.provideMerge(Agenda.layer),
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(Layer.mergeAll(Identifiers.layer, SequencerSignal.layer, FeedSignal.layer)),
    Layer.provideMerge(layerTarget),
    Layer.provideMerge(Layer.mergeAll(NodeCryptography.layer, settings)),
    Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(databaseUrl) })),
    Layer.provideMerge(Logger.layer([])),
    // As the service is without an OTLP endpoint.
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )

serveSender(async ({ databaseUrl, endpoints }) => {
  const runtime = ManagedRuntime.make(node(databaseUrl))
  const { transactions, events, webhooks } = await runtime.runPromise(Effect.all({
    transactions: GroupTransactions,
    events: Events,
    webhooks: WebhookEndpoints
  }))
  const ids = await runtime.runPromise(Effect.forEach(
    endpoints,
    ({ kind, url }, index) =>
      Effect.map(
        webhooks.create({ name: `Receiver ${index}`, url, event_types: [subjects[kind]!], is_active: false }),
        ({ webhook }) => webhook.id
      ),
    { concurrency: 8 }
  ))
  const setActive = (is_active: boolean) =>
    runtime.runPromise(
      Effect.forEach(ids, (id) => webhooks.update(id, { is_active }), { concurrency: 8, discard: true })
    )
  return {
    enqueue: ({ data, kind }) =>
      runtime.runPromise(transactions.run(
        events.append({ type: subjects[kind]!, resourceId: license, actor: licenseActor(license), data }),
        { wait: false }
      )),
    start: () => setActive(true),
    stop: async () => {
      await setActive(false)
      // No POST starts later than this after a pause.
      await new Promise((resolve) => setTimeout(resolve, 1100))
    }
  }
})
