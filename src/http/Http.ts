import { Layer } from "effect"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/composition/Api.ts"
import * as Activities from "./evidence/Activities.ts"
import * as Approvals from "./people/Approvals.ts"
import * as Billing from "./sales/Billing.ts"
import * as Commerce from "./customers/Commerce.ts"
import * as CustomerErasures from "./portal/CustomerErasures.ts"
import * as Customers from "./customers/Customers.ts"
import * as CustomFields from "./catalog/CustomFields.ts"
import * as Devices from "./licensing/Devices.ts"
import * as Environments from "./jobs/Environments.ts"
import * as Events from "./log/Events.ts"
import * as Features from "./catalog/Features.ts"
import * as Floating from "./licensing/Floating.ts"
import * as Grants from "./licensing/Grants.ts"
import * as Jobs from "./jobs/Jobs.ts"
import * as Licenses from "./licensing/Licenses.ts"
import * as LicenseUsers from "./licensing/LicenseUsers.ts"
import * as LicenseViews from "./jobs/LicenseViews.ts"
import * as MailSuppressions from "./mail/MailSuppressions.ts"
import * as MailTemplates from "./mail/MailTemplates.ts"
import * as MailUnsubscribes from "./portal/MailUnsubscribes.ts"
import * as ManagementKeys from "./keys/ManagementKeys.ts"
import * as Notes from "./people/Notes.ts"
import * as Offline from "./licensing/Offline.ts"
import * as OfflineFiles from "./licensing/OfflineFiles.ts"
import * as Passkeys from "./people/Passkeys.ts"
import * as People from "./people/People.ts"
import * as Policies from "./catalog/Policies.ts"
import * as Pools from "./licensing/Pools.ts"
import * as Portal from "./portal/Portal.ts"
import * as Products from "./catalog/Products.ts"
import * as PublishableKeys from "./keys/PublishableKeys.ts"
import * as Receipts from "./evidence/Receipts.ts"
import * as ReportExports from "./evidence/ReportExports.ts"
import * as Reports from "./evidence/Reports.ts"
import * as Runtime from "./licensing/Runtime.ts"
import * as SelfService from "./licensing/SelfService.ts"
import * as ServiceSettings from "./keys/ServiceSettings.ts"
import * as Sessions from "./people/Sessions.ts"
import * as SigningKeys from "./keys/SigningKeys.ts"
import * as System from "./composition/System.ts"
import * as Trials from "./licensing/Trials.ts"
import * as Usage from "./licensing/Usage.ts"
import * as UserConfirmations from "./portal/UserConfirmations.ts"
import * as UserSignIns from "./licensing/UserSignIns.ts"
import * as Versions from "./catalog/Versions.ts"
import * as Webhooks from "./delivery/Webhooks.ts"
import * as Authorization from "./ground/middleware/Authorization.ts"
import * as Envelope from "./ground/middleware/Envelope.ts"
import * as Idempotency from "./ground/middleware/Idempotency.ts"
import * as Preconditions from "./ground/middleware/Preconditions.ts"
import * as PublishableKey from "./ground/middleware/PublishableKey.ts"
import * as RequestBody from "./ground/middleware/RequestBody.ts"
import * as SecondLook from "./ground/middleware/SecondLook.ts"
import * as ContractDocument from "./composition/pages/ContractDocument.ts"
import * as Pages from "./composition/pages/Pages.ts"

const handlers = Layer.mergeAll(
  System.layer,
  Products.layer,
  Versions.layer,
  Commerce.layer,
  Billing.layer,
  CustomFields.layer,
  Policies.layer,
  Features.layer,
  Customers.layer,
  CustomerErasures.layer,
  Grants.layer,
  Pools.layer,
  LicenseUsers.layer,
  UserSignIns.layer,
  Receipts.layer,
  Usage.layer,
  Jobs.layer,
  LicenseViews.layer,
  MailTemplates.layer,
  MailSuppressions.layer,
  Notes.layer,
  People.layer,
  Approvals.layer,
  Sessions.layer,
  Passkeys.layer,
  ManagementKeys.layer,
  PublishableKeys.layer,
  Licenses.layer,
  Devices.layer,
  OfflineFiles.layer,
  Floating.layer,
  Offline.layer,
  SelfService.layer,
  Trials.layer,
  SigningKeys.layer,
  Environments.layer,
  ServiceSettings.layer,
  Events.layer,
  ReportExports.layer,
  Activities.layer,
  Reports.layer,
  Webhooks.layer
)

const middleware = Layer.mergeAll(
  Envelope.layer,
  Authorization.managementLayer,
  Authorization.licenseKeyLayer,
  PublishableKey.layer,
  Idempotency.layer,
  Preconditions.layer,
  RequestBody.layer,
  SecondLook.layer
)

const { floating: _floating, runtime: _runtime, system, ...others } = Api.groups

/** The operations that HttpApi answers: all but the groups of hot routes. */
const General = HttpApi.make("countersign").add(system, ...Object.values(others)).annotateMerge(Api.annotations)

/** All routes: the operations of the contract, and the pages for browsers. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(General).pipe(Layer.provide(handlers), Layer.provide(middleware)),
  Runtime.layer,
  Floating.hotLayer,
  Portal.layer,
  MailUnsubscribes.layer,
  UserConfirmations.layer,
  Pages.layer
).pipe(Layer.provide(ContractDocument.layer))
