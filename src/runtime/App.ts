import { Effect, Layer } from "effect"
import { Activations } from "../services/Activations.ts"
import { Customers } from "../services/Customers.ts"
import { DatabaseHealth } from "../services/DatabaseHealth.ts"
import * as Delivery from "../services/Delivery.ts"
import { Devices } from "../services/Devices.ts"
import { Events } from "../services/Events.ts"
import { Features } from "../services/Features.ts"
import { FeedSignal } from "../services/FeedSignal.ts"
import { Idempotency } from "../services/Idempotency.ts"
import { LicenseFeatures } from "../services/LicenseFeatures.ts"
import { Licenses } from "../services/Licenses.ts"
import { ManagementKeys } from "../services/ManagementKeys.ts"
import { Policies } from "../services/Policies.ts"
import { Products } from "../services/Products.ts"
import { RateLimits } from "../services/RateLimits.ts"
import { RuntimeSnapshot } from "../services/RuntimeSnapshot.ts"
import { Scopes } from "../services/Scopes.ts"
import { SequencerSignal } from "../services/SequencerSignal.ts"
import { Signing } from "../services/Signing.ts"
import { Usage } from "../services/Usage.ts"
import { Validations } from "../services/Validations.ts"
import { Vault } from "../services/Vault.ts"
import { WebhookEndpoints } from "../services/WebhookEndpoints.ts"
import { WebhookSecrets } from "../services/WebhookSecrets.ts"
import { clusterLayer } from "./Cluster.ts"
import { AppConfig } from "./Config.ts"
import * as FeedNotifications from "./FeedNotifications.ts"
import * as Migrations from "./Migrations.ts"
import * as OwnAddress from "./OwnAddress.ts"
import * as UndiciTransport from "./UndiciTransport.ts"

/** The event log and the keys: what everything else writes to or signs with. */
const foundation = Layer.provideMerge(Signing.layer, Events.layer).pipe(Layer.provideMerge(SequencerSignal.layer))

/** What management issues and steers. */
const management = Layer.mergeAll(Policies.layer, Features.layer, Customers.layer, ManagementKeys.layer).pipe(
  Layer.provideMerge(Products.layer)
)

/** What apps ask. */
const runtime = Layer.mergeAll(Activations.layer, Usage.layer, Validations.layer).pipe(
  Layer.provideMerge(RuntimeSnapshot.layer),
  Layer.provideMerge(Layer.mergeAll(Devices.layer, LicenseFeatures.layer)),
  Layer.provideMerge(Licenses.layer)
)

/** Who may. */
const access = Layer.mergeAll(Scopes.layer, Idempotency.layer).pipe(Layer.provideMerge(RateLimits.layer))

/** The actors' engine: alone on a database of our own, shared on one that other nodes may use too. */
const cluster = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ clusterHost, clusterPort, databaseUrl }) =>
      clusterLayer({ mode: databaseUrl === undefined ? "alone" : "shared", host: clusterHost, port: clusterPort })
  )
)

/** Webhooks: their endpoints, and everything between a committed event and the 2xx of its receivers. */
const delivery = Layer.mergeAll(Delivery.layer, FeedNotifications.layer).pipe(
  Layer.provideMerge(WebhookEndpoints.layer),
  Layer.provideMerge(WebhookSecrets.layer),
  Layer.provideMerge(FeedSignal.layer),
  Layer.provide(cluster),
  Layer.provide(UndiciTransport.layer.pipe(Layer.provide(OwnAddress.layer)))
)

/** The services of the application on a database that is migrated first. */
export const layer = Layer.mergeAll(management, runtime, access, delivery, DatabaseHealth.layer).pipe(
  Layer.provideMerge(foundation),
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(Vault.layer)
)
