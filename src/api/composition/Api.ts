import { HttpApi, OpenApi } from "effect/http-api"
import { ActionRequest, ReasonRequest } from "../../domain/ground/wire/Action.ts"
import { ErrorEnvelope } from "../../domain/ground/wire/Errors.ts"
import { ReportedUse } from "../../domain/licensing/metering/UsageReport.ts"
import { CustomFields } from "../catalog/CustomFields.ts"
import { Features } from "../catalog/Features.ts"
import { Policies } from "../catalog/Policies.ts"
import { Products } from "../catalog/Products.ts"
import { Versions } from "../catalog/Versions.ts"
import { Commerce } from "../customers/Commerce.ts"
import { Customers } from "../customers/Customers.ts"
import { deliveries, testDelivery } from "../delivery/Deliveries.ts"
import { Ops, Webhooks } from "../delivery/Webhooks.ts"
import { Activities } from "../evidence/Activities.ts"
import { Receipts } from "../evidence/Receipts.ts"
import { ReportExports } from "../evidence/ReportExports.ts"
import { Reports } from "../evidence/Reports.ts"
import { bodyStrictness, queryStrictness } from "../ground/Middleware.ts"
import { Environments } from "../jobs/Environments.ts"
import { Jobs } from "../jobs/Jobs.ts"
import { LicenseViews } from "../jobs/LicenseViews.ts"
import { ManagementKeys } from "../keys/ManagementKeys.ts"
import { PublishableKeys } from "../keys/PublishableKeys.ts"
import { ServiceSettings } from "../keys/ServiceSettings.ts"
import { SigningKeys } from "../keys/SigningKeys.ts"
import { Devices } from "../licensing/Devices.ts"
import { Floating, Leases } from "../licensing/Floating.ts"
import { Grants } from "../licensing/Grants.ts"
import { Licenses } from "../licensing/Licenses.ts"
import { LicenseUsers } from "../licensing/LicenseUsers.ts"
import { Offline, Revocations } from "../licensing/Offline.ts"
import { OfflineFiles } from "../licensing/OfflineFiles.ts"
import { Pools } from "../licensing/Pools.ts"
import { Runtime } from "../licensing/Runtime.ts"
import { SelfService } from "../licensing/SelfService.ts"
import { Trials } from "../licensing/Trials.ts"
import { Usage } from "../licensing/Usage.ts"
import { UserSignIns } from "../licensing/UserSignIns.ts"
import { Events } from "../log/Events.ts"
import { MailSuppressions } from "../mail/MailSuppressions.ts"
import { MailTemplates } from "../mail/MailTemplates.ts"
import { Approvals } from "../people/Approvals.ts"
import { CustomerNotes, LicenseNotes } from "../people/Notes.ts"
import { Passkeys } from "../people/Passkeys.ts"
import { People, Roles } from "../people/People.ts"
import { Sessions, SignIns } from "../people/Sessions.ts"
import { CustomerErasures } from "../portal/CustomerErasures.ts"
import { Billing, BillingInbox } from "../sales/Billing.ts"
import { System } from "./System.ts"

/** The whole contract. OpenAPI, llms.txt, the scope check and the typed client all derive from it. */
export class Api extends HttpApi.make("countersign")
  .add(System)
  .add(Products)
  .add(Versions)
  .add(Commerce)
  .add(Billing)
  .add(BillingInbox)
  .add(CustomFields)
  .add(Policies)
  .add(Features)
  .add(Customers)
  .add(CustomerNotes)
  .add(CustomerErasures)
  .add(People)
  .add(Roles)
  .add(Approvals)
  .add(Sessions)
  .add(SignIns)
  .add(Passkeys)
  .add(ManagementKeys)
  .add(PublishableKeys)
  .add(Licenses)
  .add(Grants)
  .add(Pools)
  .add(LicenseUsers)
  .add(UserSignIns)
  .add(Receipts)
  .add(Usage)
  .add(LicenseNotes)
  .add(LicenseViews)
  .add(MailTemplates)
  .add(MailSuppressions)
  .add(Jobs)
  .add(Devices)
  .add(OfflineFiles)
  .add(Runtime)
  .add(Floating)
  .add(SelfService)
  .add(Leases)
  .add(Offline)
  .add(Revocations)
  .add(Trials)
  .add(SigningKeys)
  .add(Environments)
  .add(ServiceSettings)
  .add(Events)
  .add(Activities)
  .add(Reports)
  .add(ReportExports)
  .add(Webhooks)
  .add(Ops)
  .annotate(HttpApi.AdditionalSchemas, [
    ErrorEnvelope,
    ReasonRequest,
    ActionRequest,
    ReportedUse,
    ...deliveries.map(({ schema }) => schema),
    testDelivery.schema
  ])
  .annotate(HttpApi.PayloadParseOptions, bodyStrictness)
  .annotate(HttpApi.QueryParseOptions, queryStrictness)
  .annotateMerge(OpenApi.annotations({
    title: "Countersign",
    version: "1.0.0",
    description:
      "A self-hosted licensing service for software vendors: issue license keys, validate them at runtime, " +
      "and prove every change afterwards."
  }))
{}
