import { Context, Effect, Layer } from "effect"
import { Singleton } from "effect/cluster"
import { WebhookPurge } from "../services/delivery/webhooks/WebhookEndpoints.ts"
import { Pruner } from "../services/evidence/retention/Pruner.ts"
import { Checkpoints } from "../services/evidence/transparency/Checkpoints.ts"
import { Cosignatures } from "../services/evidence/transparency/Cosignatures.ts"
import { WitnessKeeper } from "../services/evidence/transparency/WitnessKeeper.ts"
import { JobSweeper } from "../services/jobs/JobActor.ts"
import { LeaseSweeper } from "../services/licensing/floating/Leases.ts"
import { LicenseSweeper } from "../services/licensing/lifecycle/LicenseSweeper.ts"
import { UsageWarnings } from "../services/licensing/warnings/UsageWarnings.ts"
import { Sequencer } from "../services/log/Sequencer.ts"
import { Mailer } from "../services/mail/Mailer.ts"
import { ApprovalSweeper } from "../services/people/approvals/ApprovalSweeper.ts"
import { PurchaseSweeper } from "../services/sales/purchases/PurchaseRouter.ts"

/*
 * The actors of which there is one each. Those of which there are many are entities of their services: of an endpoint
 * (`EndpointActor`), of a purchase (`PurchaseActor`), of a job (`JobActor`). What each owns, and what happens when its node
 * dies, is in docs/decisions/0019-actors.md.
 */

/** An actor of which one runs in the whole cluster, on the node where the cluster places it. */
const singleton = <I, S extends { readonly run: Effect.Effect<void> }>(
  name: string,
  service: Context.Key<I, S>
) => Layer.unwrap(Effect.map(service, ({ run }) => Singleton.make(name, run)))

/** Gives committed events their places in the feed. */
export const sequencer = singleton("sequencer", Sequencer)

/** Removes deleted endpoints, and secrets that no longer sign. */
export const webhookPurge = singleton("webhook-purge", WebhookPurge)

/** Closes expired leases. */
const leaseSweeper = singleton("lease-sweeper", LeaseSweeper)

/** Announces the ends of licenses, and frees the seats of idle containers. */
const licenseSweeper = singleton("license-sweeper", LicenseSweeper)

/** Deletes what is past its retention time. */
const pruner = singleton("pruner", Pruner)

/** Signs the root of the tree over the feed. */
const checkpoints = singleton("checkpoints", Checkpoints)

/** Keeps the latest checkpoint with the witness. */
const witness = singleton("witness", WitnessKeeper)

/** Asks witnesses to cosign the latest checkpoint. */
const cosignatures = singleton("cosignatures", Cosignatures).pipe(Layer.provide(Cosignatures.layer))

/** Routes events of payment providers, and wakes purchases, whose notification was lost. */
const purchaseSweeper = singleton("purchase-sweeper", PurchaseSweeper)

/** Wakes jobs that nobody works on. */
const jobSweeper = singleton("job-sweeper", JobSweeper)

/** Ends requests for a second person that nobody decided. */
const approvalSweeper = singleton("approval-sweeper", ApprovalSweeper)

/** Sends mails to the owners of licenses. */
const mailer = singleton("mailer", Mailer)

/** Warns of thresholds of usage that others than the license itself have reached. */
const usageWarnings = singleton("usage-warnings", UsageWarnings)

/** Every singleton. */
export const layer = Layer.mergeAll(
  sequencer,
  webhookPurge,
  leaseSweeper,
  licenseSweeper,
  pruner,
  purchaseSweeper,
  jobSweeper,
  approvalSweeper,
  mailer,
  usageWarnings,
  checkpoints,
  witness,
  cosignatures
)
