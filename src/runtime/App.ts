import { Effect, Layer } from "effect"
import { Activations } from "../services/Activations.ts"
import { Activities } from "../services/Activities.ts"
import { BootstrapTokens } from "../services/BootstrapTokens.ts"
import { Checkpoints } from "../services/Checkpoints.ts"
import { CustomerErasures } from "../services/CustomerErasures.ts"
import { Customers } from "../services/Customers.ts"
import { CustomFields } from "../services/CustomFields.ts"
import { CustomFieldValues } from "../services/CustomFieldValues.ts"
import { DatabaseClock } from "../services/DatabaseClock.ts"
import { DatabaseHealth } from "../services/DatabaseHealth.ts"
import * as Delivery from "../services/Delivery.ts"
import { Devices } from "../services/Devices.ts"
import { EventProofs } from "../services/EventProofs.ts"
import { Events } from "../services/Events.ts"
import { Explanations } from "../services/Explanations.ts"
import { ExportFreezer } from "../services/ExportFreezer.ts"
import { ExportSignal } from "../services/ExportSignal.ts"
import { ExportStore } from "../services/ExportStore.ts"
import { ExportWorker } from "../services/ExportWorker.ts"
import { Features } from "../services/Features.ts"
import { FeedSignal } from "../services/FeedSignal.ts"
import { Idempotency } from "../services/Idempotency.ts"
import { KnownCredentials } from "../services/KnownCredentials.ts"
import { LeaseEndings } from "../services/LeaseEndings.ts"
import { Leases } from "../services/Leases.ts"
import { LeaseSweeper } from "../services/LeaseSweeper.ts"
import { LicenseBatches } from "../services/LicenseBatches.ts"
import { LicenseFeatures } from "../services/LicenseFeatures.ts"
import { LicenseKeys } from "../services/LicenseKeys.ts"
import { LicensePast } from "../services/LicensePast.ts"
import { LicensePresent } from "../services/LicensePresent.ts"
import { LicenseRenewals } from "../services/LicenseRenewals.ts"
import { Licenses } from "../services/Licenses.ts"
import { LicenseSweeper } from "../services/LicenseSweeper.ts"
import { LicenseTransfers } from "../services/LicenseTransfers.ts"
import { LicenseUpdates } from "../services/LicenseUpdates.ts"
import { ManagementKeys } from "../services/ManagementKeys.ts"
import { Offline } from "../services/Offline.ts"
import { Orders } from "../services/Orders.ts"
import { Policies } from "../services/Policies.ts"
import { Products } from "../services/Products.ts"
import { ProductVersions } from "../services/ProductVersions.ts"
import { RateLimits } from "../services/RateLimits.ts"
import { RefusalLog } from "../services/RefusalLog.ts"
import { Replays } from "../services/Replays.ts"
import { ReportExports } from "../services/ReportExports.ts"
import { Reports } from "../services/Reports.ts"
import { ReportSource } from "../services/ReportSource.ts"
import { Revocations } from "../services/Revocations.ts"
import { RuntimeSnapshot } from "../services/RuntimeSnapshot.ts"
import { Scopes } from "../services/Scopes.ts"
import { SequencerSignal } from "../services/SequencerSignal.ts"
import { Sightings } from "../services/Sightings.ts"
import { Signing } from "../services/Signing.ts"
import { Subscriptions } from "../services/Subscriptions.ts"
import { Usage } from "../services/Usage.ts"
import { UsageBatch } from "../services/UsageBatch.ts"
import { Validations } from "../services/Validations.ts"
import { Vault } from "../services/Vault.ts"
import { WebhookEndpoints } from "../services/WebhookEndpoints.ts"
import { WebhookSecrets } from "../services/WebhookSecrets.ts"
import { WitnessKeeper } from "../services/WitnessKeeper.ts"
import { clusterLayer } from "./Cluster.ts"
import { AppConfig } from "./Config.ts"
import * as Database from "./Database.ts"
import * as FeedNotifications from "./FeedNotifications.ts"
import * as Migrations from "./Migrations.ts"
import * as OwnAddress from "./OwnAddress.ts"
import * as RenderProcess from "./RenderProcess.ts"
import * as UndiciTransport from "./UndiciTransport.ts"
import * as WitnessPlaces from "./WitnessPlaces.ts"

/** The event log, the keys and the end of leases: what everything else writes to, signs with or frees seats by. */
const foundation = Layer.provideMerge(Layer.mergeAll(Signing.layer, LeaseEndings.layer), Events.layer).pipe(
  Layer.provideMerge(SequencerSignal.layer)
)

/** What management issues and steers. */
const management = Layer.mergeAll(
  ManagementKeys.layer,
  Policies.layer,
  Features.layer,
  ProductVersions.layer,
  Subscriptions.layer,
  Orders.layer,
  CustomFields.layer,
  CustomFieldValues.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Products.layer, Customers.layer, Licenses.layer))
)

/** The actors' engine: alone on a database of our own, shared on one that other nodes may use too. */
const cluster = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ clusterHost, clusterPort, databaseUrl }) =>
      clusterLayer({ mode: databaseUrl === undefined ? "alone" : "shared", host: clusterHost, port: clusterPort })
  )
)

/** What apps ask. */
const runtime = Layer.mergeAll(
  Activations.layer,
  Leases.layer,
  LeaseSweeper.layerSingleton.pipe(Layer.provide(LeaseSweeper.layer), Layer.provide(cluster)),
  Offline.layer,
  Revocations.layer,
  Usage.layer.pipe(Layer.provide(UsageBatch.layer), Layer.provide(Idempotency.layer)),
  Validations.layer
).pipe(
  Layer.provideMerge(Replays.layer),
  Layer.provideMerge(Layer.mergeAll(RuntimeSnapshot.layer, Sightings.layer)),
  Layer.provideMerge(Layer.mergeAll(Devices.layer, LicenseFeatures.layer)),
  Layer.provideMerge(Licenses.layer)
)

/** Who may. */
const access = Layer.mergeAll(Scopes.layer.pipe(Layer.provide(BootstrapTokens.layer)), Idempotency.layer)

/** Who may how much. */
const limits = Layer.provideMerge(KnownCredentials.layer, RateLimits.layer)

/** What happens to licenses after they were issued, by people and by the clock. */
const lifecycle = Layer.mergeAll(
  LicenseUpdates.layer,
  LicenseRenewals.layer,
  LicenseTransfers.layer,
  LicenseKeys.layer,
  LicenseBatches.layer,
  Explanations.layer.pipe(Layer.provide(LicensePast.layer), Layer.provide(LicensePresent.layer)),
  LicenseSweeper.layerSingleton.pipe(Layer.provide(cluster))
).pipe(
  Layer.provideMerge(Layer.mergeAll(Devices.layer, Policies.layer)),
  Layer.provideMerge(Layer.mergeAll(Licenses.layer, Products.layer))
)

/** Webhooks: their endpoints, and everything between a committed event and the 2xx of its receivers. */
const delivery = Layer.mergeAll(Delivery.layer, FeedNotifications.layer).pipe(
  Layer.provideMerge(WebhookEndpoints.layer),
  Layer.provideMerge(WebhookSecrets.layer),
  Layer.provideMerge(FeedSignal.layer),
  Layer.provide(UndiciTransport.layer.pipe(Layer.provide(OwnAddress.layer))),
  Layer.provide(cluster)
)

/** The history as somebody checks it who does not trust the service. */
const evidence = Layer.mergeAll(
  EventProofs.layer,
  CustomerErasures.layer.pipe(Layer.provide(Customers.layer)),
  Checkpoints.layerSingleton.pipe(Layer.provide(cluster)),
  WitnessKeeper.layerSingleton.pipe(Layer.provide(cluster))
).pipe(
  Layer.provideMerge(Checkpoints.layer),
  Layer.provide(FeedSignal.layer)
)

/** What is read for people and for finance. */
const reports = Layer.mergeAll(Activities.layer, RefusalLog.layer, Reports.layer).pipe(
  Layer.provideMerge(ReportSource.layer)
)

/** Freezes reports however long the database needs for one: reading them has connections of its own. */
const freezing = ExportFreezer.layer.pipe(
  Layer.provide(Layer.fresh(ReportSource.layer)),
  Layer.provide(Database.layerUnhurried)
)

/** Reports that are frozen into files. Every node has a worker. */
const exports = Layer.mergeAll(ReportExports.layer, ExportWorker.layerRunning.pipe(Layer.provide(freezing)))
  .pipe(
    Layer.provide([ExportStore.layer, ExportSignal.layer]),
    Layer.provide(RenderProcess.layer)
  )

/** The services of the application on a database that is migrated first. */
export const layer = Layer.mergeAll(
  management,
  runtime,
  lifecycle,
  access,
  delivery,
  evidence,
  Layer.provideMerge(exports, reports),
  DatabaseHealth.layer
)
  .pipe(
    Layer.provideMerge(foundation),
    // A log that does not continue its witness gets no event more.
    Layer.provideMerge(WitnessKeeper.layer.pipe(Layer.provide(WitnessPlaces.layer))),
    Layer.provideMerge(limits),
    Layer.provideMerge(Vault.layer),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(Migrations.layer)
  )
