import { HttpApi, OpenApi } from "effect/http-api"
import { ReportedUse } from "../../domain/metering/UsageReport.ts"
import { ActionRequest, ReasonRequest } from "../../domain/wire/Action.ts"
import { ErrorEnvelope } from "../../domain/wire/Errors.ts"
import { Activities } from "./Activities.ts"
import { Approvals } from "./Approvals.ts"
import { Billing, BillingInbox } from "./Billing.ts"
import { Commerce } from "./Commerce.ts"
import { CustomerErasures } from "./CustomerErasures.ts"
import { Customers } from "./Customers.ts"
import { CustomFields } from "./CustomFields.ts"
import { deliveries, testDelivery } from "./Deliveries.ts"
import { Devices } from "./Devices.ts"
import { Environments } from "./Environments.ts"
import { Events } from "./Events.ts"
import { Features } from "./Features.ts"
import { Floating, Leases } from "./Floating.ts"
import { Grants } from "./Grants.ts"
import { Jobs } from "./Jobs.ts"
import { Licenses } from "./Licenses.ts"
import { LicenseUsers } from "./LicenseUsers.ts"
import { LicenseViews } from "./LicenseViews.ts"
import { MailSuppressions } from "./MailSuppressions.ts"
import { MailTemplates } from "./MailTemplates.ts"
import { ManagementKeys } from "./ManagementKeys.ts"
import { bodyStrictness, queryStrictness } from "./Middleware.ts"
import { CustomerNotes, LicenseNotes } from "./Notes.ts"
import { Offline, Revocations } from "./Offline.ts"
import { OfflineFiles } from "./OfflineFiles.ts"
import { Passkeys } from "./Passkeys.ts"
import { People, Roles } from "./People.ts"
import { Policies } from "./Policies.ts"
import { Pools } from "./Pools.ts"
import { Products } from "./Products.ts"
import { PublishableKeys } from "./PublishableKeys.ts"
import { Receipts } from "./Receipts.ts"
import { ReportExports } from "./ReportExports.ts"
import { Reports } from "./Reports.ts"
import { Runtime } from "./Runtime.ts"
import { SelfService } from "./SelfService.ts"
import { ServiceSettings } from "./ServiceSettings.ts"
import { Sessions, SignIns } from "./Sessions.ts"
import { SigningKeys } from "./SigningKeys.ts"
import { System } from "./System.ts"
import { Trials } from "./Trials.ts"
import { Usage } from "./Usage.ts"
import { UserSignIns } from "./UserSignIns.ts"
import { Versions } from "./Versions.ts"
import { Ops, Webhooks } from "./Webhooks.ts"

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
