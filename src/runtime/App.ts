import { Effect, Layer } from "effect"
import { CustomFields } from "../services/catalog/CustomFields.ts"
import { Features } from "../services/catalog/Features.ts"
import { FormerCodes } from "../services/catalog/FormerCodes.ts"
import { Policies } from "../services/catalog/Policies.ts"
import { PolicyFeatures } from "../services/catalog/PolicyFeatures.ts"
import { Products, ProductVersions } from "../services/catalog/Products.ts"
import { Customers } from "../services/customers/Customers.ts"
import { Orders } from "../services/customers/Orders.ts"
import { Subscriptions } from "../services/customers/Subscriptions.ts"
import * as Delivery from "../services/delivery/DeliveryLayer.ts"
import { EndpointTests } from "../services/delivery/Sender.ts"
import { WebhookEndpoints } from "../services/delivery/webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "../services/delivery/webhooks/WebhookSecrets.ts"
import { Activities } from "../services/evidence/audit/Activities.ts"
import { RefusalLog } from "../services/evidence/audit/RefusalLog.ts"
import { ExportClaims, ExportFiles } from "../services/evidence/exports/ExportClaims.ts"
import { ExportFreezer } from "../services/evidence/exports/ExportFreezer.ts"
import { ExportWorker } from "../services/evidence/exports/ExportWorker.ts"
import { ReportExports } from "../services/evidence/exports/ReportExports.ts"
import { Receipts } from "../services/evidence/receipts/Receipts.ts"
import { PolicyRehearsals } from "../services/evidence/rehearsals/RehearsedLicenses.ts"
import { Overviews } from "../services/evidence/reports/Overviews.ts"
import { Reports } from "../services/evidence/reports/Reports.ts"
import { ReportSource } from "../services/evidence/reports/ReportSource.ts"
import { Pruner } from "../services/evidence/retention/Pruner.ts"
import { Checkpoints } from "../services/evidence/transparency/Checkpoints.ts"
import { EventProofs } from "../services/evidence/transparency/EventProofs.ts"
import { EventTiles } from "../services/evidence/transparency/EventTiles.ts"
import { WitnessKeeper } from "../services/evidence/transparency/WitnessKeeper.ts"
import { KnownCredentials } from "../services/ground/admission/KnownCredentials.ts"
import { RateLimits } from "../services/ground/admission/RateLimits.ts"
import { Agenda } from "../services/ground/agenda/Agenda.ts"
import { Announcements, makeAnnouncements } from "../services/ground/agenda/Announcements.ts"
import { DatabaseClock } from "../services/ground/persistence/Identifiers.ts"
import { DatabaseHealth } from "../services/ground/platform/DatabaseHealth.ts"
import { EnvironmentClock } from "../services/jobs/clock/EnvironmentClock.ts"
import * as Jobs from "../services/jobs/JobLayers.ts"
import { Revocations } from "../services/keys/security/Revocations.ts"
import { Signing } from "../services/keys/security/Signing.ts"
import { Vault } from "../services/keys/security/Vault.ts"
import { ServiceSettings } from "../services/keys/settings/ServiceSettings.ts"
import { Answers } from "../services/licensing/entitlements/Answers.ts"
import { EntitlementState } from "../services/licensing/entitlements/EntitlementState.ts"
import { Explanations } from "../services/licensing/entitlements/Explanations.ts"
import { Replays } from "../services/licensing/entitlements/Replays.ts"
import { Validations } from "../services/licensing/entitlements/Validations.ts"
import { Leases, LeaseSweeper } from "../services/licensing/floating/Leases.ts"
import { CustomFieldValues } from "../services/licensing/licenses/CustomFieldValues.ts"
import { Devices } from "../services/licensing/licenses/Devices.ts"
import { LeaseClosing } from "../services/licensing/licenses/LeaseClosing.ts"
import { LicenseBatches } from "../services/licensing/licenses/LicenseBatches.ts"
import { LicenseCreation } from "../services/licensing/licenses/LicenseCreation.ts"
import { LicenseFeatures } from "../services/licensing/licenses/LicenseFeatures.ts"
import { Licenses } from "../services/licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../services/licensing/licenses/LicenseUsers.ts"
import { SubscriptionFollowing } from "../services/licensing/licenses/SubscriptionFollowing.ts"
import { LicenseSweeper } from "../services/licensing/lifecycle/LicenseSweeper.ts"
import { LicenseKeys, LicenseTransfers } from "../services/licensing/lifecycle/LicenseTransfers.ts"
import { LicenseRenewals, LicenseUpdates } from "../services/licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges, PolicyDryRuns } from "../services/licensing/lifecycle/PolicyChanges.ts"
import * as Metering from "../services/licensing/metering/MeteringLayers.ts"
import { Offline, OfflineFiles } from "../services/licensing/offline/OfflineFiles.ts"
import { Activations } from "../services/licensing/seats/Activations.ts"
import { SelfService } from "../services/licensing/seats/SelfService.ts"
import { Trials } from "../services/licensing/seats/Trials.ts"
import * as Sightings from "../services/licensing/sightings/SightingLayers.ts"
import { UsageWarnings } from "../services/licensing/warnings/UsageWarnings.ts"
import { Events } from "../services/log/Events.ts"
import { FeedSignal } from "../services/log/FeedPosition.ts"
import { SequencerSignal } from "../services/log/Sequencer.ts"
import * as Mail from "../services/mail/MailLayers.ts"
import { BootstrapTokens } from "../services/people/access/BootstrapTokens.ts"
import { Idempotency } from "../services/people/access/Idempotency.ts"
import { ManagementKeys } from "../services/people/access/ManagementKeys.ts"
import { PublishableKeys } from "../services/people/access/PublishableKeys.ts"
import { ProductReach, Scopes } from "../services/people/access/Scopes.ts"
import * as Approvals from "../services/people/approvals/ApprovalLayers.ts"
import * as Notes from "../services/people/notes/NoteLayers.ts"
import * as Passkeys from "../services/people/passkeys/PasskeyLayers.ts"
import { Invitations, People } from "../services/people/People.ts"
import { providerDoors } from "../services/people/ProviderSignOuts.ts"
import { RefusedSignIns } from "../services/people/RefusedSignIns.ts"
import { Roles } from "../services/people/Roles.ts"
import { Sessions } from "../services/people/Sessions.ts"
import * as Portal from "../services/portal/PortalLayers.ts"
import { CustomerErasures } from "../services/portal/privacy/CustomerErasures.ts"
import { UserErasures } from "../services/portal/privacy/UserErasures.ts"
import { BillingConnections } from "../services/sales/billing/BillingConnections.ts"
import { EventBodies } from "../services/sales/billing/EventBodies.ts"
import { Inbox } from "../services/sales/billing/Inbox.ts"
import { InboxSignal } from "../services/sales/billing/InboxSignal.ts"
import { ProviderReader } from "../services/sales/billing/ProviderReader.ts"
import { PurchaseActor } from "../services/sales/purchases/PurchaseActor.ts"
import { PurchaseCommands } from "../services/sales/purchases/PurchaseCommands.ts"
import { PurchaseOwners } from "../services/sales/purchases/PurchaseOwners.ts"
import { PurchaseReading } from "../services/sales/purchases/PurchaseReading.ts"
import { PurchaseRecords } from "../services/sales/purchases/PurchaseRecords.ts"
import { PurchaseRouter, PurchaseSweeper } from "../services/sales/purchases/PurchaseRouter.ts"
import { Purchases } from "../services/sales/purchases/Purchases.ts"
import { PurchaseSnapshots } from "../services/sales/purchases/PurchaseSnapshots.ts"
import { PurchaseUnits } from "../services/sales/purchases/PurchaseUnits.ts"
import { PurchaseWork } from "../services/sales/purchases/PurchaseWork.ts"
import { Reconciliations } from "../services/sales/reconciling/Reconciliations.ts"
import { ReconciliationWorker } from "../services/sales/reconciling/ReconciliationWorker.ts"
import * as Actors from "./Actors.ts"
import { clusterLayer } from "./Cluster.ts"
import { AppConfig } from "./config/Config.ts"
import * as FeedNotifications from "./node/FeedNotifications.ts"
import * as OpenIdProvider from "./node/OpenIdProvider.ts"
import * as OwnAddress from "./node/OwnAddress.ts"
import * as RenderProcess from "./node/RenderProcess.ts"
import * as SmtpTransport from "./node/SmtpTransport.ts"
import * as UndiciTransport from "./node/UndiciTransport.ts"
import * as WebAuthn from "./node/WebAuthn.ts"
import * as WitnessPlaces from "./node/WitnessPlaces.ts"
import { providerHttp, userSignIns } from "./Outbound.ts"
import * as Database from "./postgres/Database.ts"
import * as Migrations from "./postgres/Migrations.ts"

/** The event log, the keys, the closing of leases, the former codes and mails: almost every other service uses them. */
const foundation = Layer.provideMerge(
  Layer.mergeAll(Signing.layer, LeaseClosing.layer, FormerCodes.layer, Mail.layer),
  Events.layer
).pipe(Layer.provideMerge(SequencerSignal.layer))

/** The resources that management issues and manages. */
const management = Layer.mergeAll(
  ManagementKeys.layer,
  PublishableKeys.layer,
  Layer.mergeAll(Roles.layer, Invitations.layer, providerDoors, Passkeys.layer, Approvals.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Sessions.layer, RefusedSignIns.layer)),
    Layer.provideMerge(People.layer),
    Layer.provide(Layer.mergeAll(OpenIdProvider.layer, WebAuthn.layer)),
    Layer.provide(ManagementKeys.layer)
  ),
  Policies.layer,
  PolicyFeatures.layer.pipe(Layer.provide(Policies.layer)),
  Features.layer,
  ProductVersions.layer,
  Subscriptions.layer,
  Orders.layer,
  CustomFields.layer,
  CustomFieldValues.layer,
  Notes.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Products.layer, Customers.layer, Licenses.layer))
)

/** The cluster engine: alone on an embedded database, shared on a database that other nodes may use too. */
const cluster = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ clusterHost, clusterPort, databaseUrl }) =>
      clusterLayer({ mode: databaseUrl === undefined ? "alone" : "shared", host: clusterHost, port: clusterPort })
  )
)

/** The operations of apps. */
const runtime = Layer.mergeAll(
  Layer.mergeAll(Trials.layer, OfflineFiles.layer).pipe(Layer.provideMerge(Activations.layer)),
  Layer.mergeAll(Leases.layer, LeaseSweeper.layer, Offline.layer, Revocations.layer, SelfService.layer),
  userSignIns.pipe(Layer.provide(cluster)),
  Layer.mergeAll(Metering.layer, UsageWarnings.layer),
  Receipts.layer.pipe(Layer.provide(Checkpoints.layer.pipe(Layer.provide(FeedSignal.layer)))),
  Validations.layer
).pipe(
  Layer.provide(Idempotency.layer),
  Layer.provideMerge(Replays.layer),
  Layer.provideMerge(Layer.mergeAll(Answers.layer, EntitlementState.layer, Sightings.layer)),
  Layer.provideMerge(Layer.mergeAll(Devices.layer, LicenseCreation.layer, LicenseFeatures.layer)),
  Layer.provideMerge(Layer.mergeAll(Customers.layer, Licenses.layer))
)

/** Authorization and idempotency. */
const access = Layer.mergeAll(
  Scopes.layer.pipe(Layer.provide(BootstrapTokens.layer)),
  ProductReach.layer,
  Idempotency.layer
)

/** Changes of licenses after they were issued, by management and by the clock. */
const lifecycle = Layer.mergeAll(
  LicenseUpdates.layer.pipe(Layer.provide(LicenseFeatures.layer)),
  LicenseRenewals.layer,
  LicenseTransfers.layer,
  PolicyDryRuns.layer,
  PolicyChanges.layer.pipe(Layer.provide(LicenseFeatures.layer)),
  LicenseKeys.layer,
  LicenseBatches.layer,
  LicenseCreation.layer,
  PolicyRehearsals.layer,
  Explanations.layer,
  LicenseSweeper.layer
).pipe(
  Layer.provideMerge(LicenseUsers.layer),
  Layer.provideMerge(Layer.mergeAll(Customers.layer, Devices.layer, Policies.layer, SubscriptionFollowing.layer)),
  Layer.provideMerge(Subscriptions.layer),
  Layer.provideMerge(Layer.mergeAll(Licenses.layer, Products.layer))
)

/** Webhooks: their endpoints, and every step from a committed event to a 2xx of the receiver. */
const delivery = Layer.mergeAll(EndpointTests.layer, FeedNotifications.layer).pipe(
  Layer.provideMerge(Delivery.layer),
  Layer.provideMerge(WebhookEndpoints.layer),
  Layer.provideMerge(WebhookSecrets.layer),
  Layer.provideMerge(FeedSignal.layer),
  Layer.provide(UndiciTransport.layer.pipe(Layer.provide(OwnAddress.layer))),
  Layer.provide(cluster)
)

/** The readers of what payment providers say of purchases when they are asked. */
const providerReading = Layer.mergeAll(
  PurchaseSnapshots.layer,
  ProviderReader.layer.pipe(Layer.provide(providerHttp), Layer.provide(cluster))
)

/** Purchases at payment providers: what is received of them, and every step from there to a license. */
const purchases = Layer.mergeAll(
  BillingConnections.layer,
  Inbox.layer,
  Purchases.layer,
  PurchaseOwners.layer,
  PurchaseSweeper.layer,
  Reconciliations.layer,
  ReconciliationWorker.layerRunning,
  PurchaseRouter.layerRunning
).pipe(
  Layer.provideMerge(PurchaseRouter.layer),
  Layer.provideMerge(PurchaseActor.layer),
  Layer.provide(PurchaseWork.layer.pipe(Layer.provide([PurchaseReading.layer, PurchaseUnits.layer]))),
  Layer.provide(Layer.provide(PurchaseCommands.layer, PurchaseRecords.layer)),
  Layer.provide(providerReading),
  Layer.provide(Layer.mergeAll(management, lifecycle, runtime)),
  Layer.provideMerge(InboxSignal.layer),
  Layer.provide(cluster)
)

/** Evidence for an auditor who does not trust the service. */
const evidence = Layer.mergeAll(
  EventProofs.layer,
  EventTiles.layer,
  Layer.mergeAll(CustomerErasures.layer, UserErasures.layer).pipe(Layer.provide(lifecycle)),
  Checkpoints.layerMetrics
).pipe(Layer.provideMerge(Checkpoints.layer), Layer.provide(FeedSignal.layer))

/** Reports, and the deletion of data past its retention time. */
const reports = Layer.mergeAll(RefusalLog.layer, Overviews.layer, Reports.layer, Pruner.layer)
  .pipe(
    Layer.provide(EventBodies.layer),
    Layer.provideMerge(Activities.layer),
    Layer.provideMerge(ReportSource.layer)
  )

/** Freezes reports on separate connections, so that it may take as long as the database needs. */
const freezing = ExportFreezer.layer.pipe(
  Layer.provide([Layer.fresh(ReportSource.layer), Layer.fresh(Checkpoints.layer)]),
  Layer.provide([FeedSignal.layer, Database.layerUnhurried])
)

/** Reports frozen into files. Every node runs a worker. */
const exports = Layer.mergeAll(ReportExports.layer, ExportWorker.layerRunning.pipe(Layer.provide(freezing)))
  .pipe(Layer.provide([ExportClaims.layer, ExportFiles.layer]), Layer.provide(RenderProcess.layer))

/** The application's services and actors, on a database that is migrated first. */
export const layer = Layer.mergeAll(Actors.layer.pipe(Layer.provide(cluster)), EnvironmentClock.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(
    management,
    runtime,
    lifecycle,
    access,
    delivery,
    evidence,
    Layer.provideMerge(exports, reports),
    DatabaseHealth.layer,
    Portal.layer.pipe(Layer.provide(Layer.mergeAll(runtime, lifecycle))),
    purchases,
    Layer.provideMerge(Jobs.layer.pipe(Layer.provide(Layer.mergeAll(lifecycle, cluster))), ServiceSettings.layer),
    Signing.layerMetrics,
    SmtpTransport.layerMailer
  )),
  Layer.provideMerge(foundation),
  // Checked first: a log that does not continue its witness must not get another event.
  Layer.provideMerge(WitnessKeeper.layer.pipe(Layer.provideMerge(WitnessPlaces.layer))),
  Layer.provideMerge(Layer.provideMerge(KnownCredentials.layer, RateLimits.layer)),
  Layer.provideMerge(Vault.layer),
  Layer.provideMerge(DatabaseClock.layer),
  Layer.provideMerge(Agenda.layer.pipe(Layer.provideMerge(Migrations.layer))),
  Layer.provideMerge(Layer.sync(Announcements, makeAnnouncements))
)
